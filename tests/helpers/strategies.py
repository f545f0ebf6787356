"""Hypothesis strategies for hands, deals and positions of Challenge."""

from hypothesis import strategies as st

from engine.cards import Card, deck_cards, in_order, lowest_rank
from engine.deals import Deal
from engine.position import Position

decks = st.integers(1, 10)


def hands(ranks):
    """Any hand of a deck, the empty one and the whole deck included."""
    cards = in_order(deck_cards(ranks))
    return st.integers(0, 2 ** len(cards) - 1).map(
        lambda bits: frozenset(card for i, card in enumerate(cards) if bits >> i & 1)
    )


@st.composite
def deals(draw):
    ranks = draw(decks)
    held = st.frozensets(st.integers(lowest_rank(ranks), 14))
    return Deal(ranks, draw(held), draw(held))


@st.composite
def base_positions(draw, decks=decks):
    """Any position with an empty table."""
    ranks = draw(decks)
    deck = deck_cards(ranks)
    hand = draw(hands(ranks).filter(lambda hand: hand and hand != deck))
    trumps = draw(st.permutations(range(4)))[:2]
    return Position(ranks, (hand, deck - hand), tuple(trumps), draw(st.integers(1, 2)), None)


@st.composite
def positions(draw, decks=decks):
    """A position that play has reached from a base position: in a trick, or finished, as well."""
    position = draw(base_positions(decks))
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=30)):
        actions = position.legal_actions()
        if not actions:
            break
        position = position.apply(actions[choice % len(actions)])
    return position


cards = st.builds(Card, st.integers(0, 3), st.integers(2, 14))
