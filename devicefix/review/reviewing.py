"""A review under way: what its pages are told, and what they ask of it."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

from starlette.concurrency import run_in_threadpool

from devicefix.engine import EngineError
from devicefix.proposals import Verdict
from devicefix.review.model import ReviewModel
from devicefix.review.proofs import Proofs
from devicefix.review.proving import Prover

_Answer = TypeVar("_Answer")

_HEARTBEAT: Final = 5.0
"""Seconds between signs of life to a page that has nothing to hear."""
_GLANCE: Final = 1.5
"""Seconds between two looks at the files."""
_PAUSE: Final = 0.6
"""Seconds without an answer, after which it is looked what comes of what was rejected."""
_GRACE: Final = 4.0
"""Seconds without a page, after which the server ends: a page that is loaded anew is back."""


class MisreadError(Exception):
    """A request has not the shape that the page gives it."""


class Review:
    """A model, and the pages that look at it."""

    def __init__(self, model: ReviewModel, prover: Prover | None, end: Callable[[], None]) -> None:
        self.model = model
        self.proofs = Proofs(prover, self.tell)
        self.version = 1
        self._close = end
        self._over = False
        self._turn = asyncio.Lock()
        self._news = asyncio.Event()
        self._settling: asyncio.Task[None] | None = None
        self._busy = ""
        self._trouble = ""
        self._pages = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    # -- telling the pages -------------------------------------------------------------------------

    def tell(self) -> None:
        """Let all pages know how things stand; from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._notify)

    def _notify(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def status(self) -> dict[str, Any]:
        """How things stand, but for what is proposed."""
        return {
            "version": self.version,
            "stale": self.model.stale,
            "busy": self._busy,
            "trouble": self._trouble,
            "proof": self.proofs.status(self.model.accepted_ids),
        }

    async def lines(self) -> AsyncIterator[str]:
        """One for each time that something changes, and now and then one that says the same."""
        while not self._over:
            news = self._news
            yield json.dumps(self.status()) + "\n"
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(news.wait(), _HEARTBEAT)

    @contextmanager
    def page(self) -> Iterator[None]:
        """A page looks on; when the last one has gone, the review ends."""
        self._pages += 1
        try:
            yield
        finally:
            self._pages -= 1
            self.start(self._end_unless_seen())

    async def _end_unless_seen(self) -> None:
        if not self._pages:
            await asyncio.sleep(_GRACE)
        if not self._pages:
            self.end()

    def end(self) -> None:
        """The pages are told that nothing comes any more, and the server ends."""
        self._over = True
        self._notify()
        self._close()

    def begin(self) -> None:
        """In the loop that the server runs in."""
        self._loop = asyncio.get_running_loop()
        self.start(self.watch())

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something besides."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- the work ----------------------------------------------------------------------------------

    async def working(self, does: Callable[[], _Answer], busy: str = "") -> _Answer:
        """Do something with the model, when its turn has come."""
        async with self._turn:
            if busy:
                self._busy = busy
                self.tell()
            try:
                return await run_in_threadpool(does)
            finally:
                if busy:
                    self._busy = ""
                    self.tell()

    async def watch(self) -> None:
        """Look at the files every now and then."""
        while True:
            await asyncio.sleep(_GLANCE)
            if not self._turn.locked() and await self.working(self.model.look):
                self.tell()

    def settle_soon(self) -> None:
        """Look what comes of what was rejected, once nobody answers any more."""
        if self._settling is not None:
            self._settling.cancel()
        self._settling = asyncio.get_running_loop().create_task(self._settle())

    async def _settle(self) -> None:
        await asyncio.sleep(_PAUSE)
        if self.model.is_settled:
            return
        # Once begun it is not to be given up: the thread would go on without its turn.
        await asyncio.shield(asyncio.ensure_future(self._settled_or_said()))

    async def _settled_or_said(self) -> None:
        """Nobody has asked, so all pages are told what went wrong."""
        try:
            await self.settled()
        except Exception as error:
            self._trouble = f"The effect of your rejections is unknown: {failure_of(error)}"
            self.tell()

    async def settled(self) -> None:
        """Nothing is rejected of which one does not know what comes of it."""
        if self.model.is_settled:
            return
        if await self.working(self.model.settle, "Applying your rejections"):
            self.version += 1
            self.tell()

    # -- what is asked -----------------------------------------------------------------------------

    async def content(self, body: Any) -> dict[str, Any]:
        found = await self.working(self.model.content)
        return {**found, "version": self.version, "verify": self.proofs.command}

    async def decide(self, body: Any) -> dict[str, Any]:
        answers = _answers(body)
        unknown = await self.working(lambda: self.model.decide(answers))
        self.version += 1
        self.tell()
        self.settle_soon()
        return {"version": self.version, "unknown": unknown}

    async def preview(self, body: Any) -> dict[str, Any]:
        await self.settled()
        return await self.working(self.model.preview, "Putting together what you accepted")

    async def write(self, body: Any) -> dict[str, Any]:
        key = body.get("key") if isinstance(body, dict) else None
        if not isinstance(key, str):
            raise MisreadError("no key")
        written = await self.working(lambda: self.model.write(key), "Writing")
        self.version += 1
        self.tell()
        return {"written": written, "version": self.version}

    async def again(self, body: Any) -> dict[str, Any]:
        self._trouble = ""
        await run_in_threadpool(self.proofs.forget)
        await self.working(self.model.look_again, "Analysing the files")
        self.version += 1
        self.tell()
        return {}

    async def verify(self, body: Any) -> dict[str, Any]:
        await self.settled()
        model = self.model
        accepted, ids = await self.working(
            lambda: (model.accepted(), model.accepted_ids), "Putting together what you accepted"
        )
        self.start(self.proofs.prove(accepted.report, ids))
        return {}

    async def stop(self, body: Any) -> dict[str, Any]:
        await run_in_threadpool(self.proofs.stop)
        return {}

    async def quit(self, body: Any) -> dict[str, Any]:
        asyncio.get_running_loop().call_later(0.1, self.end)
        return {}


def _answers(body: Any) -> list[tuple[str, Verdict]]:
    try:
        return [(str(group), Verdict(verdict)) for group, verdict in body["answers"]]
    except (ValueError, KeyError, TypeError) as error:
        raise MisreadError(repr(error)) from None


def failure_of(error: Exception) -> str:
    """One line for the page; what a developer needs goes to the terminal."""
    if isinstance(error, EngineError):
        return str(error)
    traceback.print_exception(error)
    return f"devicefix failed ({type(error).__name__}); see the terminal"
