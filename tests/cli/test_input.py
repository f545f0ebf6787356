"""What users write at the command line and in files: numbers, names, lines, and what shells add."""

import os
import signal
import subprocess
import sys
import time

import pytest
from command import COMMAND, ROOT, challenge

from cli.extras import install
from cli.input import LONGEST_LINE
from engine.errors import GameError
from solver import Solver, solve

DEAL = "6 KQJ.JT9"
ADVANCED = "10 AKQJT98765.KQJ765"
MANY = "9" * 5000


@pytest.mark.parametrize(
    ("arguments", "option", "expected"),
    [
        ("solve --time nan AK.Q", "--time", "a number of seconds greater than 0, or inf"),
        ("solve --time -1 AK.Q", "--time", "a number of seconds greater than 0, or inf"),
        ("solve --time soon AK.Q", "--time", "a number of seconds greater than 0, or inf"),
        (f"solve --memory {MANY} AK.Q", "--memory", "a size such as 500M or 8G"),
        ("solve --memory 0 AK.Q", "--memory", "a size such as 500M or 8G"),
        ("solve --memory nan AK.Q", "--memory", "a size such as 500M or 8G"),
        (f"solve --nodes {MANY} AK.Q", "--nodes", "a whole number from 1 to"),
        ("solve --nodes 1.5 AK.Q", "--nodes", "a whole number from 1 to"),
        (f"deal --seed {MANY}", "--seed", "a whole number from 0 to"),
        ("deal --seed -1", "--seed", "a whole number from 0 to"),
        (f"deal --count {MANY}", "--count", "a whole number from 0 to"),
        (f"deal --count {10**30}", "--count", "a whole number from 0 to"),
        (f"batch --deck 2 --all --jobs {10**30}", "--jobs", "a whole number from 1 to"),
        (f"batch --deck 2 --count {10**30}", "--count", "a whole number from 1 to"),
        (f"batch --deck 2 --count 2 --seed {MANY}", "--seed", "a whole number from 0 to"),
        ("batch --deck 2 --count 2 --seed -1", "--seed", "a whole number from 0 to"),
        (f"table build --ranks {MANY}", "--ranks", "a whole number from 1 to 10"),
        (f"table build --ranks 2 --threads {10**30}", "--threads", "a whole number from 1 to"),
        (f"tournament hund --players pimc --deals {MANY}", "--deals", "a whole number from 1 to"),
        ("tournament hund --players pimc --seed -1", "--seed", "a whole number from 0 to"),
        (f"play hund --seed {MANY}", "--seed", "a whole number from 0 to"),
        (f"play hund --deals {10**30}", "--deals", "a whole number from 1 to"),
        (f"table verify --ranks 2 --sample {MANY}", "--sample", "a whole number from 1 to"),
    ],
)
def test_numbers_out_of_bounds(arguments, option, expected):
    status, output, error = challenge(*arguments.split())
    assert (status, output) == (2, "")
    last = error.splitlines()[-1]
    assert last.startswith(f"Error: Invalid value for '{option}': ")
    assert f"expected {expected}" in last
    assert len(last) < 250


