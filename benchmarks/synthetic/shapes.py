"""What a synthetic repository is: its files, what stands on its server, and how it has to end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

FILE: Final = "100644"
LINK: Final = "120000"
SUBMODULE: Final = "160000"
SUBMODULE_COMMIT: Final = b"5" * 40


@dataclass(frozen=True, slots=True)
class Item:
    """What a name in a tree stands for."""

    content: bytes
    """Of a submodule: the name of its commit."""
    mode: str = FILE


@dataclass(frozen=True, slots=True)
class End:
    """How a campaign has to leave it, known by how it is made."""

    state: str = "published"
    reason: str = ""
    """It is said so, as a part of what is said."""
    operation: str | None = None
    """What became of the pull request; None: nothing was done about one."""
    pushes: int = 0
    """That the server took."""
    tried: int = 0
    """That it was asked for; as many at least, where it was killed."""
    pulls: int = 0
    """That are there, closed ones included."""
    open_pulls: int = 0


CREATED: Final = End(operation="created", pushes=1, tried=1, pulls=1, open_pulls=1)
NOTHING: Final = End("nothing", "there is nothing to fix")


@dataclass(frozen=True, slots=True)
class Synthetic:
    """One repository."""

    kind: str
    name: str
    """``owner/name``."""
    files: Mapping[str, Item] = field(default_factory=dict)
    """Of its first commit; none: there is no commit."""
    golden: Mapping[str, bytes] = field(default_factory=dict)
    """The files that are to be changed, as they are to be."""
    end: End = CREATED
    branch: str = "main"
    """That its commit is on."""
    head: str = "main"
    """That it calls its first."""
    said: Mapping[str, str | int] = field(default_factory=dict)
    """Of it, in the plan."""
    hook: str = ""
    """A shell script: ``pre-receive`` on the server."""
    before: str = ""
    """What people have done with the pull request of an earlier campaign; `earlier`."""
    later: Mapping[str, Item] = field(default_factory=dict)
    """What people have added since."""
    is_there: bool = True
    """On the server."""

    @property
    def entry(self) -> str:
        """Its name in the campaign: with the base that the plan names."""
        return f"{self.name}@{self.said['base']}" if "base" in self.said else self.name
