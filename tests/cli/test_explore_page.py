"""The page of `challenge explore` in a real browser."""

import base64
import os
import re
import shutil
import threading
from itertools import count
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from command import challenge
from few_tables import PROGRESS, few_tables

pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")
webdriver = pytest.importorskip("selenium.webdriver")

from selenium.webdriver.chrome.options import Options  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from cli.explore import listen  # noqa: E402
from cli.web.app import make_app  # noqa: E402
from engine import Deal, Position  # noqa: E402
from solver.complete import coder, unpacked  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
DOCS = Path(__file__).parents[2] / "docs"
PICTURES = os.environ.get("CHALLENGE_PICTURES")
"""Set to write the pictures of the documents anew."""
WAIT = 60
PAGES = count()
CAN_PLAY = """
const find = (id) => document.getElementById(id), turn = find("text").value.split(" ")[4];
return find("verdict").innerText.includes("last card") || turn === "1" && !find("best").disabled;
"""
"""A script: whether player 1 may play a best move, or the game is over."""
LONG = """
document.body.classList.toggle("measured", arguments[0].includes("↓"));
for (const value of document.querySelectorAll("#board button.card .value"))
  value.textContent = arguments[0];
"""
"""A script: every card has this value."""
CUT_OFF = """
return [...document.querySelectorAll("#board .card > *")].filter((part) => {
  const text = document.createRange(), card = part.parentElement.getBoundingClientRect();
  text.selectNodeContents(part);
  const box = text.getBoundingClientRect();
  return box.left < card.left || box.right > card.right || box.bottom > card.bottom + 1;
}).map((part) => part.textContent);
"""
"""A script: the texts for which there is no room on their cards."""

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server in this process."""
    folder = tmp_path_factory.mktemp("tables")
    listening = listen("127.0.0.1", 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unpacked, "cache_folder", lambda: folder)
        app = make_app(tables=few_tables(folder))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        thread.join(20)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = Options()
    options.binary_location = CHROMIUM
    for argument in (
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        *("--hide-scrollbars", "--force-device-scale-factor=1"),
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_script_timeout(WAIT)
    yield driver
    driver.quit()


class Page:
    """The page in a window of some size."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address

    def resize(self, width, height=760):
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
        )

    def open(self, start, width=1280, height=760, dark=False, **more):
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        query = "&".join(f"{key}={value}" for key, value in {"start": start, **more}.items())
        # A new number, else only the part behind the # would change, and the page go on.
        self.browser.get(f"{self.address}?{next(PAGES)}#{query}".replace(" ", "+"))
        self.until(lambda: self.run("return document.documentElement.dataset.ready"))
        return self

    def until(self, condition):
        return WebDriverWait(self.browser, WAIT, 0.01).until(lambda _: condition())

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def text(self, name):
        return self.run("return document.getElementById(arguments[0]).textContent", name)

    def shows(self, name, part):
        self.until(lambda: part in self.text(name))

    def find(self, name):
        return self.browser.find_element("id", name)

    def card(self, name):
        return self.browser.find_element("css selector", f'#board button[data-card="{name}"]')

    def keys(self, *keys):
        for key in keys:
            self.browser.switch_to.active_element.send_keys(key)

    @property
    def position(self):
        return Position.parse(self.run("return document.getElementById('text').value"))

    def values(self):
        """What stands on the cards that may be played."""
        return dict(
            self.run(
                "return [...document.querySelectorAll('#board button[data-card]:not(:disabled)')]"
                ".map(b => [b.dataset.card, b.querySelector('.value').textContent])"
            )
        )

    def picture(self):
        data = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        return base64.b64decode(data)

    def width(self):
        return self.run("return document.documentElement.scrollWidth")


@pytest.fixture
def page(browser, address):
    yield Page(browser, address)
    wrong = [entry for entry in browser.get_log("browser") if "status of" not in entry["message"]]
    assert wrong == []  # not even a refused style


