"""`batch` and `solve -` where decks are searched, and where lines are answered."""

import csv
import io
import json
import os
import random
import re
import select
import signal
import subprocess
import time

import pytest
from command import COMMAND, ROOT, challenge, in_own_session

from engine.deals import random_deal
from solver.solver import solve
from solver.study.batch import COLUMNS, LISTED, SEARCHED, RecordError
from solver.study.records import RecordFile, read_records, renewed

FORMATS = ["csv", "jsonl", "parquet"]
SEARCH = ["--deck", "4", "--count", "24", "--method", "search"]
FEW, MORE = ["--nodes", "30000"], ["--nodes", "60000"]


def batch(*arguments, expected=0, stdin=None):
    status, output, error = challenge("batch", *map(str, arguments), stdin=stdin)
    assert status == expected, error
    return output if expected in (0, 1) else error


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("ranks", "count", "nodes"), [(3, 40, 10**6), (4, 24, 60_000), (5, 4, 10**6)]
)
def test_searches_say_what_tables_say(ranks, count, nodes):
    asked = ["--deck", ranks, "--count", count, "--method", "search", "--nodes", nodes]
    found = rows(batch(*asked))
    decided = 0
    for row in found:
        exact = solve(row["deal"])
        assert row["source"] == "search"
        assert row["distance"] == ""
        assert row["reproducible"] == "True"
        if row["outcome"] == "undecided":
            assert (row["stopped"], row["limit"], row["winning_leads"]) == ("nodes", str(nodes), "")
            assert int(row["nodes"]) >= nodes
            chances = [float(row[f"estimate_{outcome}"]) for outcome in ("win", "draw", "loss")]
            assert sum(chances) == pytest.approx(1)
            continue
        assert row["estimate_win"] == row["estimate_draw"] == row["estimate_loss"] == ""
        decided += 1
        assert (row["outcome"], row["stopped"], row["limit"]) == (exact.outcome, "", "")
        winning = {str(move.action) for move in exact.moves if move.outcome == "win"}
        assert set(row["winning_leads"].split()) <= winning
        assert bool(row["winning_leads"]) == (row["outcome"] == "win")
    assert decided > count / 4


def test_records_do_not_depend_on_those_before_nor_on_processes():
    one = batch(*SEARCH, *FEW)
    assert batch(*SEARCH, *FEW, "--jobs", 2) == one
    last = rows(one)[-1]
    alone = rows(batch("--input", "-", "--method", "search", *FEW, stdin=last["deal"]))[0]
    assert alone | last == alone
    outcomes = {row["outcome"] for row in rows(one)}
    assert {"win", "undecided"} <= outcomes


def test_time_is_not_reproducible_and_the_header_says_so(tmp_path):
    summary = tmp_path / "a.json"
    asked = ["--deck", 10, "--count", 2, "--time", 0.2]
    text = batch(*asked, "--summary", summary, "--timings")
    assert "reproducible" in text.splitlines()[0].split(",")
    for row in rows(text):
        assert (row["outcome"], row["reproducible"]) == ("undecided", "False")
        assert (row["stopped"], row["limit"]) == ("time", "0.2")
        assert float(row["seconds"]) >= 0.2
    found = json.loads(summary.read_text())
    assert found["limits"] == {"memory": 2**30, "time": 0.2}
    assert (found["reproducible"], found["undecided"]) == (False, 2)
    assert (found["share_won"]["at_least"], found["share_won"]["at_most"]) == (0, 1)


