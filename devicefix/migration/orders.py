"""What is handed to those who do the work on one repository, and what they give back.

All of it is plain data that can be pickled: the work may be done by another process, or on another
machine, that shares no files with ours.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields

from msgspec.structs import replace

from devicefix.settings import Settings


class Stage(enum.Enum):
    """The parts of the work on one repository, in their order; each can be done again."""

    REWRITE = "rewrite"
    """Clone it, find the fixes: nothing of it is executed."""
    PROVE = "prove"
    """Run the command of the plan before and after, in a copy; only where the plan asks for it."""
    PUBLISH = "publish"
    """Commit, push, open or update the pull request; only with ``--open-prs``."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the work on one repository may take, in each stage."""

    seconds: float = 900.0
    memory: int = 4 << 30
    """Bytes that all its processes together may hold."""
    size: int = 2 << 30
    """Bytes that a clone may take on the disk."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the plan says of the fixes, over what the repository's own pyproject.toml says.

    None leaves the choice to the repository.
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    unsafe_fixes: bool | None = None
    clear_outputs: bool | None = None
    device_expression: str | None = None
    style: str | None = None
    min_torch: str | None = None
    python2: bool | None = None

    def over(self, settings: Settings) -> Settings:
        """``settings`` with these."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(settings, **{key: v for key, v in named.items() if v is not None})


@dataclass(frozen=True, slots=True)
class Order:
    """The work on one repository, of one stage or of several."""

    url: str
    """As git takes it; a path of this machine, too."""
    base: str
    """The branch that the changes are for; empty: the one that the repository calls its first."""
    commit: str
    """Work on this commit of it; empty: on the newest, which the result names."""
    paths: tuple[str, ...]
    """In the repository, with ``/``; never outside of it."""
    options: Options
    verify: str = ""
    """A command; the empty string for none."""
    devices: tuple[str, ...] = ("sim:cuda",)
    python: str = ""
    limits: Limits = Limits()
    gpus: float = 0.0
    """Of a cluster, that the proof occupies; nothing on this machine."""
    token_variable: str = ""
    """The environment variable, of whoever clones, that has a token for `url`; empty: none.

    The token itself travels with no order, and nothing that is executed gets it.
    """


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file as it was and as it is to be."""

    path: str
    """In the repository, with ``/``."""
    before: bytes
    after: bytes


class Ending(enum.Enum):
    """How a stage ended on one repository."""

    CHANGED = "changed"
    """There is something to propose."""
    NOTHING = "nothing"
    """There is nothing to fix."""
    REJECTED = "rejected"
    """The program does not pass with the fixes, nor with some of them."""
    UNPROVEN = "unproven"
    """It could not be found out whether it does: no baseline, say."""
    FAILED = "failed"
    """The stage could not do its work; `Result.reason` says why."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of an order."""

    ending: Ending
    reason: str = ""
    """One sentence; it may hold what strangers wrote."""
    transient: bool = False
    """Of a failure: whether it may be gone the next time (a network, a limit)."""
    outdated: bool = False
    """Of a failure: whether the commit that was to be worked on is not there any more."""
    commit: str = ""
    """What was looked at."""
    base: str = ""
    """The branch that it is the head of."""
    files: tuple[ChangedFile, ...] = ()
    """To be written; after a proof only what passed."""
    report: str = ""
    """The run as JSON (docs/report.schema.json)."""
    errors: int = 0
    """Files that could not be processed; `report` names them."""
    worth_proving: bool = False
    """Whether a proof may bring more than `files`, be there some or none: fixes were left only
    because they are unsafe, and a run may prove them."""
    notes: tuple[str, ...] = ()
    """What of the repository was not there: submodules, what Git LFS keeps, links that lead out."""
    counts: str = ""
    """Which rule was at work how often, a line each: for the message of the commit."""
    body: str = ""
    """For the pull request: Markdown."""
    gist: str = ""
    """What has to change for `body` to be another one."""
    evidence: str = ""
    """Of a proof, as JSON (docs/verify.schema.json); empty without one."""
    seconds: float = 0.0
    """What it took, the clone included."""
    size: int = 0
    """Bytes of the clone."""
