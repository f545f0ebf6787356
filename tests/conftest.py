"""Settings of all tests: no deadlines, for machines that do other work besides."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
