"""Who may talk to the server: the page that it gave out itself, in a browser on this machine.

Another page may make a browser send requests here (cross-site request forgery), also under a name
that it has bound to 127.0.0.1 (DNS rebinding, https://github.com/nccgroup/singularity/wiki), and
other users of the machine reach the port. So all that is asked needs a secret that stands in the
address behind ``#``: browsers send that to nobody, and keep it from other origins. A cookie would
go to all ports of 127.0.0.1 (https://datatracker.ietf.org/doc/html/rfc6265#section-8.5).
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

API: Final = "/api/"
_SAME: Final = frozenset({None, "same-origin", "none"})
_HEADERS: Final = MappingProxyType(
    {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-frame-options": "DENY",
        "cache-control": "no-store",
    }
)


class Guard:
    """Lets through what is allowed, and tells the browser what the answers may do."""

    def __init__(self, app: ASGIApp, port: int, token: str, policy: str) -> None:
        self._app = app
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self._authorization = f"Bearer {token}".encode()
        self._headers: Mapping[str, str] = {**_HEADERS, "content-security-policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        reason = self.objection(Headers(scope=scope), scope["method"], scope["path"])
        app = self._app if reason is None else PlainTextResponse(reason, status_code=403)
        await app(scope, receive, answer)

    def objection(self, headers: Headers, method: str, path: str) -> str | None:
        """Why a request is refused; None where it is not."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            return "this server answers only on 127.0.0.1"
        if origin is not None and origin != f"http://{host}":
            return "this server answers only requests from its own page"
        if headers.get("sec-fetch-site") not in _SAME and path.startswith(API):
            return "this server answers only requests from its own page"
        if not path.startswith(API):
            return None
        if method != "GET" and origin is None:
            return "this server answers only requests from its own page"
        given = headers.get("authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, self._authorization):
            return "the address has no valid token: use the one that devicefix review printed"
        return None
