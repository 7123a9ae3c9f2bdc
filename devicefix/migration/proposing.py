"""One repository's pull request: whatever was done before, afterwards it is there, and once."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from devicefix.migration.cloning import Wanted, clone
from devicefix.migration.orders import Result
from devicefix.migration.plan import Entry, Plan, Wording
from devicefix.pull_requests import (
    Forge,
    NewContent,
    Operation,
    Outcome,
    Proposal,
    PullRequestError,
    Remote,
    Server,
    publish,
    withdraw,
)

_PREFIX: Final = "devicefix-proposal-"
_GONE: Final = "devicefix no longer finds anything to fix: this pull request is closed."


class Proposer:
    """Speaks to the server of a plan. Its requests come one after the other, and not too fast."""

    def __init__(self, plan: Plan, token: str, date: int, folder: Path) -> None:
        """``date``: of all commits, in seconds since 1970; ``folder``: for clones.

        What an earlier one that was killed has left in ``folder`` is removed.
        Raises `PullRequestError`.
        """
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for left in folder.glob(f"{_PREFIX}*"):
            shutil.rmtree(left, ignore_errors=True)
        self._plan = plan
        self._folder = folder
        self._token = token
        self._date = date
        self._forge = Forge("", token, plan.github.api, wait=plan.github.pause, waits=False)

    def propose(self, entry: Entry, result: Result) -> Outcome:
        """Bring ``result`` to a branch and a pull request.

        Raises `PullRequestError` and `MigrationError`.
        """
        server = self._server(entry)
        words = self._plan.wording.filled(entry.forge_name, result.base)
        with self._place() as place:
            folder = self._objects(entry, result, place)
            proposal = self._proposal(words, result, folder)
            return publish(folder, server, proposal, place, entry.order.limits.size)

    def withdraw(self, entry: Entry, result: Result) -> Outcome:
        """Close the pull request, if there is one: ``result`` has nothing to propose.

        Not where some file could not be worked on: nobody knows whether it needs fixes.
        Raises `PullRequestError` and `MigrationError`.
        """
        if result.errors:
            return Outcome(Operation.UNCHANGED, "some files could not be processed")
        server = self._server(entry)
        branch = self._plan.wording.filled(entry.forge_name, result.base).branch
        with self._place() as place:
            folder = self._objects(entry, result, place)
            return withdraw(folder, server, branch, result.base, _GONE, place)

    @contextmanager
    def _place(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(
            prefix=_PREFIX, dir=self._folder, ignore_cleanup_errors=True
        ) as name:
            yield Path(name)

    def _server(self, entry: Entry) -> Server:
        if not entry.forge_name:
            host = urlsplit(self._plan.github.api).netloc
            raise PullRequestError(f"no pull request can be opened: it is not on {host}")
        token = self._token if entry.order.token_variable else ""
        return Server(Remote(entry.order.url, token), self._forge.of(entry.forge_name))

    def _objects(self, entry: Entry, result: Result, folder: Path) -> Path:
        """A clone of what was looked at, without a file of it on the disk."""
        token = self._token if entry.order.token_variable else ""
        size = entry.order.limits.size
        wanted = Wanted(entry.order.url, result.base, result.commit, token, size, files=False)
        return clone(wanted, folder / "tree").folder

    def _proposal(self, words: Wording, result: Result, folder: Path) -> Proposal:
        return Proposal(
            branch=words.branch,
            base=result.base,
            files=tuple(
                NewContent(str(folder / file.path), file.before, file.after)
                for file in result.files
            ),
            title=words.title,
            body=words.body(result.body),
            message=words.commit_message(result.counts),
            author=words.author,
            gist=words.body(result.gist),
            date=self._date,
        )
