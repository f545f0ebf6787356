"""The command `batch`: its files, its summary, and runs that are killed."""

import csv
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from fractions import Fraction
from io import FileIO

import pytest
from click.testing import CliRunner
from command import COMMAND, ROOT, challenge, in_own_session, start

from cli.batch import describe, pace
from cli.main import main
from engine.arena.interval import share_interval
from engine.deals import Deal, all_deals, random_deal
from solver.core import files
from solver.solver import solve
from solver.study.batch import COLUMNS, Batch, How, load, solve_problem
from solver.study.records import (
    RecordFile,
    gathering,
    read_records,
    record_file,
    write_parquet,
)
from solver.study.summary import Summary

EASY = Fraction(2_497_018, 2_704_156)
FORMATS = ["csv", "jsonl", "parquet"]


@pytest.fixture(scope="module")
def easy(tmp_path_factory):
    """A folder with easy.csv and easy.json: all deals of the easy deck, and the summary."""
    folder = tmp_path_factory.mktemp("easy")
    status, output, error = challenge(
        *f"batch --all -o {folder}/easy.csv --summary {folder}/easy.json".split()
    )
    assert (status, output) == (0, "")
    assert "wins 2,497,018 / 2,704,156 = 92.34" in error
    return folder


def batch(*arguments, expected=0):
    """Run the command, all deals of 3 ranks if nothing else is said."""
    status, output, error = challenge("batch", "--deck", "3", *map(str, arguments))
    assert status == expected, error
    return output if expected == 0 else error


# What is written.


def test_summary_of_the_easy_deck(easy):
    summary = json.loads((easy / "easy.json").read_text())
    share = summary["share_won"]
    assert share == {"numerator": 2_497_018, "denominator": 2_704_156, "decimal": float(EASY)}
    assert (summary["ranks"], summary["deals"], summary["records"]) == (6, "all", 4096)
    assert (summary["won"], summary["drawn"], summary["lost"]) == (2_497_018, 0, 207_138)
    for key in ("won", "drawn", "lost"):
        assert sum(row[key] for row in summary["by_trumps"]) == summary[key]
    assert summary["distance"] == {
        "median": 41,
        "longest": 88,
        "longest_deals": ["6 AK9.Q9", "6 AK9.AKJT"],
    }
    assert len(summary["slowest"]) == 5


def test_second_suits_with_complementary_ranks_are_worth_the_same(easy):
    found = {record["deal"]: record for record in read_records(easy / "easy.csv")}
    every = frozenset(range(9, 15))
    for deal in all_deals(6):
        twin = found[str(Deal(6, deal.trump, every - deal.second))]
        record = found[str(deal)]
        assert (record["outcome"], record["distance"]) == (twin["outcome"], twin["distance"])
        swapped = record["winning_leads"].translate(str.maketrans("HC", "CH"))
        assert sorted(swapped.split()) == sorted(twin["winning_leads"].split())


def test_records_are_what_solve_says():
    rows = list(csv.DictReader(batch("--all").splitlines()))
    for deal, row in zip(all_deals(3), rows, strict=True):
        solution = solve(deal.position())
        winning = [str(move.action) for move in solution.moves if move.outcome == "win"]
        trump, second = str(deal).removeprefix("3 ").split(".")
        assert row == {
            "deal": str(deal),
            "dealer_trump": trump,
            "dealer_second": second,
            "trumps_held": str(len(deal.trump)),
            "weight": str(deal.weight),
            "outcome": solution.outcome,
            "distance": str(solution.distance),
            "winning_leads": " ".join(winning),
            "source": "table",
        }


def test_random_deals_are_those_of_the_seed():
    rows = csv.DictReader(batch("--count", 20, "--seed", 7).splitlines())
    rng = random.Random(7)
    assert [row["deal"] for row in rows] == [str(random_deal(3, rng)) for _ in range(20)]
    assert batch("--count", 20) == batch("--count", 20, "--seed", 0)
    assert batch("--count", 20) != batch("--count", 20, "--seed", 1)


