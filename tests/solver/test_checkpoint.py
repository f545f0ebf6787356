"""Checkpoints: believed as a whole, whoever has altered them, by one process at a time."""

import json
import os
import random
import signal
import time
from hashlib import sha256

import numpy as np
import pytest
from command import challenge, start, status_of

from engine.errors import ChallengeError
from solver.complete.build import Builder, build_tables
from solver.complete.table import table_path
from solver.complete.verify import verify
from solver.core.checkpoint import CheckpointError
from solver.core.files import locked
from solver.tables import open_tables

WORKS = ("build", "distances", "verification")


class OneStep(Builder):
    """A builder that dies when it has saved its state for the first time."""

    def _save(self, path):
        super()._save(path)
        raise InterruptedError


@pytest.fixture(params=WORKS)
def work(request, tmp_path):
    """A checkpoint of some work that was interrupted, and what goes on with it."""
    path = tmp_path / "checkpoint"
    if request.param == "verification":

        def interrupt(done, total):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            verify(open_tables().deck(3), threads=2, report=interrupt, checkpoint=path)
        return path, lambda: verify(open_tables().deck(3), checkpoint=path)
    distances = request.param == "distances"
    with pytest.raises(InterruptedError):
        OneStep(3, distances=distances).run(checkpoint=path, every=0)
    return path, lambda: Builder(3, distances=distances).run(checkpoint=path)


def refused(work, words):
    path, go_on = work
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=words) as caught:
        go_on()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_any_altered_byte_is_found(work):
    path, go_on = work
    data = path.read_bytes()
    places = range(len(data))
    for place in places if len(data) < 500 else random.Random(1).sample(places, 100):
        altered = bytearray(data)
        altered[place] ^= 1 << place % 8
        path.write_bytes(altered)
        refused(work, "checkpoint")
    path.write_bytes(data)
    go_on()


def test_cut_short_or_grown(work):
    path, _ = work
    data = path.read_bytes()
    ends = [*range(0, min(len(data), 300), 7), *range(300, len(data), 199), len(data) - 1]
    for content in (*(data[:end] for end in ends), data + b"x"):
        path.write_bytes(content)
        refused(work, "truncated|damaged|no checkpoint|other work")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1\n",
        b"{}\n",
        b"\xff\x80\0\n",
        b"[" * 3000 + b"]" * 3000,
        b'{"done": 1e999}',
        b"done" * 100_000,
    ],
)
def test_none_at_all(work, content):
    work[0].write_bytes(content)
    refused(work, "is no checkpoint of a (build|verification)")


def rewrite(path, change):
    """The same file with another state, and a check sum to match."""
    first, second, rest = path.read_bytes().split(b"\n", 2)
    second = change(second)
    if not isinstance(second, bytes):
        second = json.dumps(second).encode()
    data = b"\n".join((first, second, rest[:-32]))
    path.write_bytes(data + sha256(data).digest())


VALUES = [-3, -1, 1 << 70, 1e400, 1.5, None, "1", True, [], {}]


STATES = [("build", key) for key in ("round", "step", "new", "tests")] + [("verification", "done")]


@pytest.mark.parametrize(("work", "key"), STATES, indirect=["work"])
def test_impossible_states(work, key):
    right = work[0].read_bytes()
    for value in VALUES:
        rewrite(work[0], lambda text, value=value: json.loads(text) | {key: value})
        refused(work, f"impossible {key}")
        work[0].write_bytes(right)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: json.loads(text) | {"more": 1}, "another"),
        (lambda text: {}, "damaged"),
        (lambda text: [1], "damaged"),
        (lambda text: 5, "damaged"),
        (lambda text: b"[" * 3000, "damaged"),
        (lambda text: b"\xff", "damaged"),
        (lambda text: b"1" * 5000, "damaged"),
        (lambda text: b"x" * 100_000, "damaged"),
    ],
)
def test_crafted(work, change, words):
    rewrite(work[0], change)
    refused(work, words)


@pytest.mark.parametrize("seconds", [0.3, pytest.param(60, marks=pytest.mark.slow)])
def test_altered_with_check_sums_to_match(work, seconds):
    """Whoever makes up the sum, too, gets a sentence, or work that comes to an end."""
    path, go_on = work
    right, rng, until = path.read_bytes()[:-32], random.Random(6), time.monotonic() + seconds
    header = right.index(b"\n", right.index(b"\n") + 1)
    while time.monotonic() < until:
        data = bytearray(right)
        for _ in range(rng.choice((1, 1, 2, 5))):
            end = rng.choice((header, len(data)))
            data[rng.randrange(end)] = rng.choice((0, 48, 57, 255, rng.randrange(256)))
        path.write_bytes(data + sha256(data).digest())
        try:
            go_on()
        except ChallengeError as error:
            assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("work", "key", "value"),
    [("build", "step", 25), ("build", "round", 0), ("verification", "done", 8)],
    indirect=["work"],
)
def test_states_just_out_of_bounds(work, key, value):
    rewrite(work[0], lambda text: json.loads(text) | {key: value})
    refused(work, "impossible")


