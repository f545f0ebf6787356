"""Table files: what the shipped ones hold, their format, and how broken ones are refused."""

import hashlib
import lzma
import os
import random
import struct
import tracemalloc
import zlib

import numpy as np
import oracle
import pytest

from solver.complete.deck import DeckTables
from solver.complete.table import (
    CHUNK_BYTES,
    LZMA_FILTERS,
    Table,
    TableError,
    slice_bytes,
    table_path,
    write_table,
)
from solver.core.bitboard import plain_suits, slices

SHIPPED = range(1, 7)
KINDS = ("outcome", "distance")


def copy(ranks, kind, folder):
    """A copy of a shipped table that may be damaged."""
    path = folder / f"ranks{ranks}.{kind}"
    path.write_bytes(table_path(ranks, kind).read_bytes())
    return path


@pytest.mark.parametrize("ranks", SHIPPED)
@pytest.mark.parametrize("kind", KINDS)
def test_shipped_tables_are_sound(ranks, kind):
    shipped = Table(table_path(ranks, kind))
    assert (shipped.ranks, shipped.kind) == (ranks, kind)
    shipped.check()


def test_numbers_of_slices():
    pairs = [(p, q) for p in range(1 << 10) for q in range(p + 1)]
    assert list(map(plain_suits, range(slices(10)))) == pairs


# The format, read by the description of the module and nothing else.


def read_by_hand(data):
    """Header fields and slices of the bytes of a file."""
    assert data[:8] == b"CHALLTAB"
    version, kind, ranks, per_chunk, chunks, check = struct.unpack_from("<HBBIII", data, 8)
    totals, digest = struct.unpack_from("<3Q", data, 24), data[48:80]
    offsets = struct.unpack_from(f"<{chunks + 1}Q", data, 80)
    checks = struct.unpack_from(f"<{chunks}I", data, 88 + 8 * chunks)
    assert offsets[0] == 88 + 12 * chunks
    assert offsets[-1] == len(data)
    assert zlib.crc32(data[:20] + bytes(4) + data[24 : offsets[0]]) == check
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 18}]
    content = []
    for start, end, sum_ in zip(offsets, offsets[1:], checks, strict=False):
        assert zlib.crc32(data[start:end]) == sum_
        content.append(lzma.decompress(data[start:end], lzma.FORMAT_RAW, filters=filters))
    assert hashlib.sha256(b"".join(content)).digest() == digest
    size = (1 << 2 * ranks) if kind else 2 * max(1, (1 << 2 * ranks) // 8)
    assert {len(chunk) for chunk in content[:-1]} <= {per_chunk * size}
    joined = b"".join(content)
    return (version, kind, ranks, totals), [
        joined[i : i + size] for i in range(0, len(joined), size)
    ]


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_format(ranks):
    outcomes, outcome_slices = read_by_hand(table_path(ranks, "outcome").read_bytes())
    distances, distance_slices = read_by_hand(table_path(ranks, "distance").read_bytes())
    values = [0, *oracle.outcomes(ranks).tolist(), 0]
    tricks = [0, *oracle.distances(ranks).clip(0).tolist(), 0]
    totals = (values.count(1), values.count(-1), values[1:-1].count(0))
    assert outcomes == (1, 0, ranks, totals)
    assert distances == (1, 1, ranks, totals)
    number = 0
    for p in range(1 << ranks):
        for q in range(p + 1):
            wins, draws = np.unpackbits(
                np.frombuffer(outcome_slices[number], np.uint8).reshape(2, -1),
                axis=1,
                bitorder="little",
            )
            first = (q << ranks | p) << 2 * ranks
            hands = range(first, first + (1 << 2 * ranks))
            real = [0 < hand < (1 << 4 * ranks) - 1 for hand in hands]
            padding = [0] * (wins.size - len(hands))
            assert wins.tolist() == [values[hand] == 1 for hand in hands] + padding
            assert (
                draws.tolist()
                == [r and values[hand] == 0 for hand, r in zip(hands, real, strict=True)] + padding
            )
            assert list(distance_slices[number]) == [tricks[hand] for hand in hands]
            number += 1
    assert number == len(outcome_slices) == len(distance_slices) == slices(ranks)


@pytest.mark.parametrize(("ranks", "kind"), [(1, "outcome"), (3, "distance"), (5, "distance")])
def test_what_is_written_is_read(tmp_path, ranks, kind):
    rng = random.Random(ranks)
    content = [rng.randbytes(slice_bytes(ranks, kind)) for _ in range(slices(ranks))]
    path = tmp_path / "table"
    totals = (3, 4, (1 << 4 * ranks) - 2 - 7)
    write_table(path, ranks, kind, totals, iter(content))
    read = Table(path)
    read.check()
    assert (read.ranks, read.kind, read.wins, read.losses, read.draws) == (ranks, kind, *totals)
    assert b"".join(read.content()) == b"".join(content)
    assert read.digest == hashlib.sha256(b"".join(content)).hexdigest()
    for number in rng.choices(range(len(content)), k=20):
        data, start = read.slice(number)
        assert data[start : start + slice_bytes(ranks, kind)] == content[number]
    assert read_by_hand(path.read_bytes())[1] == content


def test_a_table_that_lacks_slices_is_not_written(tmp_path):
    content = [bytes(slice_bytes(5, "distance"))] * 100
    with pytest.raises(ValueError, match="1 chunks given, expected 3"):
        write_table(tmp_path / "table", 5, "distance", (0, 0, 0), content)
    assert list(tmp_path.iterdir()) == []


# Broken files.


def read_all(path):
    Table(path).check()


def refused(path, words):
    with pytest.raises(TableError, match=words) as caught:
        read_all(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (0, "cannot read the table .*: the file is empty"),
        (7, "is no table file: it does not begin with CHALLTAB"),
        (8, "is truncated: it ends within its header"),
        (79, "is truncated: it ends within its header"),
        (80, "is truncated: it ends within its index"),
        (123, "is truncated: it ends within its index"),
        (124, r"is truncated or has grown: 124 bytes, expected 151684"),
        (151_683, r"is truncated or has grown: 151683 bytes, expected 151684"),
    ],
)
def test_truncated(tmp_path, length, words):
    path = copy(5, "distance", tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    refused(path, words)


def test_truncated_anywhere(tmp_path):
    path = copy(2, "outcome", tmp_path)
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        refused(path, "truncated|no table file|empty")


def test_grown(tmp_path):
    path = copy(2, "outcome", tmp_path)
    path.write_bytes(path.read_bytes() + b"\0")
    refused(path, "truncated or has grown: 131 bytes, expected 130")


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (0, "is no table file: it does not begin with CHALLTAB"),
        (8, r"has format version \d+, expected 1"),
        (10, "has been altered: the check sum of its header does not match"),
        (11, "has been altered: the check sum of its header"),
        (20, "has been altered: the check sum of its header"),
        (30, "has been altered: the check sum of its header"),
        (60, "has been altered: the check sum of its header"),
        (81, "has been altered: the check sum of its header"),
        (120, "has been altered: the check sum of its header"),
        (124, "has been altered: chunk 0 fails its check sum"),
        (-1, "has been altered: chunk 2 fails its check sum"),
    ],
)
def test_altered(tmp_path, place, words):
    path = copy(5, "distance", tmp_path)
    data = bytearray(path.read_bytes())
    data[place] ^= 0x10
    path.write_bytes(data)
    refused(path, words)


