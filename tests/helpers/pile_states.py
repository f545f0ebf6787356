"""States of Svoyi Kozyri and Hund, made from the few cards that matter."""

from engine.cards import deck_cards, in_order
from engine.notation import format_hand, parse_card


def make(game, hands, pile="", rest="pile", known=None, **fields):
    """The state with these hands, lists of cards like `8H 9C`, and this pile, the top card last.

    The other cards of the deck lie under the pile, or are in the hand of the player `rest`, after
    which the state is `check`ed as any text is.
    """
    ranks = 13 if game.name == "hund" else 9
    held = [frozenset(map(parse_card, hand.split())) for hand in hands]
    cards = list(map(parse_card, pile.split()))
    others = list(in_order(deck_cards(ranks).difference(*held, cards)))
    if rest == "pile":
        cards = others + cards
    else:
        held[rest - 1] |= frozenset(others)
    shown = [frozenset(map(parse_card, hand.split())) for hand in known or [""] * len(hands)]
    fields = {
        "hands": _hands(held),
        "known": _hands(shown),
        "pile": ",".join(map(str, cards)) or "-",
        "dealer": 1,
        "out": ",".join(str(p) for p, hand in enumerate(held, 1) if not hand) or "-",
    } | fields
    return game.parse(" ".join(f"{key}={value}" for key, value in fields.items()))


def _hands(hands):
    return "/".join(format_hand(hand) if hand else "-" for hand in hands)


def play(state, *actions):
    """What comes of these actions."""
    for action in actions:
        state = state.apply(state.parse_action(action))
    return state


def legal(state):
    """The legal actions, as text."""
    return " ".join(map(state.action_to_string, state.legal_actions()))
