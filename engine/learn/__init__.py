"""Games for programs that learn."""
