"""The search from a single position, for decks without a table."""
