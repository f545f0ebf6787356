"""`challenge explore`: a server on this machine, and the page that it serves in the browser."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
import threading
from contextlib import suppress
from urllib.parse import quote

import click

from cli.extras import need
from cli.parameters import Whole, deck_option
from cli.solve import DashedArguments
from engine.errors import GameError
from engine.problem import read_problem
from engine.text import quoted

PORT = 8653
"""Where bookmarks point, if it is free."""
CONNECTIONS = 128


@click.command(cls=DashedArguments)
@deck_option("The deck of a deal (default: easy).")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; another one lets other machines in.",
)
@click.option(
    "--port",
    type=Whole(0, 65535),
    help=f"The port to listen on, 0 for a free one (default: {PORT} if it is free).",
)
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
@click.argument("problem", nargs=-1, metavar="[DEAL|POSITION]")
def explore(
    deck: int | None, host: str, port: int | None, no_browser: bool, problem: tuple[str, ...]
) -> None:
    """Look at deals and positions in the browser: a value on every move, back and forth.

    Starts a server on this machine, prints the address of its page and opens it; Ctrl-C stops it.
    A DEAL or a POSITION is written as for challenge solve, without one the page begins with a
    random deal. Only this machine can reach the server, unless --host says otherwise.

    \b
    Examples:
      challenge explore KQJ.JT9
      challenge explore 8 KQJ.JT97 --port 9000
    """
    need("starlette", "web")
    need("uvicorn", "web")
    asked = read_problem(" ".join(problem), deck) if problem else None
    listening = listen(host, port)
    address = f"http://{written(*listening.getsockname()[:2])}/"
    if asked is not None:
        address += f"#start={quote(str(asked), safe='.')}"
    elif deck is not None:
        address += f"#ranks={deck}"
    if not is_loopback(listening.getsockname()[0]):
        click.echo(
            f"Warning: everybody who can reach {host} can use this server and this machine's time.",
            err=True,
        )
    click.echo(f"{address}\nCtrl-C stops the server.")
    sys.stdout.flush()
    if not no_browser:
        threading.Thread(target=open_page, args=(address,), daemon=True).start()
    serve(listening, host, asked.ranks if asked else deck or 6)


def listen(host: str, port: int | None) -> socket.socket:
    """A socket that listens. Raises GameError for an address that cannot be had."""
    try:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError):
        raise GameError(f"unknown host {quoted(host)}, expected an address or a name") from None
    for wanted in (PORT, 0) if port is None else (port,):
        try:
            listening = socket.create_server((host, wanted), family=family, backlog=CONNECTIONS)
        except OSError as error:
            if wanted == PORT and port is None:
                continue
            raise GameError(
                f"cannot listen on {written(host, wanted)}: {error.strerror or error}"
            ) from None
        # Connections inherit it; without it the body of an answer waits 40 ms for news of its head.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    raise AssertionError("the loop ends with a socket or an error")


def written(host: str, port: int) -> str:
    """Host and port as in an address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach an address."""
    return ipaddress.ip_address(address).is_loopback


def open_page(address: str) -> None:
    """Open the page, where there is a desktop to open it on."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER")
    ):
        return
    import webbrowser

    webbrowser.open(address)


def serve(listening: socket.socket, host: str, ranks: int) -> None:
    """Answer requests until Ctrl-C."""
    import uvicorn

    from cli.web.app import make_app
    from cli.web.guard import LOOPBACK

    address = listening.getsockname()[0]
    any_address = ipaddress.ip_address(address).is_unspecified
    names = {host, address}
    if is_loopback(address):
        names |= LOOPBACK
    elif any_address:
        names |= LOOPBACK | {socket.gethostname()}
    app = make_app(names, any_address)
    app.state.answers.load(ranks)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        http="h11",
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):  # the way to end it
        uvicorn.Server(config).run(sockets=[listening])
