"""Scripts that measure; README.md says what and why."""
