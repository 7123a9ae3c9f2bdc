"""What a run over some folders leaves for the next one: their files, and how they hang together.

One file for each set of folders, put in its place as a whole. What is broken, was written by other
code, or cannot be written, is not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from devicefix.engine.cache_files import CacheFiles, digest_of
from devicefix.engine.dividing import Division, Divisions
from devicefix.engine.known_files import Known, scan_all
from devicefix.engine.reading import Scan, Stamp
from devicefix.engine.report import FileError
from devicefix.engine.state import cache_folder

MOST: Final = 40_000_000
"""Bytes of all of them; the 2,860 files of transformers take 3 MB."""
_FORMAT: Final = 2


class KnownProjects:
    """The files of one run, and the programs that they make; `keep` leaves them for the next."""

    def __init__(
        self,
        key: str,
        kept: CacheFiles,
        files: Mapping[str, Known] = MappingProxyType({}),
        divisions: Mapping[str, Division] = MappingProxyType({}),
    ) -> None:
        self._key, self._kept = key, kept
        self._before, self._divisions = files, divisions
        self._files: Mapping[str, Known] = {}
        self.divided = Divisions(divisions, {path: known.scan for path, known in files.items()})

    def scan(self, paths: Sequence[Path]) -> tuple[list[Scan], list[FileError]]:
        """The files at ``paths`` as they are now, and why some could not be read."""
        self._files, errors = scan_all(paths, self._before)
        return [file.scan for file in self._files.values()], errors

    def keep(self) -> None:
        """Leave what is known for the next run."""
        if self._files != self._before or self.divided.made != self._divisions:
            self._kept.put(self._key, _plain(self._files, self.divided.made))
            self._kept.tidy(MOST)


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
                d.slack,
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
    yield from (scan.size, scan.mentions_torch, scan.looks_old, scan.names_cuda, scan.signature)
    yield [statements[text] for text in scan.statements]


def _made(content: Any) -> tuple[dict[str, Known], dict[str, Division]]:
    """The same again. Raises one of several errors where `_plain` has not made ``content``."""
    files, divisions, names, statements = content
    known: dict[str, Known] = {}
    for number, stamp, size, torch, old, cuda, signature, said in files:
        path = names[number]
        said_there = tuple(statements[at] for at in said)
        scan = Scan(path, size, torch, said_there, old, signature, cuda)
        known[path] = Known(Stamp(*stamp) if stamp is not None else None, scan)
    return known, {
        fingerprint: Division(
            {names[path]: frozenset(names[at] for at in to) for path, *to in links},
            [[names[at] for at in program] for program in programs],
            slack,
        )
        for fingerprint, links, programs, slack in divisions
    }
