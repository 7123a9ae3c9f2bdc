"""The server: on 127.0.0.1, on a port that is free, as long as somebody looks at its page."""

from __future__ import annotations

import contextlib
import html
import os
import secrets
import socket
import sys
import tempfile
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import uvicorn

from devicefix.reporting.page.document import policy
from devicefix.review.application import application
from devicefix.review.guard import Guard
from devicefix.review.model import ReviewModel
from devicefix.review.proving import Prover
from devicefix.review.reviewing import Review

HOST: Final = "127.0.0.1"


class PortError(Exception):
    """The port cannot be had; the message says why."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How the page is to be given out."""

    port: int = 0
    """0 for one that is free."""
    browser: bool = True
    """Whether one is to be opened."""


def serve(
    model: ReviewModel, prover: Prover | None, wishes: Wishes, told: Callable[[str], None]
) -> None:
    """Give out the page until nobody looks at it any more; ``told`` gets its address.

    Raises `PortError`.
    """
    with contextlib.closing(_bound(wishes.port)) as listening:
        port = listening.getsockname()[1]
        token = secrets.token_urlsafe(32)
        address = f"http://{HOST}:{port}/#{token}"
        server = _server(model, prover, port, token, lambda: told(address))
        try:
            with _opened(address) if wishes.browser and _has_screen() else nullcontext():
                server.run(sockets=[listening])
        finally:
            if prover is not None:
                prover.stop()


class _Server(uvicorn.Server):
    """Says when it answers: by then an interrupt ends it in an orderly way."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None]) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._begun()


def _server(
    model: ReviewModel, prover: Prover | None, port: int, token: str, begun: Callable[[], None]
) -> uvicorn.Server:
    def end() -> None:
        server.should_exit = True

    review = Review(model, prover, end)
    app = application(review)
    server = _Server(
        uvicorn.Config(
            Guard(app, port, token, policy(live=True)),
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            http="h11",
            lifespan="on",
            timeout_graceful_shutdown=1,
        ),
        begun,
    )
    return server


def _bound(port: int) -> socket.socket:
    """A socket that nobody reaches from another machine."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.bind((HOST, port))
        listening.listen()  # now: whoever has the address may call before the server has begun
    except OSError as error:
        listening.close()
        raise PortError(f"port {port} of {HOST}: {(error.strerror or 'no').lower()}") from None
    return listening


def _has_screen() -> bool:
    """Without one a browser of the terminal would be opened, and take that over."""
    if sys.platform != "linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


@contextlib.contextmanager
def _opened(address: str) -> Iterator[None]:
    """A browser at ``address``, by way of a private file: command lines are seen by all users."""
    handle, name = tempfile.mkstemp(prefix="devicefix-review-", suffix=".html")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            target = html.escape(address)
            file.write(
                '<!doctype html><meta charset="utf-8"><title>devicefix review</title>'
                f'<meta http-equiv="refresh" content="0; url={target}">'
                f'<p><a href="{target}">To the review</a>'
            )
        with contextlib.suppress(webbrowser.Error, OSError):
            webbrowser.open(Path(name).as_uri())
        yield
    finally:
        Path(name).unlink(missing_ok=True)
