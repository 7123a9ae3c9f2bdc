"""What became of many repositories, as those see it who report it.

It is plain data, all of it as the campaign's state has it: `devicefix.migration` fills it in.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct


class Event(Struct, frozen=True):
    """Something that was done with a repository."""

    time: float
    """In seconds since 1970."""
    event: str
    stage: str = ""
    reason: str = ""


class Repository(Struct, frozen=True):
    """One repository, as it stands. Texts may be what strangers wrote."""

    name: str
    url: str
    """Where it was cloned from, or its folder; without any password."""
    state: str
    """``waiting``, ``rewritten``, ``proven``, ``published``, ``left``, ``nothing``, ``rejected``,
    ``unproven`` or ``failed``; any other is shown as it is."""
    running: str = ""
    """The stage that is being done: ``rewrite``, ``prove`` or ``publish``; empty for none."""
    failed: str = ""
    """The stage that failed last; empty for none."""
    attempts: int = 0
    """At the stage that is next."""
    next_try: float = 0.0
    """Not before; in seconds since 1970. 0: nothing was put off."""
    reason: str = ""
    base: str = ""
    commit: str = ""
    number: int | None = None
    """Of its pull request."""
    request_url: str = ""
    operation: str = ""
    """What became of the pull request, as `devicefix.pull_requests.Operation` has it."""
    seconds: float = 0.0
    """That its stages took."""
    size: int = 0
    """Bytes of the clone."""
    updated: float = 0.0
    """In seconds since 1970."""
    notes: tuple[str, ...] = ()
    """What of it was not there: submodules, what Git LFS keeps, links that lead out."""
    report: str = ""
    """Of the newest stage that has one: docs/report.schema.json."""
    evidence: str = ""
    """Of a proof: docs/verify.schema.json."""
    events: tuple[Event, ...] = ()
    """The oldest first."""


class Campaign(Struct, frozen=True):
    """All of them, and what they have in common."""

    name: str
    plan: str
    """The path of its file."""
    repositories: Iterable[Repository]
    """Read once, in this order: all their reports together may be too much for the memory."""
    proves: bool = False
    """Whether the plan has a command that proves something."""
    began: float = 0.0
    """In seconds since 1970."""
    now: float = 0.0
    """When this was true."""