@pytest.mark.parametrize("kind", FORMATS)
def test_higher_limits_decide_more(tmp_path, kind):
    """The file is then the one that a run with these limits from the start would have written."""
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    output, fresh = tmp_path / f"a.{kind}", tmp_path / f"fresh.{kind}"
    batch(*SEARCH, *FEW, "-o", output)
    before = output.read_bytes()
    batch(*SEARCH, *FEW, "-o", output, "--resume")
    assert output.read_bytes() == before
    batch(*SEARCH, "--nodes", 20000, "-o", output, "--resume")  # lower: nothing to gain
    assert output.read_bytes() == before
    few = list(read_records(output))
    batch(*SEARCH, *MORE, "-o", output, "--resume")
    batch(*SEARCH, *MORE, "-o", fresh)
    assert output.read_bytes() == fresh.read_bytes()
    more = list(read_records(output))
    assert tuple(more[0]) == (*COLUMNS, *SEARCHED)
    undecided = [[row["outcome"] == "undecided" for row in found] for found in (few, more)]
    assert 0 < sum(undecided[1]) < sum(undecided[0])
    assert sorted(tmp_path.iterdir()) == sorted([output, fresh])


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_renewal_cut_anywhere_is_taken_over(tmp_path, kind):
    """Records found again before a kill stand in a hidden file, and are not searched again."""
    output, fresh = tmp_path / f"a.{kind}", tmp_path / f"fresh.{kind}"
    batch(*SEARCH, *FEW, "-o", output)
    batch(*SEARCH, *MORE, "-o", fresh)
    old, new = output.read_bytes(), fresh.read_bytes()
    rng = random.Random(3)
    for end in (0, 5, *rng.sample(range(len(new)), 2), len(new)):
        output.write_bytes(old)
        renewed(output).write_bytes(new[:end])
        batch(*SEARCH, *MORE, "-o", output, "--resume")
        assert output.read_bytes() == new
        assert not renewed(output).exists()
    with output.open("r+b") as stream:
        file = RecordFile(stream, kind, (*COLUMNS, *SEARCHED), output)
        for _ in zip(file.renew(file.read()), range(3), strict=False):
            pass  # and is left alone
    assert renewed(output).exists()
    batch(*SEARCH, *MORE, "-o", output, "--resume")
    assert output.read_bytes() == new
    assert not renewed(output).exists()


@pytest.mark.parametrize("to", ["mine", "nothing"])
def test_no_link_is_followed_where_records_are_renewed(tmp_path, to):
    output, mine = tmp_path / "deals.csv", tmp_path / "mine"
    mine.write_text("mine")
    batch(*SEARCH, *FEW, "-o", output)
    before = output.read_bytes()
    renewed(output).symlink_to(tmp_path / to)
    error = batch(*SEARCH, *MORE, "-o", output, "--resume", expected=2)
    assert error.endswith(f"Error: {output}: the link {renewed(output)} is in the way\n")
    assert (output.read_bytes(), mine.read_text()) == (before, "mine")
    assert sorted(tmp_path.iterdir()) == [renewed(output), output, mine]


def test_killed_and_resumed_with_higher_limits(tmp_path):
    output, fresh = tmp_path / "a.jsonl", tmp_path / "fresh.jsonl"
    batch(*SEARCH, *MORE, "-o", fresh)
    count = 0
    for limits in (FEW, MORE, MORE):
        with subprocess.Popen(
            [*COMMAND, "batch", *SEARCH, *limits, "--jobs", "2", "-o", output, "--resume"],
            cwd=ROOT,
            stderr=subprocess.DEVNULL,
        ) as process:
            until = time.monotonic() + 60
            growing = (output, renewed(output))
            while process.poll() is None and time.monotonic() < until:
                written = sum(p.read_bytes().count(b"\n") for p in growing if p.exists())
                if written > count + 4:
                    break
                time.sleep(0.002)
            process.kill()
        count = written
    batch(*SEARCH, *MORE, "-o", output, "--resume")
    assert output.read_bytes() == fresh.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([output, fresh])


def test_interrupted_while_searches_run(tmp_path):
    """Nobody waits for their end."""
    output = tmp_path / "a.csv"
    arguments = f"batch --deck 10 --count 8 --time 1000 --jobs 2 -o {output}".split()
    with in_own_session(*arguments) as process:
        until = time.monotonic() + 60
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        if not os.path.exists(children):
            process.kill()
            pytest.skip("needs /proc")
        while time.monotonic() < until:
            with open(children) as file:
                if len(file.read().split()) >= 2:
                    break
            time.sleep(0.05)
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        started = time.monotonic()
        assert process.communicate(timeout=30)[1] == b"Error: interrupted\n"
        assert time.monotonic() - started < 5
    assert process.returncode == 130
    assert not list(tmp_path.iterdir())


# Lines.

