"""The complete solution of a deck: built, stored, probed, verified."""
