"""The server of `challenge explore`: its API, what it refuses, and the command."""

import errno
import json
import random
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from command import COMMAND, ROOT, challenge
from few_tables import PROGRESS, few_tables

from engine import Deal, Position, random_deal
from engine.cards import deck_cards, in_order
from engine.deals import all_deals
from solver import TableError, open_tables, solve
from solver.complete import coder, unpacked

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
testclient = pytest.importorskip("starlette.testclient")

from cli.explore import listen, written  # noqa: E402
from cli.web import answers, searches  # noqa: E402
from cli.web.app import make_app  # noqa: E402
from cli.web.guard import HEADERS  # noqa: E402
from engine.errors import GameError  # noqa: E402

HOST = "http://localhost:8653"


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    app = make_app(tables=few_tables(tmp_path_factory.mktemp("tables")))
    with testclient.TestClient(app, base_url=HOST) as client:
        yield client


def get(client, name, status=200, **query):
    answer = client.get(f"/api/v1/{name}", params=query)
    assert answer.status_code == status, answer.text
    return answer.json()


def random_positions(count, ranks=6, seed=0):
    """Positions of a deck, most of them inside a trick."""
    rng, cards, found = random.Random(seed), in_order(deck_cards(ranks)), []
    while len(found) < count:
        hand = frozenset(rng.sample(cards, rng.randint(1, 4 * ranks - 1)))
        turn = rng.randint(1, 2)
        position = Position(ranks, (hand, deck_cards(ranks) - hand), (0, 2), turn, None)
        for _ in range(rng.randint(0, 5)):
            after = position.apply(rng.choice(position.legal_actions()))
            position = position if after.winner else after
        found.append(position)
    return found


def same(answer, position):
    """Whether an answer says what `solve` says, and where the moves lead."""
    expected = solve(position).to_dict()
    assert {key: answer[key] for key in expected if key not in ("seconds", "moves")} == {
        key: value for key, value in expected.items() if key not in ("seconds", "moves")
    }
    for move, known in zip(answer["moves"], expected["moves"], strict=True):
        assert {key: move[key] for key in known} == known
        assert move["to"] == str(position.apply(position.parse_action(move["move"])))
    return True


def test_random_positions(client):
    for position in random_positions(100):
        assert same(get(client, "solve", position=str(position)), position)


@pytest.mark.slow
def test_a_thousand_positions(client):
    for position in random_positions(1000, seed=1):
        assert same(get(client, "solve", position=str(position)), position)


def test_eight_clients_at_once(client):
    positions = random_positions(30, seed=2)
    exact = [solve(position).to_dict() for position in positions]

    def ask(seed):
        order = list(range(len(positions)))
        random.Random(seed).shuffle(order)
        return {i: get(client, "solve", position=str(positions[i])) for i in order}

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(ask, range(8)):
            for i, answer in found.items():
                for key in ("outcome", "distance", "winner", "best"):
                    assert answer[key] == exact[i][key]


@pytest.fixture
def unpacking(tmp_path, monkeypatch):
    """A client of a server with progress to unpack, and what its unpacking does: calls."""
    monkeypatch.setattr(unpacked, "cache_folder", lambda: tmp_path / "cache")
    calls, decode = [], coder.decode_blocks
    monkeypatch.setattr(
        coder,
        "decode_blocks",
        lambda file, receive, report, threads: calls[0](
            report, lambda: decode(file, receive, report, threads)
        ),
    )
    app = make_app(tables=few_tables(tmp_path))
    with testclient.TestClient(app, base_url=HOST) as client:
        yield client, calls


def until_unpacked(client, position):
    """The answer about a position when nothing is to be unpacked any more."""
    for _ in range(2000):
        found = get(client, "solve", position=position)
        if found["unpacking"] is None:
            return found
        time.sleep(0.01)
    raise AssertionError("it is never unpacked")


