"""One run after the change held against the baseline: what is not the same, the first first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import prod
from typing import Final

from devicefix.records.observations import Kind, Leaf
from devicefix.verification.baseline import Baseline, paired
from devicefix.verification.endings import has_raised, is_cut_short, is_sound, last_words
from devicefix.verification.equality import (
    STORED,
    Answer,
    Equal,
    Standard,
    Unequal,
    compare_leaves,
    compare_lines,
    concerns,
    differ_in_spaces,
    is_as_loaded,
    shared_by_one,
    shown,
)
from devicefix.verification.execution import Execution
from devicefix.verification.file_names import kin
from devicefix.verification.items import (
    KINDS,
    NAMED,
    Channel,
    Item,
    Items,
    Stream,
    by_key,
    is_file,
    items_of,
    rounded_since,
)
from devicefix.verification.printed import Line, lines_of
from devicefix.verification.result import Difference, Furthest
from devicefix.verification.steadiness import WHOLE, Mask
from devicefix.verification.streams import Piece, Rest, beginning, compare_rests
from devicefix.verification.tolerance import EXACT
from devicefix.verification.touched import Touched

_AT_THE_END: Final = frozenset(
    {
        Channel.LEFT,
        Channel.OTHER_OUTPUT,
        Channel.FILES,
        Channel.STORED,
        Channel.STEPPED,
        Channel.RAISED,
    }
)
"""What a program that was ended early has not come to."""
_DUE: Final = frozenset({Channel.SAVED, Channel.STEPPED, Channel.STORED})
"""What has to be there after the change if it was before, and not if it was not."""
_KEPT: Final = frozenset({Channel.SAVED, Channel.STORED})
"""What others read: a number is no tensor there, which would bring a device along."""
_NOTHING: Final = Touched()
STDOUT: Final[Stream] = (Channel.OUTPUT, 0, 0)
_LATE: Final = 1 << 39
"""The order of what is printed behind all that is told line by line."""
_PARTED: Final = (
    "an optimizer reuses loaded state that is already on its device, but copies it otherwise"
)
"""Said of values that differ for this reason."""
_LOST: Final = "nothing"
"""What is shown in the place of an observation that is not there."""


@dataclass
class Compared:
    """The outcome, before a verdict is made of it."""

    compared: int = 0
    masked: int = 0
    furthest: Furthest | None = None
    """What was accepted though it is not equal, and is furthest off."""
    share: float = 0.0
    """Of what is accepted, that which is furthest off."""
    differences: list[tuple[int, Difference]] = field(default_factory=list)
    """With the moment, among the observations of the baseline."""
    notes: list[str] = field(default_factory=list)
    agreed_since: int | None = None
    """The moment of the first number that was compared and accepted."""

    @property
    def first(self) -> Difference | None:
        """The one that happened first; an error before what is lost by it."""
        return min(self.differences, key=_moment)[1] if self.differences else None

    @property
    def began_alike(self) -> bool:
        """Whether some number was accepted before the first difference."""
        if self.agreed_since is None or not self.differences:
            return False
        return self.agreed_since < min(order for order, _ in self.differences)


def _moment(found: tuple[int, Difference]) -> tuple[int, bool]:
    order, difference = found
    return order, difference.kind is not Kind.RAISED


def compare(
    baseline: Baseline,
    after: Execution,
    standard: Standard,
    there: Execution | None = None,
    touched: Touched = _NOTHING,
) -> Compared:
    """Hold ``after`` against ``baseline``.

    Args:
        baseline: The program before the change.
        after: The program after it.
        standard: What counts as equal.
        there: The program before the change on the device of ``after``, if it ran there: what it
            prints there in other words than on the CPU is right, too.
        touched: The lines that the change touches: there a value may be read more often or less.
    """
    return _Comparison(baseline, after, standard, there, touched).made()


class _Comparison:
    def __init__(
        self,
        baseline: Baseline,
        after: Execution,
        standard: Standard,
        there: Execution | None,
        touched: Touched,
    ) -> None:
        self._touched = touched
        self._varying: list[str] = []
        runs = (baseline.execution, after)
        self._since = None
        if standard.simulated and not standard.tolerance.is_exact:
            self._since = [rounded_since(run) for run in runs]
        self._baseline = baseline
        self._after = after
        self._standard = standard
        self._items = baseline.of(after)
        self._there = _words(there) if there is not None and standard.across else frozenset()
        self._ended_there = there is not None and standard.across and is_sound(there)
        self._found = Compared()
        self._short = is_cut_short(baseline.execution) or is_cut_short(after)
        self._raised = has_raised(after)
        self._leads: tuple[list[Piece], list[Piece]] = [], []
        """Lines at the end of the beginning, of which the other run has them in its rest."""

    def made(self) -> Compared:
        streams = dict.fromkeys((*self._baseline.items, *self._items))
        for stream in streams:
            if self._concerns(stream):
                mine, its = self._baseline.items.get(stream, []), self._items.get(stream, [])
                if stream[0] is Channel.RAISED:
                    self._by_error(stream, mine, its)
                elif stream[0] in NAMED:
                    self._by_name(stream, mine, its)
                else:
                    self._in_order(stream, mine, its)
        if not self._found.differences:
            self._long_output()
        self._ending()
        self._name_varying()
        return self._found

    def _concerns(self, stream: Stream) -> bool:
        channel, process, _ = stream
        if channel in _AT_THE_END:
            return not (self._short or self._raised or self._comes_and_goes(stream))
        if process != 0 and stream not in self._baseline.items:
            self._found.notes.append(f"child process {process} did not exist before the change")
            return False
        return True

    def _comes_and_goes(self, stream: Stream) -> bool:
        """Whether a file need not be there, or nothing of it is the same in every run."""
        if not is_file(stream):
            return False
        known = self._baseline.items.get(stream)
        if known is None:
            return kin(str(stream[1])) in self._baseline.loose
        masks = self._baseline.masks.get(stream, {})
        named = stream[0] in NAMED
        varies = all(masks.get(item.key if named else at) == WHOLE for at, item in enumerate(known))
        if varies and known:
            self._varying.append(str(stream[1]))
        return varies and bool(known)

    def _name_varying(self) -> None:
        if self._varying:
            more = len(self._varying) - 1
            others = f" and {more} more" if more else ""
            self._note(f"not compared, as it varies from run to run: {self._varying[0]}{others}")

    def _matters(self, stream: Stream, item: Item) -> bool:
        assert item.leaf is not None
        is_text = stream[0] is Channel.STORED and item.leaf.numbers is None
        return is_text or concerns(item.leaf, self._standard, stream[0] in _KEPT)

    # By name -------------------------------------------------------------------------------------

    def _by_name(self, stream: Stream, before: list[Item], after: list[Item]) -> None:
        names = by_key(after)
        roots = {item.root for item in after}
        for item in before:
            if not self._matters(stream, item):
                continue
            mask = self._baseline.mask(stream, item.key)
            partner = names.get(item.key)
            if partner is not None:
                self._hold(stream, item, partner, mask)
            elif not mask and (item.root in roots or self._is_due(stream)):
                self._lost(stream, item)
        if not self._is_unstable(stream):
            self._added(stream, by_key(before), {item.root for item in before}, names)

    def _added(
        self, stream: Stream, known: Mapping[str, Item], roots: Set[str], after: Mapping[str, Item]
    ) -> None:
        """A name may come, but nothing with values may be new in what was there, or in a save."""
        for key, item in after.items():
            assert item.leaf is not None
            if key in known or not (self._matters(stream, item) or self._is_promised(stream)):
                continue
            if self._is_due(stream) or (item.root in roots and item.leaf.type in STORED):
                self._differ(item.order, stream, None, item, Unequal(_LOST, _text(item)))

    def _is_promised(self, stream: Stream) -> bool:
        """Whether who reads what is saved knows all of its names, whatever they stand for."""
        return stream[0] is Channel.SAVED and not self._standard.across

    def _is_due(self, stream: Stream) -> bool:
        """Whether all objects of a channel have to be there: a name may go, a save may not."""
        return stream[0] in _DUE and not (self._short or self._raised)

    # Errors --------------------------------------------------------------------------------------

    def _by_error(self, stream: Stream, before: list[Item], after: list[Item]) -> None:
        """Errors that were caught: one more or less, but for those that are about the device.

        Before the change a program may find out by an error that there is none.
        """
        mine, its = by_key(before), by_key(after)
        for key, item in its.items():
            if key not in mine and not self._is_unstable(stream):
                self._differ(item.order, stream, None, item, Unequal(_LOST, _text(item)))
        for key, item in mine.items():
            if key not in its and not self._baseline.mask(stream, key) and not _names_device(item):
                self._lost(stream, item)

    # In order ------------------------------------------------------------------------------------

    def _in_order(self, stream: Stream, before: list[Item], after: list[Item]) -> None:
        is_long = stream == STDOUT and self._is_long()
        if (
            self._short or self._raised
        ) and not is_long:  # one of them is the beginning of what it would have been
            common = min(len(before), len(after))
            before, after = before[:common], after[:common]
        pairs = list(paired(before, after))
        while is_long and pairs and None in pairs[-1]:  # what the other has in its rest
            first, second = pairs.pop()
            item = before[first] if first is not None else after[second or 0]
            if item.line is not None:
                self._leads[first is None].insert(0, item.line)
        for first, second in pairs:
            if first is None:
                assert second is not None
                self._extra(stream, after[second])
            elif second is None:
                self._missing(stream, before[first], self._baseline.mask(stream, first))
            else:
                mask = self._baseline.mask(stream, first)
                self._hold(stream, before[first], after[second], mask)

    # A long output -------------------------------------------------------------------------------

    def _is_long(self) -> bool:
        """Whether the output goes on behind what is compared by its places."""
        return self._baseline.execution.rest is not None or self._after.rest is not None

    def _long_output(self) -> None:
        """What comes behind the beginning, line by line."""
        if not self._is_long():
            return
        before, after = self._baseline.execution.rest, self._after.rest
        further = self._baseline.rests
        if before is not None and after is not None and not any(self._leads):
            (before, after, *further), same = beginning((before, after, *further))
            self._found.compared += same
        mine, its = _pieces(self._leads[0], before), _pieces(self._leads[1], after)
        unlearnt = [b""] * len(self._leads[0])
        again = [_pieces(unlearnt, rest) for rest in further]
        is_whole = not (self._short or self._raised)
        item = Item("a line of the output", "", None, _LATE)
        standard = self._standard_for(STDOUT, item, item)
        found = compare_rests(mine, again, its, standard, self._may_come_or_go, is_whole)
        self._found.compared += found.compared
        self._found.masked += found.masked
        if found.deviation.share:
            self._agree(item, item, Equal(found.deviation))
        if found.exhausted:
            self._note("the output is long and varies: only its beginning was compared")
        if found.difference is not None:
            self._differ(_LATE, STDOUT, item, None, found.difference)

    def _may_come_or_go(self, line: Line) -> bool:
        return line.text in self._there or (self._standard.across and line.names_a_device)

    def _missing(self, stream: Stream, item: Item, mask: Mask) -> None:
        if mask == WHOLE or self._may_be_unsaid(item):
            return
        if stream[0] is Channel.VALUES and self._touched.was(item.at):
            self._note("some values are no longer read from tensors")
        else:
            self._lost(stream, item)

    def _may_be_unsaid(self, item: Item) -> bool:
        """A line about the device, or one that was not printed there before the change either."""
        if item.line is None or (_measured(item) and not item.asks):
            return False
        return self._may_say(item) or (self._ended_there and item.line.text not in self._there)

    def _extra(self, stream: Stream, item: Item) -> None:
        """An observation that was not made before."""
        if self._is_unstable(stream):
            return
        if stream[0] is Channel.VALUES and self._touched.has(item.at):
            return
        line = item.line
        if line is not None and (line.text in self._there or self._may_say(item)):
            return
        self._differ(item.order, stream, None, item, Unequal(_LOST, _text(item)))

    def _may_say(self, item: Item) -> bool:
        """A line about the device, on another device than the baseline's."""
        if not self._standard.across or item.line is None:
            return False
        return item.line.names_a_device or item.asks

    def _is_unstable(self, stream: Stream) -> bool:
        """Whether not even two runs before the change make the same observations here."""
        return WHOLE in self._baseline.masks.get(stream, {}).values()

    # Both ----------------------------------------------------------------------------------------

    def _hold(self, stream: Stream, before: Item, after: Item, mask: Mask) -> None:
        if mask == WHOLE:
            self._found.masked += 1
            return
        self._found.compared += 1
        self._found.masked += bool(mask)
        answer = self._answer(stream, before, after, mask)
        if isinstance(answer, Equal):
            self._agree(before, after, answer)
            return
        self._differ(before.order, stream, before, after, answer)

    def _agree(self, item: Item, after: Item, answer: Equal) -> None:
        off = answer.deviation
        if off.share > self._found.share:
            self._found.share = off.share
            self._found.furthest = Furthest(item.name, off.before, off.after, after.at)
        since = self._found.agreed_since
        if since is not None and since <= item.order:
            return
        if item.leaf is not None or _measured(item):
            self._found.agreed_since = item.order

    def _answer(self, stream: Stream, before: Item, after: Item, mask: Mask) -> Answer:
        slack = self._baseline.slack(before)
        standard = self._standard_for(stream, before, after)
        if before.line is not None and after.line is not None:
            if after.line.text in self._there and not _measured(before):
                return Equal()
            if stream[0] is Channel.FILES and differ_in_spaces(before.line, after.line):
                return Unequal(before.line.text, after.line.text, "they differ in whitespace only")
            return compare_lines(before.line, after.line, standard, mask, slack)
        mine, its = before.leaf, after.leaf
        assert mine is not None
        assert its is not None
        if stream[0] is Channel.VALUES and self._is_changed(before, after):
            its = _in_shape(its, mine)
        if stream[0] in _KEPT and (mine.type in STORED) != (its.type in STORED):
            return Unequal(f"{_text(before)} ({mine.type})", f"{_text(after)} ({its.type})")
        is_left = stream[0] is Channel.LEFT
        answer = compare_leaves(mine, its, standard, is_left, slack)
        if isinstance(answer, Equal) or not shared_by_one(mine, its):
            return answer
        if is_left and is_as_loaded(mine, its):
            self._note(_PARTED)
            return Equal()
        return replace(answer, detail=_PARTED)

    def _is_changed(self, before: Item, after: Item) -> bool:
        """Whether the change touches the statements of both."""
        return self._touched.was(before.at) and self._touched.has(after.at)

    def _standard_for(self, stream: Stream, before: Item, after: Item) -> Standard:
        """What came before the first kernel that rounds otherwise has to be equal."""
        if self._since is None or not isinstance(stream[1], int):
            return self._standard
        process = stream[1]
        pairs = zip(self._since, (before.order, after.order), strict=True)
        if any(order > since.get(process, order) for since, order in pairs):
            return self._standard
        return Standard(EXACT, self._standard.across)

    def _lost(self, stream: Stream, item: Item) -> None:
        self._differ(item.order, stream, item, None, Unequal(_text(item), _LOST))

    def _differ(
        self, order: int, stream: Stream, before: Item | None, after: Item | None, answer: Unequal
    ) -> None:
        named = before or after
        assert named is not None
        self._found.differences.append(
            (
                order,
                Difference(
                    kind=KINDS[stream[0]],
                    what=named.name,
                    before=answer.before,
                    after=answer.after,
                    at_before=before.at if before is not None else None,
                    at_after=after.at if after is not None else None,
                    detail=answer.detail,
                ),
            )
        )

    def _note(self, sentence: str) -> None:
        if sentence not in self._found.notes:
            self._found.notes.append(sentence)

    # The end -------------------------------------------------------------------------------------

    def _ending(self) -> None:
        """The exit status, and the exception behind it."""
        before, after = self._baseline.execution, self._after
        if self._short:
            return
        self._found.compared += 1
        if before.ending.status == after.ending.status and not self._raised:
            return
        failure = after.failure
        last = max((len(events.events) for events in after.observed), default=0)
        self._found.differences.append(
            (
                last,
                Difference(
                    kind=None,
                    what="how the program ends" if failure is None else failure.type,
                    before=f"exit status {before.ending.status}",
                    after=f"exit status {after.ending.status}",
                    at_before=None,
                    at_after=None if failure is None else failure.at,
                    detail=last_words(after) if failure is None else failure.message,
                ),
            )
        )


def _pieces(lead: Sequence[Piece], rest: Rest | None) -> Iterator[Piece]:
    yield from lead
    if rest is not None:
        yield from rest.lines()


def _text(item: Item) -> str:
    if item.line is not None:
        return item.line.text
    assert item.leaf is not None
    return shown(item.leaf)


def _in_shape(leaf: Leaf, other: Leaf) -> Leaf:
    """``leaf`` in the shape of ``other``, of as many elements: read in a row they are the same."""
    return replace(leaf, shape=other.shape) if prod(leaf.shape) == prod(other.shape) else leaf


def _names_device(item: Item) -> bool:
    """Whether the message of an error does."""
    assert item.leaf is not None
    return any(line.names_a_device for line in lines_of(item.leaf.text))


def _measured(item: Item) -> bool:
    """Whether a line holds a number with a fraction: such a one is a result on every device."""
    return item.line is not None and any(
        token.number is not None and not token.is_whole for token in item.line.tokens
    )


def _words(execution: Execution) -> frozenset[str]:
    """The lines that were printed."""
    found: Items = items_of(execution)
    return frozenset(_lines(found))


def _lines(items: Items) -> Iterator[str]:
    for stream in items.values():
        yield from (item.line.text for item in stream if item.line is not None)
