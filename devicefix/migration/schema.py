"""The tables of a campaign's file, and who may write them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from devicefix.migration.refusals import CampaignError

_VERSION: Final = 1
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
    ending TEXT NOT NULL,
    reason TEXT NOT NULL,
    transient INTEGER NOT NULL,
    commit_name TEXT NOT NULL,
    base TEXT NOT NULL,
    gist TEXT NOT NULL,
    seconds REAL NOT NULL,
    size INTEGER NOT NULL,
    report BLOB NOT NULL,                    -- this and what follows: UTF-8, compressed by zlib
    body BLOB NOT NULL,
    evidence BLOB NOT NULL,
    PRIMARY KEY (key, stage)
);
CREATE TABLE files (
    key TEXT NOT NULL,
    stage TEXT NOT NULL,
    position INTEGER NOT NULL,
    path BLOB NOT NULL,
    before BLOB NOT NULL,                    -- compressed
    after BLOB NOT NULL,
    PRIMARY KEY (key, stage, position)
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
            raise CampaignError(f"{file} is of another version of devicefix, or no campaign's")
    except sqlite3.DatabaseError as error:
        raise CampaignError(f"{file} cannot be used: {error}") from None


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Only one process at a time works on a campaign; the system ends that with the process.

    Raises `CampaignError` where another one does.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / "lock").open("a+b") as file:
        try:
            _lock(file.fileno())
        except OSError:
            raise CampaignError(f"another process works on this campaign ({folder})") from None
        yield


def _lock(number: int) -> None:
    """A process that is forked does not get it, as it would get one of flock(2)."""
    import sys

    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