def test_nobody_waits_for_progress_that_is_being_unpacked(unpacking):
    client, calls = unpacking
    begun, go_on = threading.Event(), threading.Event()

    def slowly(report, decode):
        report(0.25)
        begun.set()
        assert go_on.wait(20)
        decode()

    calls.append(slowly)
    positions = random_positions(20, PROGRESS, seed=3)
    exact = [solve(position) for position in positions]

    def ask(_):
        return [get(client, "solve", position=str(position), line=1) for position in positions]

    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(ask, range(8)):
            for answer, solution in zip(found, exact, strict=True):
                assert answer["outcome"] == solution.outcome
                assert (answer["measure"], answer["distance"]) == (None, None)
                assert 0 <= answer["unpacking"] < 1
                assert "line" not in answer or solution.outcome == "draw"
    assert begun.wait(20)
    deal = f"{PROGRESS} KQ.J"
    assert get(client, "solve", position=deal)["unpacking"] == 0.24  # the rest checks it
    assert get(client, "decks")["decks"][PROGRESS - 1]["to_unpack"]
    assert (
        "is being unpacked (24%)" in get(client, "move", 503, start=deal, player="perfect")["error"]
    )
    assert get(client, "move", start=deal, player="greedy")["move"]
    assert get(client, "solve", position="3 AK.Q")["distance"]
    go_on.set()
    answer = until_unpacked(client, deal)
    assert answer["measure"] == "progress"
    assert not get(client, "decks")["decks"][PROGRESS - 1]["to_unpack"]
    assert get(client, "solve", position=deal, line=1)["line"]


def test_progress_falls_on_the_way_to_the_win(unpacking):
    client, calls = unpacking
    calls.append(lambda report, decode: decode())
    position = f"{PROGRESS} KQ.J"
    assert until_unpacked(client, position)["outcome"] == "win"
    left, moves = [], []
    while (found := get(client, "game", start=position, moves=",".join(moves)))["end"] is None:
        answer = get(client, "solve", position=found["positions"][-1])
        if Position.parse(answer["position"]).is_base:
            left += [
                each["progress"] for each in answer["moves"] if each["move"] in answer["best"]
            ][:1]
        player = ("perfect", "greedy")[answer["to_move"] - 1]
        reply = get(client, "move", start=position, moves=",".join(moves), player=player)
        moves.append(reply["move"])
    assert found["winner"] == 1
    assert len(left) > 3
    assert left == sorted(set(left), reverse=True)


def test_unpacking_that_fails_is_told(unpacking):
    client, calls = unpacking

    def altered(report, decode):
        raise TableError("the file has been altered")

    calls.append(altered)
    deal = f"{PROGRESS} KQ.J"
    for _ in range(2000):
        answer = client.get("/api/v1/solve", params={"position": deal})
        if answer.status_code == 400:
            break
        assert answer.json()["measure"] is None
        time.sleep(0.01)
    assert answer.json() == {"error": "the file has been altered"}
    assert get(client, "solve", position="3 AK.Q")["distance"]


def test_no_room_to_unpack(unpacking, monkeypatch):
    client, calls = unpacking
    monkeypatch.setattr(unpacked, "MEMORY_RANKS", 0)

    def full(report, decode):
        raise OSError(errno.ENOSPC, "no space left on device")

    calls.append(full)
    with pytest.warns(UserWarning, match="no space left on device; going on without"):
        answer = until_unpacked(client, f"{PROGRESS} KQ.J")
    assert (answer["outcome"], answer["measure"]) == ("win", None)


def test_forms_of_a_deal(client):
    for text, ranks in (("KQJ.JT9", None), ("♠KQJ ♥J109", None), ("8 kqj.jt97", None), ("-.A", 4)):
        found = get(client, "solve", position=text, **({"ranks": ranks} if ranks else {}))
        assert found["position"] == str(Deal.parse(text, ranks).position())
    assert get(client, "solve", position="KQJ.JT9", line=1)["line"][-1]
    assert get(client, "solve", position="KQJ.JT9")["distance"] == 47


