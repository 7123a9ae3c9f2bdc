"""Reports for people: the findings, a summary by rule, and what is left for a person and why."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, TextIO

from devicefix.engine import FileError, Left, Report
from devicefix.findings import Applicability, Finding, spelled
from devicefix.reporting.account import Account
from devicefix.reporting.diff import show_diffs
from devicefix.reporting.remains import is_none, show_remains
from devicefix.reporting.shortcomings import but
from devicefix.reporting.terminal import Styled, complain, console, print_lines, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_STYLES: Final = ("yellow", "magenta", "green")
"""By applicability: display, unsafe, safe."""
_NEXT: Final = " devicefix undo reverts it, devicefix verify ENTRY checks it."


def render(account: Account) -> str:
    """All that the terminal would show, without colours; the diffs first, where there are some."""
    out = io.StringIO()
    if account.dry_run:
        show_diffs(account.report, out)
    if account.acceptance is not None:
        from devicefix.reporting import acceptance_text

        acceptance_text.show(account.acceptance, account, out)
    elif account.command == "check":
        show_check(account.report, out, listing=account.listing)
    else:
        show_apply(account.report, out, account.rehearsed, listing=account.listing)
    out.writelines(printable(str(error)) + "\n" for error in account.report.errors)
    return out.getvalue()


def show_check(report: Report, out: TextIO, *, listing: bool = False) -> None:
    """What `check` found, and what remains of CUDA; with ``listing`` use by use."""
    _show_check(report, out)
    show_remains(report, out, listing=listing)


def _show_check(report: Report, out: TextIO) -> None:
    findings = _findings(report)
    if not findings:
        print(f"Nothing found in {_count(report.checked, 'file')}{but(report)}.", file=out)
        return
    screen = console(out)
    print_lines(screen, map(_line, findings))
    screen.print(_summary(findings, _left(report), "Fixable"))
    _show_left(screen, _left(report))
    fixable = len(findings) - len(_left(report))
    screen.print(
        f"{_count(len(findings), 'finding')} in {_count(len(report.files), 'file')} "
        f"({report.checked} checked{but(report)}): devicefix apply fixes {fixable}."
    )


def show_apply(report: Report, out: TextIO, dry_run: bool, *, listing: bool = False) -> None:
    """What `apply` did, or would do, and what remains of CUDA; with ``listing`` use by use."""
    _show_apply(report, out, dry_run)
    show_remains(report, out, listing=listing, verb="would remain" if dry_run else "remain")


def _show_apply(report: Report, out: TextIO, dry_run: bool) -> None:
    findings, left = _findings(report), _left(report)
    if not findings:
        what = "Nothing to fix" if not report.failed else "Nothing fixed"
        print(f"{what} in {_count(report.checked, 'file')}{but(report)}.", file=out)
        return
    screen = console(out)
    print_lines(screen, (_line(done) for result in report.files for done in result.applied))
    screen.print(_summary(findings, left, "Fixable" if dry_run else "Fixed"))
    _show_left(screen, left)
    verb = "Would fix" if dry_run else "Fixed"
    undo = _NEXT if report.changes and not dry_run else ""
    fixed = len(findings) - len(left)
    rest = f"; {len(left)} left" if left or is_none(report.remains) else ""
    screen.print(
        f"{verb} {_count(fixed, 'finding')} in {_count(len(report.changes), 'file')} "
        f"({report.checked} checked{but(report)}){rest}.{undo}"
    )


def show_errors(errors: Iterable[FileError]) -> None:
    """What could not be done, one line each on stderr."""
    for error in errors:
        complain(str(error))


def _findings(report: Report) -> list[Finding]:
    return [finding for result in report.files for finding in result.findings]


def _left(report: Report) -> list[Left]:
    return [left for result in report.files for left in result.left]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + "s" * (number != 1)


def _place(finding: Finding) -> str:
    return printable(spelled(finding.path, finding.line, finding.column, finding.cell))


def _line(finding: Finding) -> tuple[Styled, ...]:
    sure = applicability(finding)
    return (
        (_place(finding), "bold"),
        (" ", ""),
        (finding.code, "cyan"),
        (f" {printable(finding.message)} ", ""),
        (f"[{sure.name.lower()}]", _STYLES[sure]),
    )


def applicability(finding: Finding) -> Applicability:
    """How sure its fix is; a finding without one is for a person."""
    return finding.fix.applicability if finding.fix is not None else Applicability.DISPLAY


def _summary(findings: list[Finding], left: list[Left], fixed: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table("Code", "Rule", box=box.SIMPLE_HEAD)
    for title in ("Findings", fixed, "Left"):
        table.add_column(title, justify="right")
    for code, rule, found, remaining in _rows(findings, left):
        table.add_row(code, rule, str(found), str(found - remaining), str(remaining))
    return table


def _rows(findings: list[Finding], left: list[Left]) -> Iterator[tuple[str, str, int, int]]:
    found = Counter((finding.code, finding.rule) for finding in findings)
    remaining = Counter(x.finding.code for x in left)
    for code, rule in sorted(found):
        yield code, rule, found[code, rule], remaining[code]


def _show_left(screen: Console, left: list[Left]) -> None:
    if left:
        print_lines(screen, _lines_of(left))


def _lines_of(left: Iterable[Left]) -> Iterator[tuple[Styled, ...]]:
    yield (("Needs your decision:", "bold"),)
    for x in left:
        found = x.finding
        yield ((f"  {_place(found)} {found.code} {printable(found.message)}", ""),)
        yield ((f"    {printable(x.reason)}", ""),)
    yield (("", ""),)
