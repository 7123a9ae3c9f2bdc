"""What a job that runs programs of the repository leaves for one that may write to it.

The programs share a machine with whoever writes the bundle, so that it says no more than a stranger
would: which fixes passed, and what the verification saw. `publishing` makes all else again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import stat
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec

from devicefix.engine import Report
from devicefix.pull_requests import Proposal
from devicefix.reporting.account import Account
from devicefix.reporting.diff import unified
from devicefix.verification.acceptance import Acceptance

_CONTENT: Final = "proposal.json"
_PATCH: Final = "fixes.patch"
_BODY: Final = "body.md"
_FORM: Final = 1
_MOST: Final = 100_000_000
"""Bytes of one of its files that are read."""


class BundleError(Exception):
    """A bundle cannot be published; ``str()`` says why."""


class Bundle(msgspec.Struct, frozen=True):
    """Fixes of one commit."""

    version: str
    """Of devicefix."""
    commit: str
    files: dict[str, str]
    """By path in the checkout the digest of what the file is to hold; empty where nothing is left
    to fix."""
    acceptance: Acceptance | None
    """What the verification said, without the contents of files; None where nothing was run."""
    patch: bytes
    """For people. It is published only if it is what devicefix makes again; so is `body`."""
    body: bytes

    @classmethod
    def of(cls, account: Account, proposal: Proposal, commit: str) -> Bundle:
        """What ``account`` and ``proposal`` say of ``commit``."""
        changes = account.report.changes
        return cls(
            version("devicefix"),
            commit,
            {Path(r.path).as_posix(): _digest(change.after) for r, change in changes},
            account.acceptance,
            b"".join(unified(result.path, change) for result, change in changes),
            proposal.body.encode(errors="backslashreplace"),
        )

    def write(self, temporary: Path) -> Path:
        """Leave it in a new folder in ``temporary``; where."""
        folder = Path(tempfile.mkdtemp(prefix="devicefix-proposal-", dir=temporary))
        content = {
            "form": _FORM,
            "version": self.version,
            "commit": self.commit,
            "files": self.files,
            "acceptance": msgspec.to_builtins(_without_contents(self.acceptance)),
        }
        (folder / _CONTENT).write_text(json.dumps(content), encoding="utf-8")
        (folder / _PATCH).write_bytes(self.patch)
        (folder / _BODY).write_bytes(self.body)
        return folder

    @classmethod
    def read(cls, folder: Path) -> Bundle:
        """What `write` left, or somebody else. Raises `BundleError`."""
        try:
            content: Any = json.loads(_read(folder / _CONTENT))
            form = content.pop("form")
            if form != _FORM:
                raise BundleError(f"the proposal has format {form!r}, not {_FORM}: {_SAME}")
            texts = {"patch": _read(folder / _PATCH), "body": _read(folder / _BODY)}
            return msgspec.convert({**content, **texts}, cls)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            # msgspec's own errors are ValueErrors
            raise BundleError(f"the proposal in {folder} cannot be read: {error}") from None


_SAME: Final = "both jobs have to use the same version of devicefix"


def check_origin(bundle: Bundle, commit: str) -> None:
    """Raises `BundleError` where it is not of ``commit``, or was made by another devicefix."""
    if bundle.version != version("devicefix"):
        raise BundleError(
            f"the proposal was made by devicefix {bundle.version}, this is {version('devicefix')}: "
            f"{_SAME}"
        )
    if bundle.commit != commit:
        raise BundleError(
            f"the proposal is for commit {bundle.commit[:40]}, and {commit} is checked out: both "
            "jobs have to check out the same commit"
        )


def _read(file: Path) -> bytes:
    """Raises `BundleError`; nothing is followed or opened that is no plain file."""
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST:
            raise BundleError(
                f"the proposal cannot be read: {file.name} is not a file, or is too large"
            )
        return file.read_bytes()
    except OSError as error:
        raise BundleError(
            f"there is no proposal in {file.parent}: {error.strerror}; a job with mode propose has "
            "to come first"
        ) from None


def _without_contents(acceptance: Acceptance | None) -> Acceptance | None:
    if acceptance is None:
        return None
    bare = Report((), (), 0, 0.0, acceptance.report.groups)
    return dataclasses.replace(acceptance, report=bare)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