def test_deal_is_that_of_the_command(client):
    found = get(client, "deal", ranks=8, seed=5)
    assert challenge("deal", "--deck", "8", "--seed", "5") == (0, f"{found['deal']}\n", "")
    assert found["position"] == str(random_deal(8, random.Random(5)).position())
    again = get(client, "deal", seed=get(client, "deal")["seed"])
    assert again["ranks"] == 6


def test_decks(client):
    found = get(client, "decks")
    assert [deck["ranks"] for deck in found["decks"]] == list(range(1, 11))
    assert [deck["ranks"] for deck in found["decks"] if deck["table"]] == list(open_tables().decks)
    assert found["decks"][5]["measure"] == "distance"
    assert found["players"] == ["perfect", "search", "greedy"]


def test_tree_has_the_replies_that_matter(client):
    position = Deal.parse("KQJ.JT9").position()
    found = get(client, "tree", position=str(position))
    assert same(found, position)
    for move in found["moves"]:
        after = Position.parse(move["to"])
        values = {str(reply.action): reply.outcome for reply in solve(after).moves}
        assert move["replies"][0]["move"] in values
        assert {reply["move"]: reply["outcome"] for reply in move["replies"]}.items() <= (
            values.items()
        )
        kinds = [(reply["kind"], reply["move"][-1]) for reply in move["replies"]]
        assert len(kinds) == len(set(kinds))
        assert {suit for _, suit in kinds} == {str(action)[-1] for action in after.legal_actions()}
        # What the lead comes to is what the best of these replies makes of it.
        order = ["win", "draw", "loss"]
        best = min(order.index(reply["outcome"]) for reply in move["replies"])
        assert order.index(move["outcome"]) == 2 - best


def test_game_and_record(client, tmp_path):
    position, moves = Deal.parse("KQJ.JT9").position(), []
    while position.winner is None:
        action = position.rule_of_thumb()
        moves.append(str(action))
        position = position.apply(action)
    text = ",".join(moves)
    found = get(client, "game", start="KQJ.JT9", moves=text)
    assert found["start"] == found["deal"] == "6 KQJ.JT9"
    assert found["moves"] == moves
    assert (found["end"], found["winner"]) == ("finished", position.winner)
    assert found["positions"][-1] == str(position)
    for count in (1, 7, len(moves)):
        record = client.get(
            "/api/v1/record", params={"start": "KQJ.JT9", "moves": ",".join(moves[:count])}
        )
        (tmp_path / "game").write_text(record.text)
        status, output, error = challenge("replay", str(tmp_path / "game"))
        assert (status, error) == (0, "")
    assert f"player {position.winner} (recorded) +1" in output
    middle = found["positions"][5]
    record = client.get("/api/v1/record", params={"start": middle, "moves": ",".join(moves[5:9])})
    (tmp_path / "game").write_text(record.text)
    assert challenge("replay", str(tmp_path / "game"))[0] == 0


def test_repetition_is_told(client):
    start = "5 AQT.AK.K.QJT KJ.QJT.AQJT.AK SD 1 -"
    line = get(client, "solve", position=start, line=1)["line"]
    positions = get(client, "game", start=start, moves=" ".join(line))["positions"]
    again = line[positions.index(positions[-1]) :]
    moves = line + again
    assert get(client, "game", start=start, moves=" ".join(moves))["end"] == "repetition"
    assert get(client, "game", start=start, moves=" ".join(moves[:-1]))["end"] is None


def test_perfect_plays_the_readmes_deal_to_the_win(client):
    moves = []
    while (game := get(client, "game", start="KQJ.JT9", moves=",".join(moves)))["end"] is None:
        player = "perfect" if Position.parse(game["positions"][-1]).turn == 1 else "greedy"
        answer = get(client, "move", start="KQJ.JT9", moves=",".join(moves), player=player)
        moves.append(answer["move"])
    assert game["winner"] == 1


