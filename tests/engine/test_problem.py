"""Deals and positions told apart by their text."""

import pytest
from hypothesis import given
from strategies import deals, positions

from engine.deals import Deal
from engine.errors import GameError
from engine.problem import position_of, read_problem


@given(positions())
def test_positions_are_told_from_deals(position):
    assert read_problem(str(position)) == position
    assert position_of(str(position)) == position_of(position) == position


@given(deals())
def test_deals_are_told_from_positions(deal):
    assert read_problem(f" {deal}") == read_problem(f" {deal}", deal.ranks) == deal
    assert position_of(str(deal)) == position_of(deal) == deal.position()


def test_default_deck_is_easy():
    assert read_problem("KQJ.JT9") == Deal.parse("KQJ.JT9", 6)


@pytest.mark.parametrize("text", ["8 KQJ.JT97", "3 AK.Q.AK.Q Q.AK.-.AK SD 2 QD"])
def test_another_deck_is_refused(text):
    with pytest.raises(GameError, match="expected 4"):
        read_problem(text, 4)
