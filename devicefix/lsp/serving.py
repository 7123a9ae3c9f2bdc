"""How an editor reaches the server."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import Final

from pygls.io_ import run_async

from devicefix.lsp.server import Server, build

HOST: Final = "127.0.0.1"
"""Nobody else may connect: the server reads any file that it is asked about."""


def over_stdio() -> None:
    """Serve the editor that has started this process, until it goes."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may stand among messages
        build().start_io(sys.stdin.buffer, out)


def over_tcp(port: int) -> None:
    """Serve the first editor that connects, until it goes."""
    asyncio.run(_listen(port))


async def _listen(port: int) -> None:
    served = asyncio.Event()
    taken = False

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal taken
        first = await reader.readline()
        # a web page can make a browser send messages, but never as the first line
        if taken or not first.lower().startswith(b"content-"):
            writer.close()
            return
        taken = True
        try:
            await _serve(build(), _Begun(first, reader), writer)
        finally:
            served.set()

    server = await asyncio.start_server(connected, HOST, port)
    async with server:
        name = server.sockets[0].getsockname()
        print(f"waiting for an editor on {name[0]}:{name[1]}", file=sys.stderr, flush=True)  # noqa: T201
        await served.wait()


async def _serve(server: Server, reader: _Begun, writer: asyncio.StreamWriter) -> None:
    server.protocol.set_writer(writer)
    await run_async(stop_event=threading.Event(), reader=reader, protocol=server.protocol)


class _Begun:
    """A stream of which one line was read already."""

    def __init__(self, first: bytes, rest: asyncio.StreamReader) -> None:
        self._first = first
        self._rest = rest

    async def readline(self) -> bytes:
        """The next line."""
        first, self._first = self._first, b""
        return first or await self._rest.readline()

    async def readexactly(self, count: int) -> bytes:
        """As many bytes."""
        return await self._rest.readexactly(count)
