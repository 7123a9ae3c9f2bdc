"""``devicefix apply -i``: one fix after the other, each accepted or rejected by a key."""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from msgspec import Struct

from devicefix.cli.exits import CANNOT, DONE, failures
from devicefix.settings import Settings

if TYPE_CHECKING:
    from devicefix.cli.accepting import Wish
    from devicefix.engine import Change, FileError
    from devicefix.proposals import Proposal, ReviewSession, Verdict
    from devicefix.proposals.walk import Bulk

HELP: Final = """\
y  accept                           n  reject
a  accept all of this rule          r  reject all of this rule
f  accept all of this file          F  reject all of this file
e  edit the file's result           x  explain the rule
s  skip: decide later               u  undo the last answer
w  write what is accepted, now      q  quit; decisions are kept
?  this help
On a safe fix, a and f accept no unsafe ones."""
LAST_HELP: Final = "y  write    n  do not write; decisions are kept    u  undo the last answer"
_QUESTION: Final = "Accept this fix? [y n a r f F e x s u w q ?] "


class Asked(Struct, frozen=True):
    """What the options of `apply` say besides."""

    jobs: int
    since: str
    allow_dirty: bool
    start_over: bool
    wish: Wish | None
    """Where what is accepted is to be verified."""


def apply_interactively(paths: Sequence[Path], settings: Settings, asked: Asked) -> int:
    """Ask about the fixes of ``paths`` and write what is accepted; the exit status."""
    from devicefix.engine import rehearsal
    from devicefix.proposals import ReviewSession, Store
    from devicefix.reporting import progress, text

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("-i asks about each fix: it needs a terminal for input and output")
    with failures():
        store = Store(paths)
        if asked.start_over:
            store.forget()
        trial = rehearsal(
            paths, settings, True, progress.progress_bar, jobs=asked.jobs, since=asked.since
        )
        session = ReviewSession(trial, store)
        errors = session.state.errors
        text.show_errors(errors)
        if not session.state.proposals:
            click.echo(f"No fixes to review in {session.state.checked} files.")
            return CANNOT if errors else DONE
        writes = Conversation(session, asked.allow_dirty or trial.of_uncommitted).hold()
        if writes and asked.wish is not None:
            return _write_verified(session, paths, asked.wish)
        failed = _write(session, asked.allow_dirty) if writes else ()
    text.show_errors(failed)
    return CANNOT if errors or failed else DONE


def _write(session: ReviewSession, allow_dirty: bool) -> Sequence[FileError]:
    """Write what is accepted; what could not be written."""
    from devicefix.reporting.text import show_untracked

    accepted = session.accepted()
    if not accepted.report.changes:
        click.echo("No fix is accepted; nothing was written.")
        return ()
    report = session.write(accepted, allow_dirty)
    for result, _ in report.changes:
        click.echo(f"wrote {_printable(result.path)}")
    if report.changes:
        click.echo(f"{_count(len(accepted.report.groups), 'fix')}. `devicefix undo` reverts this.")
        show_untracked(report, sys.stdout)
    return [error for error in report.errors if error not in accepted.report.errors]


def _write_verified(session: ReviewSession, paths: Sequence[Path], wish: Wish) -> int:
    from devicefix.cli import accepting, launching, verifying
    from devicefix.engine import Choice, refuse_uncommitted
    from devicefix.reporting import text

    with launching.launch_failures(), verifying.cleared_away():
        if not wish.allow_dirty:
            refuse_uncommitted(session.rehearse(Choice()))  # now, and not after the runs
        ended = accepting.verified(session.rehearse, wish)
        failed = session.note_written(ended.written) if ended.written is not None else ()
    status = ended.show(paths, wish)
    text.show_errors(failed)
    return CANNOT if failed else status


class _Step(enum.Enum):
    """How a conversation goes on."""

    SAME = enum.auto()
    """The question is still open."""
    NEXT = enum.auto()
    WRITE = enum.auto()
    QUIT = enum.auto()


