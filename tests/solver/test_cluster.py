"""Builds by pieces: the same bytes whoever does the work, and a log from which they go on."""

import os
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from solver.complete import cluster
from solver.complete.cluster import Job, build_by_pieces, steps_known
from solver.complete.piece_log import Entry, Log
from solver.complete.pieces import Cutter
from solver.complete.table import table_path
from solver.core.checkpoint import CheckpointError

KINDS = ("outcome", "distance")


def paths_in(folder, distances):
    return {kind: folder / kind for kind in KINDS[: 1 + distances]}


def same_as_shipped(ranks, paths):
    return all(
        path.read_bytes() == table_path(ranks, kind).read_bytes() for kind, path in paths.items()
    )


@pytest.mark.parametrize("distances", [False, True])
@pytest.mark.parametrize(("ranks", "room"), [(2, 3), (3, 5), (4, 300), (4, None)])
def test_pieces_of_any_size_give_the_same_bytes(tmp_path, ranks, room, distances, no_sync):
    paths = paths_in(tmp_path, distances)
    build_by_pieces(ranks, paths, tmp_path / "log", count=2, room=room)
    assert same_as_shipped(ranks, paths)
    assert not (tmp_path / "log").exists()


def stop_after(count, now, seen):
    seen.append(now)
    if len(seen) == count:
        raise KeyboardInterrupt


@pytest.mark.parametrize("distances", [False, True])
def test_nothing_finished_is_done_again(tmp_path, distances, no_sync):
    paths, log = paths_in(tmp_path, distances), tmp_path / "log"
    build = partial(build_by_pieces, 3, paths, count=1, room=50)
    whole = build(tmp_path / "whole").done
    records = 0
    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            build(log, report=partial(stop_after, 20, seen=[]))
        for path in log.glob("round.*"):  # as a kill in the midst of writing leaves it
            with path.open("ab") as file:
                file.write(b"cut short")
    work = {"ranks": 3, "distances": distances, "room": 50}
    with Log(log, work) as there:
        records = sum(1 for round_ in range(1, 100) for _ in there.read(round_))
    assert records > 20
    assert build(log).done == whole - records
    assert same_as_shipped(3, paths)


def test_damaged_and_other_logs_are_refused(tmp_path, no_sync):
    with Log(tmp_path / "log", {"ranks": 3}) as log:
        log.append(1, Entry(0, 0, 1, 1, 1, 0.5, b"news"))
        with pytest.raises(OSError, match="another process"), Log(log.folder, {"ranks": 3}):
            pass
    with pytest.raises(CheckpointError, match="another build"), Log(log.folder, {"ranks": 4}):
        pass
    data = bytearray(log.path(1).read_bytes())
    for place in (0, len(data) // 2, len(data) - 1):
        data[place] ^= 1
        log.path(1).write_bytes(data)
        with (
            Log(log.folder, {"ranks": 3}) as again,
            pytest.raises(CheckpointError, match="damaged"),
        ):
            list(again.read(1))
        data[place] ^= 1


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_undecided_positions_are_counted(ranks):
    cutter = Cutter(ranks, False)
    stamps, starts = cutter.layout.empty_stamps(), cutter.layout.starts.tolist()
    counted = [np.count_nonzero(stamps[a:b] == 0) for a, b in pairwise(starts)]
    assert cluster.positions_of_blocks(cutter).tolist() == counted


def test_another_version_is_refused():
    with pytest.raises(cluster.GameError, match="a worker has version"):
        steps_known(Job("", 2, False, "another"), 0)


@pytest.mark.slow
def test_two_workers_of_which_one_is_killed(tmp_path):
    pytest.importorskip("distributed")
    killed = []

    def kill(now):
        import psutil

        workers = [
            child
            for child in psutil.Process(os.getpid()).children()
            if "spawn_main" in " ".join(child.cmdline())
        ]
        if now.round == 2 and not killed:
            killed.append(workers[-1])
            workers[-1].kill()

    paths = paths_in(tmp_path, False)
    build_by_pieces(5, paths, tmp_path / "log", scheduler="local:2", report=kill)
    assert killed
    assert same_as_shipped(5, paths)
