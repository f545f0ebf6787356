"""Packed progress: its format, how broken files are refused, and unpacking whatever happens."""

import contextlib
import errno
import hashlib
import multiprocessing
import os
import random
import signal
import struct
import time
import zlib
from functools import cache, reduce
from types import SimpleNamespace

import numpy as np
import pytest

from solver import Solver, Tables
from solver.complete import coder, packed, unpacked
from solver.complete.blocks import UNUSED, Layout
from solver.complete.build import Builder, BuildError, build_tables
from solver.complete.coder import read_stamps, write_packed
from solver.complete.deck import DeckTables
from solver.complete.packed import PackedFile
from solver.complete.table import Table, TableError, find_in, write_table
from solver.complete.unpacked import PackedTable, UnpackError, open_table
from solver.complete.verify import verify
from solver.core.bitboard import slices
from solver.core.shapes import block_shapes

RANKS = range(1, 6)
FORK = multiprocessing.get_context("fork")


@cache
def built(ranks):
    """The stamps of a build, and its content by table index."""
    builder = Builder(ranks, distances=False)
    builder.run()
    content = b"".join(builder.slices("progress"))
    return SimpleNamespace(
        stamps=builder.stamps, content=content, totals=builder.totals(), layout=builder.layout
    )


def write(folder, ranks):
    path = folder / f"ranks{ranks}.progress.1"
    write_packed(path, ranks, built(ranks).stamps)
    return path


def parts(monkeypatch, size):
    monkeypatch.setattr(packed, "PART_BYTES", size)


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setattr(unpacked, "cache_folder", lambda: folder)
    return folder


# What is written is read.


@pytest.mark.parametrize("ranks", RANKS)
def test_round_trip(tmp_path, cache_folder, ranks):
    table = PackedTable(write(tmp_path, ranks))
    assert (table.ranks, table.kind) == (ranks, "progress")
    assert (table.wins, table.losses, table.draws) == built(ranks).totals
    assert table.digest == hashlib.sha256(built(ranks).content).hexdigest()
    assert table.size_bytes == sum(path.stat().st_size for path in table.paths)
    table.check()
    assert not table.ready
    assert table.unpack().tobytes() == built(ranks).content
    assert table.ready
    assert list(cache_folder.iterdir()) == [table.cache]
    for number in range(0, slices(ranks), 7):
        data, start = table.slice(number)
        place, size = number << 2 * ranks, 1 << 2 * ranks
        assert bytes(data[start : start + size]) == built(ranks).content[place : place + size]
    table.check()


def test_the_same_digest_as_slices(tmp_path):
    paths = {"outcome": tmp_path / "ranks4.outcome", "progress": tmp_path / "ranks4.progress"}
    build_tables(4, paths)
    slice_file = open_table(find_in(tmp_path, 4, "progress"))
    paths["progress"] = tmp_path / "ranks4.progress.1"
    build_tables(4, paths)
    packed_file = open_table(find_in(tmp_path, 4, "progress"))
    assert (type(slice_file), type(packed_file)) == (Table, PackedTable)
    assert slice_file.digest == packed_file.digest
    assert np.array_equal(slice_file.unpack(), packed_file.unpack())


def test_any_number_of_threads(tmp_path):
    file = PackedFile(write(tmp_path, 4))
    for threads in (1, 2, 5):
        content = np.zeros((slices(4), 1 << 8), np.uint8)
        coder.decode_blocks(file, content.__setitem__, lambda done: None, threads)
        assert content.tobytes() == built(4).content


def test_the_same_bytes(tmp_path, monkeypatch):
    whole = write(tmp_path, 4).read_bytes()
    assert write(tmp_path, 4).read_bytes() == whole
    parts(monkeypatch, 9000)
    first = write(tmp_path, 4)
    table = PackedTable(first)
    assert len(table.paths) > 1
    assert max(path.stat().st_size for path in table.paths) <= 9000
    table.check()
    assert table.unpack().tobytes() == built(4).content
    parts(monkeypatch, 48_000_000)
    assert write(tmp_path, 4).read_bytes() == whole
    assert sorted(tmp_path.glob("ranks4.progress.*")) == [first]  # the other parts are removed


