"""The command `challenge`: thin, all logic lives in `engine` and `solver`."""
