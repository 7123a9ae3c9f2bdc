"""The work on one program of a run: read it, do what was asked, say what could not be done."""

from __future__ import annotations

import enum
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from devicefix.engine.choice import ALL_BUT_UNSAFE, Choice
from devicefix.engine.interpreter import clear_away, on_large_stack
from devicefix.engine.projects import Plan
from devicefix.engine.reading import load
from devicefix.engine.report import FileError, FileFailedError, Outcome
from devicefix.engine.scope import EVERYTHING, Scope
from devicefix.settings import Settings
from devicefix.source import Program, Source, SourceError
from devicefix.time_limit import TimeExceededError, limited

if TYPE_CHECKING:
    from devicefix.engine.cache import Cache
    from devicefix.engine.workbench import Workbench

_T = TypeVar("_T")


class Work(enum.Enum):
    """What a run is to do with each program."""

    SURVEY = "survey"
    REHEARSE = "rehearse"
    MEND = "mend"

    def done(self, bench: Workbench, program: Program) -> Outcome:
        """What became of ``program``."""
        match self:
            case Work.SURVEY:
                return bench.survey(program)
            case Work.REHEARSE:
                return bench.rehearse(program)
            case Work.MEND:
                return bench.mend(program)


class Orders(Struct, frozen=True):
    """What all programs of a run are worked on with."""

    settings: Settings
    work: Work
    choice: Choice = ALL_BUT_UNSAFE
    scope: Scope = EVERYTHING
    cache: Cache | None = None
    """Where outcomes are kept."""
    counting: bool = True
    """Whether uses of CUDA are counted, whichever rules are selected."""

    def carried_out(self, plan: Plan, bench: Workbench) -> Outcome:
        """What becomes of the program of ``plan``."""
        clear_away()
        if self.cache is not None:
            return self.cache.checked(plan, bench)
        return one_program(plan, bench, self.work)


def one_program(plan: Plan, bench: Workbench, work: Work) -> Outcome:
    """What becomes of the program of ``plan``; a bug of ours is an error of its files."""
    return worked(plan, *loaded(plan), bench, work)


def worked(
    plan: Plan, sources: Sequence[Source], errors: Sequence[FileError], bench: Workbench, work: Work
) -> Outcome:
    """The same, of files that were `loaded`."""
    try:
        outcome = _done(work, bench, plan.program(sources, bench.analyst.settings))
    except TimeExceededError as error:
        outcome = _in_parts(plan, sources, bench, work, error)
    except Exception as error:  # a bug of ours must not stop the other programs either
        outcome = _one_by_one(plan, sources, bench, work, error)
    # of the files that do not parse, those without torch are none of our business
    unparsed = (error for error in outcome.unparsed if error.path in plan.about_torch)
    return replace(outcome, errors=(*errors, *unparsed, *outcome.errors), unparsed=())


def _done(work: Work, bench: Workbench, program: Program, sharing: int = 1) -> Outcome:
    return bounded(lambda: work.done(bench, program), bench.analyst.settings, sharing)


def bounded(analyse: Callable[[], _T], settings: Settings, sharing: int = 1) -> _T:
    """What ``analyse`` returns; a second try on a larger stack where it recurses too deeply.

    Raises `TimeExceededError` where a try takes longer than ``settings`` allow, or than the part of
    that time which is left to each of several that are ``sharing`` it.
    """

    def once() -> _T:
        with limited(settings.time_limit / sharing):
            return analyse()

    try:
        return once()
    except RecursionError:
        return on_large_stack(once)


def loaded(plan: Plan) -> tuple[list[Source], list[FileError]]:
    """The files of a program, also those that do not parse, and which cannot be read."""
    sources, errors = [], []
    for path in plan.paths:
        try:
            source = load(Path(path), plan.overlay)
        except (FileFailedError, SourceError, RecursionError, MemoryError) as error:
            if path in plan.about_torch:  # the others are none of our business
                errors.append(complaint(path, error))
            continue
        sources.append(source)
        if source.notebook is not None and path in plan.about_torch:
            errors += (FileError.of(cell, path) for cell in source.notebook.left_out)
    return sources, errors


def _one_by_one(
    plan: Plan, sources: Sequence[Source], bench: Workbench, work: Work, error: Exception
) -> Outcome:
    """What can be said of the files of a program that cannot be analysed as a whole."""
    whole = complaint(sources[0].path, error)
    if len(sources) == 1:
        return Outcome((), (whole,))
    together = "cannot be analysed together with the rest of its program; each was analysed alone"
    told = replace(whole, reason=f"{together}: {whole.reason}")
    alone = [replace(plan, paths=(source.path,)) for source in sources]
    return _joined(told, [_part(one, sources, bench, work) for one in alone])


def _in_parts(
    plan: Plan, sources: Sequence[Source], bench: Workbench, work: Work, error: TimeExceededError
) -> Outcome:
    """What can be said of the parts of a program that takes too long, in as much time again."""
    parts = plan.parts()
    if len(parts) == 1:
        return Outcome((), (FileError.unfinished(plan.paths, str(error)),))
    told = FileError.unfinished(plan.paths, f"{error}, and was analysed in {len(parts)} parts")
    return _joined(told, [_part(part, sources, bench, work, len(parts)) for part in parts])


def _part(
    plan: Plan, sources: Sequence[Source], bench: Workbench, work: Work, sharing: int = 1
) -> Outcome:
    """What becomes of the files of ``plan``, which is a part of a program."""
    own = [source for source in sources if source.path in plan.paths]
    if not own:
        return Outcome(())
    try:
        return _done(work, bench, plan.program(own, bench.analyst.settings), sharing)
    except TimeExceededError as error:
        return Outcome((), (FileError.unfinished(plan.paths, str(error)),))
    except Exception as error:
        return Outcome((), (complaint(plan.paths[0], error),))


def _joined(told: FileError, parts: Sequence[Outcome]) -> Outcome:
    """What becomes of all parts, and what is said of the whole."""
    return Outcome(
        tuple(result for part in parts for result in part.results),
        (told, *(error for part in parts for error in part.errors)),
        tuple(group for part in parts for group in part.groups),
        tuple(error for part in parts for error in part.unparsed),
        tuple(found for part in parts for found in part.recognised),
    )


def complaint(path: str, error: Exception) -> FileError:
    """What a user is told about an exception; one that nobody expected is a bug of ours."""
    if isinstance(error, FileFailedError):
        return error.error
    if isinstance(error, SourceError):
        return FileError.of(error, path)
    if isinstance(error, RecursionError):
        return FileError(path, None, "nested too deeply to be analysed")
    if isinstance(error, TimeExceededError):
        return FileError.unfinished((path,), str(error))
    if isinstance(error, MemoryError):
        return FileError(path, None, "too large to be analysed in memory")
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error} ({frame.filename}:{frame.lineno})"
    return FileError(path, None, f"internal error, please report it: {what}")
