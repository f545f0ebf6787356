"""Ideas for the builder that did not make it, each as a change of the solver.

    python -m benchmarks.tried --ranks 5
    python -m benchmarks.tried --ranks 8 --look-ups

Without `--look-ups`: builds with changes of the order of tests and leads. Tests and nodes do not
depend on the machine. With it: how fast the trick search runs over the finished bit tables of a
deck when they are laid out in another way, or words are fetched before they are needed. The search
is the same in all, so only the nodes a second count. With 8 ranks a row takes a minute and 3 GB.
"""

from __future__ import annotations

from typing import Any

import click

from benchmarks.ablation import Change, count, run
from benchmarks.report import json_option, print_report

RECENT = [
    ("trick.py", "CONTEXT_WORDS = 18", "RECENT: int = word(18)\nCONTEXT_WORDS = 20"),
    (
        "trick.py",
        "            result = beaten != leading\n",
        "            result = beaten != leading\n"
        "            if result == leading:\n"
        "                store(context, RECENT + (U1 if leading else U0), card)\n",
    ),
]
"""Remember the card that settled the last node at which the same side was to lead."""
FIRST = "leads = one_way if step == 0 else open_leads ^ one_way\n"
STEP = "    for step in range(2):\n        " + FIRST
RECENT_STEPS = """    recent = load(context, RECENT + (U1 if leading else U0))
    for step in range(3):
        if step == 0:
            leads = {preferred} & recent
        elif step == 1:
            leads = one_way & ~recent
        else:
            leads = open_leads & ~one_way & ~({preferred} & recent)
"""
NEXT_CARD = """            card = leads & (~leads + U1)
            leads ^= card
            rest = leader ^ card"""
TURN = "    for _ in range(undecided):\n"
TEST = "        x = hand_at(firsts[0] + it, firsts[1] + iu, firsts[2] + ip, firsts[3] + iq"
EXTREME = """        extreme = True
        above = index
        scale = 1
        for suit in (3, 2, 1, 0):
            here = above % counts[suit]
            above //= counts[suit]
            for there in better[firsts[suit] + here]:
                if there >= 0 and block[index + (there - here) * scale] == 0:
                    extreme = False
            scale *= counts[suit]
        if turn < undecided and not extreme:
            continue
"""
BUILDS: dict[str, list[Change]] = {
    "the lead that settled the last node first": [
        *RECENT,
        ("trick.py", STEP, RECENT_STEPS.format(preferred="open_leads")),
    ],
    "the same, only among leads beaten in one way": [
        *RECENT,
        ("trick.py", STEP, RECENT_STEPS.format(preferred="one_way")),
    ],
    "leads from the other end": [
        (
            "trick.py",
            NEXT_CARD,
            "            card = leads\n"
            "            while card & (card - U1):\n"
            "                card &= card - U1\n"
            "            leads ^= card\n"
            "            rest = leader ^ card",
        )
    ],
    "first those whose failure rules out most": [
        ("blocks.py", TURN, "    for turn in range(2 * undecided):\n"),
        ("blocks.py", TEST, EXTREME + TEST),
    ],
}

IMPORT = "from numba import njit, types\n"
PREFETCH = '''

@_operation
def prefetch(typingctx: Any, address: Any, index: Any) -> Any:
    """Fetch the word number `index` at `address` into the caches."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        pointer = builder.bitcast(_word_pointer(builder, *args), byte)
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(_U64, _U64), codegen


'''
FETCH = """        {leads}
        ahead = leads
        while ahead:
            card = ahead & (~ahead + U1)
            ahead ^= card
            prefetch(table, ({index}) >> word(6))
"""
PLACE = '''

@_operation
def pext(typingctx: Any, bits: Any, mask: Any) -> Any:
    """The bits of `bits` under `mask`, side by side."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_WORD, [_WORD, _WORD])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pext.64")
        return builder.call(function, args)

    return _U64(_U64, _U64), codegen


@njit("uint64(uint64)", inline="always", cache=True)
def place(hand: int) -> int:
    """Where the bit of a hand stands."""
    low = np.uint64({low})
    return pext(hand, low) | pext(hand, ~low) << np.uint64(9)


'''
AT = '@njit("boolean(uint64, uint64)", inline="always", cache=True)\n'
BIT = "    return (load(table, index >> 6)"


def fetching() -> list[Change]:
    """All words that the look-ups of a node need are fetched before the first is used."""
    leads = ("leads = run_lows(a, b, context)\n", "leads = run_lows(b, a, context)\n")
    return [
        ("lowlevel.py", IMPORT, IMPORT + "from numba.core import cgutils\n"),
        ("lowlevel.py", AT, PREFETCH + AT),
        ("trick.py", "import has_bit, load, store", "import has_bit, load, prefetch, store"),
        *(
            ("trick.py", "        " + line, FETCH.format(leads=line.strip(), index=index))
            for line, index in zip(leads, ("a ^ card", "kept | card"), strict=True)
        ),
    ]


def layout(low: int) -> list[Change]:
    """Hands that differ only in the nine cards `low` share a cache line."""
    return [
        ("lowlevel.py", IMPORT, IMPORT + "from numba.core import cgutils\nimport numpy as np\n"),
        ("lowlevel.py", AT, PLACE.format(low=low) + AT),
        ("lowlevel.py", BIT, "    index = place(index)\n" + BIT),
    ]


