"""What is to be done: which repositories, with which options, and how it is proposed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from devicefix.migration.executors import LOCAL
from devicefix.migration.orders import Limits, Order
from devicefix.migration.templates import fill
from devicefix.pull_requests import Author

DATABASE: Final = "campaign.sqlite"
NOBODY: Final = Author("devicefix", "devicefix@users.noreply.github.com")
"""Whose name a commit bears where the plan gives none."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What people see of a proposal. Templates: `devicefix.migration.templates`."""

    branch: str = "devicefix/{base}"
    title: str = "Run on any device"
    message: str = ""
    """Of the commit; empty: the title."""
    author: Author = NOBODY
    sign_off: bool = False
    body_before: str = ""
    """Markdown, above what is reported."""

    def filled(self, name: str, base: str) -> Wording:
        """With the names of one repository in their places, and nothing left empty."""
        values = {"name": name, "base": base}
        return replace(
            self,
            branch=fill(self.branch, values),
            title=fill(self.title, values),
            message=fill(self.message or self.title, values).strip(),
            body_before=fill(self.body_before, values),
        )

    def commit_message(self, counts: str) -> str:
        """With ``counts`` of what was at work, and the sign-off, if it is wanted."""
        signed = f"Signed-off-by: {self.author.name} <{self.author.email}>"
        parts = (self.message, counts, signed if self.sign_off else "")
        return "\n\n".join(part for part in parts if part)

    def body(self, report: str) -> str:
        """What the plan says, and below it what was found."""
        return f"{self.body_before}\n\n{report}".strip()


@dataclass(frozen=True, slots=True)
class GitHub:
    """The server on which pull requests are opened."""

    api: str = "https://api.github.com"
    token_variable: str = "GITHUB_TOKEN"
    per_hour: int = 450
    """Pull requests that are opened or changed in an hour; GitHub allows 500 requests that make
    content. docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api"""
    pause: float = 1.0
    """Seconds between two requests that write."""


@dataclass(frozen=True, slots=True)
class Work:
    """Who does the work, and how often it is tried."""

    jobs: int | None = None
    """At once; None: two on this machine, and on a cluster as many as it takes."""
    executor: str = LOCAL
    ray_address: str = ""
    """As ``ray.init`` takes it; empty: ``RAY_ADDRESS``, or else a cluster of this machine."""
    ray_patience: float = 300.0
    """Seconds for which a node is waited for that has what an order needs."""
    attempts: int = 3
    retry_after: float = 10.0
    """Seconds after a failure that may pass; twice as many after the next."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One repository of the plan."""

    key: str
    """Names it in the campaign's state, whatever else the plan says of it."""
    name: str
    forge_name: str
    """``owner/name`` on the server of the plan; empty where it lives elsewhere."""
    order: Order

    @property
    def digest(self) -> str:
        """Of all that what is found depends on; not of the bounds."""
        order = replace(self.order, limits=Limits(), gpus=0.0, token_variable="")
        return hashlib.sha256(json.dumps(asdict(order)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Plan:
    """A file of them, read and found right."""

    file: Path
    name: str
    folder: Path
    """Where the campaign's state is kept; it need not be there yet."""
    entries: tuple[Entry, ...]
    wording: Wording = Wording()
    github: GitHub = GitHub()
    work: Work = Work()

    @property
    def database(self) -> Path:
        """The file of the state."""
        return self.folder / DATABASE
