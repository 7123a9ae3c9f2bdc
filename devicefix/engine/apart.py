"""Files that name CUDA and belong to no program of torch: nobody is seen to import them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from devicefix.engine.overlay import Overlay
from devicefix.engine.projects import Plan
from devicefix.engine.reading import Scan, load
from devicefix.engine.report import FileFailedError, FileResult, Remaining
from devicefix.findings import Reason
from devicefix.source import Source, SourceError

_DETAIL: Final = "no analysed PyTorch program imports this file"


def files_apart(scans: Iterable[Scan], plans: Sequence[Plan]) -> list[str]:
    """Those that are in none of ``plans``; none where there is no program at all."""
    if not plans:
        return []
    inside = {path for plan in plans for path in plan.paths}
    return [scan.path for scan in scans if scan.names_cuda and scan.path not in inside]


def results_apart(paths: Iterable[str], overlay: Overlay) -> list[FileResult]:
    """What names CUDA in them: strings, that is, as nothing of torch is imported."""
    return [_result(path, overlay) for path in paths]


def _result(path: str, overlay: Overlay) -> FileResult:
    try:
        source = load(Path(path), overlay)
        found = tuple(_uses(source))
    except (FileFailedError, SourceError, RecursionError, MemoryError):
        return FileResult(path, (), (), (), counted=False)
    return FileResult(path, (), (), (), remaining=found)


def _uses(source: Source) -> list[Remaining]:
    from devicefix.flow.cuda_sites import Sort, is_compared, sites

    texts = [site for site in source.once(sites) if site.sort is Sort.TEXT]
    found = []
    for site in texts:
        why = (Reason.ASKED, "") if is_compared(site.tree) else (Reason.UNKNOWN, _DETAIL)
        place, text = source.place(source.span(site.tree).start), source.segment(site.tree)
        found.append(Remaining(source.path, place, text, *why))
    return sorted(found, key=lambda use: (use.place.cell or 0, use.place.line, use.place.column))
