"""One proposal on a terminal: why, how sure, and what it changes in all files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from devicefix.findings import Applicability
from devicefix.proposals import FileHunks, Hunk, Line, Proposal, Row, State, Verdict
from devicefix.reporting.places import near
from devicefix.reporting.terminal import console, printable

if TYPE_CHECKING:
    from rich.text import Text

_CONTEXT: Final = 3
_TAB: Final = 8
_STYLES: Final = {Applicability.SAFE: "green", Applicability.UNSAFE: "magenta"}
_REMOVED: Final = ("red", "bold reverse red")
_ADDED: Final = ("green", "bold reverse green")


def show_proposal(proposal: Proposal, state: State, number: int, out: TextIO) -> None:
    """What somebody has to know to say yes or no."""
    screen = console(out)
    screen.print("")
    for line in _heading(proposal, number, len(state.proposals)):
        screen.print(line)
    verdicts = {one.id: one.verdict for one in state.proposals}
    for file in state.files:
        for line in _file(file, proposal.id, verdicts):
            screen.print(line)


def _heading(proposal: Proposal, number: int, total: int) -> Iterator[Text]:
    from rich.text import Text

    sure = proposal.applicability
    yield Text.assemble(
        (f"[{number}/{total}] ", "bold"),
        (" ".join(proposal.group.codes), "cyan"),
        (f" [{sure.name.lower()}]", _STYLES.get(sure, "")),
    )
    for finding in proposal.group.findings:
        cell = f":cell {finding.cell}" if finding.cell is not None else ""
        place = f"{near(finding.path)}{cell}:{finding.line}:{finding.column}"
        rule = f"{finding.code} " if len(proposal.group.codes) > 1 else ""
        yield Text.assemble("  ", (place, "bold"), f" {rule}{printable(finding.message)}")
    if proposal.group.reason:
        yield Text(f"  {sure.name.lower()}: {printable(proposal.group.reason)}", _STYLES[sure])


def _file(file: FileHunks, one: str, verdicts: Mapping[str, Verdict]) -> Iterator[Text]:
    from rich.text import Text

    parts = [part for hunk in file.hunks for part in _parts(hunk, one)]
    if parts:
        yield Text(f"--- {near(file.path)}", "bold")
    for hunk, rows in parts:
        yield Text(_header(hunk, rows), "cyan")
        for row in rows:
            yield from _row(row, one, verdicts)
        others = dict.fromkeys(p for row in rows if one in row.proposals for p in row.proposals)
        if len(others) > 1:
            yield Text("  (other fixes change these lines as well)", "dim")


def _parts(hunk: Hunk, one: str) -> Iterator[tuple[Hunk, Sequence[Row]]]:
    """The rows that belong to a proposal, with some lines around them."""
    near_it: list[int] = []
    for at, row in enumerate(hunk.rows):
        if one in row.proposals:
            near_it += range(max(at - _CONTEXT, 0), min(at + _CONTEXT + 1, len(hunk.rows)))
    wanted = sorted(set(near_it))
    start = 0
    for at in range(1, len(wanted) + 1):
        if at == len(wanted) or wanted[at] != wanted[at - 1] + 1:
            yield hunk, [hunk.rows[n] for n in wanted[start:at]]
            start = at


def _header(hunk: Hunk, rows: Sequence[Row]) -> str:
    cell = f"cell {hunk.cell}, " if hunk.cell is not None else ""
    line = next(side.number for row in rows for side in (row.before, row.after) if side)
    return f"@@ {cell}line {line} @@ {printable(hunk.scope)}".rstrip()


def _row(row: Row, one: str, verdicts: Mapping[str, Verdict]) -> Iterator[Text]:
    """Numbers are those of the lines as they are: what is put in has none."""
    if one in row.proposals:
        if row.before is not None:
            yield _line(f"-{row.before.number:>5}", row.before, *_REMOVED)
        if row.after is not None:
            yield _line("+     ", row.after, *_ADDED)
        return
    taken = any(verdicts.get(p) is Verdict.ACCEPTED for p in row.proposals)
    line = row.after if taken else row.before
    if line is not None:
        number = row.before.number if row.before is not None else ""
        mark, style = ("~", "dim") if row.proposals else (" ", "")
        yield _line(f"{mark}{number:>5}", line, style, style)


def _line(start: str, line: Line, style: str, changed: str) -> Text:
    from rich.text import Text

    text = Text(f"{start}  ", style)
    column = 0
    for is_changed, piece in _pieces(line):
        shown = ""
        for character in piece:
            tab = " " * (_TAB - column % _TAB)
            shown += tab if character == "\t" else printable(character)
            column += len(tab) if character == "\t" else 1
        text.append(shown, changed if is_changed else style)
    return text


def _pieces(line: Line) -> Iterator[tuple[bool, str]]:
    """The text of a line, and which of it has changed."""
    at = 0
    for start, end in sorted(line.changed):
        yield False, line.text[at:start]
        yield True, line.text[start:end]
        at = end
    yield False, line.text[at:]


def show_progress(state: State, out: TextIO) -> None:
    """What was said so far, in one line."""
    counts = dict.fromkeys(Verdict, 0)
    for proposal in (*state.proposals, *state.rejected):
        counts[proposal.verdict] += 1
    print(
        f"{counts[Verdict.ACCEPTED]} accepted, {counts[Verdict.REJECTED]} rejected, "
        f"{counts[Verdict.PENDING]} open.",
        file=out,
    )