def test_random_deals_and_all_deals_agree(easy):
    known = {record["deal"]: record for record in read_records(easy / "easy.csv")}
    asked = Counter()

    def look_up(deals):
        asked.update(deals)
        return (known[str(deal)] for deal in deals)

    summary = Summary(weighted=False)
    for record in Batch(6, 100_000, seed=0).records(look_up):
        summary.add(record)
    low, high = share_interval(summary.outcomes["win"], 100_000)
    assert low < EASY < high
    assert high - low < 0.004
    assert set(asked.values()) == {1}


def test_interval_covers_the_share_as_often_as_it_says():
    rng = random.Random(2)
    counts = Counter(sum(rng.random() < 0.9 for _ in range(200)) for _ in range(2000))
    covered = sum(
        times
        for won, times in counts.items()
        if share_interval(won, 200)[0] < 0.9 < share_interval(won, 200)[1]
    )
    assert 0.93 < covered / 2000 < 0.97
    assert share_interval(0, 10)[0] == pytest.approx(0)
    assert share_interval(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


@pytest.mark.parametrize("kind", FORMATS)
def test_formats_hold_the_same_records(tmp_path, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    batch("--all", "-o", tmp_path / "deals.csv")
    batch("--all", "-o", tmp_path / f"by_name.{kind}")
    batch("--all", "-o", tmp_path / "by_option", "--format", kind)
    assert (tmp_path / "by_option").read_bytes() == (tmp_path / f"by_name.{kind}").read_bytes()
    records = list(read_records(tmp_path / "by_option"))
    assert records == list(read_records(tmp_path / "deals.csv"))
    assert [tuple(record) for record in records] == [COLUMNS] * 64
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        {"deals.csv", f"by_name.{kind}", "by_option"}
    )


def test_standard_output_is_the_same_as_a_file(tmp_path):
    for kind in ("csv", "jsonl"):
        batch("--all", "--format", kind, "-o", tmp_path / kind)
        assert batch("--all", "--format", kind).encode() == (tmp_path / kind).read_bytes()


@pytest.mark.parametrize("to", ["mine", "nothing"])
def test_no_link_is_followed_where_records_are_gathered(tmp_path, to):
    pytest.importorskip("pyarrow")
    mine = tmp_path / "mine"
    mine.write_text("mine")
    output = tmp_path / "deals.parquet"
    gathering(output).symlink_to(tmp_path / to)
    for more in ([], ["--force"], ["--resume"]):
        error = batch("--all", "-o", output, *more, expected=2)
        assert error == f"Error: {output}: the link {gathering(output)} is in the way\n"
    assert mine.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == [gathering(output), mine]


def test_parquet_over_a_link_is_gathered_beside_the_file(tmp_path):
    """So that two writers meet, whatever name they use."""
    pytest.importorskip("pyarrow")
    output, link = tmp_path / "deals.parquet", tmp_path / "link.parquet"
    link.symlink_to(output)
    with suppress(KeyboardInterrupt), record_file(link, "parquet", COLUMNS, False):
        assert gathering(output).exists()
        error = batch("--all", "-o", output, expected=2)
        assert error == f"Error: {output}: another process is writing it\n"
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == [link]


def test_parquet_to_standard_output(tmp_path):
    pytest.importorskip("pyarrow")
    batch("--all", "-o", tmp_path / "deals.parquet")
    arguments = ["batch", "--deck", "3", "--all", "--format", "parquet"]
    output = CliRunner().invoke(main, arguments).stdout_bytes
    assert output == (tmp_path / "deals.parquet").read_bytes()


def test_times_are_a_column_of_their_own(tmp_path):
    plain = batch("--all").splitlines()
    timed = batch("--all", "--timings").splitlines()
    assert timed[0] == f"{plain[0]},seconds"
    assert [line.rpartition(",")[0] for line in timed] == plain
    assert all(0 <= float(line.rpartition(",")[2]) < 10 for line in timed[1:])


def test_draws(tmp_path):
    """No deal of up to 6 ranks is drawn, so this one is made up."""
    drawn = {
        "deal": "3 AK.Q",
        "dealer_trump": "AK",
        "dealer_second": "Q",
        "trumps_held": 2,
        "weight": 20,
        "outcome": "draw",
        "distance": None,
        "winning_leads": "",
        "source": "table",
    }
    for kind in ("csv", "jsonl"):
        with (tmp_path / kind).open("w+b") as stream:
            file = RecordFile(stream, kind, COLUMNS)
            file.append(drawn)
            assert list(file.read()) == [drawn]
        assert list(read_records(tmp_path / kind)) == [drawn]
    assert ",draw,,,table\n" in (tmp_path / "csv").read_text()
    summary = Summary(weighted=True)
    summary.add(drawn)
    assert summary.to_dict()["drawn"] == 20
    assert summary.to_dict()["distance"] == {"median": None, "longest": None, "longest_deals": []}
    assert "draws 20" in "\n".join(describe(Batch(3), summary))


@pytest.mark.slow
@pytest.mark.parametrize(("ranks", "draws"), [(7, 54), (8, 220)])
def test_drawn_deals(tmp_path, ranks, draws):
    assert challenge(*f"batch --deck {ranks} --all -o {tmp_path}/deals.csv".split())[0] == 0
    outcomes = Counter(record["outcome"] for record in read_records(tmp_path / "deals.csv"))
    assert outcomes["draw"] == draws


def test_median_is_weighted():
    summary = Summary(weighted=True)
    record = {"deal": "A.K", "trumps_held": 1, "outcome": "win"}
    for weight, distance in ((1, 9), (3, 5), (2, 7)):
        summary.add({**record, "weight": weight, "distance": distance})
    assert summary.median == 5
    summary.add({**record, "weight": 1, "distance": 8})
    assert summary.median == 7


# Whoever does the work.


def test_any_number_of_processes_writes_the_same():
    arguments = ["--count", 1000, "--seed", 5, "--deck", 5]
    assert batch(*arguments, "--jobs", 3) == batch(*arguments)


def test_threads_do_not_share_a_search():
    deals = list(all_deals(5))[::3]
    with ThreadPoolExecutor(4) as pool:
        for one, other in zip(
            pool.map(solve_problem, deals), map(solve_problem, deals), strict=True
        ):
            assert one | {"seconds": 0} == other | {"seconds": 0}


@pytest.fixture
def cluster(tmp_path):
    """The address of a Dask scheduler with two workers, the workers' processes, the scheduler's."""
    pytest.importorskip("distributed")
    address = tmp_path / "scheduler.json"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    file = f"--scheduler-file={address}"
    commands = [["scheduler", file, "--host=127.0.0.1", "--port=0"]]
    commands += [["worker", file, "--no-nanny", "--nthreads=2", "--memory-limit=0"]] * 2
    with ExitStack() as stack:
        processes, logs = [], []
        for name, *options in commands:
            logs.append(tmp_path / f"log{len(logs)}")
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{name}", *options, "--no-dashboard"],
                cwd=tmp_path,
                env=environment,
                stderr=stack.enter_context(logs[-1].open("wb")),
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            processes.append(process)
        wait_for(lambda: all("Registered to: " in log.read_text() for log in logs[1:]))
        yield json.loads(address.read_text())["address"], processes[1:], processes[0]


def test_cluster_that_loses_a_worker_writes_the_same(easy, tmp_path, cluster):
    address, (one, _), _ = cluster
    output = tmp_path / "deals.csv"
    with subprocess.Popen(
        [*COMMAND, *f"batch --count 2000 -o {output} --scheduler {address}".split()],
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        wait_for(lambda: lines(output) > 100)
        one.kill()
        one.wait()
        assert lines(output) < 2000
        assert b"2,000 random deals of the easy deck" in process.communicate()[1]
    assert process.returncode == 0
    header, *rows = (easy / "easy.csv").read_text().splitlines(keepends=True)
    known = {row.partition(",")[0]: row for row in rows}
    rng = random.Random(0)
    expected = [header, *(known[str(random_deal(6, rng))] for _ in range(2000))]
    assert output.read_text() == "".join(expected)


@pytest.mark.parametrize("who", ["scheduler", pytest.param("workers", marks=pytest.mark.slow)])
def test_cluster_that_dies(tmp_path, cluster, who):
    """A sentence after a while, and a file that is continued."""
    address, workers, scheduler = cluster
    output = tmp_path / "deals.csv"
    command = f"batch --count 100000 -o {output} --scheduler {address}".split()
    program = "import solver.core.dask as d; d.WORKER_PATIENCE = 3\n" + COMMAND[2]
    with subprocess.Popen(
        [sys.executable, "-c", program, *command], stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        wait_for(lambda: lines(output) > 100)
        for dead in workers if who == "workers" else [scheduler]:
            dead.kill()
            dead.wait()
        error = process.communicate(timeout=100)[1].decode()
    reasons = {
        "workers": "the cluster has had no workers for 3 s",
        "scheduler": "the scheduler of the cluster has gone",
    }
    assert error == f"Error: {reasons[who]}, --resume continues after the last record\n"
    assert process.returncode == 1
    rows = list(read_records(output))
    count = len(rows) + 10
    assert challenge("batch", "--count", str(count), "-o", str(output), "--resume")[0] == 0
    assert list(read_records(output))[: len(rows)] == rows


@pytest.mark.parametrize("address", ["tls://127.0.0.1:1", "wss://127.0.0.1:1"])
def test_cluster_with_certificates(address):
    pytest.importorskip("distributed")
    error = batch("--all", "--scheduler", address, expected=2)
    assert f"{address} takes certificates, expected them in the configuration of Dask" in error


def test_processes_that_cannot_be_started(monkeypatch, tmp_path):
    """The third is one too many."""
    started = []
    fork = os.fork

    def few():
        if len(started) == 2:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        started.append(fork())
        return started[-1]

    monkeypatch.setattr("os.fork", few)
    error = batch("--all", "-o", tmp_path / "deals.csv", "--jobs", 8, expected=2)
    assert error == (
        "Error: cannot start 8 processes: Resource temporarily unavailable, expected fewer --jobs\n"
    )
    assert not list(tmp_path.iterdir())
    for process in started:  # none is left
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def wait_for(condition):
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


# Interrupted and continued.


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("deals", [["--all"], ["--count", 100, "--seed", 3]])
def test_cut_anywhere_and_resumed(tmp_path, kind, deals):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output = tmp_path / f"deals.{kind}"
    growing = gathering(output) if kind == "parquet" else output
    batch(*deals, "-o", output)
    expected = output.read_bytes()
    whole = batch(*deals, "--format", "csv" if kind == "csv" else "jsonl").encode()
    head, tail = range(min(400, len(whole))), range(len(whole) - 300, len(whole) + 1)
    for end in {*head[::29], *tail[::13], *random.Random(1).sample(range(len(whole)), 20)}:
        output.unlink()
        growing.write_bytes(whole[:end])
        batch(*deals, "-o", output, "--resume")
        assert output.read_bytes() == expected
        assert kind != "parquet" or not growing.exists()


@pytest.mark.parametrize("kind", FORMATS)
def test_resume_of_what_is_complete_or_not_there(tmp_path, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output, summary = tmp_path / f"deals.{kind}", tmp_path / "summary.json"
    arguments = ("--all", "-o", output, "--summary", summary, "--resume")
    batch(*arguments)
    expected = output.read_bytes(), without_times(summary)
    batch(*arguments)
    assert (output.read_bytes(), without_times(summary)) == expected


def without_times(summary):
    return {**json.loads(summary.read_text()), "slowest": None}


@pytest.mark.parametrize("kind", FORMATS)
def test_more_random_deals_are_added(tmp_path, kind):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    batch("--count", 90, "-o", tmp_path / f"expected.{kind}")
    batch("--count", 40, "-o", tmp_path / f"deals.{kind}")
    batch("--count", 90, "-o", tmp_path / f"deals.{kind}", "--resume")
    expected = (tmp_path / f"expected.{kind}").read_bytes()
    assert (tmp_path / f"deals.{kind}").read_bytes() == expected


def test_each_deal_is_solved_once_and_all_that_were_kept_again():
    asked = []

    def solve_some(deals):
        asked.extend(deals)
        return map(solve_problem, deals)

    written = list(Batch(2, 300).records(solve_some))
    assert len(asked) == len(set(asked)) == len({record["deal"] for record in written})
    asked.clear()
    again = Batch(2, 300)
    assert list(again.keep(written[:200], solve_some)) == written[:200]
    assert {str(deal) for deal in asked} == {record["deal"] for record in written[:200]}
    assert list(again.records(solve_some)) == written[200:]
    assert len(asked) == len(set(asked)) == len({record["deal"] for record in written})


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("deals", [["--all"], ["--count", 50]])
def test_an_altered_record_is_found_wherever_it_is(tmp_path, kind, deals):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output = tmp_path / f"deals.{kind}"
    batch(*deals, "-o", output)
    records = list(read_records(output))
    rng = random.Random(1)
    changes = [
        ("outcome", lambda r: {"win": "loss", "loss": "win"}[r["outcome"]]),
        ("distance", lambda r: r["distance"] + 1),
        ("winning_leads", lambda r: r["winning_leads"][3:]),
        ("source", lambda r: "search"),
    ]
    for column, change in changes:
        number = rng.choice([i for i, r in enumerate(records) if change(r) != r[column]])
        altered = [dict(record) for record in records]
        altered[number][column] = change(altered[number])
        write_records(output, kind, altered)
        content = output.read_bytes()
        error = batch(*deals, "--resume", "-o", output, expected=2)
        assert f"cannot continue {output}: record {number + 1} has the {column} " in error
        assert output.read_bytes() == content
        assert list(tmp_path.iterdir()) == [output]


def write_records(path, kind, records):
    with path.open("w+b") as stream:
        if kind == "parquet":
            write_parquet(records, COLUMNS, stream)
        else:
            file = RecordFile(stream, kind, COLUMNS)
            for record in records:
                file.append(record)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--count", 40], "is there already, expected --resume, --force or another name"),
        (["--resume", "--count", 39], "it has more than the 39 records asked for"),
        (["--resume", "--count", 40, "--seed", 1], "its deck, seed or choice was another"),
        (["--resume", "--all"], "its deck, seed or choice was another"),
        (["--resume", "--deck", "4", "--count", 40], "its deck, seed or choice was another"),
        (["--resume", "--timings", "--count", 40], "seconds"),
    ],
)
def test_file_of_another_batch_is_refused(tmp_path, kind, arguments, sentence):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output = tmp_path / f"deals.{kind}"
    batch("--count", 40, "-o", output)
    content = output.read_bytes()
    error = batch(*arguments, "-o", output, expected=2)
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    assert sentence in error
    assert str(output) in error
    assert output.read_bytes() == content
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"hello", "it begins with 'hello'"),
        (b"hello\nworld\n", "it begins with 'hello'"),
        (b'{"deal": "', "it begins with"),
        (b"\x00\xff" * 100, "it begins with"),
        (",".join(COLUMNS).encode() + b"\nhello\n", "line 2 is no record: 'hello'"),
        (",".join(COLUMNS).encode() + b"\r\n", "its lines end with CRLF"),
        (
            ",".join(COLUMNS).encode() + b"\n3 -.-,-,-,0,1,win, 5,AC,table\n",
            "line 2 is '3 -.-,-,-,0,1,win, 5,AC,table', not as it is written",
        ),
        (
            ",".join(COLUMNS).encode() + b"\n3 -.-,-,-,0,1,win,999,AC,table\n",
            "record 1 has the distance 999, expected ",
        ),
    ],
)
def test_file_that_is_none_is_refused(tmp_path, content, sentence):
    output = tmp_path / "deals.csv"
    output.write_bytes(content)
    error = batch("--all", "--resume", "-o", output, expected=2)
    assert error.startswith(f"Error: cannot continue {output}: {sentence}")
    assert output.read_bytes() == content


