"""Recorded playthroughs in the tests: see `engine.arena.record` for the format.

The header says the seed of random choices too, `choices: 24`; without it the recorded actions are
taken again. To record again what has changed on purpose, or a new file with only the header (game,
options, seed, choices):

    PYTHONPATH=. python tests/helpers/playthrough.py tests/data/playthroughs/*.playthrough

Then read the difference before it is committed.
"""

import random
import sys
from pathlib import Path

from engine.arena import record as records
from engine.arena.play import Play


def check(text):
    """Assert that the game recorded in `text` still goes as it did, and that its texts parse."""
    (game,) = records.check(text)
    choose = game.chooser()
    play = records.start(game.header)
    while not play.end:
        _check_round_trips(play)
        play.act(choose(play.state))
    _check_round_trips(play)


def record(text):
    """The playthrough whose header is that of `text`."""
    (game,) = records.read(text)
    if "choices" in game.header:
        rng = random.Random(int(game.header["choices"]))
        return records.write(game.header, lambda state: rng.choice(state.legal_actions()))
    return records.write(game.header, game.chooser())


def _check_round_trips(play: Play):
    state = play.state
    assert play.game.parse(str(state)) == state
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert [state.parse_action(name) for name in names] == list(state.legal_actions())


if __name__ == "__main__":
    for file in map(Path, sys.argv[1:]):
        file.write_text(record(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
