"""Results on the disk: their texts and files, compressed."""

from __future__ import annotations

import os
import sqlite3
import zlib
from typing import Final

from devicefix.migration.orders import ChangedFile, Ending, Result, Stage

_LEVEL: Final = 6
_PLAIN: Final = "ending, reason, transient, commit_name, base, gist, seconds, size"
_PACKED: Final = "report, body, evidence"


def store_result(database: sqlite3.Connection, key: str, stage: Stage, result: Result) -> None:
    """In the place of what the stage found before."""
    _forget(database, key, stage)
    plain = (
        result.ending.value,
        clean(result.reason),
        result.transient,
        result.commit,
        clean(result.base),
        clean(result.gist),
        result.seconds,
        result.size,
    )
    packed = (_packed(text) for text in (result.report, result.body, result.evidence))
    database.execute(
        f"INSERT INTO results (key, stage, {_PLAIN}, {_PACKED}) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, stage.value, *plain, *packed),
    )
    rows = (
        (
            key,
            stage.value,
            position,
            os.fsencode(file.path),
            _small(file.before),
            _small(file.after),
        )
        for position, file in enumerate(result.files)
    )
    database.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?)", rows)


def load_result(database: sqlite3.Connection, key: str, stage: Stage) -> Result | None:
    """What `store_result` was given; None where it was not."""
    found = database.execute(
        f"SELECT {_PLAIN}, {_PACKED} FROM results WHERE key = ? AND stage = ?", (key, stage.value)
    ).fetchone()
    if found is None:
        return None
    ending, reason, transient, commit, base, gist, seconds, size, *packed = found
    report, body, evidence = (_unpacked(data) for data in packed)
    rows = database.execute(
        "SELECT path, before, after FROM files WHERE key = ? AND stage = ? ORDER BY position",
        (key, stage.value),
    )
    files = tuple(
        ChangedFile(os.fsdecode(path), zlib.decompress(before), zlib.decompress(after))
        for path, before, after in rows
    )
    return Result(
        Ending(ending),
        reason,
        bool(transient),
        commit,
        base,
        files,
        report,
        body,
        gist,
        evidence,
        seconds,
        size,
    )


def forget_results(database: sqlite3.Connection, key: str) -> None:
    """All that was found in a repository."""
    for stage in Stage:
        _forget(database, key, stage)


def _forget(database: sqlite3.Connection, key: str, stage: Stage) -> None:
    for table in ("results", "files"):
        database.execute(f"DELETE FROM {table} WHERE key = ? AND stage = ?", (key, stage.value))


def _small(data: bytes) -> bytes:
    return zlib.compress(data, _LEVEL)


def _packed(text: str) -> bytes:
    return _small(text.encode("utf-8", "surrogatepass"))


def _unpacked(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def clean(text: str) -> str:
    """``text`` as UTF-8 can have it: what strangers wrote may not be."""
    return text.encode("utf-8", "backslashreplace").decode()
