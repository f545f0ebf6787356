"""What every request must satisfy, and the headers of every answer."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
LONGEST_QUERY = 12_000
"""Bytes; the server itself refuses longer heads."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """Lets through requests to this server by a name it is known under, from its own page.

    A page of another site can neither read answers nor ask for work: its requests carry another
    `Origin` or `Sec-Fetch-Site`; one that made its own name point here carries another `Host`.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str], any_address: bool = False) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._any_address = any_address
        """Whether every IP address will do as a name: the server listens on all it has."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        status, wrong = self._wrong(scope)
        if wrong:
            refuse = JSONResponse({"error": wrong}, status)
            await refuse(scope, receive, with_headers)
        else:
            await self._app(scope, receive, with_headers)

    def _wrong(self, scope: Scope) -> tuple[int, str]:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._known(host_name(host)):
            return 421, "this server is not known by that name, expected the address it has printed"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "only GET is answered"
        if len(scope["query_string"]) > LONGEST_QUERY:
            return 414, f"a query of more than {LONGEST_QUERY:,} bytes, expected a shorter one"
        if scope["path"].startswith("/api/"):
            origin = headers.get("origin")
            if headers.get("sec-fetch-site") in ("cross-site", "same-site") or (
                origin is not None and origin.lower() != f"{scope['scheme']}://{host.lower()}"
            ):
                return 403, "asked by another site, expected this server's own page or no page"
        return 200, ""

    def _known(self, name: str) -> bool:
        if name in self._hosts:
            return True
        try:
            return self._any_address and bool(ipaddress.ip_address(name))
        except ValueError:
            return False


def host_name(host: str) -> str:
    """The name in a `Host` header, without the port and the brackets of an address."""
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]