def test_one_record_of_another_deck_is_refused(tmp_path):
    output = tmp_path / "deals.csv"
    first = batch("--deck", "2", "--all").splitlines(keepends=True)[:2]
    output.write_text("".join(first))
    error = batch("--all", "--resume", "-o", output, expected=2)
    assert "its deck, seed or choice was another" in error


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(("kind", "jobs"), [("csv", 1), ("jsonl", 2), ("parquet", 2)])
def test_killed_at_random_moments(tmp_path, kind, jobs):
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    load(How(4))
    output, expected = tmp_path / f"deals.{kind}", tmp_path / "expected"
    growing = gathering(output) if kind == "parquet" else output
    arguments = ["batch", "--deck", "4", "--count", "2000", "--format", kind, "--seed", "2"]
    assert challenge(*arguments, "-o", str(expected))[0] == 0
    rng = random.Random(jobs)
    kills = finished = 0
    while True:
        process = start(*arguments, "-o", output, "--resume", "--jobs", jobs)
        time.sleep(rng.uniform(0, 0.004 * 1.4**kills))  # the first ones before it can finish
        os.kill(process, signal.SIGKILL)
        status = os.waitpid(process, 0)[1]
        if status == 0:
            break
        assert status == signal.SIGKILL
        kills += 1
        assert lines(growing) >= finished or output.read_bytes() == expected.read_bytes()
        finished = lines(growing)
    assert kills > 1
    assert output.read_bytes() == expected.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted({output, expected})


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_workers_do_not_outlive_a_killed_command(tmp_path):
    load(How(5))
    reading, writing = os.pipe()  # its end is reached when no process is left that could write
    output = tmp_path / "deals.csv"
    process = start("batch", "--deck", "5", "--all", "-o", output, "--jobs", 2)
    os.close(writing)
    wait_for(lambda: lines(output) > 10)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    assert select.select([reading], [], [], 30)[0]
    assert os.read(reading, 1) == b""
    os.close(reading)