def test_stamps_of_no_build(tmp_path):
    with pytest.raises(ValueError, match="expected uint8 and"):
        write_packed(tmp_path / "x.1", 3, built(2).stamps)
    with pytest.raises(ValueError, match="contradict Raising"):
        write_packed(tmp_path / "x.1", 3, built(3).stamps[::-1].copy())
    assert list(tmp_path.iterdir()) == []


def shipped():
    """The decks that come with packed progress."""
    tables = Tables()
    return [ranks for ranks in tables.decks if tables.deck(ranks).packed]


def test_shipped_tables_are_sound():
    assert 7 in shipped()
    for ranks in shipped():
        deck = Tables().deck(ranks)  # whose totals agree
        deck.packed.check()
        assert max(path.stat().st_size for path in deck.packed.paths) < 50_000_000


@pytest.mark.slow
@pytest.mark.parametrize("ranks", shipped())
def test_a_sample_of_shipped_tables(ranks, monkeypatch):
    monkeypatch.undo()  # the cache folder of all tests
    report = verify(Tables().deck(ranks), sample=10_000)
    assert report.proof


# The format, read by the description of the module and nothing else.


def leb128(data):
    numbers, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(number)
            number = shift = 0
    assert shift == 0
    return numbers


def read_by_hand(data):
    """Ranks, rounds, totals, digest, frequencies of each context, words of each block."""
    assert data[:8] == b"CHALLPAK"
    version, kind, ranks, part, count, rounds, zero = struct.unpack_from("<HBBHHHH", data, 8)
    assert (version, kind, part, count, zero) == (1, 2, 1, 1, 0)
    first, blocks, model, check = struct.unpack_from("<4I", data, 20)
    totals, digest = struct.unpack_from("<3Q", data, 36), data[60:92]
    start = 92 + model + 8 * blocks
    assert zlib.crc32(data[:32] + bytes(4) + data[36:start]) == check
    numbers = iter(leb128(data[92 : 92 + model]))
    contexts = []
    for _ in range((ranks + 1) * (2 * rounds + 2) * 18):
        listed = next(numbers)
        others = [next(numbers) for _ in range(listed - 1)]
        contexts.append([65536 - sum(others), *others] if listed else [])
    assert next(numbers, None) is None
    sizes = struct.unpack_from(f"<{blocks}I", data, 92 + model)
    checks = struct.unpack_from(f"<{blocks}I", data, 92 + model + 4 * blocks)
    words = []
    for size, crc in zip(sizes, checks, strict=True):
        block = data[start : start + size]
        assert zlib.crc32(block) == crc
        words.append(struct.unpack(f"<{size // 2}H", block))
        start += size
    assert (first, start) == (0, len(data))
    return ranks, rounds, totals, digest, contexts, words


def positions_of(ranks, shape):
    """The hands of a block, (T, U, P, Q), in the order of the file."""
    hands = [[h for h in range(1 << ranks) if h.bit_count() == k] for k in shape]
    for p in hands[2]:
        for q in hands[3]:
            if shape[2] > shape[3] or p >= q:
                yield from ((t, u, p, q) for u in hands[1] for t in hands[0])


