"""Files that devicefix reads about its own affairs: whatever they hold, it says what is wrong.

The first byte chooses the reader. Errors are those that the reader promises, and no others.
"""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from devicefix.engine import BaselineError, JournalError, undo
from devicefix.engine.baseline import read_baseline
from devicefix.engine.cache_files import CacheFiles
from devicefix.engine.journal import last_entry, wrote_last
from devicefix.engine.report import Outcome
from devicefix.migration.ledger import Ledger
from devicefix.migration.plan_file import load_plan
from devicefix.migration.plan_values import PlanError
from devicefix.migration.refusals import CampaignError
from devicefix.proposals.store import ReviewError, Store
from devicefix.records.observations import read_events
from devicefix.records.record import RecordError, read_record
from devicefix.settings import SettingsError, load_settings
from fuzz.places import remembering, workplace
from fuzz.seeds import texts_of
from fuzz.target import Target


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads a file, and what it may raise."""

    read: Callable[[Path], object]
    errors: tuple[type[Exception], ...]
    name: str


def _journal(file: Path) -> None:
    for ask in (lambda: last_entry(file.parent), lambda: undo([file]), lambda: undo()):
        try:
            ask()
        except JournalError:
            continue
    wrote_last([str(file)])


def _cached(file: Path) -> None:
    """Once as it is, once with the checksum that it ought to have."""
    content = file.read_bytes()
    digest = hashlib.blake2b(content, digest_size=16).hexdigest().encode()
    for data in (content, digest + b"\n" + content):
        file.write_bytes(data)
        kept = CacheFiles(file.parent.parent).get(file.stem)
        try:
            _, found = kept
            msgspec.convert(found, Outcome)
        except (TypeError, ValueError):  # as `Cache` has it
            continue


def _ledger(file: Path) -> None:
    with Ledger.read(file) as ledger:
        for row in ledger.rows():
            ledger.history(row.key)


def _review(file: Path) -> None:
    _store().load()


def _store() -> Store:
    return Store([workplace() / "reviewed.py"])


_READERS: Final = (
    Reader(lambda file: load_settings(file.parent, file), (SettingsError,), "pyproject.toml"),
    Reader(read_baseline, (BaselineError,), "baseline.json"),
    Reader(_journal, (JournalError,), "state/journal/1.json"),
    Reader(_cached, (msgspec.ValidationError,), "cache/ab/abc.json"),
    Reader(_review, (ReviewError,), "state/reviews/x.json"),
    Reader(load_plan, (PlanError,), "plan.toml"),
    Reader(lambda f: read_record(f.read_text("utf-8", "replace")), (RecordError,), "record.json"),
    Reader(
        read_events,
        (OSError, ValueError, LookupError, TypeError, RecursionError),  # as `verification` has it
        "events.jsonl",
    ),
    Reader(_ledger, (CampaignError, sqlite3.Error), "campaign.sqlite"),
)


def check(data: bytes) -> None:
    """No error but those that are promised."""
    reader = _READERS[(data[0] if data else 0) % len(_READERS)]
    with remembering(workplace() / "state"):
        file = workplace() / reader.name
        if reader.read is _review:
            file = _store().location
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data[1:])
        try:
            reader.read(file)
        except reader.errors:
            return
        finally:
            for left in file.parent.glob(f"{file.name}*"):  # SQLite puts some beside it
                left.unlink()


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Another value somewhere in the JSON, or another line in what is none."""
    head, body = data[:1] or b"\0", data[1:]
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return head + _other_line(body, chance)
    places = list(_places([content]))
    holder, key = chance.choice(places)
    kind = chance.randrange(4)
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
    else:
        other, at = chance.choice(places)
        holder[key] = other[at] if kind == 1 else chance.choice(_ODD)
    try:
        return head + json.dumps(content).encode()
    except (ValueError, RecursionError):  # it holds itself
        return head + b"[" * 5_000


