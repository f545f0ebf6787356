"""Exact solutions of Challenge: trick search, complete solutions of decks, and `solve` on top.

Importing this package loads neither numpy nor numba; building and solving thousands of positions
do.
"""

from solver.complete.table import MissingTable, TableError, Tables, open_tables, probe
from solver.solver import Effort, Move, Solution, solve, solve_many

__all__ = [
    "Effort",
    "MissingTable",
    "Move",
    "Solution",
    "TableError",
    "Tables",
    "open_tables",
    "probe",
    "solve",
    "solve_many",
]
