"""The command `report`: what is on the page, and how it looks in a browser."""

import json
import random
import re
import shutil
import subprocess
from itertools import pairwise
from math import comb

import numpy as np
import pytest
from command import challenge

from engine.deals import Deal, all_deals, random_deal
from engine.errors import GameError
from solver.study.batch import COLUMNS, describe
from solver.study.records import read_records
from solver.study.summary import Summary

page = pytest.importorskip("cli.page")  # skipped without the extra `report`
images = pytest.importorskip("matplotlib.image")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
BLUE, ORANGE = (0x2A, 0x6F, 0xB0), (0xD9, 0x72, 0x2E)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with deals.csv, all deals of 4 ranks, and page.html, the report on it."""
    folder = tmp_path_factory.mktemp("report")
    assert challenge(*f"batch --deck 4 --all -o {folder}/deals.csv".split())[0] == 0
    status, output, _ = challenge("report", f"{folder}/deals.csv", "-o", f"{folder}/page.html")
    assert (status, output) == (0, f"{folder}/page.html: 256 deals\n")
    return folder


def made_up(deal, outcome="win", distance=5):
    """A record that need not be true."""
    rest = {"outcome": outcome, "distance": distance, "winning_leads": "", "source": "table"}
    return {**describe(deal), **rest}


def test_page_needs_nothing_but_itself(folder):
    text = (folder / "page.html").read_text()
    sources = re.findall(r'(?:src|srcset|href)="([^"]*)"', text)
    assert len(sources) == len(set(sources)) == 16  # four plots, wide and narrow, light and dark
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not re.search(r"<script|<link|@import|url\(", text)


def test_page_says_what_the_summary_says(folder):
    text = (folder / "page.html").read_text()
    summary = Summary(weighted=True)
    for record in read_records(folder / "deals.csv"):
        summary.add(record)
    won, total = summary.outcomes["win"], comb(16, 8)
    assert "<title>Challenge: deals of the deck of 4 ranks</title>" in text
    assert "All 256 deals" in text
    assert f"{won / total:.2%}<small>{won:,} of {total:,}</small>" in text


def test_ten_longest_games_are_there_to_the_end(folder):
    text = (folder / "page.html").read_text()
    games = re.findall(r"<b>(.*?)</b> the dealer (wins|loses) in (\d+) tricks", text)
    assert len({deal for deal, _, _ in games}) == 10
    assert [int(distance) for *_, distance in games] == sorted(
        (int(distance) for *_, distance in games), reverse=True
    )
    records = {record["deal"]: record for record in read_records(folder / "deals.csv")}
    assert int(games[0][2]) == max(record["distance"] for record in records.values())
    endings = re.findall(r"Player (\d) has played his last card and wins\.", text)
    for (deal, verb, distance), winner in zip(games, endings, strict=True):
        assert int(distance) == records[deal]["distance"]
        assert (verb == "wins") == (records[deal]["outcome"] == "win") == (winner == "1")
    for game, (*_, distance) in zip(
        re.findall("<pre class.*?</pre>", text, re.S), games, strict=True
    ):
        assert re.findall(r"^ *(\d+)  ", game, re.M)[-1] == distance


def test_games_are_not_told_twice():
    """The second suits of these two have complementary ranks."""
    one, same, other = (Deal.parse(text, 3) for text in ("AK.Q", "AK.AK", "A.Q"))
    records = [made_up(one, distance=7), made_up(other), made_up(same, distance=7)]
    assert page.longest_deals(records, 3) == [one, other]


def test_page_is_the_same_for_every_format(folder):
    pytest.importorskip("pyarrow")
    challenge(*f"batch --deck 4 --all -o {folder}/deals.parquet".split())
    assert challenge("report", f"{folder}/deals.parquet")[0] == 0
    assert (folder / "deals.html").read_bytes() == (folder / "page.html").read_bytes()


def test_file_that_went_through_an_editor(folder, tmp_path):
    text = (folder / "deals.csv").read_text()
    lines = ["\ufeff" + text.splitlines()[0], *text.splitlines()[1:], "3 AK.Q,AK"]
    (tmp_path / "deals.csv").write_text("\r\n".join(lines), encoding="utf-8", newline="")
    assert list(read_records(tmp_path / "deals.csv")) == list(read_records(folder / "deals.csv"))


def test_unfinished_batch(folder):
    records = list(read_records(folder / "deals.csv"))[:100]
    text = page.write_page(records)
    assert "The first 100 of 256 deals" in text
    assert "White ones are not among these deals" in text


def test_random_deals_count_once():
    drawn = [made_up(deal, "draw", None) for deal in (Deal.parse("AK.Q", 3),) * 3]
    text = page.write_page([made_up(Deal.parse("K.AQ", 3)), *drawn])
    assert "4 random deals" in text
    assert "25.00%<small>1 of 4 (95% interval 4.56% to 69.94%)</small>" in text
    assert "75.00%<small>3</small>" in text


def test_only_draws_without_distances():
    text = page.write_page([made_up(Deal.parse("AK.Q", 3), "draw", None)])
    assert "Distances" not in text
    assert "The longest games" not in text
    assert "no games are shown" in text


def test_big_decks_without_tables():
    text = page.write_page(
        [made_up(deal) for deal, _ in zip(all_deals(9), range(2000), strict=False)]
    )
    assert "the deck of 9 ranks" in text
    assert "The longest games" not in text


@pytest.mark.parametrize("ranks", [1, 2, 3, 6, 10])
def test_deck_is_found_from_weights(ranks):
    records = [made_up(deal) for deal, _ in zip(all_deals(ranks), range(5), strict=False)]
    assert page.find_deck(records) == ranks


def test_deals_of_two_decks_are_refused():
    with pytest.raises(GameError, match="not deals of one deck"):
        page.find_deck([made_up(Deal.parse("AK.Q", ranks)) for ranks in (3, 4)])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "holds no records"),
        (",".join(COLUMNS) + "\n", "holds no records"),
        ("hello\nworld\n", "line 2 is no record"),
        ('{"deal": "AK.Q"}\n', "line 1 is no record"),
        ("{]\n", "line 1 is no record"),
        ("PAR1 and more", "it is no Parquet file"),
        (",".join(COLUMNS) + "\n3 AK.Q,AK,Q,2,21,win,5,QC,table\n", "not deals of one deck"),
        (",".join(COLUMNS) + "\n3 AK.Q,AK,Q,2,20,win,x,QC,table\n", "line 2 has the distance 'x'"),
        (",".join(COLUMNS) + "\n3 AK.Q,AK,Q,2,20,won,5,QC,table\n", "line 2 is no record"),
    ],
)
def test_file_of_no_records(tmp_path, content, sentence):
    if content.startswith("PAR1"):
        pytest.importorskip("pyarrow")
    (tmp_path / "deals").write_text(content)
    status, output, error = challenge("report", f"{tmp_path}/deals")
    assert (status, output) == (2, "")
    assert re.match("Error: [^\n]*\n$", error)
    assert sentence in error
    assert len(list(tmp_path.iterdir())) == 1


def test_utf_16_is_named(folder, tmp_path):
    text = (folder / "deals.csv").read_text()
    (tmp_path / "deals.csv").write_text(text, encoding="utf-16")
    status, _, error = challenge("report", f"{tmp_path}/deals.csv")
    assert status == 2
    assert "it is UTF-16, expected UTF-8" in error


@pytest.mark.parametrize("distance", ["1000000000", "10000", "-3", "9" * 5000, "4.5", "nan", "inf"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_impossible_distances_are_refused(tmp_path, distance, kind):
    row = made_up(Deal.parse("AK.Q", 3))
    if kind == "jsonl":
        number = {"nan": "NaN", "inf": "Infinity"}.get(distance, distance)
        text = json.dumps(row).replace('"distance": 5', f'"distance": {number}') + "\n"
    else:
        cells = [distance if column == "distance" else str(row[column]) for column in COLUMNS]
        text = ",".join(COLUMNS) + "\n" + ",".join(cells) + "\n"
    (tmp_path / "deals").write_text(text)
    status, output, error = challenge("report", f"{tmp_path}/deals")
    assert (status, output) == (2, "")
    assert re.match(r"Error: [^\n]*line [12] [^\n]*\n$", error)
    assert len(error) < 300


def test_all_possible_distances_are_drawn():
    deals = [deal for deal, _ in zip(all_deals(4), range(100), strict=False)]
    records = [made_up(deal, distance=99 * i) for i, deal in enumerate(deals)]
    records[-1]["distance"] = 9999
    text = page.write_page(records)
    assert "Longest game</dt><dd>9,999 tricks" in text
    assert len(text) < 3_000_000


def test_page_does_not_replace_the_records(folder, tmp_path):
    records = (folder / "deals.csv").read_text()
    file = tmp_path / "deals.html"
    file.write_text(records)
    status, output, error = challenge("report", str(file))
    assert (status, output) == (2, "")
    assert error == (
        f"Error: the records and the page would be the same file {file}, expected different names\n"
    )
    assert file.read_text() == records


def test_missing_file(tmp_path):
    status, _, error = challenge("report", f"{tmp_path}/deals.csv")
    assert (status, error) == (2, f"Error: {tmp_path}/deals.csv: No such file or directory\n")


def test_missing_extra(monkeypatch, folder):
    monkeypatch.setattr("cli.extras.find_spec", lambda name: None)
    status, _, error = challenge("report", f"{folder}/deals.csv")
    assert status == 2
    assert "pip install -e '" in error
    assert "[report]'" in error


def chromium(folder, wanted, *options):
    """Run the browser on an HTML file; what it prints."""
    arguments = [
        *["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        *["--disable-background-networking", "--disable-component-update", "--disable-sync"],
        *["--hide-scrollbars", "--force-device-scale-factor=1", "--window-size=1200,3700"],
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--user-data-dir={folder}/profile",
    ]
    done = subprocess.run(
        [CHROMIUM, *arguments, *options, f"file://{wanted}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=120,
        check=True,
    )
    return done.stdout.decode()


def framed(page, width):
    """An element that shows the page as wide as this; a window of a browser cannot be so narrow."""
    return f'<iframe src="file://{page}" style="border:0;width:{width}px;height:3700px"></iframe>'


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium")
@pytest.mark.parametrize("mode", ["dark", "light"])
@pytest.mark.parametrize("width", [360, 1200])
def test_page_in_a_browser(folder, tmp_path, width, mode):
    """A screenshot has the colours of the plots where they should be, and no empty picture."""
    frame = tmp_path / "frame.html"
    frame.write_text(f'<body style="margin:0">{framed(folder / "page.html", width)}')
    scheme = f"--blink-settings=preferredColorScheme={0 if mode == 'dark' else 1}"
    chromium(tmp_path, frame, scheme, f"--screenshot={tmp_path}/page.png")
    image = (255 * images.imread(f"{tmp_path}/page.png")[:, :width, :3]).round().astype(int)
    assert image.shape == (3700, width, 3)
    paper = [255, 255, 255] if mode == "light" else [32, 36, 42]
    ink = [32, 36, 42] if mode == "light" else [227, 230, 234]
    left = 12 if width == 360 else 100  # a column of pixels left of the pictures
    card = (image[:, left] == paper).all(axis=1)
    edges = [0, *np.flatnonzero(np.diff(card)) + 1, len(card)]
    sections = [image[top:end] for top, end in pairwise(edges) if card[top] and end - top > 150]
    assert len(sections) == 5
    number, rank, distance, deals, games = sections
    for section in sections:
        assert colour(section, ink) > 100
        assert colour(section, paper) > section.size / 3 / 6
    area = width**2 / 1200**2
    assert colour(number, BLUE) > 50_000 * area
    assert colour(rank, BLUE) > colour(rank, ORANGE) / 2 > 100 * area
    assert colour(distance, BLUE) > colour(distance, ORANGE) > 1000 * area
    blue, orange = (deals[:, :, 2] > deals[:, :, 0] + 40), (deals[:, :, 0] > deals[:, :, 2] + 40)
    assert blue.sum() > orange.sum() > 10_000 * area
    assert blue.sum() + orange.sum() > 300_000 * area
    assert colour(games, BLUE) == 0


@pytest.mark.skipif(not CHROMIUM, reason="needs chromium")
def test_page_is_never_wider_than_the_window(folder, tmp_path):
    """Here with all games open."""
    tell = "<script>onload = () => parent.postMessage(document.documentElement.scrollWidth, '*')"
    text = (folder / "page.html").read_text().replace("<details>", "<details open>")
    (tmp_path / "page.html").write_text(f"{text}{tell}</script>")
    frame = tmp_path / "frame.html"
    frame.write_text(
        "<p id=told></p><script>onmessage = event => told.append(event.data + ' ')</script>"
        + "".join(framed(tmp_path / "page.html", width) for width in (320, 360, 640, 1200))
    )
    text = chromium(tmp_path, frame, "--virtual-time-budget=20000", "--dump-dom")
    told = re.search("<p id=.told.>(.*?)</p>", text)[1].split()
    assert sorted(map(int, told)) == [320, 360, 640, 1200]


def test_red_suits_are_red_for_both_players(folder):
    text = (folder / "page.html").read_text()
    pictures = re.findall("<pre.*?</pre>", text, re.S)
    assert len(pictures) == 20
    for picture in pictures:
        red = "".join(re.findall('<span class="red">(.*?)</span>', picture))
        for symbol in "♥♦":
            assert red.count(symbol) == picture.count(symbol) > 0
        assert "♠" not in red
        assert "♣" not in red
    hands = pictures[0]
    assert len(re.findall('^<span class="red">[♥♦]</span>', hands, re.M)) == 2  # player 1
    assert len(re.findall('  <span class="red">[♥♦]</span>', hands)) == 2  # player 2


def colour(image, wanted):
    """How many pixels have just this colour."""
    return (image == wanted).all(axis=2).sum()


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("order", [list, sorted])
def test_a_batch_that_was_written_twice_is_refused(folder, tmp_path, times, order):
    """As two commands did that wrote to one file; `order`: one after the other, or together."""
    head, *rows = (folder / "deals.csv").read_text().splitlines(keepends=True)
    (tmp_path / "deals.csv").write_text(head + "".join(order(rows * times)))
    status, _, error = challenge("report", f"{tmp_path}/deals.csv")
    assert status == 2
    assert f"there are {256 * times} records of the first 256 deals of the deck" in error
    (tmp_path / "deals.csv").write_text(head + "".join(rows[:150] + rows[:40]))
    assert challenge("report", f"{tmp_path}/deals.csv")[0] == 2
    assert [path.name for path in tmp_path.iterdir()] == ["deals.csv"]


def test_contradictions_are_refused(folder, tmp_path):
    records = [made_up(Deal.parse("AK.Q", 3)), made_up(Deal.parse("AK.Q", 3), "loss")]
    with pytest.raises(GameError, match="record 2 contradicts an earlier one of the same deal, 3"):
        page.write_page(records)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_random_deals_come_up_again(ranks):
    """Also more of them than the deck has, and even if all are among them."""
    rng = random.Random(ranks)
    for count in (4**ranks, 2 * 4**ranks, 10 * 4**ranks):
        deals = [made_up(random_deal(ranks, rng)) for _ in range(count)]
        page.check_once(deals, ranks)
