"""Games as numbers, for programs that learn."""
