"""Results on the disk: all but the files as JSON, compressed; each file for itself."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from dataclasses import fields
from typing import Any, Final

from devicefix.migration.orders import ChangedFile, Ending, Result, Stage

_LEVEL: Final = 6
_LONGEST: Final = 2000
"""Characters of a reason or an address."""
_FILES: Final = "files"
_FIELDS: Final = tuple(field.name for field in fields(Result) if field.name != _FILES)


def store_result(database: sqlite3.Connection, key: str, stage: Stage, result: Result) -> None:
    """In the place of what the stage found before."""
    _forget(database, key, stage)
    said = {name: getattr(result, name) for name in _FIELDS} | {"ending": result.ending.value}
    data = _small(json.dumps(said).encode())
    database.execute("INSERT INTO results VALUES (?, ?, ?)", (key, stage.value, data))
    rows = (
        (key, stage.value, number, os.fsencode(file.path), _small(file.before), _small(file.after))
        for number, file in enumerate(result.files)
    )
    database.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?)", rows)


def load_result(
    database: sqlite3.Connection, key: str, stage: Stage, with_files: bool = True
) -> Result | None:
    """What `store_result` was given; None where it was not."""
    asked = "SELECT said FROM results WHERE key = ? AND stage = ?"
    found = database.execute(asked, (key, stage.value)).fetchone()
    if found is None:
        return None
    said: dict[str, Any] = json.loads(zlib.decompress(found[0]))
    known: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in said.items()
        if name in _FIELDS
    }
    known["ending"] = Ending(known["ending"])
    return Result(**known, files=_files(database, key, stage) if with_files else ())


def _files(database: sqlite3.Connection, key: str, stage: Stage) -> tuple[ChangedFile, ...]:
    rows = database.execute(
        "SELECT path, before, after FROM files WHERE key = ? AND stage = ? ORDER BY number",
        (key, stage.value),
    )
    return tuple(
        ChangedFile(os.fsdecode(path), zlib.decompress(before), zlib.decompress(after))
        for path, before, after in rows
    )


def forget_results(database: sqlite3.Connection, key: str) -> None:
    """All that was found in a repository."""
    for stage in Stage:
        _forget(database, key, stage)


def clean(text: str) -> str:
    """``text`` as UTF-8 can have it, and no book: what strangers wrote may be either."""
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
    return short.encode("utf-8", "backslashreplace").decode()


def _forget(database: sqlite3.Connection, key: str, stage: Stage) -> None:
    for table in ("results", "files"):
        database.execute(f"DELETE FROM {table} WHERE key = ? AND stage = ?", (key, stage.value))


def _small(data: bytes) -> bytes:
    return zlib.compress(data, _LEVEL)
