"""What the page may ask of the server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from devicefix.engine import EngineError
from devicefix.reporting.page.document import live_document
from devicefix.review.model import NotNowError
from devicefix.review.reviewing import MisreadError, Review, failure_of

_MOST: Final = 8_000_000
"""Bytes of a request."""


def application(review: Review) -> Starlette:
    """The routes; what guards them is `Guard`."""

    async def page(request: Request) -> Response:
        # Anybody gets it who reaches the port, so it does not even say what is reviewed.
        return HTMLResponse(live_document("devicefix review"))

    async def events(request: Request) -> Response:
        return _Events(review)

    @asynccontextmanager
    async def begun(app: Starlette) -> AsyncIterator[None]:
        review.begin()
        yield

    asked = (
        review.decide,
        review.preview,
        review.write,
        review.again,
        review.verify,
        review.stop,
        review.quit,
    )
    routes = [
        Route("/", page),
        Route("/api/events", events),
        Route("/api/content", _answering(review.content), methods=["GET"]),
        *(Route(f"/api/{f.__name__}", _answering(f), methods=["POST"]) for f in asked),
    ]
    return Starlette(routes=routes, lifespan=begun)


class _Events(StreamingResponse):
    """How things stand, as long as the page is there."""

    def __init__(self, review: Review) -> None:
        super().__init__(review.lines(), media_type="application/x-ndjson")
        self._review = review

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._review.page():
            await super().__call__(scope, receive, send)


_Asked = Callable[[Any], Awaitable[dict[str, Any]]]


def _answering(asked: _Asked) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            body = await _body(request)
        except (ValueError, RecursionError) as error:
            return _json({"error": f"not understood: {error}"}, 400)
        try:
            return _json(await asked(body))
        except (NotNowError, EngineError) as error:
            return _json({"error": str(error)}, 409)
        except MisreadError as error:
            return _json({"error": f"not understood: {error}"}, 400)
        except Exception as error:
            return _json({"error": failure_of(error)}, 500)

    return endpoint


def _json(content: dict[str, Any], status: int = 200) -> Response:
    """In ASCII: a path may hold what no UTF-8 can say."""
    return Response(json.dumps(content), status, media_type="application/json")


async def _body(request: Request) -> Any:
    if request.method == "GET":
        return None
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST:
            raise ValueError("too long")
    return json.loads(body or b"{}")
