"""Players, who know a game only by its interface."""
