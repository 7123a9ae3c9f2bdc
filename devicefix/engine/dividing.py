"""The parts of a project, found out anew only as far as its files have changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.programs import Links, import_links, partition
from devicefix.engine.reading import Scan
from devicefix.source import ModuleIndex


class Division(Struct, frozen=True):
    """A project in parts."""

    links: Links
    """Who imports whom."""
    programs: Sequence[Sequence[str]]
    """As `partition` gives them."""
    slack: int
    """By how many bytes the files together may change without making other programs."""


Divide = Callable[[Sequence[Scan], ModuleIndex], Division]


def division(
    scans: Sequence[Scan], modules: ModuleIndex, known: Links = MappingProxyType({})
) -> Division:
    """The parts of a project that consists of ``scans``; ``known`` as for `import_links`."""
    links = import_links(scans, modules, known)
    return Division(links, *partition(scans, links))


class Divisions:
    """The same, for who asks again and again."""

    def __init__(
        self,
        known: Mapping[str, Division] = MappingProxyType({}),
        scans: Mapping[str, Scan] = MappingProxyType({}),
    ) -> None:
        """``known`` are those of ``scans``, by the fingerprint of their modules."""
        self._known = known
        self._scans = scans
        self.made: dict[str, Division] = {}
        """What was asked for."""

    def __call__(self, scans: Sequence[Scan], modules: ModuleIndex) -> Division:
        """The parts of a project that consists of ``scans``."""
        old = self._known.get(modules.fingerprint)
        new = division(scans, modules) if old is None else self._changed(old, scans, modules)
        self.made[modules.fingerprint] = new
        return new

    def _changed(self, old: Division, scans: Sequence[Scan], modules: ModuleIndex) -> Division:
        """The names are those of ``old``, so imports mean what they meant."""
        before = self._scans
        news = [scan for scan in scans if before.get(scan.path) != scan]
        if old.links.keys() == {scan.path for scan in scans}:
            grown = sum(_growth(before.get(scan.path), scan, old.slack + 1) for scan in news)
            if grown <= old.slack:
                return replace(old, slack=old.slack - grown) if grown else old
        restated = {s.path for s in news if _statements(before.get(s.path)) != s.statements}
        known = {path: to for path, to in old.links.items() if path not in restated}
        return division(scans, modules, known)


def _growth(before: Scan | None, now: Scan, too_much: int) -> int:
    """How many bytes a file has more or less; ``too_much`` where that is not all."""
    if before is None or not before.size or not now.size:
        return too_much
    return abs(now.size - before.size) if replace(before, size=now.size) == now else too_much


def _statements(scan: Scan | None) -> tuple[str, ...] | None:
    return scan.statements if scan is not None else None