@pytest.mark.parametrize("seconds", ["inf", "1e400", "Infinity", MANY])
def test_no_limit_of_time(seconds):
    arguments = ["solve", "--method", "search", "--time", seconds, "2 AK.K"]
    status, output, _ = challenge(*arguments)
    assert status == 0
    assert "Player 2 wins." in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("slove", "No such command 'slove' (did you mean solve?)"),
        ("table bulid", "No such command 'bulid' (did you mean build?)"),
        ("solve --jsn AK.Q", "'--json'"),
        ("solve --method tabel AK.Q", "'tabel' is wrong (did you mean table?)"),
        ("solve --deck standart AK.Q", "unknown deck 'standart' (did you mean standard?)"),
        ("batch --all --format cvs", "'cvs' is wrong (did you mean csv?)"),
        ("play chalenge", "unknown game 'chalenge' (did you mean challenge?)"),
        ("play challenge --option rank=3", "(did you mean ranks?)"),
        ("play challenge --players greedy,gredy", "'gredy' (did you mean greedy?)"),
        ("play challenge --players greedy,pimc:sample=3", "(did you mean samples?)"),
    ],
)
def test_did_you_mean(arguments, sentence):
    status, output, error = challenge(*arguments.split())
    assert (status, output) == (2, "")
    assert sentence in error.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["deal", "A" * 10**5],
        ["deal", "--A" + "B" * 10**5],
        ["deal", "\x1b[2J\x00\x85"],
        ["deal", "--\x1b[2J"],
        ["\x1b[2J"],
        ["report", "\x1b[2J"],
        ["batch", "--all", "-o", "nowhere/\x1b[2J"],
        ["table", "info", "\x1b[2J"],
        ["replay", "\x1b[2J"],
        ["play", "\x1b[2J"],
        ["play", "challenge", "--record", "nowhere/\x1b[2J"],
        ["tournament", "hund", "--players", "\x1b[2J"],
        ["bench", "--compare", "\x1b[2J"],
    ],
)
def test_messages_are_short_and_have_no_control_characters(arguments):
    status, output, error = challenge(*arguments)
    assert (status, output) == (2, "")
    assert error.replace("\n", "").isprintable()
    assert len(error) < 1500


def test_limits_in_python():
    unlimited = Solver(max_seconds=10**400, max_nodes=float("inf"))
    assert (unlimited.max_seconds, unlimited.max_nodes) == (None, None)
    for limit in (
        {"max_seconds": float("nan")},
        {"max_seconds": 0},
        {"max_nodes": float("nan")},
        {"max_nodes": 0},
        {"max_nodes": 10**5000},
        {"max_nodes": 1.5},
        {"max_memory": float("nan")},
        {"max_memory": float("inf")},
        {"max_memory": -1},
        {"max_memory": 10**400},
    ):
        with pytest.raises(GameError, match="given, expected"):
            Solver(**limit)


# Lines.


def solve_lines(stdin, *arguments):
    """The problems answered, and the lines on standard error."""
    status, output, error = challenge("solve", *arguments, "-", stdin=stdin)
    return status, [line.split(":")[0] for line in output.splitlines()], error.splitlines()


@pytest.mark.parametrize(
    "stdin",
    [
        f"{DEAL}  # example\n",
        f"{DEAL}#example\r\n",
        f"\f{DEAL}\f\n",
        "\t6\tKQJ.JT9\t\n",
        f"# example\n\ufeff{DEAL}",
        f"# the end\ufeff{DEAL}\n",
        f"\ufeff{DEAL}\n\ufeff# nothing\n",
        f"\n \r\n{DEAL}",
    ],
)
def test_one_deal_among_other_things(stdin):
    assert solve_lines(stdin) == (0, [DEAL], [])


def test_comment_behind_a_position():
    position = "3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD"
    assert solve_lines(f"{position} # inside a trick\n") == (0, [position], [])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_named(encoding):
    status, answered, error = solve_lines(f"{DEAL}\n{DEAL}\n".encode(encoding))
    assert (status, answered) == (2, [])
    assert error == [
        "Error: standard input is UTF-16, expected UTF-8: convert it, for instance by "
        "iconv -f UTF-16 -t UTF-8"
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"K\0QJ.JT9", r"'K\x00QJ.JT9' has NUL characters, expected UTF-8 text"),
        (b"K\xe4QJ.JT9", "'K�QJ.JT9' is not UTF-8, expected UTF-8 text"),
        (b"A" * 10**6, f"longer than {LONGEST_LINE:,} bytes, expected a deal or a position"),
        (b"A" * 9000, "'" + "A" * 60 + "…' has 1 suit, expected 2 with dots between them (S.H)"),
        (b"\x1b[2JK.Q", r"'\x1b[2JK.Q', spades: unknown rank '\x1b', expected some of AKQJT98765"),
    ],
)
def test_bad_line_among_good_ones(line, sentence):
    stdin = DEAL.encode() + b"\n" + line + b"\n" + DEAL.encode() + b"\n"
    assert solve_lines(stdin) == (1, [DEAL, DEAL], [f"line 2: {sentence}"])


