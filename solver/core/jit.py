"""`njit` of numba, which goes on without a cache on the disk where none can be read or written."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pickle import UnpicklingError
from typing import Any

import numba

_UNUSABLE = (OSError, EOFError, UnpicklingError)
"""What numba raises where its cache cannot be read or written."""


def njit(*signature: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, as `numba.njit` does; with `cache=True` if that is possible."""

    def compile(function: Callable[..., Any]) -> Any:
        try:
            return _guarded(numba.njit(*signature, **options)(function))
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            _say_once("there is no place to keep compiled code")
        except _UNUSABLE as error:
            _say_unusable(error)
        return numba.njit(*signature, **options | {"cache": False})(function)

    return compile


def _guarded(dispatcher: Any) -> Any:
    """The same function, which is compiled for other types when it is called, perhaps by others."""

    def guard(call: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*arguments: Any) -> Any:
            try:
                return call(*arguments)
            except _UNUSABLE as error:
                _say_unusable(error)
                return None  # nothing was found, or is kept

        return instead

    kept = getattr(dispatcher, "_cache", None)
    if kept is None:  # a plain function, with NUMBA_DISABLE_JIT=1
        return dispatcher
    kept.load_overload, kept.save_overload = guard(kept.load_overload), guard(kept.save_overload)
    return dispatcher


def _say_unusable(error: Exception) -> None:
    reason = getattr(error, "strerror", None) or "it is damaged"
    _say_once(f"the cache of compiled code cannot be used: {reason}")


@cache
def _say_once(why: str) -> None:
    warnings.warn(
        f"{why}, so every run compiles again, which takes up to a minute; "
        "set NUMBA_CACHE_DIR to a folder for it",
        RuntimeWarning,
        stacklevel=4,
    )
