"""What was rejected, in files that have been rewritten since: the same places, further down."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from msgspec import Struct

from devicefix.engine import Change, Identity, Piece, Report
from devicefix.proposals.regions import Region, differences
from devicefix.proposals.texts import Text


class Moves(Struct, frozen=True):
    """Where places of some files are, now that they are rewritten."""

    regions: Mapping[str, tuple[Region, ...]]
    """What differs, by file."""

    @classmethod
    def of(cls, report: Report) -> Moves:
        """Those of the files that were written."""
        return cls(
            {
                result.path: _differences(
                    result.path,
                    change,
                    [p for g in report.groups for p in g.pieces.get(result.path, ())],
                )
                for result, change in report.changes
            }
        )

    def identity(self, old: Identity) -> Identity | None:
        """The name that a group has now; None where one of its places was rewritten itself."""
        places = [(path, code, self._place(path, offset)) for path, code, offset in old]
        found = frozenset((path, code, at) for path, code, at in places if at is not None)
        return found if len(found) == len(places) else None

    def _place(self, path: str, offset: int) -> int | None:
        regions = self.regions.get(path, ())
        before = bisect_right([region.before.start for region in regions], offset)
        if not before:
            return offset
        last = regions[before - 1]
        if offset < last.before.end:
            return last.after.start if offset == last.before.start else None
        return offset + last.after.end - last.before.end


def _differences(path: str, change: Change, pieces: Iterable[Piece]) -> tuple[Region, ...]:
    before, after = (Text.of(data, path) for data in (change.before, change.after))
    return differences(before.source.text, after.source.text, pieces).regions