def test_search_plays_where_there_is_no_table(client):
    answer = get(client, "move", start="10 KQJ.JT9", player="search")
    assert answer["to"] == str(Deal.parse("10 KQJ.JT9").position().apply(answer["move"]))
    found = get(client, "solve", position="10 KQJ.JT9")
    (move,) = (move for move in found["moves"] if move["move"] == answer["move"])
    assert move["estimate"]["win"] > 0.5


@pytest.mark.parametrize("ranks", [1, 3, 6])
def test_map(client, ranks):
    found = get(client, "map", ranks=ranks)
    for deal in random.Random(0).sample(list(all_deals(ranks)), min(60, 4**ranks)):
        trumps, second = str(deal).split()[1].split(".")
        row, column = found["holdings"].index(trumps), found["holdings"].index(second)
        solution = solve(deal)
        assert found["outcomes"][row][column] == str(solution.outcome)[0].upper()
        assert found["distances"][row][column] == (solution.distance or -1)


def test_answers_do_not_wait_for_a_map(monkeypatch):
    begun, go_on, draw = threading.Event(), threading.Event(), answers._map

    def slowly(tables):
        begun.set()
        assert go_on.wait(20)
        return draw(tables)

    monkeypatch.setattr(answers, "_map", slowly)
    with testclient.TestClient(make_app(), base_url=HOST) as client, ThreadPoolExecutor(1) as pool:
        drawn = pool.submit(get, client, "map", ranks=3)
        assert begun.wait(20)
        assert get(client, "solve", position="3 AK.Q")["outcome"] == "win"
        assert not drawn.done()
        go_on.set()
        assert len(drawn.result()["outcomes"]) == 8


def test_deck_without_a_table(client):
    found = get(client, "solve", position="10 KQJ.JT9")
    assert (found["outcome"], found["winner"], found["measure"]) == ("undecided", None, None)
    assert {move["outcome"] for move in found["moves"]} == {"undecided"}
    for guess in (found["estimate"], *(move["estimate"] for move in found["moves"])):
        assert 0 <= guess["win"] <= guess["win"] + guess["draw"] + guess["loss"] <= 1.001
    assert "no table" in get(client, "map", 404, ranks=10)["error"]


def events(client, **query):
    with client.stream("GET", "/api/v1/search", params=query) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = "".join(answer.iter_text())
    return [
        (kind, json.loads(data)) for kind, data in re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    ]


def test_search_finds_what_the_table_says(client):
    found = events(client, position="5 KQ.JT", seconds=60)
    kind, result = found[-1]
    assert kind == "result"
    assert {kind for kind, _ in found[:-1]} == {"progress"}
    assert result["outcome"] == solve("5 KQ.JT").outcome
    assert (result["source"], result["stopped"]) == ("search", None)
    assert result["nodes"] > 0