def look_ups(ranks: int) -> dict[str, list[Change]]:
    """The changes to compare. As it is, hands that differ in the first nine cards share a line."""
    suits = [1 << ranks * s for s in range(4)]
    lowest = sum(3 * suit for suit in suits) | 4
    highest = sum(suit << (ranks - 2) for suit in suits) * 3 | 1 << (ranks - 3)
    plain = suits[0] * 3 | suits[1] * 3 | suits[2] * 7 | suits[3] * 3
    return {
        "as it is": [],
        "words fetched ahead": fetching(),
        "lowest cards of all suits in a line": layout(lowest),
        "the same, one more plain card": layout(plain),
        "highest cards of all suits in a line": layout(highest),
    }


SPEED = """
import json, time
import numpy as np
from numba import njit
from solver import bitboard, lowlevel, trick
from solver.complete.blocks import Subsets, hand_at, scattering_step
from solver.complete.table import open_tables, plain_suits

ranks = {ranks}
place = getattr(lowlevel, "place", None)
proves, load, store = trick.proves, lowlevel.load, lowlevel.store
TAG, NODES, FULL, NEXT = trick.TAG, trick.NODES, trick.FULL, np.uint64(1 << 41)


def bit_tables():
    size = 1 << 2 * ranks
    turned = size - 1 ^ bitboard.swap_trumps(np.arange(size), ranks)
    suit = (1 << ranks) - 1
    tables = np.zeros((2, 1 << 2 * ranks, size // 8), np.uint8)
    content = open_tables(ranks).outcomes().reshape(bitboard.slices(ranks), 2, -1)
    for number, (wins, draws) in enumerate(content):
        losses = np.empty(size, np.uint8)
        losses[turned] = np.unpackbits(~(wins | draws), bitorder="little")
        p, q = plain_suits(number)
        for p, q in ((p, q), (q, p)):
            tables[0, q << ranks | p] = wins
            tables[1, (suit ^ q) << ranks | suit ^ p] = np.packbits(losses, bitorder="little")
    return tables.reshape(2, -1).view(np.uint64)


@njit
def moved(old, new):
    for i in range(old.size):
        for j in range(64):
            if (old[i] >> np.uint64(j)) & np.uint64(1):
                at = place(np.uint64(i * 64 + j))
                new[at >> np.uint64(6)] |= np.uint64(1) << (at & np.uint64(63))


@njit
def search(hands, losses, context):
    nodes = load(context, NODES)
    for i in range(hands.size):
        store(context, TAG, load(context, TAG) + NEXT)
        proves(hands[i], load(context, FULL) ^ hands[i], not losses, context)
    return load(context, NODES) - nodes


@njit
def hard(shape, losses, subsets, context, wanted):
    first = subsets.first
    sizes = [first[k + 1] - first[k] for k in shape]
    total = sizes[0] * sizes[1] * sizes[2] * sizes[3]
    step = scattering_step(total)
    hands = np.zeros(1, np.uint64)
    found = np.zeros(wanted, np.uint64)
    count = number = 0
    for _ in range(total):
        number = (number + step) % total
        rest, at = number, [0, 0, 0, 0]
        for s in range(4):
            at[s] = first[shape[s]] + rest % sizes[s]
            rest //= sizes[s]
        hands[0] = hand_at(at[0], at[1], at[2], at[3], subsets, ranks)
        if search(hands, losses, context) >= 100:
            found[count] = hands[0]
            count += 1
            if count == wanted:
                break
    return found[:count]


tables = bit_tables()
if place is not None:
    tables, old = np.zeros_like(tables), tables
    for k in range(2):
        moved(old[k], tables[k])
    del old
memo = np.zeros(2 * trick.MEMO_SIZE, np.uint64)
context = trick.make_context(ranks)
context[trick.LEADER], context[trick.RESPONDER] = tables[0].ctypes.data, tables[1].ctypes.data
context[trick.MEMO] = memo.ctypes.data
address, half = context.ctypes.data, ranks // 2
shapes = [(half + i, half - i, half + j, half) for i, j in ((0, 0), (1, 0), (-1, 1))]
work = [
    (hard(shape, losses, Subsets.of(ranks), address, {wanted}), losses)
    for shape in shapes
    for losses in (False, True)
]
speeds = []
for _ in range({passes}):
    started = time.perf_counter()
    nodes = sum(int(search(hands, losses, address)) for hands, losses in work)
    speeds.append(nodes / (time.perf_counter() - started))
tests = sum(len(hands) for hands, _ in work)
print(json.dumps([tests, nodes, sorted(speeds)[{passes} // 2], int(context[NODES])]))
"""


def speed(changes: list[Change], ranks: int) -> dict[str, Any]:
    """Tests that take many nodes, their nodes, and the median of nodes a second."""
    script = SPEED.format(ranks=ranks, wanted=5000, passes=5)
    tests, nodes, rate, _ = run(script, changes)
    return {"tests": tests, "nodes": nodes, "nodes/s": rate}


@click.command()
@click.option("--ranks", default=5, show_default=True)
@click.option("--look-ups", "of_look_ups", is_flag=True, help="Compare the speed of look-ups.")
@json_option
def main(ranks: int, of_look_ups: bool, as_json: bool) -> None:
    """Count what ideas for the builder would bring that are not in it."""
    rows: list[dict[str, Any]] = []
    if of_look_ups:
        for name, changes in look_ups(ranks).items():
            rows.append({"with": name, **speed(changes, ranks)})
    else:
        for kind in ("outcomes", "distances"):
            as_it_is = count([], ranks, kind == "distances")
            for name, changes in BUILDS.items():
                _, tests, nodes, _, totals = count(changes, ranks, kind == "distances")
                if totals != as_it_is[-1]:
                    raise SystemExit(f"{name}: totals {totals}, expected {as_it_is[-1]}")
                row = {"build": kind, "with": name, "tests": tests, "nodes": nodes}
                rows.append({**row, "of nodes": nodes / as_it_is[2]})
    print_report(rows, as_json)


if __name__ == "__main__":
    main()
