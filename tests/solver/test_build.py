"""Building: right entries, the same files in every way, and going on after an interruption."""

import random
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np
import oracle
import pytest

from solver.complete import build
from solver.complete.blocks import Plan
from solver.complete.build import Builder, BuildError, build_tables
from solver.complete.deck import DeckTables
from solver.complete.table import Table, table_path
from solver.core.bitboard import swap_trumps
from solver.core.trick import Context, new_generation, proves

ROOT = Path(__file__).parents[2]
KINDS = ("outcome", "distance")
WAYS = [(distances, threads) for distances in (False, True) for threads in (1, 2)]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A function from (ranks, distances, threads) to the builder and the paths of what it wrote."""

    @cache
    def make(ranks, distances, threads):
        folder = tmp_path_factory.mktemp("built")
        paths = {kind: folder / kind for kind in KINDS[: 1 + distances]}
        return build_tables(ranks, paths, threads=threads), paths

    return make


def same_as_shipped(ranks, paths):
    return all(
        path.read_bytes() == table_path(ranks, kind).read_bytes() for kind, path in paths.items()
    )


def counters(builder):
    """The progress of a builder without what depends on the machine."""
    progress = asdict(builder.progress())
    del progress["seconds"], progress["memory"]
    return progress


@pytest.mark.parametrize(("distances", "threads"), WAYS)
@pytest.mark.parametrize("ranks", oracle.RANKS)
def test_every_entry(built, ranks, distances, threads):
    _, paths = built(ranks, distances, threads)
    tables = DeckTables(
        ranks, Table(paths["outcome"]), Table(paths["distance"]) if distances else None
    )
    hands = oracle.base_hands(ranks)
    assert np.array_equal(tables.outcomes(hands), oracle.outcomes(ranks))
    assert not distances or np.array_equal(tables.distances(hands), oracle.distances(ranks))


@pytest.mark.parametrize(("distances", "threads"), WAYS)
@pytest.mark.parametrize("ranks", oracle.RANKS)
def test_the_same_bytes_as_shipped(built, ranks, distances, threads):
    _, paths = built(ranks, distances, threads)
    assert same_as_shipped(ranks, paths)


@pytest.mark.slow
@pytest.mark.parametrize(("distances", "threads"), WAYS)
def test_the_same_bytes_as_shipped_with_6_ranks(built, distances, threads):
    _, paths = built(6, distances, threads)
    assert same_as_shipped(6, paths)


@pytest.mark.parametrize("distances", [False, True])
@pytest.mark.parametrize("ranks", oracle.RANKS)
def test_threads_do_the_same_work(built, ranks, distances):
    (one, _), (two, _) = (built(ranks, distances, threads) for threads in (1, 2))
    assert counters(one) == counters(two)


@pytest.mark.parametrize(
    ("ranks", "distances", "tests", "nodes"),
    [
        (4, False, 33_153, 296_026),
        (4, True, 86_037, 604_653),
        (5, False, 455_563, 7_936_206),
        (5, True, 1_036_044, 16_286_862),
    ],
)
def test_work(built, ranks, distances, tests, nodes):
    """A change that makes a build search more is seen here, on any machine."""
    progress = built(ranks, distances, 1)[0].progress()
    assert (progress.tests, progress.nodes) == (tests, nodes)


@pytest.mark.parametrize(("distances", "threads"), WAYS)
def test_counts(built, distances, threads):
    """All is decided but the two draws with 5 ranks, which stand for four."""
    builder, _ = built(5, distances, threads)
    progress = builder.progress()
    assert (progress.ranks, progress.decided, progress.total) == (5, 540_668, 540_670)
    assert progress.nodes > progress.tests > progress.proved > 0
    assert progress.seconds > 0
    assert builder.totals() == (577_198, 471_372, 4)


@pytest.mark.parametrize("ranks", oracle.RANKS)
def test_a_round_for_every_distance_and_one_that_changes_nothing(built, ranks):
    builder, _ = built(ranks, True, 1)
    longest = oracle.distances(ranks).max()
    assert builder.progress().round == longest + 2


@pytest.mark.parametrize("distances", [False, True])
def test_reports(distances):
    builder, reports = Builder(3, distances=distances), []
    builder.run(reports.append)
    assert {report.round for report in reports} == set(range(1, builder.round + 1))
    for before, after in pairwise(reports):
        assert before.round <= after.round
        assert before.decided <= after.decided <= after.total
        assert before.nodes <= after.nodes
    assert asdict(reports[-1]) | {"seconds": 0} == asdict(builder.progress()) | {"seconds": 0}


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_stamps_order_all_proofs(ranks):
    """Of outcomes: each follows in a trick from earlier stamps, or the same and fewer cards."""
    builder = Builder(ranks, distances=False)
    builder.run()
    full, suit = (1 << 4 * ranks) - 1, (1 << ranks) - 1
    facts = []
    for p in range(suit + 1):
        for q in range(suit + 1):
            stamps = builder.stamps[builder.layout.slice_places(p, q)].tolist()
            first = (q << ranks | p) << 2 * ranks
            facts += [(s, h.bit_count(), h) for h, s in enumerate(stamps, first) if 0 < h < full]
    words = max(1, 1 << 4 * ranks >> 6)
    leader, responder = np.zeros(words, np.uint64), np.zeros(words, np.uint64)
    context = Context(ranks)
    context.use_bit_tables(leader, responder)
    for _, group in groupby(sorted(facts), key=lambda fact: fact[:2]):
        new = []
        for stamp, _, hand in group:
            wins = stamp % 2 == 1
            mine = hand if wins else full ^ swap_trumps(hand, ranks)
            assert stamp > 0
            assert proves(mine, full ^ mine, wins, context.record)
            new.append((leader if wins else responder, mine))
        for table, mine in new:
            table.view(np.uint8)[mine >> 3] |= 1 << (mine & 7)
        new_generation(context.record)


@pytest.mark.parametrize("distances", [False, True])
def test_known_outcomes_save_tests_and_change_nothing(built, distances):
    plain, _ = built(4, distances, 1)
    known = np.frombuffer(b"".join(plain.slices("outcome")), np.uint8)
    guided = Builder(4, distances=distances, known=known)
    guided.run()
    assert np.array_equal(guided.stamps, plain.stamps)
    assert guided.round == plain.round
    assert guided.progress().tests < plain.progress().tests


PLANS = [
    *({switch: False} for switch, on in Plan()._asdict().items() if on is True),
    {"memo_size": 1},
]


@pytest.mark.parametrize("distances", [False, True])
@pytest.mark.parametrize("less", PLANS, ids=str)
def test_what_a_plan_leaves_out_changes_only_the_work(built, less, distances):
    whole, _ = built(4, distances, 1)
    builder = Builder(4, distances=distances, threads=1, plan=Plan(**less))
    builder.run()
    assert np.array_equal(builder.leader, whole.leader)
    assert np.array_equal(builder.responder, whole.responder)
    same = ("wins_first", "small_hands_first") if distances else ("only_reachable",)
    if next(iter(less)) in same:
        assert counters(builder) == counters(whole)
    else:
        assert builder.progress().nodes > whole.progress().nodes


def test_too_many_rounds(monkeypatch):
    monkeypatch.setattr(build, "LAST_STAMP", 5)
    with pytest.raises(BuildError, match="more than 5 stamps are needed for 3 ranks"):
        Builder(3, distances=True).run()


# Interruptions.


def test_an_interruption_leaves_no_files(tmp_path):
    def stop(progress):
        if progress.round == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_tables(3, {kind: tmp_path / kind for kind in KINDS}, report=stop)
    assert list(tmp_path.iterdir()) == []


class Saves(Builder):
    """A builder that counts how often it would save its state."""

    saves = 0

    def _save(self, path):
        self.saves += 1


class OneStep(Builder):
    """A builder that dies whenever it has saved its state."""

    def _save(self, path):
        super()._save(path)
        raise InterruptedError


@pytest.mark.parametrize("distances", [False, True])
def test_interrupted_after_every_step(tmp_path, distances):
    checkpoint = tmp_path / "checkpoint"
    whole = Saves(3, distances=distances)
    whole.run(checkpoint=checkpoint, every=0)
    assert whole.saves > whole.round
    for _ in range(whole.saves):
        builder = OneStep(3, distances=distances)
        with pytest.raises(InterruptedError):
            builder.run(checkpoint=checkpoint, every=0)
    assert np.array_equal(builder.stamps, whole.stamps)
    assert builder.round == whole.round
    if not distances:  # which tests are needless is forgotten
        assert counters(builder) == counters(whole)
    assert builder.totals() == whole.totals() == (2_426, 1_668, 0)
    assert list(tmp_path.iterdir()) == [checkpoint]


KILLED = """
import sys
from pathlib import Path
from solver.complete.build import Builder
Builder(5, distances=sys.argv[2] == "True").run(checkpoint=Path(sys.argv[1]), every=0)
"""


@pytest.mark.parametrize("distances", [False, True])
def test_killed_and_resumed(tmp_path, distances):
    checkpoint = tmp_path / "checkpoint"
    rng = random.Random(distances)
    for _ in range(1 + distances):
        saved = checkpoint.stat().st_mtime_ns if checkpoint.exists() else None
        arguments = [sys.executable, "-c", KILLED, str(checkpoint), str(distances)]
        with subprocess.Popen(arguments, cwd=ROOT) as process:
            while not checkpoint.exists() or checkpoint.stat().st_mtime_ns == saved:
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.1))
            process.send_signal(signal.SIGKILL)
    paths = {kind: tmp_path / kind for kind in KINDS[: 1 + distances]}
    reports = []
    builder = build_tables(5, paths, checkpoint=checkpoint, report=reports.append)
    assert same_as_shipped(5, paths)
    assert reports[0].decided > 0
    assert not checkpoint.exists()
    assert builder.totals() == (577_198, 471_372, 4)
