"""Every reader, given altered text and altered files: it reads, or says one sentence.

Valid input is altered, cut, doubled and mixed; where a format has check sums they are made right
again. A few seconds each, and with `-m slow` a few minutes. Tables have a target of their own in
`tests/solver/test_table.py`, checkpoints in `tests/solver/test_checkpoint.py`.
"""

import os
import random
import time
from pathlib import Path

import pytest
from command import challenge

from engine.arena import record as playthroughs
from engine.deals import Deal, random_deal
from engine.errors import ChallengeError
from engine.game import GAMES, load_game
from engine.position import Position
from engine.problem import read_problem
from solver.study.batch import COLUMNS, RecordError
from solver.study.records import RecordFile, read_records, write_parquet

SECONDS = [0.5, pytest.param(120, marks=pytest.mark.slow)]
WORDS = [
    "",
    "-",
    ".",
    " ",
    "10",
    "♠",
    "9" * 5000,
    "1e999",
    "nan",
    "-1",
    "[" * 2000,
    "\0",
    "\x1b[31m",
]
WORDS += ["\n", "\ud7ff", "²", "٣", "{}", "null", "true", ",", ":", "=", '"', "win", "AK.Q", "  "]


def altered(text, rng):
    """`text` with a few changes."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        a, b = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        b = min(b, a + rng.choice((0, 1, 3, 30)))
        other = rng.randrange(len(text) + 1)
        new = rng.choice((rng.choice(WORDS), text[other : other + 5], chr(rng.randrange(32, 127))))
        text = text[:a] + new + text[b:]
    return text


def attempts(seconds, seed):
    until = time.monotonic() + seconds
    rng = random.Random(seed)
    while time.monotonic() < until:
        yield rng


def sentence(error, longest=2000):
    text = str(error)
    assert text
    assert "\n" not in text
    assert len(text) < longest


@pytest.mark.parametrize("seconds", SECONDS)
def test_deals_and_positions(seconds):
    for rng in attempts(seconds, 1):
        deal = random_deal(rng.randrange(1, 11), rng)
        text = altered(rng.choice((str(deal), str(deal.position()))), rng)
        for read in (Deal.parse, Position.parse, read_problem):
            try:
                found = read(text)
            except ChallengeError as error:
                sentence(error)
            else:
                assert str(type(found).parse(str(found))) == str(found)


@pytest.mark.parametrize("seconds", SECONDS)
@pytest.mark.parametrize("name", sorted(GAMES))
def test_states_and_options(seconds, name):
    game = load_game(name)
    for rng in attempts(seconds / 2, 2):
        state = game.initial(rng.randrange(1000))
        for _ in range(rng.randrange(30)):
            if not state.is_terminal:
                state = state.apply(rng.choice(state.legal_actions()))
        for text in (str(state), altered(str(state), rng)):
            try:
                found = game.parse(text)
            except ChallengeError as error:
                assert text != str(state)
                sentence(error)
            else:
                assert str(game.parse(str(found))) == str(found)
        try:
            load_game(name, **{rng.choice([*game.option_help(), "x"]): rng.choice(WORDS)})
        except ChallengeError as error:
            sentence(error)


@pytest.mark.parametrize("seconds", SECONDS)
@pytest.mark.parametrize("name", sorted(GAMES))
def test_playthroughs(seconds, name):
    game = load_game(name)
    players = ",".join(["random"] * game.players)
    text = playthroughs.write(
        playthroughs.header(name, {}, 1, players=players),
        lambda state: state.legal_actions()[0],
    )
    assert playthroughs.check(text)
    for rng in attempts(seconds / 2, 3):
        try:
            playthroughs.check(altered(text[:2000], rng) + text[2000:])
        except ChallengeError as error:
            sentence(error, longest=10**5)


@pytest.fixture(scope="module")
def records():
    """All records of 2 ranks, and a folder with them in each format."""
    status, output, _ = challenge("batch", "--deck", "2", "--all", "--format", "jsonl")
    assert status == 0
    return output


def rewrite(path, kind, rows):
    with path.open("w+b") as stream:
        if kind == "parquet":
            write_parquet(rows, COLUMNS, stream)
        else:
            file = RecordFile(stream, kind, COLUMNS)
            for row in rows:
                file.append(row)


@pytest.mark.parametrize("seconds", SECONDS)
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_records(tmp_path, records, seconds, kind):
    """Read, they are right or refused; continued, the file is right or as it was."""
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    source = tmp_path / "source.jsonl"
    source.write_text(records)
    rows = list(read_records(source))
    path = tmp_path / f"deals.{kind}"
    rewrite(path, kind, rows)
    right = path.read_bytes()
    number = 0
    for rng in attempts(2 * seconds, 4):
        data = bytearray(right)
        for _ in range(rng.choice((1, 1, 3))):
            place = rng.randrange(len(data))
            if rng.random() < 0.7:
                data[place] = rng.choice((0, 255, data[place] ^ 1 << rng.randrange(8)))
            else:
                end = place + rng.randrange(20)
                data[place:end] = rng.choice(WORDS).encode("utf-8", "replace")
        path.write_bytes(data)
        try:
            for row in read_records(path):
                assert set(COLUMNS) <= set(row)
        except RecordError as error:
            sentence(error)
        number += 1
        if number % 20 == 0:
            command = f"batch --deck 2 --all -o {path} --resume --format {kind}"
            status, _, error = challenge(*command.split())
            assert status in (0, 2), error
            assert path.read_bytes() == (right if status == 0 else data)
    assert number > 20
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, source.name])


OPTIONS = {
    "batch": ("--count", "--seed", "--deck", "--jobs", "--format", "-o", "--summary"),
    "solve": ("--deck", "--time", "--memory", "--nodes", "--method"),
    "deal": ("--count", "--seed", "--deck"),
    "play": ("--seed", "--deals", "--target", "--option", "--players", "--record"),
    "tournament": ("--deals", "--seed", "--players"),
}


@pytest.mark.parametrize("seconds", SECONDS)
def test_options(tmp_path, monkeypatch, seconds):
    """Only wrong values, so that nothing long is started."""
    monkeypatch.chdir(tmp_path)
    for rng in attempts(seconds, 5):
        command = rng.choice(list(OPTIONS))
        option = rng.choice(OPTIONS[command])
        value = rng.choice([word for word in WORDS if word not in ("win", "10", "٣")])
        arguments = [command, f"{option}={value}" if len(option) > 2 else f"{option}{value}"]
        status, _, error = challenge(*arguments)
        assert status == 2, (arguments, error)
        assert error.splitlines()[-1].startswith("Error: ")
        assert len(error) < 3000
    assert not [path for path in Path(tmp_path).iterdir() if path.stat().st_size]
