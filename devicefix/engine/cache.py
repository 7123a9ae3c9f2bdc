"""What a check has found in programs, kept for the next run, as long as all is the same.

A key holds whatever an outcome depends on: the bytes of the program's files, the files of its
project by name (they say what an import means), the settings, and the code of devicefix itself.
Beside the outcome stand the neighbours that the analysis has asked for, with digests of what they
held, and the names that it has looked for in them: where one has changed, the outcome counts if it
says the same of those names (`said_of`). What had errors is not kept.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.cache_files import CacheFiles, digest_of
from devicefix.engine.projects import Plan
from devicefix.engine.reading import Scan, load, signature_at
from devicefix.engine.registry import GROUP
from devicefix.engine.report import FileFailedError, Outcome
from devicefix.engine.state import cache_folder
from devicefix.engine.witnessed import state_of
from devicefix.engine.work import Work, loaded, worked
from devicefix.settings import Settings
from devicefix.source import Source, SourceError
from devicefix.source.program import WHOLE

if TYPE_CHECKING:
    from devicefix.engine.workbench import Workbench

_Key = TypeVar("_Key", bound=Hashable)

_FORMAT: Final = 6
"""Of what is kept; another one for another kind of entry."""
_OWN_RULES: Final = "codemods"
_LIBRARIES: Final = ("fissix", "libcst", "nbformat", "pyflakes")
"""Those that findings come from, or their edits."""
_ROOT: Final = Path(__file__).parents[2]
"""The folder that devicefix and its rules are imported from."""


class Cache(Struct, frozen=True):
    """The outcomes of one run's settings; it may be sent to other processes."""

    files: CacheFiles
    context: str
    """A digest of all that outcomes depend on, but for the files of the project."""

    def checked(self, plan: Plan, bench: Workbench) -> Outcome:
        """What a check finds in the program of ``plan``, which is kept."""
        sources, errors = loaded(plan)
        asked = _Asked(plan.neighbour)
        asking = replace(plan, neighbour=asked, noted=asked.note)
        outcome = worked(asking, sources, errors, bench, Work.SURVEY)
        if not outcome.errors and asked.all_were_there and _rules_are_own():
            key = self.key(plan, [source.signature for source in sources])
            self._keep(key, asked.depends(), outcome)
        return outcome

    def key(self, plan: Plan, signatures: Iterable[str]) -> str:
        """What the outcome of ``plan`` is found by, where its files have these ``signatures``."""
        known, elsewhere = sorted(plan.about_torch), sorted(plan.imported_elsewhere)
        # a folder may say that they are tests, and the index does not know notebooks
        whole = [os.path.abspath(path) for path in plan.paths]  # noqa: PTH100  fast
        files = [*zip(plan.paths, whole, signatures, strict=True)]
        torch = [plan.declared.version, plan.declared.said] if plan.declared is not None else []
        helpers = [repr(helper) for helper in plan.helpers]
        about = files, known, elsewhere, torch, helpers
        return digest_of([self.context, plan.modules.fingerprint, *about])

    def _keep(self, key: str, neighbours: list[_Dependence], outcome: Outcome) -> None:
        self.files.put(key, [neighbours, msgspec.to_builtins(outcome)])


class Memory:
    """What of a run is known already; each file is read once, if at all."""

    def __init__(self, cache: Cache, scans: Iterable[Scan]) -> None:
        self.cache = cache
        self._signatures: dict[str, str | None] = {s.path: s.signature for s in scans}
        self._changed: dict[str, Source | None] = {}
        """Neighbours that do not hold what they held; None where they do not parse."""

    def outcomes(self, plans: Mapping[_Key, Plan]) -> dict[_Key, Outcome]:
        """What was found in those of ``plans`` of which all is as it was."""
        found = {key: self._outcome(plan) for key, plan in plans.items()}
        return {key: outcome for key, outcome in found.items() if outcome is not None}

    def _outcome(self, plan: Plan) -> Outcome | None:
        signatures = [self._signature(path) for path in plan.paths]
        present = [signature for signature in signatures if signature]
        if len(present) < len(signatures):
            return None
        kept = self.cache.files.get(self.cache.key(plan, present))
        try:
            neighbours, content = kept
            known = self._signatures
            same = all(
                known.get(path) == signature or self._says_the_same(path, signature, names, said)
                for path, signature, names, said in neighbours
            )
            return msgspec.convert(content, Outcome) if same else None
        except (TypeError, ValueError, msgspec.ValidationError):  # nothing, or not of this form
            return None

    def _says_the_same(self, path: str, signature: str, names: list[str], said: str) -> bool:
        """Whether a file holds what it held, or says as much of the names that were asked for."""
        now = self._signature(path)
        if now == signature:
            return True
        if now is None or WHOLE in names:
            return False
        if path not in self._changed:
            self._changed[path] = _parsed(path)
        source = self._changed[path]
        return source is not None and source.signature == now and _said(names, source) == said

    def _signature(self, path: str) -> str | None:
        if path not in self._signatures:
            try:
                self._signatures[path] = signature_at(Path(path))
            except FileFailedError:
                self._signatures[path] = None
        return self._signatures[path]


