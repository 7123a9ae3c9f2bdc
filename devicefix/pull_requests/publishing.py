"""From changed files to one pull request, and away with it when there is nothing to propose.

The branch bears one commit on top of its base, which is put anew whenever the changes are others.
What `Ownership` says is not ours stays untouched, and so does all that has moved since it was
looked at (``--force-with-lease``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from devicefix.pull_requests.body import Mark, gist_of, mark_of, new_body, put_into
from devicefix.pull_requests.commits import make_commit, patch_id, read_commit
from devicefix.pull_requests.errors import GitError, MovedError, PullRequestError
from devicefix.pull_requests.forge import Forge, Standing
from devicefix.pull_requests.git import Git
from devicefix.pull_requests.ownership import Ownership, changes
from devicefix.pull_requests.proposal import Operation, Outcome, Proposal
from devicefix.pull_requests.remote import Remote
from devicefix.pull_requests.scratch import Checkout, checkout, scratch

_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class Server:
    """Where a repository lives: for git, and for those who talk about it."""

    remote: Remote
    forge: Forge


def publish(folder: Path, server: Server, proposal: Proposal) -> Outcome:
    """Propose the changes of the checkout that ``folder`` is in; its own files stay as they are.

    Called again it changes what there is, and opens no second pull request.
    Raises `PullRequestError`.
    """
    source = checkout(folder)
    with scratch(source, server.remote.url, server.remote.secrets) as git:
        words = (proposal.message, proposal.author, proposal.date)
        commit = make_commit(git, source, proposal.files, *words)
        work = _Work(git, server, source, proposal.branch, proposal.base)
        return _until_it_stays(lambda: _published(work, proposal, commit))


def withdraw(folder: Path, server: Server, branch: str, base: str, why: str) -> Outcome:
    """Close the pull request from ``branch``, if there is one: there is nothing to propose.

    ``why`` is told there, in Markdown. The branch goes, too. Raises `PullRequestError`.
    """
    source = checkout(folder)
    with scratch(source, server.remote.url, server.remote.secrets) as git:
        work = _Work(git, server, source, branch, base)
        return _until_it_stays(lambda: _withdrawn(work, why))


@dataclass(frozen=True, slots=True)
class _Work:
    """One branch, for one base."""

    git: Git
    server: Server
    source: Checkout
    branch: str
    base: str

    def has(self, whole: str, part: str) -> bool:
        """Whether ``part`` is in the history of ``whole``."""
        return whole == part or self.server.forge.contains(whole, part)


@dataclass(frozen=True, slots=True)
class _Head:
    """The head of a branch that is ours to change."""

    name: str
    base: str
    """The commit of the base below it."""


def _until_it_stays(attempt: Callable[[], Outcome]) -> Outcome:
    for _ in range(_ATTEMPTS - 1):
        try:
            return attempt()
        except MovedError:
            continue
    return attempt()


def _published(work: _Work, proposal: Proposal, commit: str) -> Outcome:
    head = _head(work)
    request = work.server.forge.open_request(work.branch)
    _check_base(work, request)
    if isinstance(head, Outcome):
        return _about(head, request)
    mark = Mark(patch_id(work.git, commit), gist_of(proposal.gist or proposal.body))
    if request is None:
        declined = _declined(work, mark.patch)
        return declined if declined is not None else _created(work, proposal, mark, head, commit)
    return _updated(work, proposal, mark, head, commit, request)


def _created(
    work: _Work, proposal: Proposal, mark: Mark, head: _Head | None, commit: str
) -> Outcome:
    name = _pushed(work, head, commit)
    body = put_into("", new_body(proposal.body, mark))
    made = work.server.forge.create(work.branch, work.base, proposal.title, body)
    if made is None:
        raise MovedError(f"somebody has just opened a pull request from {work.branch}")
    return _about(Outcome(Operation.CREATED, "it is new", commit=name), made)


def _updated(
    work: _Work, proposal: Proposal, mark: Mark, head: _Head | None, commit: str, request: Standing
) -> Outcome:
    name = _pushed(work, head, commit)
    if head is not None and name == head.name and mark_of(request.body) == mark:
        done = Outcome(Operation.UNCHANGED, "it has these changes already", commit=name)
        return _about(done, request)
    body = put_into(request.body, new_body(proposal.body, mark))
    work.server.forge.rewrite(request.number, body)
    return _about(Outcome(Operation.UPDATED, "it is up to date now", commit=name), request)


def _pushed(work: _Work, head: _Head | None, commit: str) -> str:
    """What the branch is at, after a push if one is needed."""
    if head is not None and _is_same(work.git, head, work.source.head, commit):
        return head.name
    work.server.remote.push(work.git, work.branch, commit, head.name if head is not None else "")
    return commit


def _withdrawn(work: _Work, why: str) -> Outcome:
    head = _head(work)
    request = work.server.forge.open_request(work.branch)
    if request is None:
        return Outcome(Operation.NOTHING, "there is nothing to propose, and no pull request")
    _check_base(work, request)
    if isinstance(head, Outcome):
        return _about(head, request)
    body = put_into(request.body, new_body(why))
    work.server.forge.close(request.number, body, why)
    if head is not None:
        work.server.remote.delete(work.git, work.branch, head.name)
    return _about(Outcome(Operation.CLOSED, "there is nothing to propose any more"), request)


def _head(work: _Work) -> _Head | Outcome | None:
    """The branch on the server; or why it is not ours to change; None where there is none.

    Raises `PullRequestError` where the checkout does not belong to the base.
    """
    _check_names(work)
    heads = work.server.remote.heads(work.git, work.branch, work.base)
    if work.base not in heads:
        raise PullRequestError(f"there is no branch {work.base} to propose changes for")
    if not work.has(heads[work.base], work.source.head):
        raise PullRequestError(
            f"the checkout is at {work.source.head[:10]}, which is no commit of {work.base}"
        )
    if work.branch not in heads:
        return None
    name = work.server.remote.fetch(work.git, work.branch)
    base = Ownership(work.git, lambda commit: work.has(heads[work.base], commit)).base_of(name)
    if base is None:
        return _kept(work, name)
    if base != work.source.head and work.has(base, work.source.head):
        reason = f"a later run has been here: the branch begins at {base[:10]}, a newer commit"
        return Outcome(Operation.UNCHANGED, reason, commit=name)
    return _Head(name, base)


def _check_names(work: _Work) -> None:
    for name in (work.branch, work.base):
        try:
            work.git.run("check-ref-format", f"refs/heads/{name}")
        except GitError:
            raise PullRequestError(f"no name for a branch: {name!r}") from None
    if work.branch == work.base:
        raise PullRequestError(f"{work.base} cannot be proposed for itself")


def _check_base(work: _Work, request: Standing | None) -> None:
    if request is not None and request.base != work.base:
        raise PullRequestError(
            f"pull request #{request.number} from {work.branch} is for {request.base}, not for "
            f"{work.base}: name that base, or another branch"
        )


def _kept(work: _Work, name: str) -> Outcome:
    last = read_commit(work.git, name)
    subject = last.message.partition("\n")[0]
    return Outcome(
        Operation.KEPT,
        f"somebody else has worked on {work.branch}: its last commit {name[:10]} is "
        f'"{subject}" by {last.author}; merge it, or delete the branch',
    )


def _declined(work: _Work, patch: str) -> Outcome | None:
    """What to say where somebody has closed a pull request with the same changes."""
    for request in work.server.forge.closed_requests(work.branch):
        mark = mark_of(request.body)
        if not request.merged and mark is not None and mark.patch == patch:
            reason = "a pull request with the same changes was closed; reopen it if they are wanted"
            return _about(Outcome(Operation.DECLINED, reason), request)
    return None


def _is_same(git: Git, head: _Head, base: str, commit: str) -> bool:
    """Whether the branch makes of the same files the same."""
    return changes(git, head.base, head.name) == changes(git, base, commit)


def _about(outcome: Outcome, request: Standing | None) -> Outcome:
    if request is None:
        return outcome
    return replace(outcome, number=request.number, url=request.url)