@pytest.mark.parametrize("kind", KINDS)
def test_altered_anywhere(tmp_path, kind):
    path = copy(2, kind, tmp_path)
    data = path.read_bytes()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        refused(path, "altered|no table file|format version|truncated")


def test_content_that_does_not_match_the_digest(tmp_path):
    """Only a wrong digest, with a check sum to match, as a program would write it that is wrong."""
    path = copy(2, "outcome", tmp_path)
    data = bytearray(path.read_bytes())
    data[48] ^= 1
    header_and_index = data[:20] + bytes(4) + data[24:100]
    data[20:24] = struct.pack("<I", zlib.crc32(header_and_index))
    path.write_bytes(data)
    refused(path, "altered: its content does not match its digest")


def test_no_file_at_all(tmp_path):
    refused(tmp_path / "none", "cannot read the table .*: No such file or directory")
    refused(tmp_path, "cannot read the table .*: Is a directory")
    (tmp_path / "text").write_text("6 KQJ.JT9.AT9.AKQ AT9.AKQ.KQJ.JT9 SD 1 -\n" * 9)
    refused(tmp_path / "text", "is no table file: it does not begin with CHALLTAB")


# Files that are sound by their check sums and make no sense.


def pack(data):
    return lzma.compress(data, lzma.FORMAT_RAW, filters=LZMA_FILTERS)


def craft(path, **changes):
    """The outcomes of 5 ranks with other fields; `chunks` are packed, `places` their offsets."""
    shipped = Table(table_path(5, "outcome"))
    chunks = changes.get("chunks") or [pack(chunk) for chunk in shipped.content()]
    fields = {
        "version": 1,
        "kind": 0,
        "ranks": 5,
        "per_chunk": CHUNK_BYTES // slice_bytes(5, "outcome"),
        "count": len(chunks),
        "totals": (shipped.wins, shipped.losses, shipped.draws),
    } | {key: value for key, value in changes.items() if key not in ("chunks", "places")}
    places = [88 + 12 * len(chunks)]
    for chunk in chunks:
        places.append(places[-1] + len(chunk))
    places = changes.get("places", lambda places: places)(places)
    index = struct.pack(f"<{len(places)}Q", *places)
    index += struct.pack(f"<{len(chunks)}I", *map(zlib.crc32, chunks))
    *numbers, totals = fields.values()
    rest = struct.pack("<3Q32s", *totals, bytes.fromhex(shipped.digest))
    start = struct.pack("<8sHBBII", b"CHALLTAB", *numbers)
    check = zlib.crc32(index, zlib.crc32(start + bytes(4) + rest))
    path.write_bytes(start + struct.pack("<I", check) + rest + index + b"".join(chunks))
    return path