def _parsed(path: str) -> Source | None:
    try:
        source = load(Path(path))
        _ = source.tree
    except (FileFailedError, SourceError):
        return None
    return source


def _said(names: Iterable[str], source: Source) -> str:
    from devicefix.flow.neighbours import said_of  # where nothing has changed nobody asks

    return digest_of(said_of(names, source))


_Dependence = tuple[str, str, Sequence[str], str]
"""A neighbour: its path, its signature, the names that were looked for in it, and a digest of what
it says of them."""


class _Asked:
    """Passes neighbours on, and notes which, and what was looked for in them."""

    def __init__(self, neighbour: Callable[[str], Source | None]) -> None:
        self._neighbour = neighbour
        self._names: dict[str, set[str]] = {}
        self._sources: dict[str, Source] = {}
        self.all_were_there = True
        """None was missing: whether one that does not parse will do so is not known without it."""

    def __call__(self, path: str) -> Source | None:
        source = self._neighbour(path)
        if source is None:
            self.all_were_there = False
        else:
            self._sources[path] = source
        return source

    def note(self, path: str, name: str) -> None:
        """As in `Program`."""
        self._names.setdefault(path, set()).add(name)

    def depends(self) -> list[_Dependence]:
        """What the analysis has got to know, by path."""
        return [self._dependence(path) for path in sorted(self._sources)]

    def _dependence(self, path: str) -> _Dependence:
        source, names = self._sources[path], sorted(self._names.get(path, ()))
        said = "" if WHOLE in names else _said(names, source)
        return path, source.signature, names, said


def memory(
    settings: Settings, scans: Iterable[Scan], code: str, textual: bool = False
) -> Memory | None:
    """What is known of files that were ``scans``; None with rules that others have written.

    When these change, nobody can tell. ``code`` is the `code_digest`; ``textual``: nothing
    is evaluated.
    """
    rules = [entry.value for entry in entry_points(group=GROUP)]
    if rules != [_OWN_RULES]:
        return None
    # what came to its end in time would have done so with more of it
    seen = [state_of(settings.evidence)] if settings.evidence else []
    context = digest_of([_FORMAT, repr(replace(settings, time_limit=0.0)), code, textual, *seen])
    return Memory(Cache(CacheFiles(cache_folder("checks")), context), scans)


def code_digest() -> str:
    """A digest of what works on programs: Python, libraries, devicefix and its rules."""
    return digest_of([sys.version, _versions(), list(_code())])


def _versions() -> list[str]:
    found = []
    for name in _LIBRARIES:
        try:
            found.append(version(name))
        except PackageNotFoundError:
            found.append("")
    return found


def _code() -> Iterator[tuple[str, int, int]]:
    """The files of devicefix and of its rules, tables among them, with what changes when one is
    edited."""
    waiting = [str(_ROOT / package) for package in ("devicefix", _OWN_RULES)]
    while waiting:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.endswith((".py", ".txt")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
            elif entry.is_dir() and entry.name != "__pycache__":
                waiting.append(entry.path)


def _rules_are_own() -> bool:
    """Whether the rules that were loaded are those that the context is about."""
    place = getattr(sys.modules.get(_OWN_RULES), "__file__", None) or ""
    return Path(place).parent.parent == _ROOT
