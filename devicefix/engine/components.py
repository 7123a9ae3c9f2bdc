"""Which things hang together, if some of them do in pairs."""

from __future__ import annotations

from collections.abc import Iterable


def components(members: Iterable[str], links: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The connected components, in the order of their first members.

    Links that lead to others are ignored.
    """
    leader = {member: member for member in members}

    def find(member: str) -> str:
        while leader[member] != member:
            leader[member] = member = leader[leader[member]]
        return member

    for one, other in links:
        if one in leader and other in leader:
            leader[find(one)] = find(other)
    found: dict[str, list[str]] = {}
    for member in leader:
        found.setdefault(find(member), []).append(member)
    return list(found.values())