def test_the_readmes_deal(page):
    page.open("6 KQJ.JT9")
    page.shows("verdict", "Player 1 wins in 47 tricks")
    values = page.values()
    assert {card for card, value in values.items() if value == "W 47"} == {"9H", "AC", "KC", "QC"}
    assert values["AD"] == "L 24"
    names = page.run(
        "return [...document.querySelectorAll('#hand1 button:not(:disabled)')]"
        ".map(button => button.getAttribute('aria-label'))"
    )
    assert "9 of hearts, wins in 47 tricks, a best move" in names
    assert "trumps spades" in page.find("hand1").get_attribute("aria-label")
    page.card("9H").click()
    page.shows("verdict", "Player 1 wins in 47 tricks")
    assert page.position == Deal.parse("KQJ.JT9").position().apply("9H")
    assert page.browser.current_url.endswith("#start=6+KQJ.JT9&moves=9H")
    if PICTURES:
        page.open("6 KQJ.JT9", moves="9H,QH,9S", height=640)
        page.shows("verdict", "Player 1 wins in 47 tricks")
        (DOCS / "explorer.png").write_bytes(page.picture())


def test_the_readmes_deal_is_played_to_the_win_against_perfect(page):
    page.open("6 KQJ.JT9", p2="perfect", pause=0)
    while True:
        page.until(lambda: page.run(CAN_PLAY))
        if page.position.winner:
            break
        page.keys("b")
    assert "Player 1 has played his last card and wins" in page.text("verdict")
    game = parse_qs(urlsplit(page.browser.current_url).fragment)
    position, moves = Deal.parse("KQJ.JT9").position(), game["moves"][0].split(",")
    for move in moves:
        position = position.apply(move)
    assert position.winner == 1
    assert moves.count("pickup") == 47  # his last card is led to an empty table


def test_programs_play_each_other_and_pause(page):
    page.open("3 AK.Q", pause=0)
    for player in ("plays1", "plays2"):
        page.find(player).send_keys("greedy")
    page.until(lambda: page.position.winner)
    page.find("first").click()
    assert page.position == Deal.parse("3 AK.Q").position()
    assert page.text("go") == "Go on"


def test_link_into_a_trick_with_its_history(page):
    page.open("6 KQJ.JT9", moves="9H,QH,9S,pickup", at=3)
    page.shows("verdict", "Player 1 wins in 47 tricks")
    assert str(page.position).endswith("SD 1 9S")
    assert page.values()["JS"] == "W 47"
    assert page.values()["pickup"].startswith("L ")
    page.keys(Keys.ARROW_RIGHT)
    assert page.position.is_base
    page.keys(Keys.HOME)
    assert page.position == Deal.parse("KQJ.JT9").position()
    page.keys(Keys.END, Keys.BACK_SPACE)
    assert str(page.position).endswith("SD 1 9S")
    page.browser.back  # noqa: B018
    page.until(lambda: "at=" not in page.browser.current_url)
    assert page.browser.current_url.endswith("moves=9H,QH,9S")


def test_keyboard_only(page):
    page.open("6 KQJ.JT9")
    page.shows("verdict", "in 47 tricks")
    page.keys("9", "h")
    page.until(lambda: page.position.top)
    page.keys("p")
    page.until(lambda: page.position.is_base)
    page.until(lambda: page.values().get("JH"))
    page.keys("b")
    page.until(lambda: page.position.top)
    page.keys(Keys.HOME)
    page.shows("verdict", "in 47 tricks")
    for _ in range(60):  # with Tab and Enter alone
        page.keys(Keys.TAB)
        active = page.browser.switch_to.active_element
        if active.get_attribute("data-card") == "JH":
            break
    active.send_keys(Keys.ENTER)
    page.until(lambda: page.position.top)
    assert str(page.position.top) == "JH"
    assert "Player 1: jack of hearts" in page.text("said")