_ODD: Final[tuple[Any, ...]] = (
    *(None, True, 0, -1, 1.5, 10**30, "", "\ud800", "\0", "../..", "1", [], {}, [[]], {"a": 1}),
    *([None], ["x", "y"], [1, 2, 3], float("nan"), "=" * 5, "a" * 300),
)
_LINES: Final = (
    *(b"x = 1", b"x = " + b"9" * 5_000, b"x = " + b"[" * 3_000, b"[tool.devicefix]", b"x = nan"),
    *(b"select = [1]", b"min-torch = '1'", b"[[repositories]]", b"x = 1979-05-27", b"\xff"),
    *(b"a.b.c = 1", b"[[[", b"\0", b"'" * 6, b"x = '''", b"url = 'file:///x'", b"x = 0x1"),
)


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    keys = holder.keys() if isinstance(holder, dict) else range(len(holder))
    for key in list(keys):
        yield holder, key
        if isinstance(holder[key], dict | list):
            yield from _places(holder[key])


def _other_line(body: bytes, chance: random.Random) -> bytes:
    lines = body.split(b"\n")
    at = chance.randrange(len(lines))
    if chance.random() < 0.3:
        lines.insert(at, chance.choice(_LINES))
    elif chance.random() < 0.5:
        lines[at] = lines[at].partition(b"=")[0] + chance.choice(_LINES).partition(b"=")[2]
    elif len(lines) > 1:
        del lines[at]
    return b"\n".join(lines)


def seeds() -> Iterator[bytes]:
    """A whole one of each kind, and the settings and plans in tests."""
    for number, content in _whole().items():
        yield bytes([number]) + json.dumps(content).encode()
        yield bytes([number]) + b"[" * 5_000
    for text in texts_of("migration", 12):
        if "=" in text and len(text) < 1_000:
            yield b"\5" + text.encode()
    for key in ("select", "ignore", "exclude", "unsafe-fixes", "device-expression", "min-torch"):
        for value in ('["DFX2"]', "true", '"torch.device(0)"', '"2.4"', "1", "[1]"):
            yield b"\0" + f"[tool.devicefix]\n{key} = {value}\n".encode()
    yield from (bytes([0]) + line for line in _LINES)
    yield from (bytes([5]) + line for line in _LINES)
    yield b"\x08" + _database()


def _whole() -> dict[int, Any]:
    file = {"path": "/nowhere/a.py", "before": "0", "after": "1", "codes": ["DFX201"]}
    entry = {"code": "DFX201", "line": "x.cuda()", "within": "f", "count": 2}
    members = [["/nowhere/a.py", "DFX201", 3]]
    span = ["Span", 0, 1]
    edit = ["Edit", 0, 1, 0, "x", ""]
    fix = ["Fix", ["", edit], ["Applicability", 2], "g", False, False, True]
    finding = ["Finding", "DFX201", "r", "m", "p", span, 1, 1, fix, "", None, [""]]
    result = ["FileResult", "p", ["", finding], [""], [""], None]
    place = {"file": "a.py", "line": 1, "function": "f", "text": "x"}
    return {
        1: {"tool": "devicefix", "version": 1, "files": {"a.py": [entry]}},
        2: {"format": 1, "folder": "/", "files": [{**file, "original": "eA==", "partners": []}]},
        3: [[["p", "s"]], ["Outcome", ["", result], [""], [""], [""], [""]]],
        4: {
            "format": 1,
            "paths": [],
            "digests": {"/nowhere/a.py": "0"},
            "accepted": [[members, "s"]],
            "rejected": [members],
            "by_hand": {"/nowhere/a.py": ["eA==", "eA=="]},
        },
        6: {
            **dict.fromkeys(("python", "torch", "device"), "x"),
            **{key: [] for key in ("modules", "tensors", "notes")},
            **dict.fromkeys(("refused", "error"), None),
            **dict.fromkeys(("format", "pid", "ppid", "main"), 1),
            "argv": ["a"],
            "status": "raised",
            "crossings": [{"at": place, "source": "cpu", "target": "cuda", "how": "to"}],
            "lines": [{"at": place, "work": {"cpu": 1}}],
            "work": {"cpu": 1},
        },
        7: {"format": 1, "pid": 1, "main": True},
    }


def _database() -> bytes:
    file = workplace() / "new.sqlite"
    Ledger.opened(file).__exit__(None, None, None)
    data = file.read_bytes()
    file.unlink()
    return data


TARGET: Final = Target(check, seeds, 8_192, mutate)
