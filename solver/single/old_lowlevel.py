"""Memory operations that numba does not offer: the only place where pointers are handled.

The search kernels take one `uint64` address instead of a dozen arrays: an array argument costs
seven machine words at every recursive call. Addresses come from `array.ctypes.data`; the caller
keeps the array alive. Atomic operations let several threads set bits in one table and share one
work counter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

_WORD = ir.IntType(64)
_BYTE = ir.IntType(8)
_BYTES = ir.VectorType(_BYTE, 64)
_U64 = types.uint64


def _operation(implement: Callable[..., Any]) -> Callable[..., Any]:
    """`numba.extending.intrinsic`, typed as what it makes for its users: a function."""
    operation: Callable[..., Any] = intrinsic(implement)
    return operation


def _word_pointer(builder: ir.IRBuilder, address: ir.Value, index: ir.Value) -> ir.Value:
    base = builder.inttoptr(address, _WORD.as_pointer())
    return builder.gep(base, [index])


@_operation
def load(typingctx: Any, address: Any, index: Any) -> Any:
    """The 64-bit word number `index` at `address`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_word_pointer(builder, *args))

    return _U64(_U64, _U64), codegen


@_operation
def store(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Write the 64-bit word number `index` at `address`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _word_pointer(builder, args[0], args[1]))
        return context.get_dummy_value()

    return types.void(_U64, _U64, _U64), codegen


@_operation
def load_byte(typingctx: Any, address: Any, index: Any) -> Any:
    """The byte number `index` at `address`, as a word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        base = builder.inttoptr(args[0], _BYTE.as_pointer())
        return builder.zext(builder.load(builder.gep(base, [args[1]])), _WORD)

    return _U64(_U64, _U64), codegen


@_operation
def raise_bytes(typingctx: Any, address: Any, masks: Any, value: Any) -> Any:
    """Make each of 64 bytes the larger of what it is, and `value` & its byte of `masks`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        target, mask = (builder.inttoptr(arg, _BYTES.as_pointer()) for arg in args[:2])
        value = builder.trunc(args[2], _BYTE)
        values = ir.Constant(_BYTES, ir.Undefined)
        for i in range(_BYTES.count):  # becomes one instruction
            values = builder.insert_element(values, value, ir.Constant(ir.IntType(32), i))
        values = builder.and_(values, builder.load(mask, align=1))
        old = builder.load(target, align=1)
        larger = builder.select(builder.icmp_unsigned(">", values, old), values, old)
        builder.store(larger, target, align=1)
        return context.get_dummy_value()

    return types.void(_U64, _U64, _U64), codegen


@_operation
def atomic_or(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Set bits in the word number `index` at `address`, safe with threads; the old word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw(
            "or", _word_pointer(builder, args[0], args[1]), args[2], "monotonic"
        )

    return _U64(_U64, _U64, _U64), codegen


@_operation
def atomic_add(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
    """Add to the word number `index` at `address`, safe with threads; the old word."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw(
            "add", _word_pointer(builder, args[0], args[1]), args[2], "monotonic"
        )

    return _U64(_U64, _U64, _U64), codegen


@njit("boolean(uint64, uint64)", inline="always", cache=True)
def has_bit(table: int, index: int) -> bool:
    """Whether bit `index` is set in the bit table at address `table`."""
    return (load(table, index >> 6) >> (index & 63)) & 1 != 0
