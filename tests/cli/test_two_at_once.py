"""Two commands that write the same file at the same time: one of them does."""

import os
import signal
import time

import pytest
from command import challenge, start, status_of

from solver.complete.table import table_path
from solver.study.batch import How, load
from solver.study.records import gathering, read_records

pytestmark = [
    pytest.mark.usefixtures("no_sync"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]
BUSY = "another process is writing it"
PAIRS = 3


def both(tmp_path, *arguments):
    """The exit statuses of two commands at once, in order, and what they have said."""
    errors = [tmp_path / "error1", tmp_path / "error2"]
    processes = [start(*arguments, error=error) for error in errors]
    statuses = sorted(map(status_of, processes))
    said = [error.read_text() for error in errors]
    for error in errors:
        error.unlink()
    return statuses, said


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


@pytest.fixture(params=["csv", "jsonl", "parquet"])
def records(request, tmp_path):
    """A file that is to be written, and what is written there meanwhile."""
    if request.param == "parquet":
        pytest.importorskip("pyarrow")
    load(How(5))
    output = tmp_path / f"deals.{request.param}"
    return output, gathering(output) if request.param == "parquet" else output


def test_two_batches(tmp_path, records):
    output, _ = records
    arguments = ["batch", "--deck", "5", "--count", "100", "-o", str(output)]
    assert challenge(*arguments)[0] == 0
    right = output.read_bytes()
    for resume in ([], ["--resume"]) * PAIRS:
        output.unlink()
        statuses, said = both(tmp_path, *arguments, *resume)
        # The second one may come when the first has finished, and then has nothing to add.
        assert statuses == [0, 2] or (resume and statuses == [0, 0]), said
        for text in said:
            if text.startswith("Error: "):
                assert text.count("\n") == 1
                assert BUSY in text or (not resume and "is there already" in text)
                assert str(output) in text
        assert output.read_bytes() == right
        assert list(tmp_path.iterdir()) == [output]


def test_a_batch_beside_one_that_is_at_work(tmp_path, records):
    """Whatever it is asked to do, it is refused; what is there is continued after a kill."""
    output, growing = records
    arguments = ["batch", "--deck", "5", "--count", "100000", "-o", str(output)]
    process = start(*arguments)
    wait_for(lambda: growing.exists() and growing.read_bytes().count(b"\n") > 10)
    for more in ([], ["--resume"], ["--force"]):
        status, _, error = challenge(*arguments, *more)
        assert (status, error) == (2, f"Error: {output}: {BUSY}\n")
    os.kill(process, signal.SIGKILL)
    assert status_of(process) == -signal.SIGKILL
    kept = list(read_records(growing))
    arguments[4] = str(len(kept) + 10)
    assert challenge(*arguments, "--resume")[0] == 0
    found = list(read_records(output))
    assert found[: len(kept)] == kept
    assert len(found) == len(kept) + 10
    assert list(tmp_path.iterdir()) == [output]


def build(output, checkpoint, ranks, every=0):
    command = f"table build --ranks {ranks} --no-distances --threads 1 --checkpoint-every {every}"
    return [*command.split(), "-o", str(output), "--checkpoint", str(checkpoint)]


def test_two_builds(tmp_path):
    """On one checkpoint, and with one table to write."""
    output, checkpoint = tmp_path / "table", tmp_path / "checkpoint"
    arguments = build(output, checkpoint, 3)
    assert challenge(*arguments)[0] == 0
    for _ in range(PAIRS):
        output.unlink()
        statuses, said = both(tmp_path, *arguments)
        # One that is slow to begin may find that the other has finished meanwhile.
        assert statuses[0] == 0
        assert statuses[1] in (0, 2)
        for text in said:
            if text:
                assert text.count("\n") == 1
                assert BUSY in text or "is there already" in text
        assert output.read_bytes() == table_path(3, "outcome").read_bytes()
        assert list(tmp_path.iterdir()) == [output]


def test_a_build_beside_one_that_is_at_work(tmp_path):
    output, checkpoint = tmp_path / "table", tmp_path / "checkpoint"
    assert challenge(*build(output, checkpoint, 2))[0] == 0  # everything is compiled
    output.unlink()
    process = start(*build(output, checkpoint, 5))
    wait_for(checkpoint.exists)
    for other in (tmp_path / "other", output):
        status, _, error = challenge(*build(other, checkpoint, 5))
        assert (status, error) == (2, f"Error: {checkpoint}: {BUSY}\n")
    os.kill(process, signal.SIGKILL)
    assert status_of(process) == -signal.SIGKILL
    assert challenge(*build(output, checkpoint, 5, every=600))[0] == 0
    assert output.read_bytes() == table_path(5, "outcome").read_bytes()
    assert list(tmp_path.iterdir()) == [output]


def test_two_summaries(tmp_path):
    summary, expected = tmp_path / "summary.json", tmp_path / "expected.json"
    load(How(3))
    assert challenge("batch", "--deck", "3", "--all", "--summary", str(expected))[0] == 0
    for _ in range(PAIRS):
        arguments = ["batch", "--deck", "3", "--all", "--summary", str(summary), "--force"]
        statuses, said = both(tmp_path, *arguments)
        assert set(statuses) <= {0, 2}, said
        assert statuses[0] == 0
        text = summary.read_text()
        assert text.count('"slowest"') == 1
        assert text.partition('"slowest"')[0] == expected.read_text().partition('"slowest"')[0]
        assert sorted(tmp_path.iterdir()) == [expected, summary]
