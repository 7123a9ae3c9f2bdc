"""The step that looks: findings, or fixes that may be proposed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from devicefix.action.changed import check_revision, revision
from devicefix.action.drafting import base_of
from devicefix.action.fixing import fix
from devicefix.action.folders import top_of, working_in
from devicefix.action.inputs import InputError, Inputs, Mode
from devicefix.action.publishing import take
from devicefix.action.runner import CANNOT, DONE, FOUND, Runner, withhold
from devicefix.action.telling import set_outputs
from devicefix.engine import check
from devicefix.reporting.account import Account
from devicefix.reporting.formats import render
from devicefix.settings import Settings, load_settings

_EVENTS: Final = frozenset({"push", "schedule", "workflow_dispatch", "repository_dispatch"})
"""Those whose checkout is a branch of the repository itself. In the others it may be a stranger's
work, or a merge that is on no branch."""


def look(inputs: Inputs, runner: Runner) -> int:
    """Do what the workflow asks for, but for the pull request; the exit status.

    Raises `InputError`, `BundleError`, and what the engine and a verification raise.
    """
    if inputs.mode is not Mode.CHECK:
        _check_event(inputs.mode, runner)
        base_of(inputs, runner)  # now, and not after a verification
    withhold()
    with working_in(top_of(inputs.folder, runner.workspace)) as top:
        runner.set_outputs(root=top)
        check_revision(inputs.since, top)
        paths = [Path(os.path.relpath(inputs.folder / path)) for path in inputs.paths]
        settings = _settings(paths, inputs)
        if inputs.mode is Mode.CHECK:
            return _check(paths, settings, inputs, runner)
        if inputs.mode is Mode.PUBLISH:
            take(paths, settings, inputs, runner)
            return DONE
        return fix(paths, settings, inputs, runner)


def _check_event(mode: Mode, runner: Runner) -> None:
    if runner.event not in _EVENTS:
        raise InputError(
            f"input mode: {mode.value} works for {', '.join(sorted(_EVENTS))} only, not for "
            f"{runner.event}, where the checkout may be untrusted; use mode check"
        )


def _check(paths: list[Path], settings: Settings, inputs: Inputs, runner: Runner) -> int:
    since = revision(inputs.since, runner, Path.cwd())
    report = check(paths, settings, jobs=0, since=since)
    account = Account(report, "check")
    print(render(account, "github"), end="")  # noqa: T201
    runner.summarise(render(account, "markdown"))
    set_outputs(account, runner)
    if report.errors:
        return CANNOT
    return FOUND if report.files and inputs.fail_on_findings else DONE


def _settings(paths: list[Path], inputs: Inputs) -> Settings:
    start = Path(os.path.commonpath([path.absolute() for path in paths]))
    settings = load_settings(start if start.is_dir() else start.parent)
    return replace(
        settings,
        select=inputs.select or settings.select,
        ignore=(*settings.ignore, *inputs.ignore),
        unsafe_fixes=settings.unsafe_fixes or inputs.unsafe_fixes,
    )
