"""Which groups of fixes are made, beyond what the settings say of all of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct
from msgspec.structs import replace

Identity = frozenset[tuple[str, str, int]]
"""What stays of a group when its text is edited: file, code and original place of each member."""


class Choice(Struct, frozen=True):
    """Groups that are named by their identities.

    What else is made may change what a group consists of: one that has a member in common with one
    that is named here counts as that one.
    """

    without: frozenset[Identity] = frozenset()
    """Not made."""
    trusted: frozenset[Identity] = frozenset()
    """Made although they are unsafe."""
    trusts_all: bool = False
    """Whether all unsafe ones are."""
    only: frozenset[str] | None = None
    """The files that groups are made for: those with no member in one of them are not."""
    why: str = "left out"
    """Why some are not made."""

    def leaves_out(self, identity: Identity) -> bool:
        """Whether a group is not to be made."""
        elsewhere = self.only is not None and not any(path in self.only for path, _, _ in identity)
        return elsewhere or _meets(identity, self.without)

    def trusts(self, identity: Identity) -> bool:
        """Whether a group is to be made although it is unsafe."""
        return self.trusts_all or _meets(identity, self.trusted)

    def within(self, paths: Collection[str]) -> Choice:
        """What this says of the groups that have a member in one of ``paths``."""
        return replace(
            self, without=_within(self.without, paths), trusted=_within(self.trusted, paths)
        )


def _meets(identity: Identity, others: Iterable[Identity]) -> bool:
    return any(identity & other for other in others)


def _within(groups: Iterable[Identity], paths: Collection[str]) -> frozenset[Identity]:
    return frozenset(group for group in groups if any(path in paths for path, _, _ in group))


ALL_BUT_UNSAFE = Choice()
"""As the settings say."""