def test_interrupted_from_the_keyboard(tmp_path):
    output = tmp_path / "deals.csv"
    arguments = f"batch --count 1000000 --seed 1 -o {output} --jobs 2".split()
    with in_own_session(*arguments) as process:
        wait_for(lambda: lines(output) > 100)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.communicate()[1] == b"Error: interrupted\n"
    assert process.returncode == 130
    written = output.read_bytes()
    assert lines(output) > 100
    assert written.decode() == batch("--deck", 6, "--count", lines(output) - 1, "--seed", 1)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_interrupted_as_a_record_is_written(tmp_path, monkeypatch, kind):
    """It is in the file once, though the interrupt came before that was known."""
    output, written = tmp_path / f"deals.{kind}", []

    def write(file, data):
        count = FileIO.write(file, data)
        written.append(data)
        if len(written) == 20:
            raise KeyboardInterrupt
        return count

    monkeypatch.setattr(files._Named, "write", write)
    assert challenge(*f"batch --deck 3 --all -o {output}".split())[0] == 130
    monkeypatch.undo()
    whole = batch("--all", "--format", kind)
    assert output.read_text() == "".join(whole.splitlines(keepends=True)[: lines(output)])
    assert lines(output) == 20 + (kind == "csv")


def test_worker_that_dies(monkeypatch, tmp_path):
    monkeypatch.setattr("solver.study.workers.solve_problem", die)
    status, _, error = challenge(*f"batch --deck 3 --all -o {tmp_path}/deals.csv --jobs 2".split())
    assert status == 1
    assert error.startswith("Error: worker processes have died")
    assert not list(tmp_path.iterdir())


