import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import solver.study.bench
from cli.main import main
from solver.complete.build import Builder
from solver.study.bench import Task, measure
from solver.study.suite import Searches, bit_tables, suite

NODES = Path(__file__).parents[1] / "data" / "suite_nodes.tsv"
FEW = 16
"""Positions of the suite for a short run: on an empty table, in a trick, deals."""


def bench(*arguments):
    """Run `challenge bench` in this process: (exit status, standard output, standard error)."""
    result = CliRunner().invoke(main, ["bench", *map(str, arguments)], prog_name="challenge")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


# The work that is measured.


def test_suite():
    positions = suite()
    assert len(set(positions)) == len(positions) == 68
    assert {position.ranks for position in positions} == {4, 5, 6}
    assert {position.trumps for position in positions} >= {(0, 2), (0, 1), (3, 2)}
    kinds = {(position.is_base, position.top is None) for position in positions}
    assert kinds == {(True, True), (False, True), (False, False)}


def test_nodes_of_the_suite():
    rows = [line.split("\t") for line in NODES.read_text().splitlines()]
    positions = suite()
    assert [text for _, text in rows] == [str(position) for position in positions]
    for ranks in (4, 5, 6):
        chosen = [position for position in positions if position.ranks == ranks]
        searches = Searches(ranks, chosen)
        expected = [int(nodes) for nodes, text in rows if text.startswith(f"{ranks} ")]
        assert searches.run() == expected
        assert searches.run() == expected  # nothing is left over from the first time


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_bit_tables_are_those_of_a_build(ranks):
    builder = Builder(ranks, distances=False, threads=1)
    builder.run()
    for table, built in zip(bit_tables(ranks), (builder.leader, builder.responder), strict=True):
        assert (table == built).all()


# The command.


@pytest.fixture
def short(monkeypatch):
    """Less work of each kind."""
    monkeypatch.setattr(solver.study.bench, "suite", lambda: suite()[:FEW])
    monkeypatch.setattr(solver.study.bench, "PROBES", 1000)
    monkeypatch.setattr(solver.study.bench, "SINGLE_PROBES", 100)


def test_json(short):
    status, output, errors = bench("--json", "--repeats", 1, "--ranks", 2, "--ranks", 3)
    assert (status, errors) == (0, "")
    report = json.loads(output)
    assert {"cpu", "cores", "load", "python", "numpy", "numba", "project", "revision"} <= set(
        report["machine"]
    )
    work = {each["name"]: each["work"] for each in report["measurements"]}
    nodes = sum(int(line.split()[0]) for line in NODES.read_text().splitlines()[:FEW])
    assert work["trick search"] == nodes * solver.study.bench.SEARCH_PASSES
    assert work["build of 3 ranks, with distances, one thread"] == 2**12 - 2
    assert work["solve in a trick, Python"] == sum(not p.is_base for p in suite()[:FEW])
    assert work["challenge --help, start to end"] == 1
    assert all(each["median"] > 0 for each in report["measurements"])


def test_measure():
    values = iter([9, 1, 3, 2])
    task = Task("a", "ms", lambda: (next(values), 7))
    assert measure([task], repeats=3)["measurements"] == [
        {
            **{"name": "a", "unit": "ms", "work": 7},
            **{"median": 2, "lowest": 1, "highest": 3, "values": [1, 3, 2]},
        }
    ]


def one(name, unit, median, work=1):
    spread = {"median": median, "lowest": median, "highest": median, "values": [median]}
    return {"name": name, "unit": unit, "work": work, **spread}


def test_compare(tmp_path, monkeypatch):
    new = [one("a", "nodes/s", 30), one("b", "ms", 20), one("c", "MB", 10, 2), one("d", "MB", 1)]
    old = [one("a", "nodes/s", 10), one("b", "ms", 10), one("c", "MB", 10, 1)]
    report = {"machine": solver.study.bench.machine(), "repeats": 1, "measurements": new}
    monkeypatch.setattr(solver.study.bench, "measure", lambda *arguments: dict(report))
    path = tmp_path / "old.json"
    path.write_text(json.dumps({**report, "measurements": old}))
    status, output, _ = bench("--compare", path)
    assert status == 0
    assert output.split("\n\n")[1].splitlines() == [
        "            median  lowest  highest  times better",
        "a  nodes/s      30      30       30             3",
        "b       ms      20      20       20           0.5",
        "c       MB      10      10       10    other work",
        "d       MB       1       1        1           new",
    ]
    _, output, _ = bench("--json", "--compare", path)
    assert json.loads(output)["ratios"] == {"a": 3, "b": 0.5, "c": None}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"measurements": 1}', '{"measurements": [1]}'),
        '{"measurements": [{}]}',
        '{"measurements": [{"name": "a", "unit": "ms", "work": 1, "median": 0}]}',
        '{"measurements": [{"name": "a", "unit": "ms", "work": 1, "median": "1"}]}',
        '{"measurements": [{"name": "a", "unit": "ms", "work": 1, "median": NaN}]}',
    ],
)
def test_no_report(tmp_path, text):
    path = tmp_path / "old.json"
    path.write_text(text)
    status, output, errors = bench("--compare", path)
    assert (status, output) == (2, "")
    assert errors == (
        f"Error: {path} is no report, expected what `challenge bench --json` prints\n"
    )


@pytest.mark.parametrize(
    ("option", "value", "most"), [("--repeats", "0", "1,000"), ("--ranks", "8", "7")]
)
def test_numbers_out_of_bounds(option, value, most):
    status, output, errors = bench(option, value)
    assert (status, output) == (2, "")
    assert errors.endswith(f"{value!r} is wrong, expected a whole number from 1 to {most}.\n")


def test_missing_report(tmp_path):
    status, _, errors = bench("--compare", tmp_path / "none.json")
    assert status == 2
    assert errors == f"Error: {tmp_path / 'none.json'}: No such file or directory\n"
