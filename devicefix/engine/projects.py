"""From the files that were given to programs: whose files they are, and what lies around them."""

from __future__ import annotations

import ast
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary, finalize

from msgspec import Struct, field
from msgspec.structs import replace

from devicefix.device_helpers import DeviceHelper
from devicefix.engine.declared import Declarations
from devicefix.engine.dividing import Divide, division
from devicefix.engine.helpers import helpers_at_hand, project_helpers
from devicefix.engine.nearby import files_around, repository_of, wider_roots
from devicefix.engine.overlay import NOTHING, Overlay
from devicefix.engine.programs import Links, in_parts, meant
from devicefix.engine.reading import Scan, load
from devicefix.engine.real_paths import RealPaths
from devicefix.engine.report import FileFailedError
from devicefix.engine.witnessed import evidence_of
from devicefix.oldest_torch import OldestTorch
from devicefix.settings import Settings
from devicefix.source import ModuleIndex, Program, Source, SourceError
from devicefix.source.parsing import unlink
from devicefix.source.program import unnoted

ROOM: Final = 5_000_000
"""Characters of neighbours that a process keeps parsed, some 150 MB with their trees."""


class Plan(Struct, frozen=True):
    """A program before its files are read."""

    paths: tuple[str, ...]
    about_torch: frozenset[str]
    """Those of ``paths`` that mention it."""
    size: int
    """Bytes of its files."""
    modules: ModuleIndex
    neighbour: Callable[[str], Source | None]
    imported_elsewhere: frozenset[str] = frozenset()
    """Those of ``paths`` that other files of the project import; none where all is of Python 3."""
    overlay: Overlay = NOTHING
    """What is read in place of some files."""
    shelf: Shelf | None = None
    """Where its neighbours are kept."""
    noted: Callable[[str, str], None] = unnoted
    """As in `Program`."""
    declared: OldestTorch | None = None
    """What the project says of torch."""
    helpers: tuple[DeviceHelper, ...] = ()
    """As in `Program`."""
    links: Links = field(default_factory=dict)
    """Which of ``paths`` each of them imports."""

    def parts(self) -> list[Plan]:
        """The same program in parts, each of which reads the others as neighbours."""
        return [self._part(paths) for paths in in_parts(self.paths, self.links)]

    def _part(self, paths: Sequence[str]) -> Plan:
        own = frozenset(paths)
        return replace(
            self,
            paths=tuple(paths),
            about_torch=self.about_torch & own,
            imported_elsewhere=self.imported_elsewhere & own
            | _imported_elsewhere(paths, self.links),
        )

    def holding(self, overlay: Overlay) -> Plan:
        """The same program with other texts in place of files; who imports whom stays."""
        if self.shelf is None:
            return replace(self, overlay=overlay)
        shelf = self.shelf.holding(overlay)
        return replace(self, overlay=overlay, shelf=shelf, neighbour=shelf.take)

    def program(self, sources: Collection[Source], settings: Settings) -> Program:
        """The program of those files that could be read."""
        known = {s.path: s for s in sources}
        around = self.modules, self.neighbour, self.imported_elsewhere, self.noted
        oldest, evidence = settings.oldest_torch(self.declared), evidence_of(settings)
        return Program(known, *around, oldest_torch=oldest, evidence=evidence, helpers=self.helpers)


def plans(
    paths: Sequence[Path],
    scans: Sequence[Scan],
    exclude: Sequence[str],
    overlay: Overlay = NOTHING,
    divided: Divide = division,
    *,
    helped: bool = False,
) -> Iterator[Plan]:
    """The programs among the files below ``paths``, which were ``scans``.

    ``divided`` may know more than what it is given; ``helped``: `HelperError` is raised where a
    project has no helper for the device.
    """
    if not any(scan.mentions_torch for scan in scans):
        return
    around = _around(paths, scans, exclude, all_of_it=helped)
    about_torch = frozenset(scan.path for scan in scans if scan.mentions_torch)
    shelf = Shelf((*(scan.path for scan in scans), *around), overlay=overlay)
    sizes = {scan.path: scan.size for scan in scans}
    declarations = Declarations(paths)
    for project in _repositories(scans):
        modules = ModuleIndex((*(scan.path for scan in project), *around), _libraries)
        about = any(scan.mentions_torch for scan in project)
        find = project_helpers if helped else helpers_at_hand
        own = find(project, around, modules, shelf.take) if about else ()
        parts = divided(project, modules)
        programs, links = parts.programs, parts.links
        for program in (*programs, *_old_rest(project, programs)):
            size = sum(sizes[path] for path in program)
            known = about_torch.intersection(program)
            elsewhere = _imported_elsewhere(program, links)
            around_it = modules, shelf.take, elsewhere, overlay, shelf
            declared = declarations.oldest(program)
            members = frozenset(program)
            inner = {path: members.intersection(links.get(path, ())) for path in program}
            yield Plan(
                tuple(program), known, size, *around_it, declared=declared, helpers=own, links=inner
            )


def _imported_elsewhere(program: Sequence[str], links: Links) -> frozenset[str]:
    """The files of ``program`` that other files import."""
    own = frozenset(program)
    return frozenset(t for path in links if path not in own for t in links[path] if t in own)


