"""The state of long work on the disk, so that it can go on where it was interrupted.

    challenge checkpoint 2: build        the format version and the kind of work, a line
    {"ranks": 7, …}                      what work it is and how far, JSON, a line
    …                                    arrays, as they are in memory
    32 bytes                             SHA-256 of all that precedes

A checkpoint is believed only as a whole: nothing that was altered, cut short, or belongs to other
work gets in.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import GameError
from solver.core.files import open_regular, whole_file

VERSION = 2
_MOST_LINE = 1 << 16


class CheckpointError(GameError):
    """A checkpoint that is none, damaged, of another version, or of other work."""


def save_checkpoint(
    path: Path,
    kind: str,
    work: Mapping[str, Any],
    state: Mapping[str, float],
    arrays: Sequence[np.ndarray] = (),
) -> None:
    """Write a checkpoint in the place of the last one. Raises OSError."""
    digest = hashlib.sha256()
    with whole_file(path) as file:
        text = json.dumps({**work, **state})
        header = f"challenge checkpoint {VERSION}: {kind}\n{text}\n".encode()
        for part in (memoryview(header), *(array.data for array in arrays)):
            digest.update(part.cast("B"))
            file.write(part.cast("B"))
        file.write(digest.digest())


def load_checkpoint(
    path: Path,
    kind: str,
    work: Mapping[str, Any],
    limits: Mapping[str, float],
    arrays: Sequence[np.ndarray] = (),
) -> dict[str, Any] | None:
    """The state in a checkpoint, and its arrays; None if there is no file.

    `limits`: the largest value of each item of the state, the least is 0; the items are whole
    numbers if these are. Raises CheckpointError, after which the arrays may hold anything; OSError.
    """
    if not os.path.lexists(path):
        return None
    with open_regular(path) as file:
        first, second = file.readline(_MOST_LINE), file.readline(_MOST_LINE)
        start = f"challenge checkpoint {VERSION}: {kind}\n".encode()
        if first != start:
            if first.startswith((b"challenge checkpoint ", b'{"ranks": ', b'{"theorems": ')):
                of_kind = first.endswith(f": {kind}\n".encode()) or first.startswith(b"{")
                other = "an older or newer version" if of_kind else "other work"
                raise CheckpointError(f"{path} is a checkpoint of {other}, expected a new name")
            raise CheckpointError(f"{path} is no checkpoint of a {kind}")
        try:
            found = json.loads(second)
            same = {key: found[key] for key in work}
            state = {key: found[key] for key in limits}
        except (ValueError, TypeError, KeyError, RecursionError):
            raise CheckpointError(f"the checkpoint {path} is damaged") from None
        if same != work or len(found) != len(work) + len(limits):
            raise CheckpointError(f"{path} is the checkpoint of another {kind}: {_told(same)}")
        digest = hashlib.sha256(first + second)
        for array in arrays:
            data = array.data.cast("B")
            if file.readinto(data) != len(data):
                raise CheckpointError(f"the checkpoint {path} is truncated")
            digest.update(data)
        end = file.read(33)
    if len(end) < 32:
        raise CheckpointError(f"the checkpoint {path} is truncated")
    if end != digest.digest():
        raise CheckpointError(f"the checkpoint {path} is damaged: its check sum does not match")
    for key, most in limits.items():
        value, kinds = state[key], (int,) if isinstance(most, int) else (int, float)
        if type(value) not in kinds or not 0 <= value <= most:
            raise CheckpointError(f"the checkpoint {path} has an impossible {key}")
    return state


def _told(work: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {str(value)[:20]}" for key, value in work.items())
