"""A group of fixes that was carried out."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from devicefix.engine.choice import Identity
from devicefix.engine.groups import Group, levelled
from devicefix.engine.origins import Places
from devicefix.findings import Finding


class Made(Struct, frozen=True):
    """A group that was applied."""

    group: Group
    """Its positions are in the texts that it was applied to."""
    identity: Identity
    findings: tuple[Finding, ...]
    """Its members, at their places in the original texts."""
    rounds: Mapping[str, int]
    """How many rounds of edits each of its files had been through by then."""

    @classmethod
    def of(cls, group: Group, places: Places) -> Made:
        """``group`` as it is applied to texts whose places so far are ``places``."""
        findings = tuple(places.relocated(levelled(m, group)) for m in group.members)
        rounds = {path: places.rounds(path) for path in group.edits}
        return cls(group, identity_of(group, places), findings, rounds)


def identity_of(group: Group, places: Places) -> Identity:
    """What stays of ``group`` from one run of the engine to the next."""
    return frozenset((m.path, m.code, places.original(m)) for m in group.members)
