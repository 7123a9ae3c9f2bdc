"""Statements that make tensors, compute with them, write into them and read them."""

from __future__ import annotations

import re
from typing import Final

from tests.properties.scopes import Scope, Sort, Value
from tests.properties.sketch import Kind
from tests.properties.tables import FACTORIES, OPERATIONS, READS, WRITES

_SIGN: Final = re.compile(" [<>%] ")
B, R, C = Sort.BATCH, Sort.ROW, Sort.COLUMN


def make(scope: Scope, sort: Sort, there: bool | None = None) -> Value:
    """A new tensor."""
    there = scope.choices.chance() if there is None else there
    text = scope.choices.pick(FACTORIES[sort])
    if (
        sort in (B, R, C)
        and text.endswith("@)")
        and "as_tensor" not in text
        and scope.choices.chance(8)
    ):
        return _leaf(scope, text, sort, there)
    if not there:
        return scope.bind("t", text.replace("@", ""), sort, there)
    how = scope.choices.number(3)
    if how == 0 and "@" in text:
        return scope.bind("t", text.replace("@", scope.hole(Kind.KEYWORD)), sort, there)
    text = text.replace("@", "")
    if how == 1:
        value = scope.bind("t", text, sort, there)
        scope.line(scope.hole(Kind.GUARD, value.text))
        return value
    text = f"({text})" if _SIGN.search(text) else text
    return scope.bind("t", text + scope.hole(Kind.TO), sort, there)


def _leaf(scope: Scope, text: str, sort: Sort, there: bool) -> Value:
    """A tensor that is trained by itself."""
    device = scope.hole(Kind.KEYWORD) if there else ""
    return scope.bind("w", f"{text[:-2]}, requires_grad=True{device})", sort, there, True)


def some(scope: Scope, sort: Sort) -> Value:
    """One that is in reach, or a new one."""
    found = scope.of(sort)
    return scope.choices.pick(found[::-1]) if found else make(scope, sort)


def combine(scope: Scope) -> Value:
    """A tensor computed from others."""
    gives, takes, template = scope.choices.pick(OPERATIONS)
    operands = [some(scope, sort) for sort in takes]
    there = any(operand.there for operand in operands) or scope.choices.chance(4)
    texts = [scope.at(operand, there) for operand in operands]
    device = ""
    if "%" in template and there:
        device = scope.hole(Kind.KEYWORD)
    text = template.replace("%", device).format(*texts)
    return scope.bind("v", text, gives, there, any(operand.grad for operand in operands))


def write(scope: Scope) -> None:
    """Write into a tensor."""
    sort, takes, template = scope.choices.pick(WRITES)
    targets = [value for value in scope.of(sort) if not value.grad]
    target = scope.choices.pick(targets[::-1]) if targets else make(scope, sort)
    if target.grad:
        return
    operands = [some(scope, sort) for sort in takes]
    if target in operands or (any(o.grad for o in operands) and scope.gradients):
        return
    scope.line(template.format(target.text, *(scope.at(o, target.there) for o in operands)))


def read(scope: Scope) -> None:
    """Print something of a tensor."""
    value = scope.choices.pick(scope.values[::-1]) if scope.values else make(scope, B)
    template = scope.choices.pick(READS)
    if not value.text.isidentifier() and template.startswith("print(f"):
        # quotes within quotes are Python 3.12
        value = scope.bind("t", value.text, value.sort, value.there, value.grad)
    bare = value.text + ".detach()" * (value.grad or not scope.gradients)
    home = scope.hole(Kind.CPU) if value.there and "!" in template else ""
    scope.line(template.replace("!", home).format(bare))
