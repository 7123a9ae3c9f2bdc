"""A run for the body of a pull request, or the summary of a job.

GitHub takes 65,536 characters; what does not fit is left out from the end of lists, and counted.
Nothing that comes from the code that was looked at can become markup (`markup`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from devicefix.codemod import documentation
from devicefix.engine import BaselineUse, FileError, Remains
from devicefix.engine.registry import load_codemods
from devicefix.reporting.account import Account, Tally
from devicefix.reporting.counting import counted, open_to_decide
from devicefix.reporting.decisions import Decision, decisions
from devicefix.reporting.incomplete import incomplete_note
from devicefix.reporting.markup import cell, code, plain, row, sentence
from devicefix.reporting.remains import said_of, summary
from devicefix.reporting.rule_pages import page_of_code

LIMIT: Final = 60_000
"""Characters; some room is left for what others put around it."""
_EVIDENCE: Final = 25_000
_LISTED: Final = 300
"""The most items of a list, room or not: nobody reads more of them."""
_PLACES: Final = 6
_LONGEST: Final = 600
"""Characters of a message or a reason."""


class _Listing(Struct, frozen=True):
    """A list that may be cut."""

    head: str
    items: Iterable[str]
    """Made as they are asked for."""
    count: int
    noun: str
    tail: str = ""

    def within(self, room: int) -> str:
        """As much of it as fits; nothing where not one item does."""
        kept: list[str] = []
        room -= sum(map(len, (self.head, self.tail, self._more(0)))) + 4
        for item in itertools.islice(self.items, _LISTED):
            room -= len(item) + 1
            if room < 0:
                break
            kept.append(item)
        if not kept:
            return ""
        more = [self._more(len(kept))] if len(kept) < self.count else []
        tail = ["", self.tail] if self.tail else []
        return "\n".join([self.head, "", *kept, *more, *tail])

    def _more(self, shown: int) -> str:
        return f"- and {counted(self.count - shown, self.noun)} more"


def render(account: Account) -> str:
    """What was done, by which rules, what is left to decide, and why it is believed to be right."""
    parts = [_headline(account), _table(account), _baseline(account.report.baseline)]
    parts.append(_remaining_line(account.report.remains))
    evidence = _evidence(account)
    room = LIMIT - sum(map(len, parts)) - len(evidence)
    lists = []
    for listing in (_left(account), _errors(account), _files(account), _remaining(account)):
        lists.append(listing.within(room))
        room -= len(lists[-1]) + 2
    left, errors, files, uses = lists
    return "\n\n".join(filter(None, [*parts, left, errors, evidence, files, uses])) + "\n"


def _headline(account: Account) -> str:
    report = account.report
    found = sum(tally.findings for tally in account.tallies())
    fixed = sum(tally.fixed for tally in account.tallies())
    if not found:
        files = counted(report.checked, "file")
        return f"**devicefix** found nothing in {files}{incomplete_note(report)}."
    checked = f"({report.checked} checked{incomplete_note(report)})"
    if account.command == "check":
        files = counted(len(report.files), "file")
        return (
            f"**devicefix** found {counted(found, 'finding')} in {files} {checked}, "
            f"{fixed or 'none'} fixable with `devicefix apply`."
        )
    verb = "would fix" if account.rehearsed else "fixed"
    files = counted(len(report.changes), "file")
    rest = f"; {open_to_decide(found - fixed)}" if found > fixed else ""
    return f"**devicefix** {verb} {counted(fixed, 'finding')} in {files} {checked}{rest}."


def _table(account: Account) -> str:
    tallies = account.tallies()
    if not tallies:
        return ""
    wrong = {codemod.code: documentation(codemod).summary for codemod in load_codemods()}
    rows = (_row(tally, wrong.get(tally.code, "")) for tally in tallies)
    fixed = "Fixable" if account.proposes else "Fixed"
    heads = row(["Code", "Rule", "Found", fixed, "What is wrong"])
    return "\n".join([heads, row(["---", "---", "--:", "--:", "---"]), *rows])


def _row(tally: Tally, wrong: str) -> str:
    """One rule; its sentence is written by whoever made it, and has code in it."""
    counts = map(str, (tally.findings, tally.fixed))
    said = sentence(wrong.replace("``", "`"), cell)
    return row([_linked(tally.code), plain(tally.rule), *counts, said])


def _linked(code: str) -> str:
    page = page_of_code(code)
    return f"[{plain(code)}]({page})" if page else plain(code)


def _baseline(use: BaselineUse | None) -> str:
    if use is None or not (use.hidden or use.stale):
        return ""
    stale = f"; {counted(len(use.stale), 'entry', 'entries')} of it no longer found"
    hidden = f"{counted(use.hidden, 'finding')} in the baseline {code(use.location)} not reported"
    return f"{hidden}{stale if use.stale else ''}."


def _remaining_line(remains: Remains | None) -> str:
    line = summary(remains, "").rstrip(".") if remains is not None else ""
    return f"{sentence(line)}." if line else ""


def _remaining(account: Account) -> _Listing:
    """Each use of CUDA that is left; what could not be counted is among the errors."""
    uses = account.report.remains.uses if account.report.remains is not None else ()
    head = "<details><summary>Where CUDA is still used</summary>"
    lines = (f"- {code(use.where)} {code(use.text)}: {_said(said_of(use))}" for use in uses)
    return _Listing(head, lines, len(uses), "use", "</details>")


def _left(account: Account) -> _Listing:
    left = (one for _, one in account.outcomes() if one is not None)
    found = decisions(left)
    return _Listing("#### Needs your decision", map(_decision, found), len(found), "decision")


def _decision(decision: Decision) -> str:
    first = decision.findings[0]
    places = ", ".join(map(code, decision.places[:_PLACES]))
    if len(decision.places) > _PLACES:
        places += f" and {counted(len(decision.places) - _PLACES, 'place')} more"
    codes = ", ".join(map(plain, decision.codes))
    return f"- **{codes}** {_said(first.message)} ({places}): {_said(decision.reason)}"


def _said(text: str) -> str:
    return sentence(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")


def _errors(account: Account) -> _Listing:
    errors = account.report.errors
    return _Listing("#### Not processed", map(_error, errors), len(errors), "error")


def _error(error: FileError) -> str:
    return f"- {code(error.path)}{_line(error.cell, error.line)}: {_said(error.reason)}"


def _line(cell: int | None, line: int | None) -> str:
    in_cell = f", cell {cell}" if cell is not None else ""
    return f"{in_cell}, line {line}" if line is not None else in_cell


def _files(account: Account) -> _Listing:
    changes = account.report.changes
    verb = "that would change" if account.proposes else "changed"
    head = f"<details><summary>{counted(len(changes), 'file')} {verb}</summary>"
    names = (f"- {code(result.path)}" for result, _ in changes)
    return _Listing(head, names, len(changes), "file", "</details>")


def _evidence(account: Account) -> str:
    if account.acceptance is None:
        return ""
    from devicefix.reporting import acceptance_markdown

    return acceptance_markdown.render(account.acceptance, account.written, _EVIDENCE)
