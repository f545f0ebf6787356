"""`njit` of numba, which goes on without a cache on the disk where none can be read or written."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pickle import UnpicklingError
from typing import Any

import numba


def njit(*signature: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, as `numba.njit` does; with `cache=True` if that is possible.

    Signatures must be given: then the cache is used here, and not when the function is called.
    """

    def compile(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(*signature, **options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
            _say_once("there is no place to keep compiled code")
        except (OSError, EOFError, UnpicklingError) as error:
            reason = getattr(error, "strerror", None) or "it is damaged"
            _say_once(f"the cache of compiled code cannot be used: {reason}")
        return numba.njit(*signature, **options | {"cache": False})(function)

    return compile


@cache
def _say_once(why: str) -> None:
    warnings.warn(
        f"{why}, so every run compiles again, which takes up to a minute; "
        "set NUMBA_CACHE_DIR to a folder for it",
        RuntimeWarning,
        stacklevel=4,
    )