def context_of(hand, values, rounds):
    """The context of a position, and the value of symbol 0, from the values that are known."""
    around = []
    for suit, cards in enumerate(hand):
        for bit in range(1, cards.bit_length()):
            if cards >> bit - 1 & 3 == 2:
                t, u, p, q = (c ^ (3 << bit - 1) * (i == suit) for i, c in enumerate(hand))
                if p.bit_count() == q.bit_count() and p < q:
                    p, q = q, p
                around.append(values[t, u, p, q])
    b = max(around, default=0)
    a = around.count(b)
    s = max((v for v in around if v < b), default=0)
    g = 0 if s == 0 else 1 if b - s == 1 else 2
    own = hand[0].bit_count()
    context = (b * 6 + min(max(a - 1, 0), 5)) * 3 + g + own * (2 * rounds + 2) * 18
    return context, max(b, 1)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_format(tmp_path, ranks):
    ranks_read, rounds, totals, digest, contexts, blocks = read_by_hand(
        write(tmp_path, ranks).read_bytes()
    )
    assert (ranks_read, totals) == (ranks, built(ranks).totals)
    assert digest == hashlib.sha256(built(ranks).content).digest()
    shapes = [shape for shape in block_shapes(ranks) if 0 < sum(shape) < 4 * ranks]
    content = bytearray(len(built(ranks).content))
    for shape, words in zip(shapes, blocks, strict=True):
        rest = iter(words[3:])
        x = words[0] << 32 | words[1] << 16 | words[2]
        values = {}
        for hand in positions_of(ranks, shape):
            context, low = context_of(hand, values, rounds)
            frequencies = contexts[context]
            symbol, c = 0, 0
            while x % 65536 >= c + frequencies[symbol]:
                c += frequencies[symbol]
                symbol += 1
            x = frequencies[symbol] * (x // 65536) + x % 65536 - c
            if x < 2**32:
                x = x << 16 | next(rest)
            value = values[hand] = low + symbol
            t, u, p, q = hand
            won, lost = 2 * (2 * rounds + 2 - value) - 1, 2 * value
            stamp = 0 if value == rounds + 1 else won if value > rounds else lost
            p, q = max(p, q), min(p, q)
            content[((p * (p + 1) // 2 + q) << ranks | u) << ranks | t] = stamp
        assert next(rest, None) is None
        assert x == 2**32
    assert bytes(content) == built(ranks).content


def test_coder_against_one_large_integer(tmp_path):
    """rANS without a limit on the state: the same symbols in hardly fewer bits."""
    ranks = 4
    path = write(tmp_path, ranks)
    _, rounds, _, _, contexts, blocks = read_by_hand(path.read_bytes())
    layout, shapes = Layout(ranks), block_shapes(ranks)
    values = coder.values_of_stamps(rounds)
    shape = (2, 2, 2, 1)
    number = shapes.index(shape)
    mine = built(ranks).stamps[layout.starts[number] : layout.starts[number + 1]]
    table = values[mine.reshape(6, 6, 6, 4)]
    hands = [[h for h in range(16) if h.bit_count() == k] for k in shape]
    known, steps = {}, []
    for hand in positions_of(ranks, shape):
        place = tuple(of.index(cards) for of, cards in zip(hands, hand, strict=True))
        context, low = context_of(hand, known, rounds)
        known[hand] = int(table[place])
        steps.append((contexts[context], known[hand] - low))

    def push(x, step):
        frequencies, symbol = step
        f = frequencies[symbol]
        return (x // f) * 65536 + x % f + sum(frequencies[:symbol])

    large = reduce(push, reversed(steps), 1 << 32)
    words = blocks[number - 1]
    assert 0 <= 16 * len(words) - large.bit_length() < 64
    for frequencies, symbol in steps:
        slot, found, c = large % 65536, 0, 0
        while slot >= c + frequencies[found]:
            c += frequencies[found]
            found += 1
        assert found == symbol
        large = frequencies[found] * (large // 65536) + slot - c
    assert large == 1 << 32


# Broken files.


def refused(path, words):
    with pytest.raises(TableError, match=words) as caught:
        PackedTable(path).check()
    assert str(path.parent) in str(caught.value)
    assert "\n" not in str(caught.value)


BROKEN = "altered|truncated|no packed table|format version|cannot read|no sense|missing|is part"


@pytest.mark.parametrize("size", [48_000_000, 900])
def test_altered_anywhere(tmp_path, monkeypatch, size):
    parts(monkeypatch, size)
    for path in PackedTable(write(tmp_path, 2)).paths:
        data = path.read_bytes()
        for place in range(len(data)):
            damaged = bytearray(data)
            damaged[place] ^= 1 << place % 8
            path.write_bytes(damaged)
            refused(tmp_path / "ranks2.progress.1", BROKEN)
        path.write_bytes(data)


@pytest.mark.parametrize("size", [48_000_000, 900])
def test_truncated_anywhere(tmp_path, monkeypatch, size):
    parts(monkeypatch, size)
    for path in PackedTable(write(tmp_path, 2)).paths:
        data = path.read_bytes()
        for length in range(len(data)):
            path.write_bytes(data[:length])
            refused(tmp_path / "ranks2.progress.1", BROKEN)
        path.write_bytes(data + b"\0")
        refused(tmp_path / "ranks2.progress.1", "truncated or has grown")
        path.write_bytes(data)


def test_all_parts_of_one_table(tmp_path, monkeypatch):
    parts(monkeypatch, 2500)
    first = write(tmp_path, 3)
    assert find_in(tmp_path, 3, "progress") == first
    _, second, *_ = PackedTable(first).paths
    data = second.read_bytes()
    second.unlink()
    assert find_in(tmp_path, 3, "progress") is None
    refused(first, "one of . parts, ranks3.progress.2 is missing")
    second.write_bytes(first.read_bytes())
    refused(first, "ranks3.progress.2 is not part 2 of the table")
    second.write_bytes(data)
    refused(second, "is part 2 of a table, expected its first part")
    PackedTable(first).check()


def resealed(path, place, form, value, header=92):
    """Change a number in the header, and its check sum, too."""
    data = bytearray(path.read_bytes())
    struct.pack_into(form, data, place, value)
    blocks, model = struct.unpack_from("<2I", data, 24)
    end = min(len(data), header + model + 8 * blocks)
    data[32:36] = bytes(4)
    data[32:36] = struct.pack("<I", zlib.crc32(data[:end]))
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("place", "form", "value", "words"),
    [
        (8, "<H", 2, "has format version 2, expected 1"),
        (10, "<B", 1, "a header that makes no sense"),
        (11, "<B", 10, "claims 254 positions of 10 ranks"),
        (36, "<Q", 2**63, "claims 9223372036854775903 positions of 2 ranks"),
        (11, "<B", 200, "a header that makes no sense"),
        (14, "<H", 60_000, "one of 60000 parts, ranks2.progress.2 is missing"),
        (16, "<H", 0, "a header that makes no sense"),
        (16, "<H", 127, "a header that makes no sense"),
        (20, "<I", 1, "a header that makes no sense"),
        (24, "<I", 2**32 - 1, "ends within its index"),
        (28, "<I", 2**32 - 1, "ends within its index"),
        (24, "<I", 51, "truncated or has grown"),
    ],
)
def test_lying_headers(tmp_path, place, form, value, words):
    path = write(tmp_path, 2)
    resealed(path, place, form, value)
    refused(path, words)


def test_lying_models(tmp_path):
    """With all check sums right, as a wrong program would write it: refused, or never used."""
    path = write(tmp_path, 2)
    data = path.read_bytes()
    (model,) = struct.unpack_from("<I", data, 28)
    rng = random.Random(1)
    for _ in range(300):
        resealed(path, 92 + rng.randrange(model), "<B", rng.randrange(256))
        with contextlib.suppress(TableError):
            assert PackedTable(path).unpack().tobytes() == built(2).content
            PackedTable(path).remove()
        path.write_bytes(data)


def test_lying_blocks(tmp_path):
    path = write(tmp_path, 3)
    file, rng = PackedFile(path), random.Random(2)
    facts, frequencies, blocks = file.facts, file.frequencies(), list(file.blocks())
    for _ in range(60):
        wrong = list(blocks)
        number = rng.randrange(len(wrong))
        size = rng.choice([0, 2, 5, 6, 8, len(wrong[number]), len(wrong[number]) + 2])
        wrong[number] = rng.randbytes(size)
        packed.write_parts(path, facts, frequencies, wrong)
        with pytest.raises(TableError, match="altered"):
            PackedTable(path).unpack()


@pytest.mark.parametrize("seconds", [0.4, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.parametrize("ranks", [2, 3])
def test_altered_with_check_sums_to_match(tmp_path, cache_folder, seconds, ranks):
    """Whatever is in the header, the model, the index or a block: a sentence, or what it was."""
    path = write(tmp_path, ranks)
    right, rng, until = path.read_bytes(), random.Random(4), time.monotonic() + seconds
    count, size = struct.unpack_from("<2I", right, 24)
    index = 92 + size
    places = [range(8, 92), range(92, index), range(index, index + 4 * count)]
    places.append(range(index + 8 * count, len(right)))
    while time.monotonic() < until:
        data = bytearray(right)
        for _ in range(rng.choice((1, 1, 2, 5))):
            data[rng.choice(rng.choice(places))] = rng.choice((0, 1, 255, rng.randrange(256)))
        if rng.random() < 0.1:
            del data[rng.randrange(index) :]
        with contextlib.suppress(struct.error):  # as far as there are sums
            blocks, model = struct.unpack_from("<2I", data, 24)
            sizes = struct.unpack_from(f"<{blocks}I", data, 92 + model)
            start = 92 + model + 8 * blocks
            for number, length in enumerate(sizes):
                check = zlib.crc32(data[start : start + length])
                struct.pack_into("<I", data, 92 + model + 4 * (blocks + number), check)
                start += length
            data[32:36] = bytes(4)
            data[32:36] = struct.pack("<I", zlib.crc32(data[: 92 + model + 8 * blocks]))
        path.write_bytes(data)
        try:
            table = PackedTable(path)
            content = table.unpack().tobytes()
        except TableError as error:
            assert "\n" not in str(error)  # noqa: PT017
            assert list(cache_folder.glob(".*")) == []
        else:
            assert (content, table.ranks) == (built(ranks).content, ranks)
            assert (table.digest, data[16:20]) == (
                hashlib.sha256(content).hexdigest(),
                right[16:20],
            )
            table.remove()


def test_a_wrong_digest(tmp_path):
    path = write(tmp_path, 2)
    resealed(path, 60, "<B", path.read_bytes()[60] ^ 1)
    with pytest.raises(TableError, match="its content does not match its digest"):
        PackedTable(path).unpack()
    assert list((tmp_path / "cache").iterdir()) == []


# The unpacked file.


def right(path, ranks):
    """A table opened anew gives what was built."""
    table = PackedTable(path)
    assert table.unpack().tobytes() == built(ranks).content
    assert [p.name for p in table.cache.parent.iterdir()] == [table.cache.name]
    return True


def test_an_altered_file_is_made_again(tmp_path):
    path = write(tmp_path, 2)
    table = PackedTable(path)
    table.prepare()
    data = table.cache.read_bytes()
    for place in [*range(100), *range(100, len(data), 97), len(data) - 1]:
        damaged = bytearray(data)
        damaged[place] ^= 1 << place % 8
        table.cache.write_bytes(damaged)
        assert right(path, 2)
        assert table.cache.read_bytes()[24:] == data[24:]


@pytest.mark.parametrize("seconds", [0.3, pytest.param(60, marks=pytest.mark.slow)])
def test_an_unpacked_file_altered_with_check_sums_to_match(tmp_path, seconds):
    """Its header, changed and sealed again: it is made anew, or what it says is true."""
    path = write(tmp_path, 2)
    table = PackedTable(path)
    table.prepare()
    data, rng, until = table.cache.read_bytes(), random.Random(5), time.monotonic() + seconds
    while time.monotonic() < until:
        altered = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            altered[rng.randrange(56 + 4 * slices(2))] = rng.choice((0, 1, 255, rng.randrange(256)))
        altered[12:16] = struct.pack("<I", zlib.crc32(altered[16:4096]))
        table.cache.write_bytes(altered)
        table = PackedTable(path)
        for number in range(slices(2)):
            content, start = table.slice(number)
            assert bytes(content[start : start + 16]) == built(2).content[16 * number :][:16]
        assert right(path, 2)


def test_a_truncated_file_is_made_again(tmp_path):
    path = write(tmp_path, 2)
    table = PackedTable(path)
    table.prepare()
    data = table.cache.read_bytes()
    for length in range(0, len(data), 99):
        table.cache.write_bytes(data[:length])
        assert right(path, 2)


def test_a_copied_file_is_read_through(tmp_path, monkeypatch):
    """Its time is another; and so a second process need not read it through again."""
    path = write(tmp_path, 2)
    table = PackedTable(path)
    table.prepare()
    before = table.cache.stat().st_mtime
    os.utime(table.cache, (1, 1))
    assert PackedTable(path).ready
    assert table.cache.stat().st_mtime == before
    monkeypatch.delattr(unpacked._Content, "all_sound")
    assert PackedTable(path).ready


def test_damage_that_keeps_the_time_is_found_in_the_slice(tmp_path):
    path = write(tmp_path, 3)
    table = PackedTable(path)
    table.prepare()
    modified = table.cache.stat().st_mtime
    with table.cache.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x55")
    os.utime(table.cache, (modified, modified))
    table = PackedTable(path)
    data, start = table.slice(slices(3) - 1)
    assert bytes(data[start:]) == built(3).content[-64:]
    assert right(path, 3)


def test_two_decks_of_the_same_size(tmp_path):
    """The name of the unpacked file says what it is of."""
    one = PackedTable(write(tmp_path, 2))
    one.prepare()
    stamps = built(2).stamps.copy()
    stamps[stamps == 3] = 0
    write_packed(tmp_path / "other.1", 2, stamps)
    other = PackedTable(tmp_path / "other.1")
    assert other.digest != one.digest
    assert not other.ready
    assert one.remove()
    assert not one.remove()
    assert not PackedTable(one.path).ready


# Interrupted, killed, at the same time, no room.


def test_interrupted(tmp_path, cache_folder):
    path = write(tmp_path, 3)

    def stop(done):
        if done > 0.5:
            raise KeyboardInterrupt

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            PackedTable(path).prepare(stop)
        assert list(cache_folder.iterdir()) == []
    assert right(path, 3)


def unpack_and_die(path, report_number):
    """Die by a signal that cannot be caught, at a report; without one if it is None."""
    count = 0

    def report(done):
        nonlocal count
        count += 1
        if count == report_number:
            os.kill(os.getpid(), signal.SIGKILL)

    PackedTable(path).prepare(report, 2)


def in_process(*arguments):
    process = FORK.Process(target=unpack_and_die, args=arguments)
    process.start()
    return process


def test_killed_while_unpacking(tmp_path, cache_folder):
    path = write(tmp_path, 3)
    reports = []
    PackedTable(path).prepare(reports.append)
    PackedTable(path).remove()
    for number in np.linspace(1, len(reports), 20).astype(int).tolist():
        process = in_process(path, number)
        process.join()
        assert process.exitcode == -signal.SIGKILL
        assert not PackedTable(path).ready
    assert len(list(cache_folder.iterdir())) == 1  # what the last one has left
    assert right(path, 3)


@pytest.mark.slow
def test_killed_at_any_moment(tmp_path):
    path = write(tmp_path, 5)
    rng = random.Random(3)
    finished = 0
    for _ in range(200):
        process = in_process(path, None)
        time.sleep(rng.random() * 0.4)
        process.kill()
        process.join()
        if PackedTable(path).ready:
            finished += 1
            assert right(path, 5)
            PackedTable(path).remove()
    assert right(path, 5)
    assert finished < 200


def test_several_processes_at_once(tmp_path):
    path = write(tmp_path, 4)
    for _ in range(5):
        processes = [in_process(path, None) for _ in range(3)]
        for process in processes:
            process.join()
        assert [process.exitcode for process in processes] == [0, 0, 0]
        assert right(path, 4)
        PackedTable(path).remove()


def no_room(monkeypatch):
    usage = SimpleNamespace(free=100)
    monkeypatch.setattr(unpacked.shutil, "disk_usage", lambda folder: usage)


def full_at(monkeypatch, writes):
    """The disk is full after so many writes."""
    whole = unpacked.whole_file

    class Full:
        def __init__(self, file):
            self.file = file
            self.left = writes

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, data):
            if not self.left:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.left -= 1
            return self.file.write(data)

    @contextlib.contextmanager
    def full(path):
        with whole(path) as file:
            yield Full(file)

    monkeypatch.setattr(unpacked, "whole_file", full)


def no_folder(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setattr(unpacked, "cache_folder", lambda: tmp_path / "file" / "folder")


@pytest.mark.parametrize("how", ["no room", "full at once", "full later", "no folder"])
def test_no_room(tmp_path, monkeypatch, cache_folder, how):
    path = write(tmp_path, 3)
    build_tables(3, {"outcome": tmp_path / "ranks3.outcome"})
    {
        "no room": lambda: no_room(monkeypatch),
        "full at once": lambda: full_at(monkeypatch, 0),
        "full later": lambda: full_at(monkeypatch, 20),
        "no folder": lambda: no_folder(monkeypatch, tmp_path),
    }[how]()
    assert PackedTable(path).unpack().tobytes() == built(3).content  # in memory
    monkeypatch.setattr(unpacked, "MEMORY_RANKS", 2)
    table = PackedTable(path)
    words = "cannot unpack the progress of 3 ranks .*: (No space left|Not a directory)"
    for _ in range(2):
        with pytest.raises(UnpackError, match=words):
            table.prepare()
    assert table.failed
    with contextlib.suppress(FileNotFoundError):
        assert list(cache_folder.iterdir()) == []
    solver = Solver(tables=Tables(tmp_path), method="table")
    with pytest.warns(UserWarning, match=words):
        solution = solver.solve("3 AK.Q", line=True)
    assert (solution.outcome, solution.measure, solution.line) == ("win", None, None)
    assert solver.solve("3 AK.Q", line=True).outcome == "win"  # and warns no more
    monkeypatch.undo()
    monkeypatch.setattr(unpacked, "cache_folder", lambda: cache_folder)
    solver = Solver(tables=Tables(tmp_path), method="table")
    assert solver.solve("3 AK.Q", line=True).line


# Solving.


def test_unpacked_when_needed(tmp_path):
    build_tables(3, {"outcome": tmp_path / "ranks3.outcome"})
    write(tmp_path, 3)
    tables = Tables(tmp_path)
    table, solver = tables.deck(3).packed, Solver(tables=tables)
    first = solver.solve("3 AK.Q")
    assert (first.outcome, first.measure, table.ready) == ("win", None, False)
    assert (tables.outcome("3 AK.Q"), table.ready) == ("win", False)
    assert solver.solve("3 AK.Q", line=True).line
    assert table.ready
    assert solver.solve("3 AK.Q").measure == "progress"
    table.remove()
    assert Solver(tables=tables, unpack=True).solve("3 AK.Q").measure == "progress"
    table.remove()
    assert tables.progress("3 AK.Q") is not None


def test_outcomes_that_progress_contradicts(tmp_path):
    build_tables(3, {"outcome": tmp_path / "ranks3.outcome"})
    stamps = built(3).stamps.copy()
    layout, won, lost = built(3).layout, None, None
    for (_, _, p, q), start, end in zip(
        block_shapes(3), layout.starts, layout.starts[1:], strict=False
    ):
        if p > q and stamps[start] & 1:
            won = start  # the worst position of its shape, to be called lost
        if p > q and not stamps[end - 1] & 1:
            lost = end - 1
    stamps[[won, lost]] = 2, 1
    write_packed(tmp_path / "ranks3.progress.1", 3, stamps)
    with pytest.raises(TableError, match="has other outcomes than the progress beside it"):
        Tables(tmp_path).deck(3).scores()


# A table in two layers: what the first rounds prove, and the rest.


def layers(folder, ranks, after):
    """A table of two layers and the stamps of its first rounds."""
    stamps = built(ranks).stamps
    first = np.where((stamps <= 2 * after) | (stamps == UNUSED), stamps, 0).astype(np.uint8)
    path = folder / f"ranks{ranks}.progress.1"
    write_packed(folder / f"ranks{ranks}.rounds{after}.1", ranks, first)
    write_packed(path, ranks, stamps, after=after)
    return path, first


@pytest.mark.parametrize(("ranks", "after"), [(2, 1), (3, 1), (3, 2), (4, 3), (5, 4)])
def test_layers(tmp_path, monkeypatch, ranks, after):
    parts(monkeypatch, 20_000)
    path, first = layers(tmp_path, ranks, after)
    table = PackedTable(path)
    assert set(table.paths) == set(tmp_path.glob("ranks*"))
    assert table.size_bytes == sum(file.stat().st_size for file in table.paths)
    assert table.unpack().tobytes() == built(ranks).content
    assert np.array_equal(read_stamps(PackedFile(path)), built(ranks).stamps)
    begins = PackedFile(path).begins
    assert np.array_equal(read_stamps(begins), first)


def test_layers_belong_together(tmp_path):
    path, _ = layers(tmp_path, 4, 3)
    layer = tmp_path / "ranks4.rounds3.1"
    assert find_in(tmp_path, 4, "progress") == path
    write_packed(layer, 4, built(4).stamps)  # more rounds than it should have
    with pytest.raises(TableError, match=r"ranks4\.rounds3\.1 has not the first 3 rounds of"):
        PackedFile(path)
    _, first = layers(tmp_path, 4, 3)
    first[np.flatnonzero(first == 6)] = 0  # the same header but for totals, other content
    write_packed(layer, 4, first)
    with pytest.raises(TableError):
        PackedTable(path).unpack()
    layer.unlink()
    assert find_in(tmp_path, 4, "progress") is None
    with pytest.raises(TableError, match=r"cannot read the table .*ranks4\.rounds3\.1"):
        PackedFile(path)


@pytest.mark.parametrize("after", [1, 3, 4])
def test_a_build_goes_on_from_the_first_rounds(tmp_path, after):
    path, _ = layers(tmp_path, 4, after)
    builder = Builder(4, distances=False)
    builder.begin(read_stamps(PackedFile(path).begins), after)
    before = builder.progress()
    assert 0 < before.decided < before.total
    builder.run()
    whole = Builder(4, distances=False)
    whole.run()
    assert np.array_equal(builder.stamps, built(4).stamps)
    assert builder.totals() == built(4).totals
    assert builder.progress().nodes < whole.progress().nodes


def test_tables_that_are_there_shorten_a_build(tmp_path):
    path, _ = layers(tmp_path, 4, 3)
    outcomes = Tables().deck(4)
    packed = tmp_path / "new.progress.1"
    begins = PackedFile(path).begins
    short = build_tables(4, {"progress": packed}, known=outcomes, begins=begins)
    whole = build_tables(4, {"progress": tmp_path / "whole.progress.1"})
    assert packed.read_bytes() == (tmp_path / "whole.progress.1").read_bytes()
    assert short.progress().nodes < whole.progress().nodes / 2


def test_tables_that_are_wrong_do_not_shorten_a_build(tmp_path):
    right = Tables().deck(3).outcome
    content = bytearray(b"".join(right.content()))
    place = next(i for i, byte in enumerate(content[:8]) if byte)  # wins of the first slice
    content[place] &= content[place] - 1
    totals = right.wins - 1, right.losses + 1, right.draws
    wrong = tmp_path / "wrong.outcome"
    write_table(wrong, 3, "outcome", totals, [bytes(content)])
    packed = tmp_path / "new.progress.1"
    with pytest.raises(BuildError, match=r"the build does not prove what is in .*wrong\.outcome"):
        build_tables(3, {"progress": packed}, known=DeckTables(3, Table(wrong)))
    assert not packed.exists()
