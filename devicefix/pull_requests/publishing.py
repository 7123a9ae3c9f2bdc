"""From changed files to one pull request, and away with it when there is nothing to propose.

The branch bears one commit on top of its base, which is put anew whenever the changes are others.
What `Ownership` says is not ours stays untouched, and so does all that has moved since it was
looked at (``--force-with-lease``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from devicefix.pull_requests.body import Mark, gist_of, mark_of, new_body, put_into
from devicefix.pull_requests.branch import Branch, Head, Server
from devicefix.pull_requests.commits import make_commit, patch_id
from devicefix.pull_requests.errors import MovedError, PullRequestError
from devicefix.pull_requests.forge import Standing
from devicefix.pull_requests.proposal import Operation, Outcome, Proposal
from devicefix.pull_requests.scratch import checkout, scratch

_ATTEMPTS: Final = 3


def publish(
    folder: Path,
    server: Server,
    proposal: Proposal,
    place: Path | None = None,
    most: int | None = None,
) -> Outcome:
    """Propose the changes of the checkout that ``folder`` is in; its own files stay as they are.

    Called again it changes what there is, and opens no second pull request. What it needs on the
    disk meanwhile lies in ``place``, or where temporary files do, in files of ``most`` bytes.
    Raises `PullRequestError`.
    """
    source = checkout(folder)
    with scratch(source, server.remote.url, server.remote.access, place, most) as git:
        words = (proposal.message, proposal.author, proposal.date)
        commit = make_commit(git, source, proposal.files, *words)
        branch = Branch(git, server, source, proposal.branch, proposal.base)
        return _until_it_stays(lambda: _published(branch, proposal, commit))


def withdraw(
    folder: Path, server: Server, branch: str, base: str, why: str, place: Path | None = None
) -> Outcome:
    """Close the pull request from ``branch``, if there is one: there is nothing to propose.

    ``why`` is told there, in Markdown. The branch goes, too. Raises `PullRequestError`.
    """
    source = checkout(folder)
    with scratch(source, server.remote.url, server.remote.access, place) as git:
        known = Branch(git, server, source, branch, base)
        return _until_it_stays(lambda: _withdrawn(known, why))


def _until_it_stays(attempt: Callable[[], Outcome]) -> Outcome:
    for _ in range(_ATTEMPTS - 1):
        try:
            return attempt()
        except MovedError:
            continue
    return attempt()


def _published(branch: Branch, proposal: Proposal, commit: str) -> Outcome:
    head = branch.head()
    request = _request(branch)
    if isinstance(head, Outcome):
        return _about(head, request)
    mark = Mark(patch_id(branch.git, commit), gist_of(proposal.gist or proposal.body))
    if request is not None:
        return _updated(branch, proposal, mark, head, commit, request)
    return _declined(branch, mark.patch) or _created(branch, proposal, mark, head, commit)


def _created(
    branch: Branch, proposal: Proposal, mark: Mark, head: Head | None, commit: str
) -> Outcome:
    body = put_into("", new_body(proposal.body, mark))
    name = branch.put(commit, head)
    made = branch.server.forge.create(branch.name, branch.base, proposal.title, body)
    if made is None:
        raise MovedError(f"someone has just opened a pull request from {branch.name}")
    return _about(Outcome(Operation.CREATED, "it is new", commit=name), made)


def _updated(
    branch: Branch,
    proposal: Proposal,
    mark: Mark,
    head: Head | None,
    commit: str,
    request: Standing,
) -> Outcome:
    body = put_into(request.body, new_body(proposal.body, mark))
    name = branch.put(commit, head)
    if head is not None and name == head.name and mark_of(request.body) == mark:
        done = Outcome(Operation.UNCHANGED, "it has these changes already", commit=name)
        return _about(done, request)
    branch.server.forge.rewrite(request.number, body)
    return _about(Outcome(Operation.UPDATED, "it is up to date now", commit=name), request)


def _withdrawn(branch: Branch, why: str) -> Outcome:
    head = branch.head()
    request = _request(branch)
    if request is None:
        return Outcome(Operation.NOTHING, "there is nothing to propose, and no pull request")
    if isinstance(head, Outcome):
        return _about(head, request)
    if head is not None:
        branch.delete(head)  # first: if somebody has just pushed to it, all stays
    body = put_into(request.body, new_body(why))
    branch.server.forge.close(request.number, body, why)
    return _about(Outcome(Operation.CLOSED, "there is nothing to propose any more"), request)


def _request(branch: Branch) -> Standing | None:
    """The open pull request. Raises `PullRequestError` where it is for another base."""
    request = branch.server.forge.open_request(branch.name)
    if request is not None and request.base != branch.base:
        raise PullRequestError(
            f"pull request #{request.number} from {branch.name} is for {request.base}, not for "
            f"{branch.base}: name that base, or another branch"
        )
    return request


def _declined(branch: Branch, patch: str) -> Outcome | None:
    """What to say where somebody has closed a pull request with the same changes."""
    for request in branch.server.forge.closed_requests(branch.name):
        mark = mark_of(request.body)
        if not request.merged and mark is not None and mark.patch == patch:
            reason = "a pull request with the same changes was closed; reopen it if they are wanted"
            return _about(Outcome(Operation.DECLINED, reason), request)
    return None


def _about(outcome: Outcome, request: Standing | None) -> Outcome:
    if request is None:
        return outcome
    return replace(outcome, number=request.number, url=request.url)
