"""What names are where two branches meet."""

from __future__ import annotations

from devicefix.flow.frame import Env, Frame
from devicefix.flow.joins import join
from devicefix.flow.values import Either, Unknown, Value


def join_envs(frame: Frame, first: Env | None, second: Env | None) -> Env | None:
    """The names after two branches meet; None is a branch that does not arrive."""
    if first is None or second is None:
        return second if first is None else first
    joined = dict(first)
    for name, value in second.items():
        old = first.get(name)
        if old is not value:
            joined[name] = frame.bounded(join(old, value))
    for name, value in frame.shown:
        if (name in first) is not (name in second) and joined.get(name) == value:
            del joined[name]  # the condition of one branch says nothing of the other
    return joined


def of_like_kinds(first: Env | None, second: Env | None) -> bool:
    """Whether two branches differ in places only: no tensor in one is an array in the other.

    What was not seen may be of either kind.
    """
    if first is None or second is None:
        return True
    pairs = ((first.get(name), value) for name, value in second.items())
    return not any(_are_of_two_kinds(one, other) for one, other in pairs)


def _are_of_two_kinds(one: Value | None, other: Value) -> bool:
    if one is None or one is other or isinstance(one, Unknown) or isinstance(other, Unknown):
        return False
    return isinstance(join(one, other), Either)