def test_a_search_is_stopped(page):
    page.open("10 KQJ.JT9")
    page.shows("verdict", "Undecided")
    assert page.find("search-panel").is_displayed()
    assert all(re.fullmatch(r"~\d+%", value) for value in page.values().values())
    assert "Estimate, not a proof" in page.text("detail")
    page.find("seconds").clear()
    page.find("seconds").send_keys("300")
    page.find("search").click()
    page.until(lambda: re.search(r"[1-9],\d{3} nodes", page.text("search-state")))
    page.find("stop").click()
    page.shows("search-state", "stopped")
    assert page.find("search").is_displayed()


def test_a_search_proves_who_wins(page):
    page.open("10 -.5")
    page.shows("verdict", "Undecided")
    page.find("seconds").clear()
    page.find("seconds").send_keys("60")
    page.find("search").click()
    page.shows("verdict", "Player 1 wins")
    assert "proved" in page.text("search-state")


def test_bad_text_is_explained(page):
    page.open("6 KQJ.JT9")
    page.find("problem").clear()
    page.find("problem").send_keys("KQJ.JT5", Keys.ENTER)
    page.shows("wrong", "is not a deal of the easy deck")
    assert page.find("wrong").is_displayed()
    page.find("problem").clear()
    page.find("problem").send_keys("8 ♠KQJ ♥J1097", Keys.ENTER)
    page.until(lambda: page.position.ranks == 8)
    assert not page.find("wrong").is_displayed()
    page.open("KQJ")
    page.shows("wrong", "has 1 suit")
    assert page.position == Deal.parse("KQJ.JT9").position()


def test_choosing_cards_and_random_deals(page):
    page.open("6 KQJ.JT9")
    page.find("choose").click()
    page.browser.find_element("css selector", '#choices [aria-label="ace of spades"]').click()
    page.browser.find_element("css selector", '#choices [aria-label="9 of hearts"]').click()
    assert page.text("chosen") == "6 AKQJ.JT"
    page.find("open-chosen").click()
    page.until(lambda: page.position == Deal.parse("AKQJ.JT").position())
    page.find("deck").send_keys("8")
    page.find("seed").send_keys("5", Keys.ENTER)
    _, output, _ = challenge("deal", "--deck", "8", "--seed", "5", "--position")
    page.until(lambda: str(page.position) == output.strip())


def test_map(page):
    page.open("6 KQJ.JT9", height=900)
    page.find("show-map").click()
    page.shows("map-text", "6 KQJ.JT9: the dealer wins in 47 tricks.")
    page.find("canvas").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_UP)
    deal = page.text("map-text").partition(":")[0]
    assert deal != "6 KQJ.JT9"
    page.find("canvas").send_keys(Keys.ENTER)
    page.until(lambda: page.position == Deal.parse(deal).position())
    page.find("canvas").click()  # in the middle
    page.until(lambda: page.position != Deal.parse(deal).position())


def test_no_map_of_a_deck_that_is_not_solved(page):
    page.open("10 KQJ.JT9")
    page.find("show-map").click()
    page.shows("map-text", "nobody knows yet who wins each of the 1,048,576 deals")
    assert not page.find("canvas").is_displayed()
    page.find("deck").send_keys("6")
    page.until(lambda: page.find("canvas").is_displayed())
    assert page.find("canvas").get_attribute("aria-label").startswith("Map of 4,096 deals")


def test_map_of_the_standard_deck(page):
    page.open("8 KQJ.AKQ9.Q98.AKJ AT987.JT87.AKJT7.QT987 SD 1 -", height=900)
    page.find("show-map").click()
    page.until(lambda: page.find("canvas").get_attribute("aria-label"))
    assert page.find("canvas").get_attribute("aria-label") == (
        "Map of 65,536 deals: the dealer wins 62,012, loses 3,304, draws 220"
    )
    if PICTURES:
        data = page.run("return document.getElementById('canvas').toDataURL('image/png')")
        (DOCS / "map.png").write_bytes(base64.b64decode(data.partition(",")[2]))


