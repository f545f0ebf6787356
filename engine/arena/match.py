"""Matches: several deals, who deals next, scores, and when it is over.

    match = Match.start(load_game("kozel"), seed=1)
    while not match.over:
        state = match.initial()
        ...                          # played to its end with the rules of match.game
        match = match.after(state)

A match is immutable. Scores are counted by seat; where a seat and a player of a deal are not the
same, `Match.seats` says who is who.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import GameError
from engine.game import Game, State, load_game


class Session:
    """How deals make a match; the base class is that of Hund: a point against the last with cards.

    The deal passes clockwise, whatever happens.
    """

    targets: Collection[int] = range(1, 1001)
    """The scores at which a match may end; the rules mostly leave that to the players."""
    default = 5
    few_is_good = True
    """Whether points count against a player."""

    def points(self, final: Any) -> tuple[int, ...]:
        """What each player of a finished deal scores."""
        return _one_point(final.loser, len(final.hands))

    def next_dealer(self, dealer: int, final: Any, players: int) -> int:
        """Who deals after a deal that ended like this, maybe as a draw for its length."""
        return dealer % players + 1

    def is_over(self, scores: tuple[int, ...], target: int) -> bool:
        """Whether the match is over with these scores."""
        return max(scores) >= target


class Losses(Session):
    """Svoyi Kozyri: a point against the loser, who deals next; after a draw the dealer again."""

    def next_dealer(self, dealer: int, final: Any, players: int) -> int:
        return final.loser or dealer if final.is_terminal else dealer


class FirstOut(Losses):
    """Svoyi Kozyri: a point for the first player out."""

    targets = (5, 10)
    few_is_good = False

    def points(self, final: Any) -> tuple[int, ...]:
        return _one_point(final.out[0], len(final.hands))


class Penalties(Session):
    """Kozel: penalties of the two sides, until one has 12 or more and the other has fewer."""

    targets = (12,)
    default = 12

    def points(self, final: Any) -> tuple[int, ...]:
        penalties: tuple[int, ...] = final.penalties()
        return penalties * 2

    def is_over(self, scores: tuple[int, ...], target: int) -> bool:
        return max(scores) >= target and scores[0] != scores[1]


class Wins(Session):
    """Challenge: a point for the winner; the deal alternates."""

    few_is_good = False

    def points(self, final: Any) -> tuple[int, ...]:
        return _one_point(final.winner, len(final.hands))


def _one_point(player: int, players: int) -> tuple[int, ...]:
    return tuple(int(p == player) for p in range(1, players + 1))


def session_of(game: Game) -> Session:
    """How matches of this game go."""
    if game.name == "svoyi_kozyri":
        return FirstOut() if getattr(game, "score", "") == "first_out" else Losses()
    return {"challenge": Wins, "hund": Session, "kozel": Penalties}[game.name]()


@dataclass(frozen=True, slots=True)
class Match:
    """A match between two deals."""

    game: Game
    """The game of the next deal; where dealing is an option, it says who deals."""
    seed: int
    target: int
    dealer: int
    """The seat that deals next."""
    scores: tuple[int, ...]
    """Of each seat; in Kozel those of partners are the same."""
    deals: int = 0
    """How many have been played."""

    @classmethod
    def start(cls, game: Game, seed: int, target: int | str | None = None) -> Match:
        """A new match; the first dealer is the one set by option, else drawn from the seed.

        Raises GameError for a target that the rules do not allow.
        """
        session = session_of(game)
        number = session.default if target is None else target
        if not str(number).isdecimal() or int(number) not in session.targets:
            legal = sorted(session.targets)
            values = (
                f"{legal[0]} to {legal[-1]}" if len(legal) > 2 else " or ".join(map(str, legal))
            )
            raise GameError(f"a match of {game.name} cannot end at {number!r}, expected {values}")
        dealer = random.Random(seed).randint(1, game.players)
        chosen = getattr(game, "dealer", "random")
        dealer = dealer if chosen == "random" else int(chosen)
        match = cls(game, seed, int(number), dealer, (0,) * game.players)
        return replace(match, game=match._dealt_by(dealer))

    def _dealt_by(self, dealer: int) -> Game:
        """The game with this dealer; in Challenge, where player 1 deals, the same."""
        options = getattr(self.game, "options", None)
        if options is None:
            return self.game
        return load_game(self.game.name, **{**options, "dealer": dealer})

    @property
    def seats(self) -> tuple[int, ...]:
        """The seat of each player of the next deal; in Challenge the dealer is player 1."""
        seats = tuple(range(1, self.game.players + 1))
        if self.game.name != "challenge":
            return seats
        return seats[self.dealer - 1 :] + seats[: self.dealer - 1]

    @property
    def deal_seed(self) -> int:
        """The seed of the next deal."""
        return random.Random(f"{self.seed} {self.deals}").getrandbits(32)

    def initial(self) -> State:
        """The state after the next deal. Raises GameError if the match is over."""
        if self.over:
            raise GameError("the match is over, there are no more deals")
        return self.game.initial(self.deal_seed)

    def after(self, final: State) -> Match:
        """The match after a deal that ended in this state, as a draw if the game was not over."""
        session = session_of(self.game)
        scores = list(self.scores)
        if final.is_terminal:
            for seat, points in zip(self.seats, session.points(final), strict=True):
                scores[seat - 1] += points
        dealer = session.next_dealer(self.dealer, final, self.game.players)
        return replace(
            self,
            game=self._dealt_by(dealer),
            dealer=dealer,
            scores=tuple(scores),
            deals=self.deals + 1,
        )

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return session_of(self.game).is_over(self.scores, self.target)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the best score."""
        best = min(self.scores) if session_of(self.game).few_is_good else max(self.scores)
        return self._with_score(best)

    @property
    def losers(self) -> tuple[int, ...]:
        """The seats with the worst score."""
        worst = max(self.scores) if session_of(self.game).few_is_good else min(self.scores)
        return self._with_score(worst)

    def _with_score(self, score: int) -> tuple[int, ...]:
        return tuple(seat for seat, value in enumerate(self.scores, start=1) if value == score)
