"""Exact solutions of Challenge: complete solutions of decks, searches of single positions.

Importing this package loads neither numpy nor numba; building and solving thousands of positions
do. Everything that is exported may be called from any thread.
"""

from engine.errors import ChallengeError, GameError, NotationError
from solver.complete.deck import DeckTables
from solver.complete.table import MissingTable, TableError
from solver.single.estimate import Estimate, estimate
from solver.solution import Effort, Move, Outcome, Solution
from solver.solver import Solver, solve, solve_many
from solver.tables import Tables, open_tables

__all__ = [
    "ChallengeError",
    "DeckTables",
    "Effort",
    "Estimate",
    "GameError",
    "MissingTable",
    "Move",
    "NotationError",
    "Outcome",
    "Solution",
    "Solver",
    "TableError",
    "Tables",
    "estimate",
    "open_tables",
    "solve",
    "solve_many",
]