def test_what_is_crafted_is_read(tmp_path):
    path = craft(tmp_path / "table")
    assert path.read_bytes() == table_path(5, "outcome").read_bytes()
    read_all(path)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": 3}, "is of kind 3 for 5 ranks, which do not exist"),
        ({"kind": 255}, "is of kind 255 for 5 ranks, which do not exist"),
        ({"ranks": 0}, "is of kind 0 for 0 ranks, which do not exist"),
        ({"ranks": 11}, "is of kind 0 for 11 ranks, which do not exist"),
        ({"ranks": 200}, "is of kind 0 for 200 ranks, which do not exist"),
        ({"ranks": 4}, "claims 577198 wins, .* not 65534 in all"),
        ({"kind": 1}, "claims 1 chunks of 1024 slices, not 528 slices in all"),
        ({"per_chunk": 0}, "claims 1 chunks of 0 slices, not 528 slices in all"),
        ({"per_chunk": 1}, "claims 1 chunks of 1 slices, not 528 slices in all"),
        ({"per_chunk": 1 << 31}, "claims 1 chunks of 2147483648 slices"),
        ({"count": 0}, "has been altered|truncated"),
        ({"count": (1 << 32) - 1}, "is truncated: it ends within its index"),
        ({"totals": (1, 2, 3)}, "claims 1 wins, 2 losses and 3 draws, not 1048574 in all"),
        ({"places": lambda places: [0, *places[1:]]}, "has chunks that do not follow one another"),
        ({"places": lambda p: [p[1], p[1]]}, "has chunks that do not follow one another"),
        ({"chunks": [pack(b"")]}, "chunk 0 does not unpack to 135168 bytes"),
        ({"chunks": [pack(bytes(135_167))]}, "chunk 0 does not unpack to 135168 bytes"),
        ({"chunks": [pack(bytes(135_169))]}, "chunk 0 does not unpack to 135168 bytes"),
        ({"chunks": [pack(bytes(135_168)) + b"x"]}, "chunk 0 does not unpack to 135168 bytes"),
        ({"chunks": [pack(bytes(135_168))[:-1]]}, "chunk 0 does not unpack to 135168 bytes"),
        ({"chunks": [b"nonsense"]}, "chunk 0 does not unpack to 135168 bytes"),
        ({"chunks": [pack(bytes(135_168))]}, "its content does not match its digest"),
    ],
)
def test_crafted(tmp_path, changes, words):
    refused(craft(tmp_path / "table", **changes), words)


def test_a_small_file_does_not_take_much_memory(tmp_path):
    """It would unpack to 100 MB."""
    packer = lzma.LZMACompressor(lzma.FORMAT_RAW, filters=LZMA_FILTERS)
    zeros = bytes(1 << 20)
    bomb = b"".join(packer.compress(zeros) for _ in range(100)) + packer.flush()
    path = craft(tmp_path / "table", chunks=[bomb])
    tracemalloc.start()
    refused(path, "chunk 0 does not unpack to 135168 bytes")
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_a_table_that_is_cut_short_while_it_is_open(tmp_path):
    path = copy(5, "distance", tmp_path)
    table = Table(path)
    os.truncate(path, 1000)
    with pytest.raises(TableError, match="has been truncated since it was opened"):
        table.slice(0)
    with pytest.raises(TableError, match="has been truncated since it was opened"):
        table.check()


def test_a_pipe_is_no_table(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "cannot read the table .*: not a regular file")


def test_tables_of_one_deck_must_agree(tmp_path):
    outcome, distance = (Table(table_path(5, kind)) for kind in KINDS)
    totals = (outcome.wins - 1, outcome.losses + 1, outcome.draws)
    other = Table(craft(tmp_path / "other", totals=totals))
    DeckTables(5, outcome, distance)
    with pytest.raises(TableError, match="do not belong together"):
        DeckTables(5, other, distance)


@pytest.mark.parametrize("times", [1500, pytest.param(200_000, marks=pytest.mark.slow)])
def test_altered_with_check_sums_to_match(tmp_path, times):
    """Whatever is in the header and the index: a sentence, or the table that it was."""
    rng = random.Random(times)
    path = tmp_path / "table"
    right = craft(path).read_bytes()
    end = 88 + 12
    for _ in range(times):
        data = bytearray(right)
        for _ in range(rng.choice((1, 1, 2, 5))):
            place = rng.choice((rng.randrange(8, end), rng.randrange(len(data))))
            data[place] = rng.choice((0, 1, 255, rng.randrange(256)))
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        if len(data) >= end:  # with chunks of their own check sums, too
            data[96:100] = struct.pack("<I", zlib.crc32(data[end:]))
            data[20:24] = struct.pack("<I", zlib.crc32(data[:20] + bytes(4) + data[24:end]))
        path.write_bytes(data)
        try:
            read_all(path)
        except TableError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            totals = data[24:48]
            assert data[:24] + totals == right[:20] + data[20:24] + totals
            assert data[48:96] == right[48:96]