class Conversation:
    """Questions and answers."""

    def __init__(self, session: ReviewSession, allow_dirty: bool) -> None:
        from devicefix.proposals.walk import Walk

        self._session = session
        self._walk = Walk(session)
        self._allow_dirty = allow_dirty

    def hold(self) -> bool:
        """Ask until there is nothing to ask; whether to write what is accepted."""
        self._greet()
        step = _Step.NEXT
        try:
            while step is _Step.NEXT:
                proposal = self._next()
                step = self._ask(proposal) if proposal is not None else self._last_question()
            if step is _Step.WRITE:
                self._session.accepted(self._resolve)  # asks, where somebody has to be asked
                return True
        except (KeyboardInterrupt, EOFError):
            click.echo("")
        click.echo("Nothing was written. Your decisions are kept for the next apply -i or review")
        click.echo("of the same paths.")
        return False

    # -- what is asked -----------------------------------------------------------------------------

    def _greet(self) -> None:
        from devicefix.reporting import proposal_text

        state = self._session.state
        files = {finding.path for p in state.proposals for finding in p.group.findings}
        click.echo(f"{_count(len(state.proposals), 'fix')} in {_count(len(files), 'file')}.")
        if self._session.resumed:
            click.echo("Continuing the last review of these paths: ", nl=False)
            proposal_text.show_progress(state, sys.stdout)
            click.echo("--start-over discards its decisions.")
        if not self._allow_dirty:
            self._warn({file.path for file in state.files})

    def _warn(self, paths: Iterable[str]) -> None:
        """Nobody should answer for nothing."""
        from devicefix.engine.uncommitted import uncommitted

        names = {os.path.realpath(path): path for path in paths}
        for file in uncommitted(names):
            name = _printable(names[file])
            click.echo(f"{name} has uncommitted changes: commit them before you write it, or use")
            click.echo("--allow-dirty.")

    def _next(self) -> Proposal | None:
        from devicefix.reporting.progress import waiting

        if not self._walk.is_to_settle:
            return self._walk.current
        with waiting("Updating the fixes after your rejections"):
            found = self._walk.current
        if found is not None:
            click.echo("\nNew or changed fixes, because of what you rejected:")
        return found

    def _ask(self, proposal: Proposal) -> _Step:
        from devicefix.reporting import proposal_text

        state = self._walk.state
        proposal_text.show_proposal(proposal, state, self._walk.number(proposal), sys.stdout)
        return _asked(_QUESTION, self._answers(proposal), HELP)

    def _answers(self, proposal: Proposal) -> Mapping[str, Callable[[], _Step]]:
        """What each key does."""
        from devicefix.proposals import Verdict

        walk, yes, no = self._walk, Verdict.ACCEPTED, Verdict.REJECTED
        return {
            "y": lambda: self._decide([proposal.id], yes),
            "n": lambda: self._decide([proposal.id], no),
            "a": lambda: self._decide_all(walk.like(proposal, yes), yes),
            "r": lambda: self._decide_all(walk.like(proposal, no), no),
            "f": lambda: self._decide_all(walk.beside(proposal, yes), yes),
            "F": lambda: self._decide_all(walk.beside(proposal, no), no),
            "e": lambda: self._edit(proposal),
            "x": lambda: self._explain(proposal),
            "s": lambda: self._skip(proposal),
            "u": self._undo,
            "w": lambda: _Step.WRITE,
            "q": lambda: _Step.QUIT,
        }

    def _last_question(self) -> _Step:
        """Everything was asked about."""
        click.echo("")
        question = self._preview()
        if not question:
            return _Step.QUIT
        answers = {
            "y": lambda: _Step.WRITE,
            "n": lambda: _Step.QUIT,
            "q": lambda: _Step.QUIT,
            "u": self._undo,
        }
        return _asked(f"{question} [y n u ?] ", answers, LAST_HELP)

    def _preview(self) -> str:
        """What is about to be written, as a question; empty where it is nothing."""
        from devicefix.reporting import proposal_text

        proposal_text.show_progress(self._walk.state, sys.stdout)
        accepted = self._session.accepted(self._resolve)
        for missing in accepted.missing:
            place = missing.group.findings[0].where
            click.echo(
                f"Not made, because it depends on a fix that is not accepted: {_printable(place)}"
            )
        changes = accepted.report.changes
        return f"Write {_count(len(changes), 'file')}?" if changes else ""

    # -- answers -----------------------------------------------------------------------------------

    def _decide(self, ids: Sequence[str], verdict: Verdict) -> _Step:
        self._walk.decide(ids, verdict)
        return _Step.NEXT

    def _decide_all(self, bulk: Bulk, verdict: Verdict) -> _Step:
        self._walk.decide(bulk.ids, verdict)
        spared = f"; {bulk.spared} unsafe left undecided" if bulk.spared else ""
        click.echo(f"{_count(len(bulk.ids), 'fix')} {verdict.value}{spared}.")
        return _Step.NEXT

    def _skip(self, proposal: Proposal) -> _Step:
        self._walk.skip(proposal)
        return _Step.NEXT

    def _undo(self) -> _Step:
        if self._walk.undo():
            return _Step.NEXT
        click.echo("There is no answer to undo.")
        return _Step.SAME

    def _explain(self, proposal: Proposal) -> _Step:
        from devicefix.engine.registry import load_codemods
        from devicefix.engine.selection import find_rule
        from devicefix.reporting import catalogue

        codemods = load_codemods()
        for code in proposal.group.codes:
            catalogue.show_rule(find_rule(code, codemods), sys.stdout)
        first = proposal.group.findings[0]
        cell = f":{first.cell}" if first.cell is not None else ""
        place = _printable(f"{first.path}{cell}:{first.line}")
        click.echo(f"devicefix explain {place} shows where the tensors on this line are.")
        return _Step.SAME

    def _edit(self, proposal: Proposal) -> _Step:
        from devicefix.cli import editing

        path = editing.chosen_file(proposal, self._walk.state)
        if path is None:
            return _Step.SAME
        result = self._session.result(path, [proposal.id])
        if result is None:
            click.echo("It depends on a fix that is not accepted: decide on that one first.")
            return _Step.SAME
        edit = self._session.said.by_hand.get(path)
        offered = edit.on(result.after).data if edit is not None else result.after
        saved = editing.edited(path, offered, result)
        if saved is None or saved == offered:
            click.echo("Nothing was edited.")
            return _Step.SAME
        self._walk.edited(proposal, path, result.after, saved)
        click.echo("Accepted, with your edit.")
        return _Step.NEXT

    def _resolve(self, path: str, marked: bytes, result: Change) -> bytes:
        from devicefix.cli import editing

        click.echo(f"{_printable(path)}: your edit conflicts with fixes accepted since.")
        saved = editing.edited(path, marked, result)
        if saved is None:
            raise EOFError
        return saved


def _asked(question: str, answers: Mapping[str, Callable[[], _Step]], help_: str) -> _Step:
    step = _Step.SAME
    while step is _Step.SAME:
        key = _key(question)
        if key in answers:
            step = answers[key]()
        else:
            click.echo(help_)
    return step


def _key(question: str) -> str:
    click.echo(question, nl=False)
    key = click.getchar()
    click.echo(key if key.isprintable() else "")
    return key


def _count(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("x") else "s"
    return f"{number} {noun}" + plural * (number != 1)


def _printable(text: str) -> str:
    from devicefix.reporting.terminal import printable

    return printable(text)