def test_tree_and_line(page):
    page.open("6 KQJ.JT9")
    page.shows("verdict", "in 47 tricks")
    page.find("show-tree").click()
    page.until(lambda: "picked up" in page.text("tree"))
    assert "trumped by" in page.text("tree")
    page.find("show-line").click()
    page.until(lambda: page.run("return document.querySelectorAll('#line li').length") >= 47)
    page.run("[...document.querySelectorAll('#line button')].at(-1).click()")
    page.shows("verdict", "Player 1 has played his last card and wins")


def test_progress_is_unpacked_and_shown(page, monkeypatch):
    go_on, decode = threading.Event(), coder.decode_blocks

    def slowly(file, receive, report, threads):
        report(0.5)
        assert go_on.wait(WAIT)
        decode(file, receive, report, threads)

    monkeypatch.setattr(coder, "decode_blocks", slowly)
    page.open(f"{PROGRESS} KQ.J")
    page.shows("detail", "being unpacked, once: 4")
    assert set(page.values().values()) == {"W", "L"}
    go_on.set()
    page.shows("detail", "★ makes most progress")
    assert all(re.fullmatch(r"[WL] ↓\d+", value) for value in page.values().values())
    page.find("show-line").click()
    page.until(lambda: page.run("return document.querySelectorAll('#line li').length"))


def test_record_is_read_by_replay(page, tmp_path):
    page.open("6 KQJ.JT9", moves="9H,QH,9S,pickup")
    page.find("copy-record").click()
    page.until(lambda: page.run("return document.getElementById('text').value").startswith("game"))
    (tmp_path / "game").write_text(page.run("return document.getElementById('text').value"))
    status, output, _ = challenge("replay", str(tmp_path / "game"))
    assert status == 0
    assert "picks up 3 cards" in output


@pytest.mark.parametrize(
    ("start", "longest"),
    [("6 KQJ.JT9", "W 55"), ("8 KQJ.JT97", "W ↓55"), ("10 KQJ.JT9", "~97%")],
)
def test_never_wider_than_the_window(page, start, longest):
    for opened in ((), ("choose", "show-help")):
        page.open(start, width=320, moves="9H,KH,9S" if start[0] == "1" else "9H")
        page.until(lambda: page.values() and "…" not in page.values().values())
        page.run(LONG, longest)
        for name in opened:
            page.find(name).click()
        for width in (320, 360, 768, 1024, 1280):
            page.resize(width)
            page.until(lambda width=width: page.width() == width)
            assert page.run(CUT_OFF) == []


@pytest.mark.parametrize("dark", [False, True])
def test_dark_mode(page, dark):
    page.open("6 KQJ.JT9", width=360, height=740, dark=dark)
    page.shows("verdict", "in 47 tricks")
    colours = page.run(
        "const found = getComputedStyle(document.body);return [found.color, found.backgroundColor]"
    )
    ink, ground = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
    assert (ink > ground) == dark
    assert abs(ink - ground) > 400
    assert len(page.picture()) > 10_000


def test_suits_do_without_colour(page):
    page.open("6 KQJ.JT9")
    labels = page.run(
        "return [...document.querySelectorAll('#hand1 .suit > b')].map(b => b.textContent)"
    )
    assert labels == ["♠trump", "♥", "♦", "♣"]
    assert "♥" in page.card("9H").text
    assert page.card("9H").accessible_name.startswith("9 of hearts")


def test_no_name_is_looked_up_elsewhere(page):
    page.open("6 KQJ.JT9")
    page.shows("verdict", "in 47 tricks")
    names = page.run("return performance.getEntriesByType('resource').map(each => each.name)")
    assert names
    assert all(name.startswith((page.address, "data:")) for name in names)
