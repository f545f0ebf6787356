"""The games, one a module, and what they share."""