def die(deal, how):
    os._exit(1)


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_file_with_other_line_ends_is_named(tmp_path, kind):
    output = tmp_path / f"deals.{kind}"
    batch("--all", "-o", output)
    content = output.read_bytes().replace(b"\n", b"\r\n")
    output.write_bytes(content)
    error = batch("--all", "-o", output, "--resume", expected=2)
    assert error == (
        f"Error: cannot continue {output}: "
        "its lines end with CRLF, expected LF: convert it, for instance by dos2unix\n"
    )
    assert output.read_bytes() == content


@pytest.mark.parametrize("change", [b" \n", b"\t\n", b"\x0c\n", b"\xe2\x80\x8b\n"])
def test_messages_never_show_two_lines_that_look_the_same(tmp_path, change):
    output = tmp_path / "deals.csv"
    batch("--all", "-o", output)
    output.write_bytes(output.read_bytes().replace(b"\n", change, 1))
    error = batch("--all", "-o", output, "--resume", expected=2)
    found, expected = error.partition("begins with ")[2].split(", expected ")
    assert found != expected.partition(": other")[0]


# At the terminal.


def test_progress_on_a_terminal_only(tmp_path):
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    arguments = f"batch --deck 4 --all -o {tmp_path}/deals.csv".split()
    at_once = f"import cli.progress; cli.progress.INTERVAL = 0; {COMMAND[-1]}"
    done = subprocess.Popen([*COMMAND[:-1], at_once, *arguments], stderr=terminal, cwd=ROOT)
    os.close(terminal)
    shown = b""
    while select.select([controller], [], [], 60)[0]:
        try:
            shown += os.read(controller, 1 << 16)
        except OSError:
            break
    os.close(controller)
    assert done.wait() == 0
    assert b"loading the tables of the deck of 4 ranks" in shown
    assert b"0 of 256 deals" in shown
    assert b"of 256 deals, " in shown
    assert b"/s, " in shown
    assert b"\r" not in batch("--all", "-o", tmp_path / "other.csv").encode()


