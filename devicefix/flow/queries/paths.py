"""Which ways lead through a body, and whether all of them come by something."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias

from devicefix.flow.ir import Block, Body, Kind, Op, Point
from devicefix.flow.queries.congruence import opposite_value, same_value
from devicefix.flow.queries.control import guards, nearest_guard

Answers: TypeAlias = Mapping[Op, bool]
"""Branches, and what is known to be asked there."""
_NOTHING: Final[Answers] = MappingProxyType({})


class Ways:
    """The ways through a body that end without an exception.

    ``answer`` says what a branch always answers, as far as that is known; ``stops`` whether an
    operation of one of the ``kinds`` is one that ways may come by; ``ends`` whether what raises
    ends the program as it should. A loop comes to its body at least once, and to its end, if it has
    one.
    """

    def __init__(
        self,
        body: Body,
        answer: Callable[[Op], bool | None],
        stops: Callable[[Op], bool],
        ends: Callable[[Op], bool],
        kinds: Container[Kind] = frozenset(Kind),
    ) -> None:
        self._body = body
        self._stops = stops
        self._asked = [[op for op in block.ops if op.kind in kinds] for block in body.blocks]
        self._ends = ends
        self._following = [list(block.successors) for block in body.blocks]
        for block in body.blocks:
            known = None
            if _is_branch(block):
                known = self._settled(block)
                known = answer(block.ops[-1]) if known is None else known
            if known is not None:
                self._following[block.number] = [_way(block, known)]
        self._forever: set[tuple[int, int]] = set()
        for loop, (header, rest) in reversed(body.loops.items()):
            self._turn_once(loop, header, rest)

    def _settled(self, block: Block) -> bool | None:
        """What a branch answers that asks the same as the one around it, or the opposite."""
        guard = nearest_guard(self._body, block.number)
        if guard is None:
            return None
        asked, (above, answer) = block.ops[-1].operands[0].node, guard
        if same_value(self._body, above.operands[0].node, asked):
            return answer
        return not answer if opposite_value(self._body, above.operands[0].node, asked) else None

    def _turn_once(self, loop: ast.AST, header: int, rest: int) -> None:
        """Let the last turn end the loop, and no question in front of the first one."""
        below = [b for b in self._body.blocks if self._is_below(header, b.number)]
        asking = [b.number for b in below if rest in self._following[b.number]]
        turning = [b.number for b in below if header in self._following[b.number]]
        for number in asking:
            self._following[number] = [n for n in self._following[number] if n != rest]
        for number in turning if asking else ():
            self._following[number].append(rest)
        if not asking and not any(self._leaves(loop, block) for block in below):
            self._forever |= {(number, header) for number in turning}

    def _leaves(self, loop: ast.AST, block: Block) -> bool:
        """Whether the program goes on behind a loop from here."""
        after = [loop in self._body.blocks[n].loops for n in self._following[block.number]]
        return loop in block.loops and (_returns(block) or not all(after))

    def _is_below(self, above: int, number: int) -> bool:
        return self._body.dominates(above, number)

    def before(self, point: Point) -> Sequence[Op] | None:
        """What all ways from the entry to ``point`` come by first; None where one does not."""
        return self._search((0, 0), point, _NOTHING)

    def behind(self, point: Point) -> Sequence[Op] | None:
        """The same for what follows ``point``: conditions that it is below are asked again."""
        return self._search(point, None, self._known(point[0]))

    def _known(self, number: int) -> Answers:
        """What the branches around a block say of those that ask the same."""
        asked = [(op.operands[0].node, answer) for op, answer in guards(self._body, number)]
        return {
            block.ops[-1]: answer
            for block in self._body.blocks
            for tree, answer in asked
            if _is_branch(block) and same_value(self._body, block.ops[-1].operands[0].node, tree)
        }

    def _search(self, start: Point, end: Point | None, known: Answers) -> Sequence[Op] | None:
        """``known`` holds until a loop turns."""
        found: list[Op] = []
        queue = [(*start, True)]
        seen = {(start[0], True)} if start[1] == 0 else set()
        for number, at, fresh in queue:  # which grows
            block = self._body.blocks[number]
            until = end[1] if end is not None and end[0] == number else len(block.ops)
            asked = (op for op in self._asked[number] if at <= op.at < until)
            stop = next((op for op in asked if self._stops(op)), None)
            if stop is not None:
                found.append(stop)
                continue
            if until < len(block.ops) or (end is None and self._is_over(block)):
                return None
            for following in self._from(block, known if fresh else _NOTHING):
                if end is None and (number, following) in self._forever:
                    return None
                state = following, fresh and not self._is_below(following, number)
                if state not in seen:
                    seen.add(state)
                    queue.append((following, 0, state[1]))
        return found

    def _from(self, block: Block, known: Answers) -> Sequence[int]:
        following = self._following[block.number]
        answer = known.get(block.ops[-1])
        way = _way(block, answer) if answer is not None else -1
        return [way] if way in following else following

    def _is_over(self, block: Block) -> bool:
        return _returns(block) or self._ends(block.ops[-1])


def _is_branch(block: Block) -> bool:
    return bool(block.ops) and block.ops[-1].kind is Kind.BRANCH


def _returns(block: Block) -> bool:
    return bool(block.ops) and block.ops[-1].kind is Kind.RETURN


def _way(block: Block, answer: bool) -> int:
    return block.successors[0 if answer else 1]
