"""Which files are looked at together: those that import each other, as far as they are of torch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from devicefix.engine.components import components
from devicefix.engine.reading import Import, Scan
from devicefix.source import ModuleIndex

MOST_FILES: Final = 60
"""Files of one program. Of 235 programs in 42 public repositories the largest has 42; a library has
all its files in one, and everything would be evaluated again for every edit."""
MOST_BYTES: Final = 1_200_000
"""Bytes of one program. The largest of those 235 has 454 kB; trees take some 50 times as much."""

Links = Mapping[str, frozenset[str]]
"""The files that each file imports."""
Pair = tuple[int, int]
"""Two pieces of a program by their numbers, the lower first."""


def partition(scans: Sequence[Scan], modules: ModuleIndex) -> list[list[str]]:
    """The programs among ``scans``, each as its paths in order.

    A program holds files that mention torch, those that import them (through others, too), and
    those that they import. What is in no program has nothing to do with torch.
    """
    by_path = {scan.path: scan for scan in sorted(scans, key=lambda scan: scan.path)}
    links = {path: _targets(scan, modules) & by_path.keys() for path, scan in by_path.items()}
    about_torch = frozenset(path for path, scan in by_path.items() if scan.mentions_torch)
    near = about_torch | _helpers(about_torch, by_path, links)
    found: list[list[str]] = []
    for component in _connected(near | _importers(about_torch, links), by_path, links):
        if _fits(component):
            found.append([scan.path for scan in component])
        else:
            # In a library, all and sundry imports something that imports something of torch.
            nearest = near | {path for path in by_path if links[path] & about_torch}
            inside = nearest.intersection(scan.path for scan in component)
            for part in _connected(inside, by_path, links):
                found += _split(part, links)
    return sorted(found)


def _connected(paths: frozenset[str], scans: Mapping[str, Scan], links: Links) -> list[list[Scan]]:
    members = [path for path in scans if path in paths]
    pairs = ((path, target) for path in members for target in links[path])
    return [[scans[path] for path in component] for component in components(members, pairs)]


# -- who imports whom ------------------------------------------------------------------------------


def _targets(scan: Scan, modules: ModuleIndex) -> frozenset[str]:
    found = {
        path for imported in scan.imports() for path in meant(scan.path, imported, modules) if path
    }
    return frozenset(found - {scan.path})


def meant(importer: str, imported: Import, modules: ModuleIndex) -> Iterator[str | None]:
    """The files that one import reads: the module, and those of the names that are modules."""
    module, level, names = imported
    yield modules.find(importer, module, level)
    if modules.is_package(importer, module, level):
        for name in names:
            yield modules.find(importer, f"{module}.{name}" if module else name, level)


def _helpers(paths: frozenset[str], scans: Mapping[str, Scan], links: Links) -> frozenset[str]:
    """What ``paths`` import, but for files that say nothing.

    An empty ``__init__.py`` would tie together all that lies beside it.
    """
    return frozenset(t for path in paths for t in links[path] if scans[t].size)


def _importers(targets: Iterable[str], links: Links) -> frozenset[str]:
    """The files that import one of ``targets``, directly or through others."""
    importers: dict[str, list[str]] = {}
    for path, imported in links.items():
        for target in imported:
            importers.setdefault(target, []).append(path)
    found: set[str] = set()
    waiting = list(targets)
    while waiting:
        new = set(importers.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return frozenset(found)


# -- what is too large -----------------------------------------------------------------------------


def _split(component: Sequence[Scan], links: Links) -> list[list[str]]:
    """Programs of a bearable size: whole folders, put together by how much they import.

    Each reads the others as neighbours.
    """
    pieces = dict(enumerate(_pieces([(Path(scan.path).parts, scan) for scan in component], 0)))
    between = _imports_between(pieces, links)
    while between:
        one, other = max(between, key=lambda pair: (between[pair], -pair[0], -pair[1]))
        if _fits([*pieces[one], *pieces[other]]):
            pieces[one] += pieces.pop(other)
            between = _merged(between, one, other)
        else:
            del between[one, other]  # pieces only grow
    return [sorted(scan.path for scan in piece) for piece in pieces.values()]


def _merged(between: Counter[Pair], one: int, other: int) -> Counter[Pair]:
    """``between`` after the piece ``other`` was put to ``one``."""
    found: Counter[Pair] = Counter()
    for pair, count in between.items():
        left, right = sorted(one if number == other else number for number in pair)
        if left != right:
            found[left, right] += count
    return found


def _pieces(files: Sequence[tuple[tuple[str, ...], Scan]], depth: int) -> Iterator[list[Scan]]:
    scans = [scan for _, scan in files]
    if _fits(scans):
        yield scans
        return
    folders: dict[str, list[tuple[tuple[str, ...], Scan]]] = {}
    here: list[Scan] = []
    for parts, scan in files:
        if len(parts) > depth + 1:
            folders.setdefault(parts[depth], []).append((parts, scan))
        else:
            here.append(scan)
    yield from _chunks(here)
    for inside in folders.values():
        yield from _pieces(inside, depth + 1)


def _chunks(scans: Sequence[Scan]) -> Iterator[list[Scan]]:
    """The files of one folder, as many together as fit."""
    chunk: list[Scan] = []
    for scan in scans:
        if chunk and not _fits([*chunk, scan]):
            yield chunk
            chunk = []
        chunk.append(scan)
    if chunk:
        yield chunk


def _fits(scans: Sequence[Scan]) -> bool:
    return len(scans) <= MOST_FILES and sum(scan.size for scan in scans) <= MOST_BYTES


def _imports_between(pieces: Mapping[int, Sequence[Scan]], links: Links) -> Counter[Pair]:
    """How many imports tie two pieces together."""
    number = {scan.path: at for at, piece in pieces.items() for scan in piece}
    pairs = (
        (min(at, number[target]), max(at, number[target]))
        for path, at in number.items()
        for target in links[path]
        if number.get(target, at) != at
    )
    return Counter(pairs)
