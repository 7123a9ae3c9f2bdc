"""Annotations on GitHub: workflow commands, which the runner takes from a step's output.

The runner keeps ten errors, ten warnings and ten notices of a step; what is beyond is counted in
the tenth, and all is in the log, as lines that are no commands
(https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands,
https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from devicefix.codemod import Codemod
from devicefix.engine import Left, Remains
from devicefix.engine.groups import Key, key_of
from devicefix.engine.registry import load_codemods
from devicefix.findings import Finding, place_text
from devicefix.reporting.account import Account
from devicefix.reporting.counting import counted
from devicefix.reporting.file_places import FilePlace, Places
from devicefix.reporting.remains import said_of, summary
from devicefix.reporting.rule_pages import page_of
from devicefix.reporting.severity import Severity, severity_of
from devicefix.reporting.terminal import printable
from devicefix.reporting.texts import Texts

MOST: Final = 10
"""Annotations of one level that the runner keeps of a step."""
_COMMANDS: Final = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}
_IN_DATA: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY: Final = {**_IN_DATA, ":": "%3A", ",": "%2C"}


class _Annotation(Struct, frozen=True):
    """One thing to be said about a place."""

    severity: Severity
    place: FilePlace
    title: str
    message: str
    line: str
    """The same for the log."""
    is_first: bool = True
    """Of its decision: whoever sees to this one sees to the others."""


def render(account: Account) -> str:
    """The weightiest findings as commands, then all of them as lines."""
    places = Places(Texts(account))
    found = [*_errors(account, places), *_findings(account, places)]
    lines = [command for severity in _COMMANDS for command in _commands(severity, found)]
    lines += _log(account, found)
    return "".join(f"{line}\n" for line in lines)


def _commands(severity: Severity, found: Iterable[_Annotation]) -> Iterator[str]:
    """Those of one level, one of each decision first; what is too much the last one says."""
    own = [one for one in found if one.severity is severity]
    own.sort(key=lambda one: not one.is_first)
    fits = len(own) <= MOST
    for one in own if fits else own[: MOST - 1]:
        yield _command(severity, [*_where(one.place), ("title", one.title)], one.message)
    if not fits:
        rest = len(own) - MOST + 1
        message = f"{rest} more are in the log of this step: GitHub shows only {MOST} of each type."
        yield _command(severity, [("title", "devicefix")], message)


def _command(severity: Severity, properties: Sequence[tuple[str, object]], message: str) -> str:
    given = ",".join(f"{name}={_escaped(str(value), _IN_PROPERTY)}" for name, value in properties)
    return f"::{_COMMANDS[severity]} {given}::{_escaped(message, _IN_DATA)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in printable(text))


def _where(place: FilePlace) -> Iterator[tuple[str, object]]:
    """File and lines; columns only where it is one line, as GitHub takes no others."""
    yield "file", place.path
    if place.line is not None:
        yield "line", place.line
    region = place.region
    if region is not None:
        yield "endLine", region.end_line
        if region.line == region.end_line:
            yield "col", region.column
            yield "endColumn", region.end_column


def _log(account: Account, found: Sequence[_Annotation]) -> Iterator[str]:
    if not found:
        what = "found nothing" if account.proposes else "left nothing"
        yield f"devicefix {what} in {counted(account.report.checked, 'file')}."
    else:
        yield f"::group::devicefix: {counted(len(found), 'finding')}"
        yield from (f"- {_no_command(one.line)}" for one in found)
        yield "::endgroup::"
    yield from _remaining(account.report.remains)


def _remaining(remains: Remains | None) -> Iterator[str]:
    """What is left of CUDA, use by use; the group is folded in the log."""
    if remains is None or not (line := summary(remains, "")):
        return
    yield f"::group::devicefix: {line}"
    for use in remains.uses:
        yield _no_command(f"- {use.where} {use.text}: {said_of(use)}")
    yield from (_no_command(f"- {path}: not counted") for path in remains.uncounted)
    yield "::endgroup::"


def _no_command(line: str) -> str:
    """``line`` without what the runner looks for anywhere in one: commands of the old kind."""
    return printable(line).replace("##[", "## [")


def _errors(account: Account, places: Places) -> Iterator[_Annotation]:
    for error in account.report.errors:
        place = places.error(error)
        title = f"devicefix: not {'fully analysed' if error.program else 'processed'}"
        yield _Annotation(Severity.ERROR, place, title, _with_cell(error.reason, place), str(error))


def _findings(account: Account, places: Places) -> Iterator[_Annotation]:
    """In the order of files; what is fixed already is not among them."""
    shown = [one for one in account.outcomes() if account.proposes or one[1] is not None]
    known = {codemod.code: codemod for codemod in load_codemods()} if shown else {}
    decided: set[Key] = set()
    for finding, left in shown:
        place, said = places.finding(finding, left), _said(finding, left)
        key = key_of(finding, finding.fix) if finding.fix is not None else None
        where = place_text(finding.path, finding.line, finding.column, finding.cell)
        yield _Annotation(
            severity_of(known.get(finding.code)),
            place,
            f"{finding.code} {finding.rule}",
            _with_page(_with_cell(said, place), known.get(finding.code)),
            f"{where} {finding.code} {said}",
            key not in decided,
        )
        if key is not None:
            decided.add(key)


def _said(finding: Finding, left: Left | None) -> str:
    return finding.message + (f": {left.reason}" if left is not None else "")


def _with_cell(message: str, place: FilePlace) -> str:
    return f"{message} ({place.cell})" if place.cell else message


def _with_page(message: str, codemod: type[Codemod] | None) -> str:
    page = page_of(codemod) if codemod is not None else None
    return f"{message} {page}" if page else message
