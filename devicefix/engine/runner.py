"""`check` and `apply`: every file on its own, so that a bad one never stops the rest."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from devicefix.engine.commit import commit
from devicefix.engine.discovery import discover
from devicefix.engine.reading import read_relevant
from devicefix.engine.report import FileError, FileFailedError, FileResult, Report
from devicefix.settings import Settings
from devicefix.source import Source, SourceError

if TYPE_CHECKING:
    from devicefix.codemod import Codemod
    from devicefix.engine.workbench import Analyse, Workbench

Progress = Callable[[Sequence[Path]], Iterable[Path]]
"""Passes the files through, and may show how far the work is."""

_Outcome = tuple[FileResult | None, tuple[FileError, ...]]


def no_progress(files: Sequence[Path]) -> Iterable[Path]:
    """Show nothing."""
    return files


def check(
    paths: Sequence[Path],
    settings: Settings,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
) -> Report:
    """Find, and change nothing; uses the installed codemods unless ``codemods`` are given.

    Raises `UnknownRuleError` and `RegistryError`.
    """
    tools = _Tools(settings, codemods, analyse)
    return _run(paths, tools, progress, lambda bench, source: bench.survey(source))


def apply(
    paths: Sequence[Path],
    settings: Settings,
    dry_run: bool = False,
    progress: Progress = no_progress,
    *,
    codemods: Sequence[type[Codemod]] | None = None,
    analyse: Analyse | None = None,
) -> Report:
    """Fix what may be fixed and write it, unless ``dry_run``; `undo` takes it back.

    Nothing is written before all files are analysed. Raises `UnknownRuleError`, `RegistryError`,
    `JournalError` (nothing was written then).
    """
    tools = _Tools(settings, codemods, analyse)
    if dry_run:
        return _run(paths, tools, progress, lambda bench, source: bench.rehearse(source))
    return commit(_run(paths, tools, progress, lambda bench, source: bench.mend(source)))


class _Tools:
    """Opens the workbench when it is first needed: a folder without torch loads no codemod."""

    def __init__(
        self,
        settings: Settings,
        codemods: Sequence[type[Codemod]] | None,
        analyse: Analyse | None,
    ) -> None:
        self.settings = settings
        self._given = codemods, analyse
        self._bench: Workbench | None = None
        if settings.select or settings.ignore:
            self.bench()  # a selector that names no rule is an error with nothing to check, too

    def bench(self) -> Workbench:
        if self._bench is None:
            from devicefix.engine.workbench import open_workbench

            self._bench = open_workbench(self.settings, *self._given)
        return self._bench


def _run(
    paths: Sequence[Path],
    tools: _Tools,
    progress: Progress,
    work: Callable[[Workbench, Source], _Outcome],
) -> Report:
    started = time.perf_counter()
    discovery = discover(paths, tools.settings.exclude)
    results, errors = [], list(discovery.errors)
    for path in progress(discovery.files):
        result, complaints = _one_file(path, tools, work)
        errors += complaints
        if result is not None and result.findings:
            results.append(result)
    return Report(
        files=tuple(sorted(results, key=lambda result: result.path)),
        errors=tuple(sorted(errors, key=lambda error: (error.path, error.line or 0))),
        checked=len(discovery.files),
        seconds=time.perf_counter() - started,
    )


def _one_file(path: Path, tools: _Tools, work: Callable[[Workbench, Source], _Outcome]) -> _Outcome:
    try:
        data = read_relevant(path)
    except FileFailedError as failure:
        return None, (failure.error,)
    if data is None:
        return None, ()
    bench = tools.bench()  # what fails here fails for every file, so it is not caught
    try:
        return work(bench, Source.from_bytes(data, str(path)))
    except Exception as error:  # a bug of ours must not stop the other files either
        return None, (_complaint(str(path), error),)


def _complaint(path: str, error: Exception) -> FileError:
    if isinstance(error, FileFailedError):
        return error.error
    if isinstance(error, SourceError):
        return FileError(path, error.line, error.reason)
    if isinstance(error, RecursionError):
        return FileError(path, None, "nested too deeply to be analysed")
    if isinstance(error, MemoryError):
        return FileError(path, None, "too large to be analysed in memory")
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error} ({frame.filename}:{frame.lineno})"
    return FileError(path, None, f"internal error, please report it: {what}")