def _old_rest(project: Sequence[Scan], programs: Sequence[Sequence[str]]) -> list[list[str]]:
    """The other files that may be Python 2, where a program of the project is.

    Each by itself: a project that is brought to Python 3 is as a whole. Beside programs of Python 3
    such a file is none of them: an example, a script of another tool, what a parser is tested with.
    """
    known = frozenset(path for program in programs for path in program)
    if not any(scan.looks_old for scan in project if scan.path in known):
        return []
    return [[scan.path] for scan in project if scan.looks_old and scan.path not in known]


def _libraries() -> frozenset[str]:
    """The top-level modules of libraries that are known."""
    from devicefix.torch_api.worlds import WORLDS

    return frozenset(name.partition(".")[0] for name in WORLDS)


def _around(
    paths: Sequence[Path], scans: Sequence[Scan], exclude: Sequence[str], *, all_of_it: bool
) -> tuple[str, ...]:
    """The files around those of ``scans``, if these import anything that is not among them.

    With ``all_of_it`` they are those of the whole project, whatever is imported.
    """
    if all_of_it:
        return _others(dict.fromkeys(map(repository_of, paths)), scans, exclude)
    roots = wider_roots(paths)
    if not roots:
        return ()
    foreign = _libraries()
    modules = ModuleIndex((scan.path for scan in scans), lambda: foreign)
    if not any(_asks_for_more(scan, modules, foreign) for scan in scans if scan.mentions_torch):
        return ()
    return _others(roots, scans, exclude)


def _others(
    roots: Iterable[Path], scans: Sequence[Scan], exclude: Sequence[str]
) -> tuple[str, ...]:
    """The files below ``roots`` that are not among ``scans``."""
    found = tuple(map(str, files_around(roots, exclude)))
    real = RealPaths()
    known = {real(scan.path) for scan in scans} if found else set()
    return tuple(path for path in found if real(path) not in known)


def _asks_for_more(scan: Scan, modules: ModuleIndex, foreign: Collection[str]) -> bool:
    for imported in scan.imports():
        first = imported.module.partition(".")[0]
        library = first in foreign or first in sys.stdlib_module_names
        if (imported.level or not library) and not any(meant(scan.path, imported, modules)):
            return True
    return False


def _repositories(scans: Sequence[Scan]) -> list[list[Scan]]:
    """The files of each git repository, and those of none."""
    roots: dict[str, str] = {}

    def root(folder: str) -> str:
        if folder not in roots:
            above = os.path.dirname(folder)  # noqa: PTH120
            # a file of that name makes a submodule: a part
            is_root = os.path.isdir(os.path.join(folder, ".git"))  # noqa: PTH112, PTH118
            roots[folder] = folder if is_root else root(above) if above != folder else ""
        return roots[folder]

    found: dict[str, list[Scan]] = {}
    real = RealPaths()
    for scan in scans:
        found.setdefault(root(os.path.dirname(real(scan.path))), []).append(scan)  # noqa: PTH120
    return list(found.values())


class Shelf:
    """Files that are read and parsed when they are first asked for."""

    def __init__(
        self, files: Collection[str], room: int = ROOM, overlay: Overlay = NOTHING
    ) -> None:
        """``files`` are all that may be asked for."""
        self._files = frozenset(files)
        self._room = room
        self._overlay = overlay
        self._recent: OrderedDict[str, Source] = OrderedDict()
        self._alive: WeakValueDictionary[str, Source] = WeakValueDictionary()
        self._broken: set[str] = set()
        self._marks: dict[str, object] = {}
        self._ends: dict[str, finalize[[ast.Module], Source]] = {}
        """What is done when those that were dropped go."""

    def __reduce__(self) -> tuple[type[Shelf], tuple[Collection[str], int, Overlay]]:
        """Another process reads its files itself."""
        return Shelf, (self._files, self._room, self._overlay)

    def holding(self, overlay: Overlay) -> Shelf:
        """The same files with other texts in place of some; what stays is not parsed again."""
        new = Shelf(self._files, self._room, overlay)
        for path, source in self._recent.items():
            if _mark(path, overlay) == self._marks[path]:
                new._recent[path] = new._alive[path] = source
                new._marks[path] = self._marks[path]
        return new

    def take(self, path: str) -> Source | None:
        """The file at ``path``; None where it is none of the project's, or does not parse."""
        source = self._alive.get(path) or self._read(path)
        if source is not None:
            self._recent[path] = source
            self._recent.move_to_end(path)
            self._make_room()
        return source

    def _read(self, path: str) -> Source | None:
        if path not in self._files or path in self._broken:
            return None
        self._marks[path] = _mark(path, self._overlay)
        try:
            source = load(Path(path), self._overlay)
            _ = source.tree
        except (FileFailedError, SourceError):
            self._broken.add(path)
            return None
        self._alive[path] = source
        return source

    def _make_room(self) -> None:
        held = sum(len(source.text) for source in self._recent.values())
        while held > self._room and len(self._recent) > 1:
            _, dropped = self._recent.popitem(last=False)
            held -= len(dropped.text)
            self._unlink_at_the_end(dropped)

    def _unlink_at_the_end(self, source: Source) -> None:
        """Nodes and what holds them hold each other: when nobody holds the file any more, they
        would wait for a collection that looks through all the others, too."""
        known = self._ends.get(source.path)
        held = known.peek() if known is not None else None
        if held is None or held[0] is not source:
            end = self._ends[source.path] = finalize(source, unlink, source.tree)
            end.atexit = False


def _mark(path: str, overlay: Overlay) -> object:
    """What changes when a file does, or the text in its place."""
    held = overlay.text(Path(path))
    if held is not None:
        return held
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