LINES = "# mine\n\n3 A.K  # one\n 3\tAK.Q.AK.Q Q.AK.-.AK SD 2 QD\nfoo, \x1bbar\n3 A.K\n4 A.K\n"
OVER = "3 -.A.AKQ.AKQ AKQ.KQ.-.- SD 1 -"


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("method", ["auto", "search", "table"])
def test_lines(tmp_path, kind, method):
    """Deals, positions and bad lines, each with the line it comes from."""
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    source, output = tmp_path / "lines", tmp_path / f"a.{kind}"
    source.write_text(LINES)
    asked = ["--input", source, "--method", method, "-o", output]
    asked += ["--nodes", 10**6] if method == "search" else []
    batch(*asked, expected=1)
    found = list(read_records(output))
    searched = () if method == "table" else SEARCHED
    assert tuple(found[0]) == (*LISTED, *COLUMNS, *searched, "error")
    assert [row["line_number"] for row in found] == [3, 4, 5, 6, 7]
    one, trick, bad, again, other = found
    assert (one["input"], one["deal"], one["position"]) == ("3 A.K", "3 A.K", None)
    assert one | {"line_number": 6} == again
    assert other["deal"] == "4 A.K"
    assert trick["position"] == "3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD"
    assert (trick["deal"], trick["weight"]) == (None, None)
    assert (trick["outcome"], trick["error"]) == ("loss", None)
    assert one["outcome"] == solve("3 A.K").outcome
    assert (bad["input"], bad["outcome"]) == ("foo, \\x1bbar", None)
    assert bad["error"].startswith("'foo, \\x1bbar' has 1 suit")
    whole = output.read_bytes()
    batch(*asked, "--resume", expected=1)
    assert output.read_bytes() == whole
    source.write_text(LINES.replace("4 A.K", "4 A.Q"))
    error = challenge("batch", *map(str, asked), "--resume")[2]
    assert "record 5 is of line 7, '4 A.K', expected line 7, '4 A.Q'" in error
    assert output.read_bytes() == whole


def test_lines_of_standard_input():
    text = "\n".join(str(random_deal(3, random.Random(i))) for i in range(50))
    found = rows(batch("--input", "-", "--deck", 3, "--jobs", 2, stdin=text))
    assert [row["input"] for row in found] == text.splitlines()
    assert [row["outcome"] for row in found] == [solve(line).outcome for line in text.splitlines()]
    assert batch("--input", "-", stdin="# nothing\n") == ""
    status, _, error = challenge("batch", "--input", "-", stdin=text.encode("utf-16"))
    assert status == 2
    assert "standard input is UTF-16" in error


def test_lines_that_cannot_be_answered_are_errors():
    text = f"2 A.K\n10 A.K\n{OVER}\n3 A.K\n"
    found = rows(batch("--input", "-", "--method", "table", stdin=text, expected=1))
    assert [row["error"][:20] for row in found][:2] == ["", "there is no table fo"]
    found = rows(batch("--input", "-", "--deck", 3, stdin=text, expected=1))
    assert found[0]["error"] == "'2 A.K' is a deal of 2 ranks, expected 3"
    assert found[3]["error"] == ""
    found = rows(batch("--input", "-", "--memory", "1M", stdin=text, expected=1))
    assert "10 ranks takes at least" in found[1]["error"]


# solve -


def test_answers_can_be_paired_with_lines():
    status, output, error = challenge("solve", "--json", "-", stdin=LINES)
    found = list(map(json.loads, output.splitlines()))
    assert status == 1
    assert error.startswith("line 5: 'foo, ")
    assert [row["line_number"] for row in found] == [3, 4, 5, 6, 7]
    assert found[1]["input"] == "3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD"
    assert found[2] == {"line_number": 5, "input": "foo, \\x1bbar", "error": found[2]["error"]}
    assert ["error" in row for row in found] == [False, False, True, False, False]
    without = [{**row, "seconds": 0} for row in found]
    status, output, _ = challenge("solve", "--json", "--jobs", "2", "-", stdin=LINES)
    assert status == 1
    assert [{**json.loads(line), "seconds": 0} for line in output.splitlines()] == without


