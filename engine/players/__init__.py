"""Who chooses actions, knowing nothing of a game but its interface."""
