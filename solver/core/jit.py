"""`njit` of numba, which goes on without a cache on the disk where there is no place for one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numba


def njit(*signature: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function, as `numba.njit` does; with `cache=True` if that is possible."""

    def compile(function: Callable[..., Any]) -> Any:
        try:
            return numba.njit(*signature, **options)(function)
        except RuntimeError as error:
            if "cannot cache" not in str(error):
                raise
        _say_once()
        return numba.njit(*signature, **options | {"cache": False})(function)

    return compile


@cache
def _say_once() -> None:
    warnings.warn(
        "there is no place to keep compiled code, so every run compiles again, which takes up to a "
        "minute; set NUMBA_CACHE_DIR to a folder for it",
        RuntimeWarning,
        stacklevel=4,
    )
