"""Which files need CUDA whatever is rewritten in them, and where that is said.

A program needs it if it ends without CUDA, talks over NCCL or runs code that is compiled for CUDA,
and nothing decides about that but who starts it. What stands below a condition, in a ``try`` that
goes on, or behind an import that may fail is no need: there the program has another way.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from msgspec.structs import replace

from devicefix.findings import Reason
from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import FileFacts, Need
from devicefix.flow.scripts import is_script
from devicefix.flow.unavoidable import Unavoidable, imported_files
from devicefix.flow.values import FileRecord


def needs(analysis: Analysis) -> dict[FileRecord, Need]:
    """The files that need CUDA, and those that nothing but such files imports."""
    search = Unavoidable(analysis)
    found = {file: need for file in analysis.owned if (need := search.of_file(file)) is not None}
    return {**_parts(analysis, found), **found} if found else {}


def reason_with_line(analysis: Analysis, need: Need, file: FileRecord) -> str:
    """The reason and its line, as it is said of ``file``."""
    line, home = getattr(need.tree, "lineno", 1), analysis.home(need.tree)
    place = f"line {line}" if home is file else f"{home.path}:{line}"
    return f"{place}: {need.reason}"


def left_with_cuda(
    analysis: Analysis, facts: Mapping[str, FileFacts], found: Mapping[FileRecord, Need]
) -> dict[str, FileFacts]:
    """``facts`` without placements that rest on a new device of a file that needs CUDA.

    Where something that names CUDA stays for it, the file that shows the need says so.
    """
    moves = [t for f in facts.values() if f.needs_cuda for t in f.transfers]
    groups = {
        t.group for t in moves if t.device is not None and (t.device.preamble or t.device.passed)
    }
    shown = [need for file, need in found.items() if groups or _stays(file, facts[file.path])]
    kept = {}
    for path, known in facts.items():
        transfers = tuple(t for t in known.transfers if t.group not in groups)
        own = (n for n in dict.fromkeys(shown) if analysis.home(n.tree).path == path)
        kept[path] = replace(known, transfers=transfers, needs=tuple(own))
    return kept


def _stays(file: FileRecord, facts: FileFacts) -> bool:
    """Whether something in a file is left for the need that rules would free of CUDA."""
    if facts.literals or facts.guards or facts.numbers or any(map(_is_cuda, facts.calls)):
        return True
    imports = {file.source.span(node).start for node in file.source.imports}
    needed = (use for use in facts.uses if use.reason is Reason.NEEDED)
    return any(use.span.start not in imports for use in needed)


def _is_cuda(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def _parts(analysis: Analysis, found: dict[FileRecord, Need]) -> dict[FileRecord, Need]:
    """The files that only those in ``found`` import, directly or through each other."""
    links = {
        file: set(imported_files(analysis, file, file.source.imports)) for file in analysis.owned
    }
    parts, waiting = {}, list(found)
    needed = dict(found)
    for file in waiting:  # it grows meanwhile
        for part in sorted(links[file] - needed.keys(), key=lambda record: record.path):
            if not _is_for_others(analysis, part):
                parts[part] = needed[part] = needed[file]
                waiting.append(part)
    while outside := [p for p in parts if _importers(links, p) - parts.keys() - found.keys()]:
        for part in outside:
            del parts[part]
    return parts


def _importers(links: dict[FileRecord, set[FileRecord]], part: FileRecord) -> set[FileRecord]:
    return {file for file, imported in links.items() if part in imported}


def _is_for_others(analysis: Analysis, file: FileRecord) -> bool:
    return is_script(file.source.tree) or file.path in analysis.program.imported_elsewhere
