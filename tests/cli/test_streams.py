"""Standard streams that are closed or full, options of Python, names that go round."""

import os
import subprocess
import threading
from pathlib import Path

import pytest
from command import COMMAND, ROOT, challenge

NESTED = "[" * 3000 + "]" * 3000


def run_without(stream, arguments, **options):
    """(exit status, standard output, standard error) with a standard stream closed."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {stream}', "sh", *COMMAND, *arguments.split()],
        capture_output=True,
        cwd=options.pop("cwd", ROOT),
        env=os.environ | {"PYTHONPATH": str(ROOT)} | options,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("solve KQJ.JT9", 0),
        ("solve 9", 2),
        ("deal --count 2", 0),
        ("replay nothing", 2),
        ("report nothing", 2),
        ("nonsense", 2),
        ("batch --deck 2 --all -o deals.csv", 0),
    ],
)
def test_standard_error_closed(tmp_path, arguments, status):
    assert run_without("2>&-", arguments, cwd=tmp_path)[0] == status
    if "deals.csv" in arguments:  # in which no error was written
        rows = (tmp_path / "deals.csv").read_text().splitlines()
        assert len(rows) == 17
        assert all(row.count(",") == 8 for row in rows)


def test_standard_input_closed():
    status, _, error = run_without("<&-", "play kozel")
    assert status == 2
    assert error.startswith("Error: standard input is closed, expected it open")
    for arguments in ("solve -", "replay -"):
        status, _, error = run_without("<&-", arguments)
        assert status == 2
        assert error.startswith("Error: standard input is closed")


def test_standard_output_closed():
    status, _, error = run_without(">&-", "solve KQJ.JT9")
    assert (status, error) == (2, "Error: standard output is closed, expected it open\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_named():
    status, _, error = run_without(">/dev/full", "solve KQJ.JT9")
    assert (status, error) == (2, "Error: standard output: No space left on device\n")
    status, _, error = run_without("", "batch --deck 2 --all -o /dev/full")
    assert (status, error) == (2, "Error: /dev/full: No space left on device\n")


def test_a_file_that_may_not_grow_is_named(tmp_path):
    """As on a full disk; what fits is continued."""
    output, text = tmp_path / "deals.csv", "batch --deck 4 --all -o {} --resume"
    program = f'ulimit -f 8; exec "$@" {text.format(output)}'
    done = subprocess.run(
        ["sh", "-c", program, "sh", *COMMAND], capture_output=True, cwd=ROOT, text=True
    )
    assert (done.returncode, done.stderr) == (2, f"Error: {output}: File too large\n")
    assert challenge(*text.format(output).split())[0] == 0
    assert challenge(*f"batch --deck 4 --all -o {tmp_path}/whole.csv".split())[0] == 0
    assert output.read_bytes() == (tmp_path / "whole.csv").read_bytes()


@pytest.mark.parametrize("arguments", ["solve KQJ.JT9", "games", "--help", "deal"])
def test_without_docstrings_and_assertions(arguments):
    status, output, error = run_without("", arguments, PYTHONOPTIMIZE="2")
    assert (status, error) == (0, "")
    assert output


@pytest.mark.parametrize(
    "arguments",
    [
        "report {}",
        "batch --deck 2 --all -o {}",
        "batch --deck 2 --all --summary {}",
        "table info {}",
        "table verify {}",
        "table build --ranks 2 -o {}",
        "table build --ranks 2 -o two --checkpoint {}",
        "bench --compare {}",
        "play kozel --players greedy,greedy,greedy,greedy --record {}",
    ],
)
def test_links_that_go_round(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    Path("one").symlink_to("other")
    Path("other").symlink_to("one")
    status, output, error = challenge(*arguments.format("one").split())
    assert (status, output) == (2, "")
    assert error.endswith("one: Too many levels of symbolic links\n")
    assert error.count("\n") == 1
    assert sorted(os.listdir()) == ["one", "other"]


@pytest.mark.parametrize(
    "arguments",
    [
        "report {} -o page.html",
        "replay {}",
        "bench --compare {}",
        "table info {}",
        "table verify {}",
        "table verify --ranks 2 --checkpoint {}",
        "table build --ranks 2 -o two --checkpoint {}",
        "batch --deck 2 --all -o {} --resume",
        "batch --deck 2 --all -o {} --format parquet --resume",
        "batch --deck 2 --all --summary {}",
        "play kozel --players greedy,greedy,greedy,greedy --record {}",
    ],
)
def test_a_pipe_is_not_waited_for(tmp_path, monkeypatch, arguments):
    """Where a file is read, or replaced as a whole."""
    if "report" in arguments:
        pytest.importorskip("matplotlib")
    if "parquet" in arguments:
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    status, _, error = challenge(*arguments.format("pipe").split())
    assert status == 2
    assert "regular file" in error
    assert error.count("\n") == 1
    assert os.listdir() == ["pipe"]


def test_a_pipe_where_records_are_gathered_is_not_waited_for(tmp_path):
    pytest.importorskip("pyarrow")
    pipe = tmp_path / ".deals.parquet.challenge-records"
    os.mkfifo(pipe)
    status, _, error = challenge(*f"batch --deck 2 --all -o {tmp_path}/deals.parquet".split())
    assert (status, error) == (2, f"Error: {tmp_path}/deals.parquet: {pipe} is in the way\n")
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize(
    "header",
    [
        'options: {"limit": 1e999}\nseed: 1',
        f'options: {{"limit": {"9" * 5000}}}\nseed: 1',
        f"options: {{}}\nseed: {'9' * 5000}",
        f"options: {NESTED}\nseed: 1",
        'options: {"name": "x"}\nseed: 1',
        'options: {"self": "x"}\nseed: 1',
    ],
)
def test_headers_of_records(tmp_path, header):
    path = tmp_path / "game"
    path.write_text(f"game: hund\n{header}\n\nstate 0\n")
    status, output, error = challenge("replay", str(path))
    assert (status, output) == (2, "")
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    assert len(error) < 400


@pytest.mark.parametrize(
    "command", ["play hund", "tournament hund --players greedy,greedy,greedy,random"]
)
def test_an_option_called_name(command):
    status, _, error = challenge(*command.split(), "--option", "name=x")
    assert status == 2
    assert "unknown option" in error or "has no option" in error


def test_a_report_of_speed_that_is_nested(tmp_path):
    for text in (NESTED, '{"measurements": [{"median": 1e999}]}', "9" * 5000):
        (tmp_path / "old.json").write_text(text)
        status, _, error = challenge("bench", "--compare", f"{tmp_path}/old.json")
        assert status == 2
        assert "is no report, expected" in error


def test_replay_does_not_steer_the_terminal(tmp_path):
    path = tmp_path / "game"
    players = "--players greedy,greedy,greedy,greedy --seed 1"
    assert challenge(*f"play hund {players} --quiet --record {path}".split())[0] == 0
    text = path.read_text()
    path.write_text(text.replace("players: greedy,", "players: \x1b[31mgreedy\x07,"))
    status, output, _ = challenge("replay", str(path))
    assert status == 0
    assert "?[31mgreedy?" in output
    assert "\x1b" not in output


@pytest.mark.parametrize(
    "arguments",
    [
        "table build --ranks 3 --threads 2 -o built.outcome",
        "batch --deck 3 --count 9 --jobs 2 -o deals.csv",
        "solve --method search AK.Q",
        "table unpack --ranks 7",
    ],
)
def test_no_more_threads(arguments, tmp_path, monkeypatch):
    def start(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(threading.Thread, "start", start)
    status, out, error = challenge(*arguments.split())
    assert (status, out, list(tmp_path.iterdir())) == (2, "", [])
    assert error.splitlines()[-1].startswith("Error: ")
