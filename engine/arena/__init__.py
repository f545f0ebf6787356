"""Playing games out: single games, matches, tournaments, records."""
