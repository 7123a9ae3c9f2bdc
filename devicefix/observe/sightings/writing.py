"""What was seen in this process, as a file of the format that `devicefix.records` reads."""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from devicefix.digests import digest_of_text, line_digests
from devicefix.observe.sightings.instrument import Watched
from devicefix.observe.sightings.loading import Compiler, Finder
from devicefix.observe.sightings.starting import run_script_with
from devicefix.observe.sightings.table import Table

VERSION: Final = 1
ENDING: Final = ".seen"


def begin(directory: Path, root: str) -> Callable[[], None]:
    """See the expressions of modules below ``root`` that are loaded from now on.

    Returns what writes a file into ``directory`` with all that was seen. A process that was forked
    meanwhile writes its own, if it comes that far.
    """
    table = Table()
    table.begin()
    compiler = Compiler(table, root)
    sys.meta_path.insert(0, Finder(compiler))
    run_script_with(compiler)

    def write() -> None:
        content = json.dumps({"version": VERSION, "files": entries(table)})
        name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        part = directory / f"{name}.part"
        try:
            part.write_text(content, encoding="utf-8")
            part.replace(directory / f"{name}{ENDING}")
        except OSError as error:
            sys.stderr.write(f"devicefix: the evidence could not be written: {error}\n")

    return write


def entries(table: Table) -> dict[str, Any]:
    """By absolute path: digests of the text, and the expressions of which something is known."""
    found = {}
    for path, (text, first, watched) in list(table.files.items()):
        entries = (_entry(table, number, one) for number, one in enumerate(watched, first))
        told = [entry for entry in entries if _is_told(entry)]
        if told:
            digests = {"digest": digest_of_text(text), "lines": line_digests(text)}
            found[path] = {**digests, "expressions": told}
    return found


def _is_told(entry: dict[str, Any]) -> bool:
    """Of numbers and strings that no tensor has a part in nobody wants to know."""
    return "demand" in entry or any(fact["kind"] != "other" for fact in entry["seen"])


def _entry(table: Table, number: int, one: Watched) -> dict[str, Any]:
    facts = [
        {
            "kind": kind,
            "type": name,
            "dtype": dtype or None,
            "device": device or None,
            "shapes": [list(shape) for shape in shapes],
        }
        for (kind, name, dtype, device), shapes in table.facts(number).items()
    ]
    place = [one.line, one.column, one.end_line, one.end_column]
    entry = {"place": place, "seen": facts}
    if any(fact[0] == "tensor" for part in one.operands for fact in table.facts(part)):
        entry["demand"] = {"met": bool(facts), "failed": []}
    return entry