def test_search_ends_with_its_time(client):
    found = events(client, position="10 KQJ.JT9", seconds=0.7)
    _, result = found[-1]
    assert (result["outcome"], result["stopped"]) == ("undecided", "time")
    assert len(found) >= 3
    nodes = [event["nodes"] for _, event in found]
    assert nodes == sorted(nodes)
    assert nodes[-1] > 1000
    assert result["estimate"] == get(client, "solve", position="10 KQJ.JT9")["estimate"]
    assert 0.7 <= result["seconds"] < 10


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("solve", 400, "the parameter position is missing"),
        ("solve?position=KQ", 400, "'KQ' has 1 suit, expected 2"),
        ("solve?position=KQJ.JT95", 400, "expected --deck 10"),
        ("solve?position=KQJ.JT9&ranks=11", 400, "unknown deck '11'"),
        ("solve?position=KQJ.JT9&rank=6", 400, "unknown parameter 'rank' (did you mean ranks?)"),
        ("solve?position=KQJ.JT9&position=A.A", 400, "given twice"),
        ("solve?position=KQJ.JT9&line=yes", 400, "line 'yes' is wrong"),
        ("solve?position=" + "A" * 3000, 400, "3,000 characters"),
        ("solve?position=" + "A" * 20000, 414, "12,000 bytes"),
        ("solve?position=%00%FF", 400, "expected"),
        ("solve?position=2 A.A.A.A -.-.-.- SD 2 -", 400, "the game is over|hand is empty"),
        ("deal?ranks=6&seed=-1", 400, "the seed '-1' is wrong"),
        ("deal?ranks=6&seed=" + "9" * 5000, 400, "the seed '9999"),
        ("game?start=KQJ.JT9&moves=9H,9H", 400, "move 2: "),
        ("game?start=KQJ.JT9&moves=" + "9H," * 2001, 400, "2,001 moves given"),
        ("record?start=KQJ.JT9", 400, "no move has been played"),
        ("move?start=KQJ.JT9&player=human", 400, "unknown player 'human'"),
        ("move?start=KQJ.JT9&player=os:x=1", 400, "unknown player"),
        ("move?start=10 KQJ.JT9&player=perfect", 404, "no table"),
        ("search?position=KQJ.JT9&seconds=nan", 400, "seconds 'nan' are wrong"),
        ("search?position=KQJ.JT9&seconds=1e9", 400, "at most 3,600"),
        ("search?position=KQJ", 400, "has 1 suit"),
        ("map?ranks=0", 400, "unknown deck '0'"),
        ("nothing", 404, "nothing is at '/api/v1/nothing'"),
        ("../../../etc/passwd", 404, "nothing is at"),
        ("%2e%2e/%2e%2e/pyproject.toml", 404, "nothing is at"),
    ],
)
def test_bad_requests(client, path, status, sentence):
    answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == status
    error = answer.json()["error"]
    assert "\n" not in error
    assert len(error) < 300
    assert any(part in error for part in sentence.split("|")), error
    assert HEADERS.items() <= dict(answer.headers).items()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "evil.example:8653"}, 421),
        ({"host": "localhost.evil.example"}, 421),
        ({"host": ""}, 421),
        ({"host": "[::1]:8653"}, 200),
        ({"host": "127.0.0.1:8653"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:9999"}, 403),
        ({"origin": HOST}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
    ],
)
def test_who_may_ask(client, headers, status):
    answer = client.get("/api/v1/solve?position=KQJ.JT9", headers=headers)
    assert answer.status_code == status
    assert HEADERS.items() <= dict(answer.headers).items()
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_only_get(client, method):
    for path in ("/", "/api/v1/solve?position=KQJ.JT9"):
        assert client.request(method, path).status_code == 405


def test_page_needs_nothing_from_elsewhere(client):
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    found = re.findall(r'(?:src|href)="([^"#]+)"', page.text)
    assert {"page.css", "page.js"} <= set(found)
    for path in found:
        assert path.startswith("data:") or client.get(f"/{path}").status_code == 200
    for path in ("/", "/page.css", "/page.js"):
        text = client.get(path).text
        assert not re.search(r"(?:https?:)?//[a-z]+\.[a-z]", text.replace("www.w3.org", ""))
        assert "<style" not in text
        assert not re.search(r'\son\w+="', text)


def test_every_address_will_do_as_a_name_where_all_are_listened_on():
    with testclient.TestClient(make_app({"localhost"}, True), base_url=HOST) as client:
        for host, status in (("192.168.1.7:8653", 200), ("[fe80::1]", 200), ("evil.example", 421)):
            assert client.get("/api/v1/decks", headers={"host": host}).status_code == status


class Server:
    """The command in a process of its own."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [*COMMAND, "explore", "--no-browser", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
            text=True,
        )
        self.address = self.process.stdout.readline().strip()

    def get(self, name):
        root = self.address.partition("#")[0]
        with urllib.request.urlopen(f"{root}api/v1/{name}", timeout=60) as answer:
            return json.load(answer)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        return self.process.returncode, self.process.stdout.read(), self.process.stderr.read()


def test_command():
    server = Server("KQJ.JT9")
    try:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#start=6%20KQJ\.JT9", server.address)
        assert server.get("solve?position=KQJ.JT9")["distance"] == 47
    finally:
        status, output, error = server.stop()
    assert (status, output, error) == (0, "Ctrl-C stops the server.\n", "")


def test_stream_that_is_closed_ends_its_search():
    server = Server("--deck", "10")
    try:
        root = server.address.partition("#")[0]
        assert server.address.endswith("#ranks=10")

        def begin():
            path = f"{root}api/v1/search?position=10%20KQJ.JT9&seconds=600"
            stream = urllib.request.urlopen(path, timeout=60)
            assert stream.readline() == b"event: progress\n"
            return stream

        running = [begin() for _ in range(searches.AT_ONCE)]
        with pytest.raises(urllib.error.HTTPError) as refused:
            begin()
        assert refused.value.code == 503
        assert "busy" in refused.value.read().decode()
        assert server.get("solve?position=KQJ.JT9")["distance"] == 47  # answered meanwhile
        for stream in running:
            stream.close()
        for _ in range(100):
            try:
                begin().close()
                break
            except urllib.error.HTTPError:
                time.sleep(0.1)
        else:
            raise AssertionError("the searches go on")
        begin()
        started = time.perf_counter()
    finally:
        status, *_ = server.stop()
    assert status == 0
    assert time.perf_counter() - started < 10


def test_warning_where_others_can_reach_it():
    server = Server("--host", "0.0.0.0", "-.A")
    try:
        assert server.address.startswith("http://0.0.0.0:")
    finally:
        _, _, error = server.stop()
    assert error.startswith("Warning: everybody who can reach 0.0.0.0 can use this server")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["KQJ"], "'KQJ' has 1 suit"),
        (["--port", "99999"], "'99999' is wrong"),
        (["--host", "no.such.host.invalid"], "unknown host"),
        (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1"),
        (["--deck", "12"], "unknown deck '12'"),
    ],
)
def test_bad_options(arguments, sentence):
    status, output, error = challenge("explore", "--no-browser", *arguments)
    assert (status, output) == (2, "")
    assert sentence in error


def test_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(GameError, match=f"cannot listen on 127.0.0.1:{port}"):
            listen("127.0.0.1", port)
    assert written("::1", 5) == "[::1]:5"


def test_answers_are_sent_at_once():
    """Not when the client has confirmed their heads, 40 ms later."""
    with listen("127.0.0.1", 0) as listening:
        place = listening.getsockname()
        with socket.create_connection(place), listening.accept()[0] as accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_missing_extra(monkeypatch):
    monkeypatch.setattr("cli.extras.find_spec", lambda name: None)
    status, _, error = challenge("explore", "KQJ.JT9")
    assert status == 2
    assert "[web]'" in error


def test_threads_are_few():
    """As many as the pools have, however many ask."""
    before = threading.active_count()
    with testclient.TestClient(make_app(), base_url=HOST) as client, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: get(client, "solve", position="3 AK.Q"), range(40)))
        assert threading.active_count() - before < 8 + 12


def test_quick_search_settles_the_end():
    """Where a deck has no table."""
    rng, found = random.Random(4), 0
    asked = answers.Answers()
    for _ in range(5):
        position = random_deal(9, rng).position()
        while len(position.hands[0]) > 3 and len(position.hands[1]) > 3:
            action = position.rule_of_thumb()
            position = position.apply(action)
        if position.winner is None:
            solution = asked.solve(str(position), None, False)
            found += solution["outcome"] != "undecided"
    assert found >= 2
