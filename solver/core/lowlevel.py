"""Memory operations that numba does not offer: the only place where pointers are handled.

The kernels hold addresses of arrays, as int64: an array argument costs seven machine words at every
recursive call. An address comes from `array.ctypes.data`; the caller keeps the array alive. Words
are signed. Atomic operations let several threads set bits in one table and share one counter.

With NUMBA_DISABLE_JIT=1 the same operations are done by ctypes (then they are not atomic).
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_int64, c_uint8
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from solver.core.jit import njit

_WORD = ir.IntType(64)
_BYTE = ir.IntType(8)
_I64 = types.int64

Operation = Callable[..., Any]

_settings: Any = config
COMPILED = not _settings.DISABLE_JIT
"""Whether the kernels are compiled; with NUMBA_DISABLE_JIT=1 they are plain Python."""


def _operation(plain: Operation) -> Callable[[Operation], Operation]:
    """`numba.extending.intrinsic`, or what does the same without a compiler."""
    compiled: Callable[[Operation], Operation] = intrinsic
    return compiled if COMPILED else lambda implement: plain


def _element(builder: ir.IRBuilder, kind: ir.Type, address: ir.Value, index: ir.Value) -> ir.Value:
    return builder.gep(builder.inttoptr(address, kind.as_pointer()), [index])


def _word_at(address: int, index: int) -> c_int64:
    return c_int64.from_address(int(address) + 8 * int(index))


def _store(address: int, index: int, value: int) -> None:
    _word_at(address, index).value = int(value)


def _load_byte(address: int, index: int) -> int:
    return c_uint8.from_address(int(address) + int(index)).value


def _fetch_or(address: int, index: int, value: int) -> int:
    word = _word_at(address, index)
    old, word.value = word.value, word.value | int(value)
    return old


def _fetch_add(address: int, index: int, value: int) -> int:
    word = _word_at(address, index)
    old, word.value = word.value, word.value + int(value)
    return old


@_operation(lambda address, index: _word_at(address, index).value)
def load(typingctx: Any, address: Any, index: Any) -> Any:
    """The 64-bit word number `index` at `address`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_element(builder, _WORD, *args))

    return _I64(_I64, _I64), codegen


@_operation(_store)
def store(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Write the 64-bit word number `index` at `address`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _element(builder, _WORD, *args[:2]))
        return context.get_dummy_value()

    return types.void(_I64, _I64, _I64), codegen


@_operation(_load_byte)
def load_byte(typingctx: Any, address: Any, index: Any) -> Any:
    """The byte number `index` at `address`, 0 to 255."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.zext(builder.load(_element(builder, _BYTE, *args)), _WORD)

    return _I64(_I64, _I64), codegen


@_operation(_fetch_or)
def atomic_or(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Set bits in the word number `index` at `address`, safe with threads; the old word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("or", _element(builder, _WORD, *args[:2]), args[2], "monotonic")

    return _I64(_I64, _I64, _I64), codegen


@_operation(_fetch_add)
def atomic_add(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Add to the word number `index` at `address`, safe with threads; the old word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _element(builder, _WORD, *args[:2]), args[2], "monotonic")

    return _I64(_I64, _I64, _I64), codegen


@_operation(lambda x: int(x).bit_count())
def bit_count(typingctx: Any, x: Any) -> Any:
    """How many bits of a word that is not negative are set."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return _I64(_I64), codegen


@_operation(lambda x, y: (int(x) * int(y) + (1 << 63)) % (1 << 64) - (1 << 63))
def product(typingctx: Any, x: Any, y: Any) -> Any:
    """The low 64 bits of a product, for hashing."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.mul(*args)

    return _I64(_I64, _I64), codegen


@njit(types.boolean(_I64, _I64), inline="always", cache=True)
def has_bit(table: int, index: int) -> bool:
    """Whether bit `index` is set in the bit table at address `table`."""
    return load(table, index >> 6) >> (index & 63) & 1 != 0
