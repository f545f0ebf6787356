"""How often the trick search misses the caches, by simulation: takes Valgrind.

    python -m benchmarks.misses --ranks 6 --ranks 7

Runs the sample of searches of `benchmarks.tried` over the finished bit tables of a deck under
Cachegrind, a short and a longer one, and tells the difference for each node. Valgrind simulates a
cache of 32 KiB and a second one behind it, once as large as a core's own, once as the one that all
share. The code is compiled for a plain processor, which changes instructions, not look-ups. Two to
four minutes for each run, four runs for each deck.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from benchmarks.ablation import ROOT
from benchmarks.report import json_option, print_report
from benchmarks.tried import SPEED

CACHES = {"512 KiB": "524288,8,64", "32 MiB": "33554432,16,64"}
COUNTED = {"instructions": "I   refs", "1": "D1  misses", "2": "LLd misses"}
SAMPLES = 50, 4000


def run(
    ranks: int, wanted: int, folder: Path, before: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Search so many positions, with a command before that of Python; what is compiled stays in
    the folder."""
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "OMP_NUM_THREADS": "1"}
    script = SPEED.format(ranks=ranks, wanted=wanted, passes=1)
    command = [*before, sys.executable, "-c", script]
    environment = {**os.environ, **plain, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )


def measured(ranks: int, wanted: int, cache: str, folder: Path) -> tuple[int, dict[str, int]]:
    """Nodes searched in a whole run, and what Cachegrind has counted."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--D1=32768,8,64"]
    valgrind += [f"--LL={cache}", f"--cachegrind-out-file={folder / 'counts'}"]
    done = run(ranks, wanted, folder, valgrind)
    counts = {}
    for name, label in COUNTED.items():
        found = re.search(rf"{label}: *([0-9,]+)", done.stderr)
        assert found is not None
        counts[name] = int(found[1].replace(",", ""))
    *_, nodes = json.loads(done.stdout)
    return nodes, counts


@click.command()
@click.option("--ranks", type=click.IntRange(5, 8), multiple=True, default=[6], show_default=True)
@json_option
def main(ranks: tuple[int, ...], as_json: bool) -> None:
    """Count the cache misses of a lead node."""
    rows = []
    for deck in ranks:
        row: dict[str, float] = {"ranks": deck}
        with tempfile.TemporaryDirectory() as folder:
            run(deck, SAMPLES[0], Path(folder))  # compile, outside the simulation
            for name, cache in CACHES.items():
                (less, before), (more, after) = (
                    measured(deck, wanted, cache, Path(folder)) for wanted in SAMPLES
                )
                a_node = {key: (after[key] - before[key]) / (more - less) for key in COUNTED}
                row |= {"nodes": more - less, "instructions": a_node["instructions"]}
                row |= {"beyond 32 KiB": a_node["1"], f"beyond {name}": a_node["2"]}
        rows.append(row)
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
