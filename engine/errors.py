"""Every error that this project raises on purpose."""


class ChallengeError(Exception):
    """The base of all of them; the message is one sentence: what is wrong, what is expected."""


class GameError(ChallengeError, ValueError):
    """Bad input: an unknown game or option, a malformed state, an illegal action."""


class NotationError(GameError):
    """A text that is not a card, hand, deal or position."""
