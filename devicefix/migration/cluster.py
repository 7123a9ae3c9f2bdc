"""Orders done by the workers of a Ray cluster."""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final

from devicefix.migration.fork_server import receive, send
from devicefix.migration.orders import Order, Result, Stage
from devicefix.migration.ray_messages import Broken, Ended, Message, Request, Said, Wanted, Width
from devicefix.migration.refusals import CampaignError

_CLIENT: Final = "from devicefix.migration.ray_client import main; main()"
_MOMENT: Final = 1.0
_SILENCE: Final = 180.0
"""Seconds without a sign of life after which the cluster counts as lost."""
_START: Final = 120.0
"""Seconds in which a cluster has to be found, or started."""
_GRACE: Final = 20.0
"""Seconds for ending all that runs on it."""
_LAST_WORDS: Final = 400

Say = Callable[[str], None]


class Cluster:
    """An `Executor` whose orders are done by Ray; a context manager.

    It is to be made by a thread that lives as long as it does, as its client ends with that one.
    """

    def __init__(self, wanted: Wanted, folder: Path, secret: str, say: Say) -> None:
        """``folder`` is ours; ``secret`` names an environment variable that stays here, unless the
        cluster is one of this machine; ``say`` tells people how things are.

        Raises `CampaignError` where there is no Ray or no cluster. So do `submit` and `finished`
        where the cluster is lost, or its workers have another devicefix.
        """
        if find_spec("ray") is None:
            raise CampaignError("the executor ray needs Ray: pip install 'devicefix[ray]'")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._say = say
        self._running = 0
        self._width = 0
        self._heard_at = time.monotonic()
        self._inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - until `close`
        self._client = _started(folder, _environment(wanted, secret), self._words)
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self._send(wanted)
            self._wait_for(wanted.address)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def room(self) -> int:
        """How many more orders would be begun at once."""
        return max(0, self._width - self._running)

    def submit(self, key: str, stage: Stage, order: Order, before: Result | None = None) -> None:
        """Begin, or queue; ``before`` is the result of the stage before."""
        self._running += 1
        self._send(Request(key, stage, order, before))

    def finished(self, seconds: float) -> Iterator[tuple[str, Stage, Result]]:
        """What has ended meanwhile; waits up to ``seconds`` for the first."""
        until = time.monotonic() + seconds
        while True:
            ended = self._next(max(0.0, until - time.monotonic()))
            if ended is not None:
                until = 0.0
                self._running -= 1
                yield ended.key, ended.stage, ended.result
            elif time.monotonic() >= until:
                return

    def close(self) -> None:
        """End all that is running; what was not told is lost, and is done again another time."""
        if not self._width:  # it still looks for the cluster, and hears nothing
            self._client.kill()
        with contextlib.suppress(OSError):
            _stream(self._client.stdin).close()
        try:
            self._client.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._client.kill()
            self._client.wait()
        self._words.close()

    def _wait_for(self, address: str) -> None:
        while not self._width:
            self._next(_MOMENT)
            if time.monotonic() - self._heard_at > _START:
                what = f"no Ray cluster answers at {address}" if address else "Ray does not start"
                raise CampaignError(f"{what} ({_START:g} s were given to it)")

    def _send(self, message: Wanted | Request) -> None:
        with contextlib.suppress(OSError):  # the end of the client is told by `_next`
            send(_stream(self._client.stdin), message)

    def _read(self) -> None:
        """In a thread of its own."""
        with _stream(self._client.stdout) as stream:
            while (message := receive(stream)) is not None:
                self._inbox.put(message)
        self._inbox.put(Broken(""))

    def _next(self, seconds: float) -> Ended | None:
        """What was told next, if that is the end of an request. Raises `CampaignError`."""
        try:
            message = self._inbox.get(timeout=seconds)
        except queue.Empty:
            if time.monotonic() - self._heard_at > _SILENCE:
                raise CampaignError(f"no message from Ray for {_SILENCE:g} s") from None
            return None
        self._heard_at = time.monotonic()
        if isinstance(message, Ended):
            return message
        if isinstance(message, Broken):
            raise CampaignError(message.text or f"the Ray cluster was lost{self._last_words()}")
        if isinstance(message, Said):
            self._say(message.text)
        elif isinstance(message, Width):
            self._width = message.requests
        return None

    def _last_words(self) -> str:
        self._words.seek(0)
        said = self._words.read().decode(errors="replace").strip().splitlines()
        return f": {said[-1][:_LAST_WORDS]}" if said else ""


def _started(
    folder: Path, environment: dict[str, str], words: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _CLIENT, str(os.getpid())],
        cwd=folder,  # from where Python imports first
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=words,
        start_new_session=True,  # Ctrl-C is for us, and we end it
    )


def _environment(wanted: Wanted, secret: str) -> dict[str, str]:
    kept = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    if wanted.address:
        kept.pop(secret, None)
    elif not any(name.startswith("RAY_AUTH_") for name in kept):
        # Only we may use a cluster of ours; without this Ray would keep a secret in the home.
        kept |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    return kept


def _stream(found: IO[bytes] | None) -> IO[bytes]:
    assert found is not None
    return found
