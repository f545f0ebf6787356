"""`solve` against brute force, on positions in all stages of a trick."""

import brute_force
import pytest

from engine.position import Position
from solver import solve, solve_many


def result(solution):
    return solution.winner and (solution.winner, solution.distance)


@pytest.mark.parametrize(("ranks", "count"), [(1, 88), (2, 15_092)])
def test_every_position(ranks, count):
    results = brute_force.solve_all(brute_force.base_positions(ranks))
    positions = [position for position in results if not position.winner]
    assert len(positions) == count
    for solution in solve_many(positions):
        assert result(solution) == results[solution.position]


def test_sample_of_3_ranks():
    lines = brute_force.SAMPLE_FILE.read_text(encoding="utf-8").splitlines()[1:]
    assert len(lines) == brute_force.SAMPLE_SIZE
    for line in lines:
        position, winner, distance = line.split("\t")
        assert result(solve(Position.parse(position))) == (int(winner), int(distance))


@pytest.mark.slow
def test_every_position_of_3_ranks():
    """And that the sample is what brute force gives."""
    results = brute_force.solve_all(brute_force.base_positions(3))
    assert brute_force.SAMPLE_FILE.read_text(encoding="utf-8").splitlines()[1:] == (
        brute_force.sample(results)
    )
    positions = [position for position in results if not position.winner]
    for solution in solve_many(positions):
        assert result(solution) == results[solution.position]
