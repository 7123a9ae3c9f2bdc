"""What names are where two branches meet."""

from __future__ import annotations

import re

from devicefix.flow.frame import Env, Frame
from devicefix.flow.joins import join
from devicefix.flow.values import Either, Tensor, Unknown, Value


def join_envs(frame: Frame, first: Env | None, second: Env | None) -> Env | None:
    """The names after two branches meet; None is a branch that does not arrive."""
    if first is None or second is None:
        return second if first is None else first
    joined = dict(first)
    apart = first.keys() ^ second.keys() if frame.path_holders or frame.elsewhere else ()
    for name, value in second.items():
        old = first.get(name)
        if old is not value:
            joined[name] = frame.bounded(join(old, value))
    around, frame.env = frame.env, joined
    for name in sorted(apart):
        # what one branch has set, in the other it is what its holder has, or the scope around
        if _is_part(joined, name):
            frame.write_back(name, joined.pop(name), perhaps=True)
        elif name in frame.elsewhere:
            del joined[name]
    frame.env = around
    return joined


def _is_part(env: Env, name: str) -> bool:
    """Whether it is an attribute or item that somebody else holds: no batch does of its own."""
    if "." not in name and "[" not in name:
        return False
    holder = env.get(re.split(r"[.\[]", name, maxsplit=1)[0])
    return not isinstance(holder, Tensor)


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
