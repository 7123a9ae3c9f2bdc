"""One stage of the work on one repository: a clone of its own, and whatever happens is a `Result`.

The working directory becomes the clone, as reports name files from there: this is for a process
that does nothing else meanwhile.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from devicefix.engine import EngineError, Rehearsal, Report, rehearsal
from devicefix.engine.groups import UNSAFE
from devicefix.migration.cloning import Clone, Wanted, clone
from devicefix.migration.errors import EmptyError, MigrationError, OutdatedCloneError
from devicefix.migration.orders import ChangedFile, Ending, Order, Result
from devicefix.migration.surroundings import token_of
from devicefix.reporting.account import Account
from devicefix.reporting.formats import render
from devicefix.reporting.pull_request import counts, gist, pull_request_body
from devicefix.settings import Settings, SettingsError, load_settings

_TREE: Final = "tree"
Work = Callable[[Order, Clone], Result]


@dataclass(frozen=True, slots=True)
class Looked:
    """The fixes of a clone, before anybody has chosen among them."""

    trial: Rehearsal
    report: Report
    """What is fixed as the settings say."""

    @property
    def has_unsafe(self) -> bool:
        """Whether fixes are left only because they are unsafe."""
        reasons = (left.reason for result in self.report.files for left in result.left)
        return any(reason.startswith(UNSAFE) for reason in reasons)


def worked(order: Order, commit: str, work: Work) -> Result:
    """What ``work`` makes of a clone at ``commit`` (empty: the newest of the branch)."""
    started = time.monotonic()
    try:
        with _cloned(order, commit) as found, _working_in(found.folder):
            result = _done(order, found, work)
    except EmptyError as error:
        result = Result(Ending.NOTHING, str(error))
    except MigrationError as error:
        outdated = isinstance(error, OutdatedCloneError)
        result = Result(Ending.FAILED, str(error), transient=error.transient, outdated=outdated)
    except OSError as error:
        result = Result(
            Ending.FAILED, f"the operating system reported an error: {error}", transient=True
        )
    return replace(result, seconds=time.monotonic() - started)


def _done(order: Order, found: Clone, work: Work) -> Result:
    try:
        result = work(order, found)
    except (EngineError, SettingsError, MigrationError) as error:
        result = Result(Ending.FAILED, _Plain(found.folder).text(str(error)))
    known = {"commit": found.commit, "base": found.base, "size": found.size, "notes": found.notes}
    return replace(result, **known)  # type: ignore[arg-type]


def look(order: Order, found: Clone) -> Looked:
    """Find the fixes in a clone, which is the working directory. Nothing of it is executed.

    Raises `MigrationError`, `EngineError` and `SettingsError`.
    """
    paths = [_inside(found.folder, path) for path in order.paths or (".",)]
    trial = rehearsal(paths, _settings(order, found.folder, paths))
    return Looked(trial, trial.report())


def reported(result: Result, account: Account, found: Clone) -> Result:
    """``result`` with all that is said of a run, and the files where it has any."""
    report = account.report
    body = pull_request_body(account, found.base) if result.files else ""
    plain = _Plain(found.folder)
    return replace(
        result,
        reason=plain.text(result.reason),
        report=plain.text(render(account, "json")),
        errors=len({error.path for error in report.errors}),
        counts=counts(account),
        body=plain.text(body),
        gist=plain.text(gist(body)),
        evidence=plain.text(result.evidence),
    )


def changed_files(report: Report, found: Clone) -> tuple[ChangedFile, ...]:
    """What is to be written, by the names that git has for the files."""
    return tuple(
        ChangedFile(_named(found.folder, result.path), change.before, change.after)
        for result, change in report.changes
    )


def without_fixes(report: Report) -> str:
    """What is said where there is nothing to fix."""
    files = "file" if report.checked == 1 else "files"
    reason = f"there is nothing to fix in {report.checked} {files}"
    failed = len({error.path for error in report.errors})
    return f"{reason}; {failed} could not be processed" if failed else reason


class _Plain:
    """Texts without the name of a folder that is another one each time."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)

    def text(self, text: str) -> str:
        return text.replace(f"{self._folder}/", "").replace(self._folder, ".")


@contextmanager
def _cloned(order: Order, commit: str) -> Iterator[Clone]:
    wanted = Wanted(
        order.url, order.base, commit, token_of(order.token_variable), order.limits.size
    )
    folder = Path(tempfile.mkdtemp(prefix="devicefix-clone-"))
    try:
        yield clone(wanted, folder / _TREE)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """The working directory, from which nothing is imported: what lies there is a stranger's."""
    before, path = Path.cwd(), list(sys.path)
    sys.path[:] = [entry for entry in path if Path(entry).is_absolute()]
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path


def _inside(top: Path, path: str) -> Path:
    """Raises `MigrationError` for what is not in the repository."""
    real = Path(os.path.realpath(top / path))
    if not real.is_relative_to(top):
        raise MigrationError(f"{path} leads out of the repository")
    if not real.exists():
        raise MigrationError(f"there is no {path} in it")
    return Path(os.path.relpath(top / path, top))


def _named(top: Path, path: str) -> str:
    return Path(os.path.realpath(path)).relative_to(top).as_posix()


def _settings(order: Order, top: Path, paths: list[Path]) -> Settings:
    """What the repository says of itself, and the plan over it."""
    start = Path(os.path.commonpath([path.absolute() for path in paths]))
    own = load_settings(start if start.is_dir() else start.parent, top=top)
    return order.options.over(own)
