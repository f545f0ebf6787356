"""All tests: no deadlines, for busy machines, and no tables but those of the package."""

import os
import tempfile

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp(prefix="challenge-tests-")
