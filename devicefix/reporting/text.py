"""Reports for people: what needs a decision and why, the fixes, and a summary by rule."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TextIO

from devicefix.engine import FileError, Left, Report
from devicefix.findings import Applicability, Finding
from devicefix.reporting.account import Account
from devicefix.reporting.counting import open_to_decide
from devicefix.reporting.diff import show_diffs
from devicefix.reporting.incomplete import incomplete_note
from devicefix.reporting.left_text import applicability, line_of, lines
from devicefix.reporting.remains import is_none, show_remains
from devicefix.reporting.rule_pages import page_of_code
from devicefix.reporting.terminal import Styled, complain, console, print_lines, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_ON_DISK: Final[Mapping[str, bytes]] = MappingProxyType({})
_MANY: Final = 20
"""So many fixes are listed one by one without being asked for."""
_NAMED: Final = 5
"""Files that are named in one sentence."""
_NEXT: Final = " `devicefix undo` reverts this"
_PROOF: Final = "; `devicefix verify ENTRY` checks it"


class Detail(Enum):
    """How much is shown."""

    QUIET = "quiet"
    """The findings alone, one on each line; of `apply` those that are left."""
    NORMAL = "normal"
    VERBOSE = "verbose"
    """All fixes, all places, and the pages of the rules."""


def render(account: Account) -> str:
    """All that the terminal would show, without colours; the diffs first, where there are some."""
    out = io.StringIO()
    if account.dry_run:
        show_diffs(account.report, out)
    if account.mended is not None:
        from devicefix.reporting import loop_text

        loop_text.show(account, out)
    elif account.acceptance is not None:
        from devicefix.reporting import acceptance_text

        acceptance_text.show(account.acceptance, account, out)
    elif account.command == "check":
        show_check(account.report, out, listing=account.listing, texts=account.texts)
    else:
        show_apply(
            account.report, out, account.rehearsed, listing=account.listing, texts=account.texts
        )
    out.writelines(printable(str(error)) + "\n" for error in account.report.errors)
    return out.getvalue()


def show_check(
    report: Report,
    out: TextIO,
    *,
    listing: bool = False,
    detail: Detail = Detail.NORMAL,
    texts: Mapping[str, bytes] = _ON_DISK,
) -> None:
    """What `check` found, and what remains of CUDA; with ``listing`` use by use."""
    if detail is Detail.QUIET:
        print_lines(console(out), map(line_of, _findings(report)))
        return
    _show_check(report, out, detail, texts)
    show_remains(report, out, listing=listing)


def _show_check(report: Report, out: TextIO, detail: Detail, texts: Mapping[str, bytes]) -> None:
    findings, left = _findings(report), _left(report)
    if not findings:
        print(_nothing("Nothing found", report), file=out)
        return
    screen = console(out)
    there = {x.finding for x in left}
    _show_both(screen, left, [f for f in findings if f not in there], detail, texts)
    screen.print(_summary(findings, left, "Fixable"))
    _show_pages(screen, findings, detail)
    screen.print(
        f"{_count(len(findings), 'finding')} in {_count(len(report.files), 'file')} "
        f"({report.checked} checked{incomplete_note(report)}), {_fixable(findings, left)}."
    )


def show_apply(
    report: Report,
    out: TextIO,
    dry_run: bool,
    *,
    listing: bool = False,
    detail: Detail = Detail.NORMAL,
    texts: Mapping[str, bytes] = _ON_DISK,
    verified: bool = False,
) -> None:
    """What `apply` did, or would do, and what remains of CUDA; with ``listing`` use by use."""
    if detail is Detail.QUIET:
        print_lines(console(out), (line_of(x.finding) for x in _left(report)))
        return
    following = "" if dry_run else f"{_NEXT}{_PROOF * (not verified)}."
    _show_apply(report, out, dry_run, detail, texts, following)
    show_untracked(report, out)
    show_remains(report, out, listing=listing, verb="would remain" if dry_run else "remain")


def _show_apply(
    report: Report,
    out: TextIO,
    dry_run: bool,
    detail: Detail,
    texts: Mapping[str, bytes],
    following: str,
) -> None:
    findings, left = _findings(report), _left(report)
    if not findings:
        what = "Nothing to fix" if not report.failed else "Nothing fixed"
        print(_nothing(what, report), file=out)
        return
    screen = console(out)
    applied = [done for result in report.files for done in sorted(result.applied, key=_place)]
    _show_both(screen, left, applied, detail, texts)
    screen.print(_summary(findings, left, "Fixable" if dry_run else "Fixed"))
    _show_pages(screen, findings, detail)
    undo = following if report.changes else ""
    rest = f"; {open_to_decide(len(left))}" if left else "; nothing left" * is_none(report.remains)
    fixed = _fixed(report, len(findings) - len(left), dry_run=dry_run)
    screen.print(f"{fixed} ({report.checked} checked{incomplete_note(report)}){rest}.{undo}")


def _place(finding: Finding) -> tuple[int, int, int]:
    return finding.cell or 0, finding.line, finding.column


def _fixed(report: Report, number: int, *, dry_run: bool) -> str:
    verb = "Would fix" if dry_run else "Fixed"
    if not number:
        return f"{verb} nothing"
    return f"{verb} {_count(number, 'finding')} in {_count(len(report.changes), 'file')}"


def show_untracked(report: Report, out: TextIO) -> None:
    """Which of the written files git does not track, as its diff says nothing of them."""
    if report.untracked:
        names = ", ".join(map(printable, report.untracked[:_NAMED]))
        more = len(report.untracked) - _NAMED
        rest = f" and {_count(more, 'more file', 'more files')}" if more > 0 else ""
        print(
            f"Not tracked by git: {names}{rest}. `git diff` does not show these changes; "
            "only `devicefix undo` reverts them.",
            file=out,
        )


def _fixable(findings: Sequence[Finding], left: Sequence[Left]) -> str:
    """How many `apply` fixes, and how many more it would if it was asked to."""
    safe = len(findings) - len(left)
    unsafe = sum(applicability(x.finding) is Applicability.UNSAFE for x in left)
    if not (safe or unsafe):
        return "none fixable"
    more = f", {unsafe}{' more' * bool(safe)} with `--unsafe-fixes`" if unsafe else ""
    return f"{safe or 'none'} fixable with `devicefix apply`{more}"


def _nothing(what: str, report: Report) -> str:
    where = f"{what} in {_count(report.checked, 'file')}"
    if not report.checked:
        where = "No Python files or notebooks were checked"
    return f"{where}{incomplete_note(report)}."


def _show_fixes(screen: Console, fixes: Sequence[Finding], detail: Detail) -> None:
    """Each fix on its line, or where there are many how many each file has."""
    if len(fixes) <= _MANY or detail is Detail.VERBOSE:
        print_lines(screen, map(line_of, fixes))
        return
    print_lines(screen, _per_file(fixes))


def _per_file(fixes: Iterable[Finding]) -> Iterator[tuple[Styled, ...]]:
    by_file: dict[str, Counter[str]] = {}
    for fix in fixes:
        by_file.setdefault(fix.path, Counter())[fix.code] += 1
    yield (("Fixes by file (-v lists them):", "bold"),)
    for path, codes in by_file.items():
        counted = ", ".join(f"{number} {code}" for code, number in sorted(codes.items()))
        counted = next(iter(codes)) if len(codes) == 1 else counted
        total = codes.total()
        yield (
            ("  ", ""),
            (printable(path), "bold"),
            (f": {_count(total, 'fix', 'fixes')}", ""),
            (f" ({counted})", ""),
        )


def show_errors(errors: Iterable[FileError]) -> None:
    """What could not be done, one line each on stderr."""
    for error in errors:
        complain(str(error))


def _findings(report: Report) -> list[Finding]:
    return [finding for result in report.files for finding in result.findings]


def _left(report: Report) -> list[Left]:
    return [left for result in report.files for left in result.left]


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun if number == 1 else several or noun + 's'}"


def _summary(findings: list[Finding], left: list[Left], fixed: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table("Code", "Rule", box=box.SIMPLE_HEAD)
    for title in ("Findings", fixed):
        table.add_column(title, justify="right")
    for code, rule, found, remaining in _rows(findings, left):
        table.add_row(code, rule, str(found), str(found - remaining))
    return table


def _show_pages(screen: Console, findings: Iterable[Finding], detail: Detail) -> None:
    """In full, where the rules are documented; without a site, the command that describes them."""
    if detail is Detail.VERBOSE:
        pages = [(code, page_of_code(code)) for code in sorted({f.code for f in findings})]
        known = [f"{code}  {page}" for code, page in pages if page]
        said = known or ["`devicefix explain CODE` describes a rule."]
        print_lines(screen, (((line, ""),) for line in said))


def _rows(findings: list[Finding], left: list[Left]) -> Iterator[tuple[str, str, int, int]]:
    found = Counter((finding.code, finding.rule) for finding in findings)
    remaining = Counter(x.finding.code for x in left)
    for code, rule in sorted(found):
        yield code, rule, found[code, rule], remaining[code]


def _show_both(
    screen: Console,
    left: list[Left],
    fixes: Sequence[Finding],
    detail: Detail,
    texts: Mapping[str, bytes],
) -> None:
    """What needs a decision, then the fixes; a blank line stands between them only."""
    if left:
        print_lines(screen, lines(left, texts, all_places=detail is Detail.VERBOSE))
    if left and fixes:
        screen.print()
    _show_fixes(screen, fixes, detail)
