"""Which files are looked at together: those that import each other, as far as they are of torch."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from devicefix.engine.components import components
from devicefix.engine.reading import Import, Scan
from devicefix.source import ModuleIndex

MOST_FILES: Final = 60
"""Files of one program. Of 235 programs in 42 public repositories the largest has 42; a library has
all its files in one, and everything would be evaluated again for every edit."""
MOST_BYTES: Final = 1_200_000
"""Bytes of one program. The largest of those 235 has 454 kB; trees take some 50 times as much."""
LARGE_FILES: Final = 240
"""Files of a library whose folders have little to do with each other. In transformers (2,835 files
about torch) folders apart tell the same 158 findings as parts of 16 files of several folders, in
two thirds of the time, for they ask for fewer neighbours. Of a project of 127 files such parts lose
8 of 12 findings."""
LARGE_BYTES: Final = 4_800_000
"""Bytes of such a library."""
PART_FILES: Final = 16
"""Files of one part of such a library: of one folder, and of no other that is looked at."""
PART_BYTES: Final = 300_000
"""Bytes of such a part."""

Links = Mapping[str, Collection[str]]
"""The files that each file imports."""
Pair = tuple[int, int]
"""Two pieces of a program by their numbers, the lower first."""
_Waiting = tuple[int, int, int]
"""Minus the imports that tie a pair together, and the pair."""


def partition(scans: Sequence[Scan], imported: Links) -> tuple[list[list[str]], int]:
    """The programs among ``scans``, each as its paths in order.

    And by how many bytes the files together may grow and shrink without making other programs, as
    long as no file becomes empty, or ceases to be.

    ``imported`` says who imports whom. A program holds files that mention torch, those that import
    them (through others, too), and those that they import. What is in no program has nothing to do
    with torch.
    """
    by_path = {scan.path: scan for scan in sorted(scans, key=lambda scan: scan.path)}
    links = {path: by_path.keys() & imported[path] for path in by_path}
    about_torch = frozenset(path for path, scan in by_path.items() if scan.mentions_torch)
    near = about_torch | _helpers(about_torch, by_path, links)
    found: list[list[str]] = []
    room, small = _Room(MOST_FILES, MOST_BYTES), _Room(PART_FILES, PART_BYTES)
    project = _Room(LARGE_FILES, LARGE_BYTES)
    for component in _connected(near | _importers(about_torch, links), by_path, links):
        if room.holds(component):
            found.append([scan.path for scan in component])
        else:
            # In a library, all and sundry imports something that imports something of torch.
            nearest = near | {path for path in by_path if not about_torch.isdisjoint(links[path])}
            inside = nearest.intersection(scan.path for scan in component)
            for part in _connected(inside, by_path, links):
                large = not project.holds(component)
                found += _apart(part, small) if large else _split(part, links, room)
    return sorted(found), min(one.slack for one in (room, small, project))


def _connected(paths: frozenset[str], scans: Mapping[str, Scan], links: Links) -> list[list[Scan]]:
    members = [path for path in scans if path in paths]
    pairs = ((path, target) for path in members for target in links[path])
    return [[scans[path] for path in component] for component in components(members, pairs)]


# -- who imports whom ------------------------------------------------------------------------------


def import_links(
    scans: Iterable[Scan], modules: ModuleIndex, known: Links = MappingProxyType({})
) -> Links:
    """Who imports whom; ``known`` has those of whom that was found already."""
    return {s.path: known[s.path] if s.path in known else _targets(s, modules) for s in scans}


def _targets(scan: Scan, modules: ModuleIndex) -> frozenset[str]:
    found = {
        path for imported in scan.imports() for path in meant(scan.path, imported, modules) if path
    }
    return frozenset(found - {scan.path})


def meant(importer: str, imported: Import, modules: ModuleIndex) -> Iterator[str | None]:
    """The files that one import reads: the module, and those of the names that are modules."""
    module, level, names = imported
    found, is_package = modules.look_up(importer, module, level)
    yield found
    if is_package:
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


def in_parts(paths: Sequence[str], links: Links) -> list[list[str]]:
    """The files of a program that takes too long as a whole, in parts that take less."""
    scans = [Scan(path, 0, mentions_torch=True, statements=()) for path in paths]
    room = _Room(min(PART_FILES, (len(scans) + 1) // 2), PART_BYTES)
    return sorted(_split(scans, links, room))


def _split(component: Sequence[Scan], links: Links, room: _Room) -> list[list[str]]:
    """Programs of a bearable size: whole folders, put together by how much they import.

    Each reads the others as neighbours.
    """
    pieces = dict(enumerate(_by_folder(component, room)))
    beside: dict[int, Counter[int]] = {number: Counter() for number in pieces}
    for (one, other), count in _imports_between(pieces, links).items():
        beside[one][other] = beside[other][one] = count
    # those that import each other most come first, then the first ones
    waiting = [(-beside[at][to], at, to) for at in beside for to in beside[at] if at < to]
    heapq.heapify(waiting)
    while waiting:
        count, one, other = heapq.heappop(waiting)
        if beside.get(one, Counter())[other] != -count:
            continue  # one of them is a part of another piece by now, or it was said anew
        if room.holds([*pieces[one], *pieces[other]]):
            pieces[one] += pieces.pop(other)
            for pair in _joined(beside, one, other):
                heapq.heappush(waiting, pair)
        else:
            del beside[one][other], beside[other][one]  # pieces only grow
    return [sorted(scan.path for scan in piece) for piece in pieces.values()]


def _apart(component: Sequence[Scan], room: _Room) -> list[list[str]]:
    """The same, of a large library: folders alone."""
    return [sorted(scan.path for scan in piece) for piece in _by_folder(component, room)]


def _by_folder(component: Sequence[Scan], room: _Room) -> Iterator[list[Scan]]:
    """Whole folders, as large as fit, and the files of one in pieces where they do not."""
    yield from _pieces([(Path(scan.path).parts, scan) for scan in component], 0, room)


def _joined(beside: dict[int, Counter[int]], one: int, other: int) -> Iterator[_Waiting]:
    """Give ``one`` what was beside ``other``, which is a part of it now; the pairs that are new."""
    for third, count in beside.pop(other).items():
        del beside[third][other]
        if third != one:
            beside[one][third] += count
            beside[third][one] += count
            yield -beside[one][third], min(one, third), max(one, third)


def _pieces(
    files: Sequence[tuple[tuple[str, ...], Scan]], depth: int, room: _Room
) -> Iterator[list[Scan]]:
    scans = [scan for _, scan in files]
    if room.holds(scans):
        yield scans
        return
    folders: dict[str, list[tuple[tuple[str, ...], Scan]]] = {}
    here: list[Scan] = []
    for parts, scan in files:
        if len(parts) > depth + 1:
            folders.setdefault(parts[depth], []).append((parts, scan))
        else:
            here.append(scan)
    yield from _chunks(here, room)
    for inside in folders.values():
        yield from _pieces(inside, depth + 1, room)


def _chunks(scans: Sequence[Scan], room: _Room) -> Iterator[list[Scan]]:
    """The files of one folder, as many together as fit."""
    chunk: list[Scan] = []
    for scan in scans:
        if chunk and not room.holds([*chunk, scan]):
            yield chunk
            chunk = []
        chunk.append(scan)
    if chunk:
        yield chunk


class _Room:
    """What fits into one program."""

    def __init__(self, most_files: int, most_bytes: int) -> None:
        self._files, self._bytes = most_files, most_bytes
        self.slack = most_bytes
        """By how many bytes all sizes may differ from what they are, and give the same answers."""

    def holds(self, scans: Sequence[Scan]) -> bool:
        """Whether ``scans`` fit."""
        if len(scans) > self._files:
            return False
        left = self._bytes - sum(scan.size for scan in scans)
        self.slack = min(self.slack, left if left >= 0 else -left - 1)
        return left >= 0


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
