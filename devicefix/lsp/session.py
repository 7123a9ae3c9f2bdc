"""One editor: what it holds, what was found in it, and when it is told."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from devicefix.engine import EngineError
from devicefix.engine.looking import Look
from devicefix.engine.work import complaint
from devicefix.lsp.diagnostics import diagnostics
from devicefix.lsp.documents import Document, Documents, path_of
from devicefix.lsp.options import Options
from devicefix.lsp.projects import Projects, Seen, Snapshot
from devicefix.lsp.worker import Worker
from devicefix.settings import SettingsError

_SHORTEST: Final = 0.02
_LONGEST: Final = 0.25
"""Seconds without a key before a text is looked at: half as long as a look takes."""
_BURST: Final = 1.0
"""Seconds between keys of somebody who is typing."""
_Answer = TypeVar("_Answer")


class OutdatedError(Exception):
    """The texts that somebody asked about are others by now."""


class EditorSession:
    """What the server knows of its editor. All but `ask` stays in the thread of the messages."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._projects = Projects()
        self._worker = Worker()
        self._number = 0
        self._seconds = 0.0
        self._typed = 0.0
        self._last_message = ""
        self._refresh: asyncio.Task[None] | None = None
        self.documents = Documents()
        self.options = Options()
        self.root: Path | None = None

    # -- the editor ----------------------------------------------------------------------------

    @property
    def encoding(self) -> str:
        """What columns count units of."""
        return str(self._server.workspace.position_encoding or "utf-16")

    @property
    def pulls(self) -> bool:
        """Whether the editor asks for what was found, and is not told."""
        document = self._server.client_capabilities.text_document
        return document is not None and document.diagnostic is not None

    @property
    def folders(self) -> tuple[Path, ...]:
        """Those that the editor has open."""
        uris = [folder.uri for folder in self._server.workspace.folders.values()]
        if not uris and self._server.workspace.root_uri:
            uris = [self._server.workspace.root_uri]
        found = (path_of(uri, Path.cwd()) for uri in uris)
        return tuple(path for path in found if path is not None)

    def hold(self, uri: str, text: str, version: int | None) -> None:
        """A document was opened or changed."""
        folder = next(iter(self.folders), Path.cwd())
        # of the file, not of its text: editors take it off, but for some
        self.documents.hold(uri, text.removeprefix("\ufeff"), version, folder)
        self.changed()

    def close(self, uri: str) -> None:
        """A document was closed: the file counts again, and nothing is shown."""
        self.documents.close(uri)
        self._projects_changed()
        if not self.pulls:
            self._publish(uri, [], None)

    def files_changed(self) -> None:
        """Files came, went or were changed outside of the editor, or settings were."""
        self._projects_changed()
        workspace = self._server.client_capabilities.workspace
        can = workspace.diagnostics.refresh_support if workspace and workspace.diagnostics else None
        if self.pulls and can:
            self._server.workspace_diagnostic_refresh(None)

    def _projects_changed(self) -> None:
        self._worker.submit(self._projects.forget)
        self.changed()

    def changed(self) -> None:
        """What is under way is about texts that are others now."""
        self._number += 1
        if self.pulls:
            return
        if self._refresh is not None:
            self._refresh.cancel()
        self._refresh = asyncio.ensure_future(self._tell(self._pause()))

    def _pause(self) -> float:
        """How long to wait for more keys: hardly for the first one after a while."""
        last, self._typed = self._typed, time.monotonic()
        if self._typed - last > _BURST:
            return _SHORTEST
        return min(max(self._seconds / 2, _SHORTEST), _LONGEST)

    def warm_up(self) -> None:
        """Load what every look needs while the editor is still busy with itself."""
        self._worker.submit(_load)

    # -- answers -------------------------------------------------------------------------------

    async def ask(self, question: Callable[[Projects, Snapshot], _Answer]) -> _Answer:
        """What `Projects` say of the texts as they are now. Raises `OutdatedError`."""
        number, now = self._number, self._now()

        def answer() -> _Answer:
            if number != self._number:
                raise OutdatedError
            return question(self._projects, now)

        found = await asyncio.wrap_future(self._worker.submit(answer))
        if number != self._number:
            raise OutdatedError
        return found

    async def seen(self, document: Document) -> Seen:
        """What is found in the program of a document. Raises `OutdatedError`.

        Where settings are wrong that is said once, and nothing is found.
        """
        began = time.monotonic()
        try:
            seen = await self.ask(lambda projects, now: projects.look(document.path, now))
        except (SettingsError, EngineError) as error:
            self.complain(str(error))
            return Seen(str(document.path), Look())
        except (OutdatedError, asyncio.CancelledError):
            raise
        except Exception as error:  # a bug of ours must not end the service
            self.complain(complaint(str(document.path), error).reason)
            return Seen(str(document.path), Look())
        self._seconds = time.monotonic() - began
        self._last_message = ""
        number = self._number
        self._worker.submit(
            lambda: seen.look.warm_up(seen.path) if number == self._number else None
        )
        return seen

    def found(self, seen: Seen, document: Document) -> list[types.Diagnostic]:
        """What is shown in a document."""
        source = seen.source
        if source is not None and source.text != document.text:
            return []  # it holds what no file can
        return diagnostics(seen.look, seen.path, self.documents, self.encoding)

    def complain(self, message: str) -> None:
        """Say what is wrong, once for as long as it is."""
        if message != self._last_message:
            self._last_message = message
            self._server.window_show_message(
                types.ShowMessageParams(types.MessageType.Error, f"devicefix: {message}")
            )

    def _now(self) -> Snapshot:
        return Snapshot(self.documents.texts(), self.folders, self.options)

    # -- telling an editor that does not ask ---------------------------------------------------

    async def _tell(self, pause: float) -> None:
        await asyncio.sleep(pause)
        for document in reversed(list(self.documents)):
            try:
                seen = await self.seen(document)
            except OutdatedError:
                return  # who changed it has begun anew
            self._publish(document.uri, self.found(seen, document), document.version)

    def _publish(self, uri: str, found: list[types.Diagnostic], version: int | None) -> None:
        self._server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=version)
        )


def _load() -> None:
    import devicefix.flow
    from devicefix.engine.registry import load_codemods

    load_codemods()
    assert devicefix.flow
    gc.collect()
    gc.freeze()  # what is loaded stays: no collection has to look through it again