def test_processes_answer_while_the_stream_is_open():
    with subprocess.Popen(
        [*COMMAND, "solve", "--jobs", "2", "-"], stdin=-1, stdout=-1, cwd=ROOT
    ) as process:
        for text in (b"3 A.K\n", b"3 AK.Q\n"):
            process.stdin.write(text)
            process.stdin.flush()
            assert process.stdout.readline().startswith(text[:-1])
        process.stdin.close()
        assert process.wait() == 0


def test_processes_are_for_lines():
    status, _, error = challenge("solve", "--jobs", "2", "3 A.K")
    assert status == 2
    assert "--jobs is for lines of standard input" in error


def test_a_search_on_a_terminal_says_how_far_it_is():
    pty = pytest.importorskip("pty")
    controller, terminal = pty.openpty()
    often = f"import solver.single.run as run; run.INTERVAL = 0.1; {COMMAND[-1]}"
    arguments = ["solve", "--time", "1.5", "10 AKQJT98765.KQJ765"]
    process = subprocess.Popen(
        [*COMMAND[:-1], often, *arguments], stderr=terminal, stdout=subprocess.PIPE, cwd=ROOT
    )
    os.close(terminal)
    shown = b""
    while select.select([controller], [], [], 60)[0]:
        try:
            shown += os.read(controller, 1 << 16)
        except OSError:
            break
    os.close(controller)
    assert process.communicate()[0].startswith(b"Player 1 leads")
    told = shown.decode().split("\r")
    assert len(told) > 4
    assert re.match(
        r"looking \d+ tricks? ahead, [\d,]+ nodes, [\d,]+ facts?, \d+ MiB, \d s left", told[2]
    )
    assert told[-1] == "\x1b[K"


# The report.


def test_undecided_deals_and_estimates_are_shown_as_such(tmp_path):
    page = pytest.importorskip("cli.page")
    records = []
    for row in rows(batch(*SEARCH, *FEW, "--format", "csv")):
        (tmp_path / "one.csv").write_text(f"{','.join(row)}\n{','.join(row.values())}\n")
        records += read_records(tmp_path / "one.csv")
    undecided = [row for row in records if row["outcome"] == "undecided"]
    won = sum(row["outcome"] == "win" for row in records)
    for row in undecided:
        row.update(estimate_win=None, estimate_draw=None, estimate_loss=None)
    text = page.write_page(records)
    assert f"<dt>Undecided</dt><dd>{len(undecided) / 24:.2%}" in text
    assert f"<dt>Dealer wins at least</dt><dd>{won / 24:.2%}" in text
    assert "estimated" not in text
    for row in undecided:
        row.update(estimate_win=0.75, estimate_draw=0.0, estimate_loss=0.25)
    text = page.write_page(records)
    share = (won + 0.75 * len(undecided)) / 24
    assert f"<dt>Dealer wins, estimated</dt><dd>{share:.1%}<small>an estimate, not a proof" in text
    for row in records:
        row["outcome"] = "win"
    assert "ndecided" not in page.write_page(records)


def test_report_of_lines(tmp_path):
    pytest.importorskip("cli.page")
    output = tmp_path / "a.csv"
    batch(
        "--input", "-", "--deck", 3, "-o", output, stdin=LINES.replace("4 A.K", "A.Q"), expected=1
    )
    status, _, error = challenge("report", str(output))
    assert (status, error) == (0, "")
    assert "3 deals of a list, without 2 other lines." in (tmp_path / "a.html").read_text()
    batch("--input", "-", "--force", "-o", output, stdin="foo\n", expected=1)
    status, _, error = challenge("report", str(output), "--force")
    assert status == 2
    assert "are not deals of one deck" in error


# Records.


@pytest.mark.parametrize(
    "change",
    [
        {"outcome": "undecided"},
        {"stopped": "nodes"},
        {"reproducible": "maybe"},
        {"nodes": "-3"},
        {"estimate_win": "nan"},
        {"source": ""},
        {"outcome": ""},
        {"deal": ""},
    ],
)
def test_records_that_contradict_themselves(tmp_path, change):
    path = tmp_path / "a.csv"
    (row,) = rows(batch("--deck", 3, "--count", 1, "--method", "search", "--nodes", 10**6))
    row |= change
    path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n")
    with pytest.raises(RecordError, match="line 2"):
        list(read_records(path))