# Options without an effect.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (f"--line --method search {DEAL}", "--line takes a table"),
        ("--line --method search -", "--line takes a table"),
        (f"--line {ADVANCED}", "--line takes a table"),
        (f"--time 5 {DEAL}", "--time limits a search"),
        (f"--memory 1G {DEAL}", "--memory limits a search"),
        (f"--nodes 5 {DEAL}", "--nodes limits a search"),
        (f"--nodes 5 --method table {ADVANCED}", "--nodes limits a search"),
        ("--nodes 5 --method table -", "--nodes limits a search"),
        ("--nodes 5 --deck easy -", "--nodes limits a search"),
    ],
)
def test_options_without_an_effect_are_refused(arguments, sentence):
    status, output, error = challenge("solve", *arguments.split(), stdin=DEAL)
    assert (status, output) == (2, "")
    assert error.splitlines()[-1].startswith(f"Error: {sentence}")


def test_lines_may_be_looked_up_or_searched():
    """So limits and --line may be of use."""
    stdin = f"{DEAL}\n{ADVANCED}\n"
    status, answered, error = solve_lines(stdin, "--line", "--nodes", "5")
    assert (status, answered, error) == (4, [DEAL, ADVANCED], [])


# Shells and processes.


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("challenge so", ["solve"]),
        ("challenge table ", ["build", "info", "verify"]),
        ("challenge solve --deck st", ["standard"]),
        ("challenge play k", ["kozel"]),
        ("challenge tournament hund --players greedy,p", ["greedy,pimc", "greedy,perfect"]),
        ("challenge play kozel --option l", ["limit="]),
        ("challenge batch --deck ea", ["easy"]),
        ("challenge batch --format js", ["jsonl"]),
        ("challenge solve --method se", ["search"]),
    ],
)
def test_shell_completion(words, expected):
    assert set(expected) <= set(completed(words))


def test_files_are_completed():
    for words in ("challenge report ", "challenge table info ", "challenge batch -o "):
        assert completed(words, kind="file") == [""]


def completed(words, kind="plain"):
    """What a shell is told to offer for a line that ends with a word to be completed."""
    environment = os.environ | {
        "_CHALLENGE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = subprocess.run(COMMAND, env=environment, cwd=ROOT, capture_output=True, check=True)
    assert not done.stderr
    offered = [line.split(",", 1) for line in done.stdout.decode().splitlines()]
    return [value for found, value in offered if found == kind]


@pytest.mark.parametrize("module", ["cli", "cli.main"])
def test_run_as_a_module(module):
    command = [sys.executable, "-m", module, "deal", "--seed", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    assert (done.stdout.decode(), done.stderr) == (challenge("deal", "--seed", "1")[1], b"")
    done = subprocess.run(command[:3], cwd=ROOT, capture_output=True)
    assert b"Usage: challenge " in done.stdout + done.stderr


def test_interrupted_search_says_what_it_had():
    solve(ADVANCED, max_nodes=1)  # so that the code is compiled
    with subprocess.Popen(
        [*COMMAND, "solve", ADVANCED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        wait_for_processor_time(process.pid, 4.0)  # compiled code is loaded
        process.send_signal(signal.SIGINT)
        output, error = process.communicate()
    assert (process.returncode, error) == (4, b"")
    assert "Undecided, interrupted." in output.decode()
    assert "Searched " in output.decode()


def wait_for_processor_time(pid, seconds):
    path, tick = f"/proc/{pid}/stat", os.sysconf("SC_CLK_TCK")
    if not os.path.exists(path):
        pytest.skip("needs /proc")
    until = time.monotonic() + 120
    while time.monotonic() < until:
        with open(path) as file:
            if sum(map(int, file.read().rpartition(")")[2].split()[11:13])) > seconds * tick:
                return
        time.sleep(0.05)


def test_what_to_install(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    assert install("report") == "pip install -e '.[report]'"
    monkeypatch.chdir(tmp_path)
    assert install("report") == f"pip install -e '{ROOT}[report]'"
    monkeypatch.setattr("cli.extras.ROOT", tmp_path)
    assert install("report") == "pip install 'challenge-solver[report]'"
