"""What a run over some folders leaves for the next one: their files, and how they hang together.

One file for each set of folders, put in its place as a whole. What is broken, was written by other
code, or cannot be written, is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from devicefix.engine.cache_files import CacheFiles, digest_of
from devicefix.engine.known_files import NONE, Known, Scanned, scan_all
from devicefix.engine.programs import Division, division
from devicefix.engine.reading import Scan, Stamp
from devicefix.engine.report import FileError
from devicefix.engine.state import cache_folder
from devicefix.source import ModuleIndex

MOST: Final = 40_000_000
"""Bytes of all of them; the 2,860 files of transformers take 3 MB."""
_FORMAT: Final = 1


@dataclass(slots=True)
class KnownProjects:
    """The files of one run, and the programs that they make; `keep` leaves them for the next."""

    key: str
    kept: CacheFiles
    before: Mapping[str, Known] = field(default_factory=dict)
    divisions: Mapping[str, Division] = field(default_factory=dict)
    """By the fingerprint of their modules."""
    scanned: Scanned = NONE
    found: dict[str, Division] = field(default_factory=dict)

    def scan(self, paths: Sequence[Path]) -> tuple[list[Scan], list[FileError]]:
        """The files at ``paths`` as they are now, and why some could not be read."""
        self.scanned = scan_all(paths, self.before)
        return [file.scan for file in self.scanned.files.values()], [*self.scanned.errors]

    def divided(self, scans: Sequence[Scan], modules: ModuleIndex) -> Division:
        """The parts of a project; nothing is found out that is known."""
        old = self.divisions.get(modules.fingerprint)
        paths = [scan.path for scan in scans]
        if old is None:
            new = division(scans, modules)
        elif old.links.keys() == set(paths) and self.scanned.news.isdisjoint(paths):
            new = old
        else:
            restated = self.scanned.restated
            known = {path: to for path, to in old.links.items() if path not in restated}
            new = division(scans, modules, known)
        self.found[modules.fingerprint] = new
        return new

    def keep(self) -> None:
        """Leave what is known for the next run."""
        if self.scanned.files != self.before or self.found != self.divisions:
            self.kept.put(self.key, _plain(self.scanned.files, self.found))
            self.kept.tidy(MOST)


def known_projects(paths: Sequence[Path], exclude: Sequence[str], code: str) -> KnownProjects:
    """What the last run over ``paths`` has left, if it had the same ``code``."""
    key = digest_of([_FORMAT, code, str(Path.cwd()), [*map(str, paths)], [*exclude]])
    kept = CacheFiles(cache_folder("projects"))
    try:
        return KnownProjects(key, kept, *_made(kept.get(key)))
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):  # nothing, or not ours
        return KnownProjects(key, kept)


def _plain(files: Mapping[str, Known], divisions: Mapping[str, Division]) -> Any:
    """Both as lists, strings and numbers; what occurs often is said once."""
    names, statements = _Numbers(), _Numbers()
    return [
        [list(_file(name, known, names, statements)) for name, known in files.items()],
        [
            [
                fingerprint,
                [
                    [names[path], *(names[to] for to in sorted(links))]
                    for path, links in d.links.items()
                ],
                [[names[path] for path in program] for program in d.programs],
            ]
            for fingerprint, d in divisions.items()
        ],
        list(names),
        list(statements),
    ]


class _Numbers(dict[str, int]):
    """Strings by the order in which they were asked for."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


def _file(name: str, known: Known, names: _Numbers, statements: _Numbers) -> Iterator[Any]:
    scan = known.scan
    yield names[name]
    yield list(known.stamp) if known.stamp is not None else None
    yield from (scan.size, scan.mentions_torch, scan.looks_old, scan.signature)
    yield [statements[text] for text in scan.statements]


def _made(content: Any) -> tuple[dict[str, Known], dict[str, Division]]:
    """The same again. Raises one of several errors where `_plain` has not made ``content``."""
    files, divisions, names, statements = content
    known: dict[str, Known] = {}
    for number, stamp, size, torch, old, signature, said in files:
        path = names[number]
        scan = Scan(path, size, torch, tuple(statements[at] for at in said), old, signature)
        known[path] = Known(Stamp(*stamp) if stamp is not None else None, scan)
    return known, {
        fingerprint: Division(
            {names[path]: frozenset(names[at] for at in to) for path, *to in links},
            [[names[at] for at in program] for program in programs],
        )
        for fingerprint, links, programs in divisions
    }