def test_pace():
    assert pace(100, 1000, 10) == "100 of 1,000 deals, 10/s, 90 s left"
    assert pace(0, 36_000, 10) == "0 of 36,000 deals, 10/s, 60 min left"


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        ([], 2, "Expected one of --all, --count and --input."),
        (["--all", "--count", "3"], 2, "Expected one of --all, --count and --input."),
        (["--all", "--seed", "3"], 2, "--all has no --seed"),
        (["--all", "--resume"], 2, "expected -o FILE"),
        (["--count", "0"], 2, "'--count'"),
        (["--all", "--jobs", "2", "--scheduler", "tcp://a:1"], 2, "either --jobs or --scheduler"),
        (["--all", "--scheduler", "localhost"], 2, "'localhost' is no address"),
        (["--all", "--format", "xml"], 2, "'xml' is wrong, expected one of: csv, jsonl, parquet"),
        (["--all", "-o", "nowhere/deals.csv"], 2, "nowhere/deals.csv: No such file"),
        (["--all", "--summary", "nowhere/a.json"], 2, "no directory for nowhere/a.json"),
        (["--all", "--deck", "9", "--method", "table", "-o", "a.csv"], 3, "there is no table for"),
        (["--all", "--deck", "9", "--method", "table", "--jobs", "2"], 3, "there is no table for"),
        (["--all", "--count", "3", "--input", "-"], 2, "one of --all, --count and --input"),
        (["--input", "-", "--seed", "3"], 2, "--input has no --seed"),
        (["--input", "nowhere"], 2, "nowhere: No such file"),
        (["--all", "--time", "3"], 2, "--time limits a search, but the deck of 3 ranks is looked"),
        (["--all", "--nodes", "3"], 2, "--nodes limits a search"),
        (["--all", "--memory", "1G"], 2, "--memory limits a search"),
        (["--all", "--deck", "9", "--memory", "1M"], 2, "9 ranks takes at least"),
        (["--all", "--deck", "9", "--line-tricks"], 2, "--line-tricks takes a table, but the deck"),
        (["--all", "--deck", "9", "--method", "tabel"], 2, "did you mean table?"),
    ],
)
def test_bad_input(tmp_path, monkeypatch, arguments, status, sentence):
    if "--scheduler" in arguments:
        pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    error = batch(*arguments, expected=status)
    assert sentence in error.splitlines()[-1]
    assert error.splitlines()[-1].startswith("Error: ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [(["--format", "parquet"], "parquet"), (["--scheduler", "tcp://a:1"], "cluster")],
)
def test_missing_extra(monkeypatch, arguments, extra):
    monkeypatch.setattr("cli.extras.find_spec", lambda name: None)
    error = batch("--all", *arguments, expected=2)
    assert f"[{extra}]'" in error
