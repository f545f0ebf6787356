"""The rules of Challenge and its relatives: cards, notation, deals and games.

Plain Python that follows the rules step by step and knows nothing of the solver or the command
line. Everything public may be called from any thread: what is not immutable (a `Play`, a player)
belongs to whoever made it.
"""

from engine.cards import (
    DECKS,
    PICKUP,
    RANKS,
    SUIT_SYMBOLS,
    SUITS,
    Card,
    Hand,
    deck_cards,
    parse_deck,
)
from engine.challenge import Challenge
from engine.deals import Deal, all_deals, random_deal
from engine.errors import ChallengeError, GameError, NotationError
from engine.game import GAMES, Game, State, load_game
from engine.notation import format_hand, parse_card, parse_hand
from engine.observation import Observation
from engine.position import Position

__all__ = [
    "DECKS",
    "GAMES",
    "PICKUP",
    "RANKS",
    "SUITS",
    "SUIT_SYMBOLS",
    "Card",
    "Challenge",
    "ChallengeError",
    "Deal",
    "Game",
    "GameError",
    "Hand",
    "NotationError",
    "Observation",
    "Position",
    "State",
    "all_deals",
    "deck_cards",
    "format_hand",
    "load_game",
    "parse_card",
    "parse_deck",
    "parse_hand",
    "random_deal",
]
