"""The server: the page and `/api/v1/`; docs/explorer.md describes both."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing, asynccontextmanager
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from cli.web.answers import Answers, Unpacking, read, read_moves, read_number
from cli.web.guard import LOOPBACK, Guard
from cli.web.pool import Busy, Pool
from cli.web.searches import MOST_SECONDS, Searches
from engine.cards import parse_deck
from engine.errors import ChallengeError, GameError
from engine.problem import position_of
from engine.text import meant, quoted
from solver.complete.table import MissingTable
from solver.core.machine import cores
from solver.tables import Tables

WAITING = 64
"""Requests that may wait for a thread."""
MOST_THREADS = 4
PAGE = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
}


def make_app(
    hosts: Iterable[str] = LOOPBACK, any_address: bool = False, tables: Tables | None = None
) -> Starlette:
    """The application, for requests to these names of the server; it looks up in these tables."""
    answers = Answers(tables)
    searches: Searches | None = None
    pool: Pool | None = None

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        nonlocal searches, pool
        searches, pool = Searches(), Pool(min(cores(), MOST_THREADS), WAITING)
        app.state.searches = searches
        try:
            yield
        finally:
            searches.close()
            pool.close()

    async def work(function: Callable[..., Any], *arguments: Any) -> Any:
        assert pool is not None
        return await pool.run(function, *arguments)

    async def decks(request: Request) -> Response:
        query(request)
        return JSONResponse(await work(answers.decks))

    async def deal(request: Request) -> Response:
        given = query(request, "ranks", "seed")
        seed = given.get("seed")
        number = None if seed is None else read_number(seed, 0, 2**63 - 1, "the seed")
        return JSONResponse(
            await work(answers.deal, parse_deck(given.get("ranks", "easy")), number)
        )

    async def solve(request: Request) -> Response:
        given = query(request, "position", "ranks", "line")
        line = given.get("line", "0")
        if line not in ("0", "1"):
            raise GameError(f"line {quoted(line)} is wrong, expected 0 or 1")
        return JSONResponse(
            await work(answers.solve, needed(given, "position"), deck(given), line == "1")
        )

    async def tree(request: Request) -> Response:
        given = query(request, "position", "ranks")
        return JSONResponse(await work(answers.tree, needed(given, "position"), deck(given)))

    async def game(request: Request) -> Response:
        given = query(request, "start", "moves", "ranks")
        moves = read_moves(given.get("moves", ""))
        return JSONResponse(await work(answers.game, needed(given, "start"), moves, deck(given)))

    async def move(request: Request) -> Response:
        given = query(request, "start", "moves", "ranks", "player")
        moves, player = read_moves(given.get("moves", "")), needed(given, "player")
        start = needed(given, "start")
        return JSONResponse(await work(answers.move, start, moves, deck(given), player))

    async def record(request: Request) -> Response:
        given = query(request, "start", "moves", "ranks")
        moves = read_moves(given.get("moves", ""))
        return PlainTextResponse(
            await work(answers.record, needed(given, "start"), moves, deck(given))
        )

    async def map_of_deals(request: Request) -> Response:
        given = query(request, "ranks")
        return JSONResponse(await work(answers.map, parse_deck(given.get("ranks", "easy"))))

    async def search(request: Request) -> Response:
        given = query(request, "position", "ranks", "seconds")
        position = position_of(read(needed(given, "position"), deck(given)))
        assert searches is not None
        events = searches.events(position, read_seconds(given.get("seconds", "10")))
        first = await anext(events)  # so that a refusal is an answer of its own
        return StreamingResponse(stream(first, events), media_type="text/event-stream")

    endpoints = {
        "decks": decks,
        "deal": deal,
        "solve": solve,
        "tree": tree,
        "game": game,
        "move": move,
        "record": record,
        "map": map_of_deals,
        "search": search,
    }
    app = Starlette(
        routes=[
            *(Route(path, page_file(*content)) for path, content in PAGE.items()),
            *(Route(f"/api/v1/{name}", endpoint) for name, endpoint in endpoints.items()),
        ],
        middleware=[Middleware(Guard, hosts=hosts, any_address=any_address)],
        exception_handlers={
            ChallengeError: refuse,
            Unpacking: unpacking,
            Busy: busy,
            MemoryError: no_memory,
            HTTPException: no_such_thing,
        },
        lifespan=lifespan,
    )
    app.state.answers = answers
    return app


def query(request: Request, *known: str) -> dict[str, str]:
    """The parameters of a request. Raises GameError for others than these, or one given twice."""
    given: dict[str, str] = {}
    for key, value in request.query_params.multi_items():
        if key not in known:
            expected = ", ".join(known) or "none"
            raise GameError(
                f"unknown parameter {quoted(key)}{meant(key, known)}, expected: {expected}"
            )
        if key in given:
            raise GameError(f"the parameter {key} is given twice, expected it once")
        given[key] = value
    return given


def needed(given: dict[str, str], key: str) -> str:
    """A parameter that must be there. Raises GameError."""
    if not given.get(key, "").strip():
        raise GameError(f"the parameter {key} is missing")
    return given[key]


def deck(given: dict[str, str]) -> int | None:
    """The deck of a deal that does not name its own. Raises GameError."""
    return parse_deck(given["ranks"]) if "ranks" in given else None


def read_seconds(text: str) -> float:
    """How long a search may take. Raises GameError."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= MOST_SECONDS:
        raise GameError(
            f"seconds {quoted(text)} are wrong, expected more than 0 and at most {MOST_SECONDS:,}"
        )
    return seconds


async def stream(
    first: dict[str, Any], events: AsyncIterator[dict[str, Any]]
) -> AsyncIterator[str]:
    """Events as they are sent, the search ended with the stream."""
    async with aclosing(events):  # type: ignore[type-var]
        yield sent(first)
        async for event in events:
            yield sent(event)


def sent(event: dict[str, Any]) -> str:
    """An event as a line of the stream."""
    rest = {key: value for key, value in event.items() if key != "event"}
    return f"event: {event['event']}\ndata: {json.dumps(rest)}\n\n"


def page_file(name: str, kind: str) -> Callable[[Request], Any]:
    """The endpoint of a file of the page, read once: no request names a file."""
    content = files("cli.web").joinpath(name).read_bytes()

    async def endpoint(request: Request) -> Response:
        return Response(content, media_type=kind)

    return endpoint


async def refuse(request: Request, error: Exception) -> Response:
    """Bad input, in one sentence."""
    return JSONResponse({"error": str(error)}, 404 if isinstance(error, MissingTable) else 400)


async def busy(request: Request, error: Exception) -> Response:
    return JSONResponse(
        {"error": "the server is busy, try again in a moment"}, 503, {"retry-after": "1"}
    )


async def unpacking(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 503, {"retry-after": "1"})


async def no_memory(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "not enough memory for this"}, 503)


async def no_such_thing(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    return JSONResponse({"error": f"nothing is at {quoted(request.url.path)}"}, status)
