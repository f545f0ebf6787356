"""Recorded playthroughs: a whole game as a text file with every state printed.

The first four lines of a file say the game, its options (JSON), the seed of the deal and the seed
of the random choices; the rest is what came of it. `check` plays the recorded actions again and
wants the same text to the letter, so that a change of the rules is a visible difference.

To record again what has changed on purpose, or a new file with only the first four lines:

    python -m tests.playthrough tests/data/*.playthrough

Then read the difference before it is committed.
"""

import json
import random
import sys
from pathlib import Path

from engine.game import load_game


def check(text):
    """Assert that the game recorded in `text` still goes as it did."""
    actions = iter(_values(text, "action"))
    assert _play(text, lambda state: state.parse_action(next(actions))) == text


def record(text):
    """The playthrough whose first four lines are those of `text`."""
    rng = random.Random(int(_values(text, "choices")[0]))
    return _play(text, lambda state: rng.choice(state.legal_actions()))


def _values(text, key):
    """What follows `key: ` in the lines that start with it."""
    return [line[len(key) + 2 :] for line in text.splitlines() if line.startswith(f"{key}: ")]


def _play(text, choose):
    (name,), (options,) = _values(text, "game"), _values(text, "options")
    game = load_game(name, **json.loads(options))
    state = game.initial(int(_values(text, "seed")[0]))
    lines = text.splitlines()[:4]
    for number in range(game.limit + 1):
        lines += ["", f"state {number}", *_indented(str(state))]
        assert game.parse(str(state)) == state
        for player in range(1, game.players + 1):
            seen = state.information_state_string(player)
            if seen != str(state):
                lines += [f"seen by {player}", *_indented(seen)]
        if state.is_terminal:
            lines.append(f"returns: {' '.join(f'{value:g}' for value in state.returns())}")
            break
        names = [state.action_to_string(action) for action in state.legal_actions()]
        assert [state.parse_action(name) for name in names] == list(state.legal_actions())
        lines += [f"player: {state.current_player}", f"legal: {', '.join(names)}"]
        if number < game.limit:
            action = choose(state)
            lines.append(f"action: {state.action_to_string(action)}")
            state = state.apply(action)
    return "\n".join(lines) + "\n"


def _indented(text):
    return [f"  {line}".rstrip() for line in text.splitlines()]


if __name__ == "__main__":
    for file in map(Path, sys.argv[1:]):
        file.write_text(record(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
