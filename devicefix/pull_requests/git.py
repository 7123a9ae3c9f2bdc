"""git, started so that nothing of the repository is executed and nobody is asked for anything."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from devicefix.pull_requests.errors import GitError

_SETTINGS: Final = (
    f"core.hooksPath={os.devnull}",  # no hooks
    "core.fsmonitor=false",  # nor a program that watches files
    f"core.attributesFile={os.devnull}",
    "core.askPass=",
    "protocol.ext.allow=never",  # a URL is an address, no command
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "fetch.unpackLimit=1",  # one pack, whose size can be bounded
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",  # seconds without 1,000 bytes each: the server has gone
    "gc.auto=0",
    "maintenance.auto=false",
    "i18n.commitEncoding=utf-8",
)
_ENVIRONMENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_LITERAL_PATHSPECS": "1",  # a file may be called *
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_INHERITED: Final = frozenset(
    {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO"}
)
"""What the machine's owner says of the way to a server."""
_REMOTE: Final = frozenset({"cat-file", "clone", "diff-tree", "fetch", "ls-remote", "push"})
"""Commands that may speak to a server: in a partial clone also those that read files. No other one
has our token in its environment."""
_SECONDS: Final = 600
_NO_HELPER: Final = ("credential.helper", "")
"""Those of the user are forgotten; we bring our own, or none."""


@dataclass(frozen=True, slots=True)
class Access:
    """How git says who we are; in its environment, where no list of processes shows it."""

    settings: tuple[tuple[str, str], ...] = ()
    variables: tuple[tuple[str, str], ...] = field(default=(), repr=False)


NOBODY: Final = Access()


class Git:
    """git in one folder, which its caller vouches for (``safe.directory``)."""

    def __init__(self, folder: Path, access: Access = NOBODY, most: int | None = None) -> None:
        self.folder = folder
        self._most = most
        self._command = ["git"]
        for setting in (*_SETTINGS, f"safe.directory={folder}"):
            self._command += ["-c", setting]
        self._environment = _environment(access)
        self._secrets = dict(access.variables)

    def run(
        self, *arguments: str, given: bytes = b"", also: Mapping[str, str] | None = None
    ) -> bytes:
        """What git prints. Raises `GitError`."""
        with self.start(*arguments, also=also) as running:
            try:
                said, refused = running.communicate(given, timeout=_SECONDS)
            except subprocess.TimeoutExpired:
                running.kill()
                raise GitError(f"git {arguments[0]}", f"took more than {_SECONDS} s") from None
            except BaseException:
                running.kill()
                raise
        if running.returncode:
            words = (refused or said).decode(errors="replace").strip()
            raise GitError(f"git {arguments[0]}", words or f"exit status {running.returncode}")
        return said

    def start(
        self, *arguments: str, also: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """git while it runs, with its three streams; `most` bounds each file that it writes.

        Raises `GitError`.
        """
        secrets = self._secrets if arguments[0] in _REMOTE else {}
        try:
            running = subprocess.Popen(
                [*self._command, *arguments],
                cwd=self.folder,
                env={**self._environment, **secrets, **(also or {})},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # We ignore SIGXFSZ, and so does git then: it says what was too large
                restore_signals=self._most is None,
            )
        except FileNotFoundError:
            raise GitError("git", "is not installed") from None
        if self._most is not None:
            _bound(running.pid, self._most)
        return running

    def text(self, *arguments: str, given: str = "", also: Mapping[str, str] | None = None) -> str:
        """The same, decoded, without the line end."""
        output = self.run(*arguments, given=given.encode(), also=also)
        return output.decode(errors="replace").strip("\n")


def _bound(process: int, size: int) -> None:
    """No file becomes larger: EFBIG, setrlimit(2).

    What git starts inherits it; it starts nothing before it has read its settings.
    """
    import resource

    if sys.platform == "linux":
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(process, resource.RLIMIT_FSIZE, (size, size))


def _environment(access: Access) -> dict[str, str]:
    """Ours; what surrounds us may point git to another repository, index or configuration."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in _INHERITED}
    settings = (_NO_HELPER, *access.settings)
    told = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        told |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {**own, **_ENVIRONMENT, **told}