@pytest.mark.parametrize("old", [b'{"ranks": 3, "distances": false}\n', b'{"theorems": true}'])
def test_of_an_older_version(work, old):
    work[0].write_bytes(old)
    refused(work, "is a checkpoint of an older or newer version, expected a new name")
    work[0].write_bytes(b"challenge checkpoint 99: build\n")
    refused(work, "older or newer version|other work")


def test_of_other_work(tmp_path, work):
    path, _ = work
    ways = [
        lambda: Builder(4, distances=False).run(checkpoint=path),
        lambda: Builder(4, distances=True).run(checkpoint=path),
        lambda: verify(open_tables().deck(4), checkpoint=path),
        lambda: verify(open_tables().deck(3), theorems=False, checkpoint=path),
    ]
    for way in ways:
        refused((path, way), "the checkpoint of another|a checkpoint of other work")


def test_one_at_a_time(tmp_path):
    """The second is refused, and the first is not disturbed."""
    path = tmp_path / "checkpoint"
    paths = {"outcome": tmp_path / "table"}
    with locked(path):
        for use in (
            lambda: build_tables(2, paths, checkpoint=path),
            lambda: verify(open_tables().deck(2), checkpoint=path),
        ):
            with pytest.raises(OSError, match="another process is writing it") as caught:
                use()
            assert caught.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []
    build_tables(2, paths, checkpoint=path)
    assert list(tmp_path.iterdir()) == [tmp_path / "table"]


@pytest.mark.parametrize("command", ["build --ranks 2 -o {0}/two", "verify --ranks 2"])
def test_a_pipe_is_no_checkpoint(tmp_path, command):
    os.mkfifo(tmp_path / "pipe")
    arguments = ["table", *command.format(tmp_path).split(), "--checkpoint", f"{tmp_path}/pipe"]
    status, _, error = challenge(*arguments)
    assert (status, error) == (2, f"Error: {tmp_path}/pipe: not a regular file\n")


def test_checkpoint_equal_to_an_output(tmp_path):
    for ending in ("", ".distance"):
        command = f"table build --ranks 2 -o {tmp_path}/t --checkpoint {tmp_path}/t{ending}"
        status, _, error = challenge(*command.split())
        assert status == 2
        assert "would be the same file" in error
    assert list(tmp_path.iterdir()) == []


LONGEST = 3
"""Seconds until a kill, at most: each build goes on from the last one's checkpoint."""


@pytest.mark.usefixtures("no_sync")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(("ranks", "kills"), [(3, 4), pytest.param(5, 60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("distances", [False, True])
def test_killed_at_any_moment(tmp_path, distances, ranks, kills):
    """Saving all the time, so that kills come while a checkpoint or a table is written, too."""
    output, checkpoint = tmp_path / "deck.outcome", tmp_path / "checkpoint"
    option = "--distances" if distances else "--no-distances"
    command = f"table build --ranks {ranks} {option} --checkpoint-every 0 --threads 2 -o".split()
    paths = [tmp_path / f"deck.{kind}" for kind in ("distance", "outcome")[1 - distances :]]
    command += [str(output), "--checkpoint", str(checkpoint)]
    assert challenge(*command, "--force")[0] == 0  # everything is compiled
    began = time.monotonic()
    assert challenge(*command, "--force")[0] == 0
    whole = min(time.monotonic() - began, LONGEST)
    rng = random.Random(kills + distances)
    killed = continued = 0
    while killed < kills or not continued:
        if checkpoint.exists():
            continued += 1
        else:
            for path in paths:
                path.unlink(missing_ok=True)
        process = start(*command)
        time.sleep(rng.uniform(0, whole))
        os.kill(process, signal.SIGKILL)
        status = status_of(process)
        assert status in (0, -signal.SIGKILL)
        killed += status != 0
    assert challenge(*command, "--force")[0] == 0
    for path in paths:
        assert path.read_bytes() == table_path(ranks, path.suffix[1:]).read_bytes()
    assert sorted(tmp_path.iterdir()) == paths


def test_what_is_saved_comes_back(tmp_path):
    path = tmp_path / "checkpoint"
    builder = OneStep(3, distances=True)
    with pytest.raises(InterruptedError):
        builder.run(checkpoint=path, every=0)
    again = Builder(3, distances=True)
    again._load(path)
    for one, other in zip(builder._saved_arrays(), again._saved_arrays(), strict=True):
        assert np.array_equal(one, other)
    assert path.stat().st_size < 20_000
