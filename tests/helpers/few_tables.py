"""The tables of the package without those that take long to unpack, for the tests of servers."""

from solver import Tables
from solver.complete.build import Builder
from solver.complete.coder import write_packed
from solver.complete.table import DATA

PROGRESS = 4
"""The deck that has packed progress instead of distances, as 7 ranks have."""


def few_tables(folder):
    """Outcomes of all decks, distances of the small ones, progress of one, in a folder."""
    for path in DATA.glob("ranks*.outcome"):
        (folder / path.name).symlink_to(path)
    for path in DATA.glob("ranks*.distance"):
        if path.name != f"ranks{PROGRESS}.distance":
            (folder / path.name).symlink_to(path)
    builder = Builder(PROGRESS, distances=False)
    builder.run()
    write_packed(folder / f"ranks{PROGRESS}.progress.1", PROGRESS, builder.stamps)
    return Tables(folder)
