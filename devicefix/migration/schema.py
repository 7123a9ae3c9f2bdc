"""The tables of a campaign's file, and who may write them."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from devicefix.migration.refusals import CampaignError

_VERSION: Final = 1
_LOCK: Final = "lock"
_PATIENCE: Final = 1.0
"""Seconds: whoever only looks holds the lock for a moment."""
_TABLES: Final = """
BEGIN IMMEDIATE;
CREATE TABLE campaign (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE repositories (
    key TEXT PRIMARY KEY,
    position INTEGER,                        -- in the plan; none: it is not in it any more
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    digest TEXT NOT NULL,                    -- of what the plan says of it
    state TEXT NOT NULL,
    running TEXT NOT NULL DEFAULT '',
    failed TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    next_try REAL NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',
    commit_name TEXT NOT NULL DEFAULT '',
    base TEXT NOT NULL DEFAULT '',
    number INTEGER,
    request_url TEXT NOT NULL DEFAULT '',
    operation TEXT NOT NULL DEFAULT '',
    seconds REAL NOT NULL DEFAULT 0,
    size INTEGER NOT NULL DEFAULT 0,
    updated REAL NOT NULL DEFAULT 0
);
CREATE TABLE results (
    key TEXT NOT NULL,
    stage TEXT NOT NULL,
    said BLOB NOT NULL,                      -- JSON, compressed by zlib
    PRIMARY KEY (key, stage)
);
CREATE TABLE files (
    key TEXT NOT NULL,
    stage TEXT NOT NULL,
    number INTEGER NOT NULL,
    path BLOB NOT NULL,
    before BLOB NOT NULL,                    -- compressed
    after BLOB NOT NULL,
    PRIMARY KEY (key, stage, number)
);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    time REAL NOT NULL,
    key TEXT NOT NULL,
    event TEXT NOT NULL,
    stage TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX events_of ON events (key);
CREATE INDEX events_at ON events (time);
PRAGMA user_version = 1;
COMMIT;
"""


def unusable(file: Path, error: sqlite3.Error) -> CampaignError:
    """What is told of a file that SQLite cannot read or write."""
    return CampaignError(f"{file} cannot be used: {error}")


def connected(file: Path, timeout: float, writes: bool = True) -> sqlite3.Connection:
    """Waits up to ``timeout`` seconds for others that hold the file. Raises `CampaignError`."""
    address = f"{file.absolute().as_uri()}?mode={'rwc' if writes else 'ro'}"
    try:
        return sqlite3.connect(address, uri=True, timeout=timeout, isolation_level=None)
    except sqlite3.Error as error:
        raise unusable(file, error) from None


@contextmanager
def transaction(database: sqlite3.Connection, file: Path) -> Iterator[None]:
    """All of it or nothing is in ``file``. Raises `CampaignError` where it cannot be written."""
    if not file.exists():  # SQLite would go on in a file that nobody finds again
        raise CampaignError(f"{file} was removed while the campaign ran")
    try:
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("COMMIT")
    except BaseException as error:
        if database.in_transaction:  # not where SQLite itself has rolled back
            database.execute("ROLLBACK")
        if isinstance(error, sqlite3.Error):
            raise unusable(file, error) from None
        raise


def prepare(database: sqlite3.Connection, file: Path, writes: bool = True) -> None:
    """Make the tables, if they are to be written and are not there. Raises `CampaignError`."""
    try:
        if writes:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version == 0 and writes:
            database.executescript(_TABLES)
        elif version != _VERSION:
            raise CampaignError(
                f"{file} was written by another version of devicefix, or is not a campaign"
            )
    except sqlite3.DatabaseError as error:
        raise unusable(file, error) from None


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Only one process at a time works on a campaign; the system ends that with the process.

    Raises `CampaignError` where another one does.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (folder / _LOCK).open("a+b")
    except OSError as error:
        raise CampaignError(f"{folder} cannot be used: {error.strerror}") from None
    with file:
        deadline = time.monotonic() + _PATIENCE
        while not _locked(file.fileno()):
            if time.monotonic() > deadline:
                raise CampaignError(f"another process is running this campaign ({folder})")
            time.sleep(_PATIENCE / 10)
        yield


def is_worked_on(folder: Path) -> bool:
    """Whether a process has it `exclusive`; never for the one that has it."""
    try:
        with (folder / _LOCK).open("r+b") as file:
            return not _locked(file.fileno())
    except OSError:
        return False


def _locked(number: int) -> bool:
    """A process that is forked does not get the lock, as it would get one of flock(2)."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
