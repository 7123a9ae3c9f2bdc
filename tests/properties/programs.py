"""Small programs whose right version is known, because it was there first."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.properties.choices import Choices
from tests.properties.functions import (
    define_closure,
    define_function,
    define_holder,
    make_here,
    read_global,
)
from tests.properties.idioms import pour
from tests.properties.modules import call, define_module, ready_made
from tests.properties.scopes import Scope, Sort, Value
from tests.properties.sketch import Hole, Kind, Sketch, Spelling
from tests.properties.tensors import combine, read, some, write
from tests.properties.trained import LOOPS, NETWORKS
from tests.properties.training import checkpoint, evaluate, learn, train
from tests.properties.written import PYTHON

Brick = Callable[[Scope], object]


class Written(enum.Enum):
    """Which transfers are there."""

    ALL = "a program that is right already"
    NONE = "a program for the CPU"
    MODULES = "only modules are moved"
    SOME = "some are missing"


@dataclass(frozen=True, slots=True)
class Generated:
    """A program, and what is known of it."""

    text: str
    """What `apply` is given."""
    plain: str
    """The same program for the CPU."""
    right: str
    """The same program with all transfers, as it runs anywhere."""
    written: Written
    spelling: Spelling
    sketch: Sketch
    kept: frozenset[int]
    """The transfers that are there."""

    @property
    def anchored(self) -> bool:
        """A module is used on data: it belongs on the device."""
        return self.sketch.anchored

    @property
    def names_device(self) -> bool:
        """It says where its tensors go, and runs anywhere."""
        return self.spelling.runs_anywhere and "is_available" in self.text

    @property
    def runs_anywhere(self) -> bool:
        """The program as it is given runs on a machine without CUDA."""
        return self.spelling.runs_anywhere or "cuda" not in self.text.replace("is_available", "")


def generate(choices: Choices) -> Generated:
    """A program."""
    sketch = Sketch()
    scope = Scope(sketch, choices, sketch.main)
    if choices.chance(5):
        scope.line("def main():")
        scope.indent = "    "
    for _ in range(1 + choices.number(7)):
        choices.pick(BRICKS)(scope)
    if scope.callables:
        call(scope)
    for _ in range(1 + choices.number(2)):
        read(scope)
    if scope.indent:
        scope.indent = ""
        scope.line(choices.pick(("main()", 'if __name__ == "__main__":\n    main()')))
    return _rendered(sketch, choices)


def _rendered(sketch: Sketch, choices: Choices) -> Generated:
    spelling = choices.pick(tuple(Spelling))
    written = choices.pick(tuple(Written))
    holes = enumerate(sketch.holes)
    kept = frozenset(number for number, hole in holes if _is_written(hole, written, choices))
    if written is Written.SOME and len(kept) == len(sketch.holes):
        written = Written.ALL
    return rendered(sketch, spelling, written, kept)


def rendered(
    sketch: Sketch, spelling: Spelling, written: Written, kept: frozenset[int]
) -> Generated:
    """The program with the transfers ``kept``."""
    text = sketch.text(spelling, kept.__contains__)
    return Generated(text, sketch.plain(), sketch.right(), written, spelling, sketch, kept)


def _is_written(hole: Hole, written: Written, choices: Choices) -> bool:
    match written:
        case Written.ALL:
            return True
        case Written.NONE:
            return False
        case Written.MODULES:
            return hole.kind is Kind.MODULE or hole.name.startswith("model")
    return choices.chance()


def _if(scope: Scope) -> None:
    """A branch; both ways bind one name."""
    value = some(scope, Sort.BATCH)
    test = scope.choices.pick(
        (
            f"{value.text}.sum() > 0", "len([1, 2]) > 1", f"{value.text}.shape[0] > 4",
            f"not torch.isnan({value.text}).any()",
        )
    )  # fmt: skip
    if value.grad:
        test = "2 > 1"
    name = scope.name("chosen")
    there = scope.choices.chance()
    sort = Sort.BATCH
    with scope.block(f"if {test}:", keeps=False) as inner:
        _nested(inner)
        first = some(inner, sort)
        inner.line(f"{name} = {inner.at(first, there)}")
    with scope.block("else:", keeps=False) as inner:
        second = some(inner, sort)
        inner.line(f"{name} = {inner.at(second, there)}")
    scope.known(Value(name, sort, there, first.grad or second.grad))


def _nested(scope: Scope) -> None:
    bricks = LEAVES if scope.depth > 2 else NESTED
    for _ in range(1 + scope.choices.number(2)):
        scope.choices.pick(bricks)(scope)


def _for(scope: Scope) -> None:
    """A loop that adds something up."""
    value = some(scope, Sort.BATCH)
    total = scope.name("total")
    there = value.there or scope.choices.chance()
    how = scope.choices.number(4)
    start = ("torch.zeros(4, 3@)", "0", "[]", "None")[how]
    device = scope.hole(Kind.KEYWORD) if there else ""
    scope.line(f"{total} = {start.replace('@', device)}")
    with scope.block(f"for step in range({2 + scope.choices.number(2)}):") as inner:
        _nested(inner)
        term = some(inner, Sort.BATCH)
        text = inner.at(term, there)
        if how == 2:
            inner.line(f"{total}.append({text})")
        elif how == 3:
            inner.line(f"{total} = {text} if {total} is None else {total} + {text}")
        else:
            inner.line(f"{total} = {total} + {text} * step")
    if how == 2:
        scope.bind("mean", f"torch.stack({total}).mean(0)", Sort.BATCH, there, True)
    else:
        scope.known(Value(total, Sort.BATCH, there, True))


def _without_gradients(scope: Scope) -> None:
    with scope.block("with torch.no_grad():") as inner:
        inner.gradients = False
        _nested(inner)


def _gather(scope: Scope) -> None:
    """Tensors in a container, and out of it."""
    first, second = some(scope, Sort.BATCH), some(scope, Sort.LABELS)
    name = scope.name("bag")
    how = scope.choices.number(5)
    there = scope.choices.chance()
    if how == 0:
        scope.line(f'{name} = {{"x": {scope.at(first, there)}, "y": {scope.at(second, there)}}}')
        texts = f'{name}["x"]', f'{name}["y"]'
    elif how == 1:
        scope.line(f"{name} = ({scope.at(first, there)}, {scope.at(second, there)})")
        texts = f"{name}[0]", f"{name}[1]"
    elif how == 2:
        scope.line(f"{name} = [{first.text}, {second.text}]")
        if first.there != second.there:
            return
        moved = "" if first.there == there else scope.hole(Kind.TO if there else Kind.CPU)
        scope.line(f"{name} = [t{moved} for t in {name}]")
        texts = f"{name}[0]", f"{name}[1]"
    elif how == 3:
        scope.line(f"{name} = {{}}\n{name}['x'] = {scope.at(first, there)}")
        scope.line(f"{name}['y'] = {scope.at(second, there)}")
        texts = f"{name}['x']", f"{name}['y']"
    else:
        other = scope.name("u")
        scope.line(f"{name}, {other} = {scope.at(first, there)}, {scope.at(second, there)}")
        texts = name, other
    scope.known(Value(texts[0], Sort.BATCH, there, first.grad))
    scope.known(Value(texts[1], Sort.LABELS, there, second.grad))


def _numpy(scope: Scope) -> None:
    """To NumPy and back."""
    value = some(scope, scope.choices.pick((Sort.BATCH, Sort.ROW, Sort.COLUMN)))
    name = scope.name("array")
    bare = value.text + ".detach()" * value.grad
    home = scope.hole(Kind.CPU) if value.there else ""
    scope.line(f"{name} = {bare}{home}.numpy() * 0.5")
    scope.line(f"print(round(float({name}.sum()), 4))")
    if scope.choices.chance():
        there = scope.choices.chance()
        made = scope.choices.pick(
            ("torch.from_numpy({})", "torch.tensor({})", "torch.as_tensor({})")
        )
        moved = scope.hole(Kind.TO) if there else ""
        scope.bind("back", made.format(name) + moved, value.sort, there)


LEAVES: Final[tuple[Brick, ...]] = (combine, make_here, write, read, call)
NESTED: Final[tuple[Brick, ...]] = (
    *LEAVES,
    combine,
    _if,
    _gather,
    _numpy,
    _without_gradients,
    _for,
)


def _written(scope: Scope) -> None:
    pour(scope, scope.choices.pick(PYTHON))


def _network(scope: Scope) -> None:
    pour(scope, scope.choices.pick(NETWORKS))


def _loop(scope: Scope) -> None:
    pour(scope, scope.choices.pick(LOOPS))


BRICKS: Final[tuple[Brick, ...]] = (
    make_here, combine, read, ready_made, define_module, call, train, evaluate, write, _gather,
    _numpy, _for, _if, _without_gradients, define_function, define_closure, define_holder,
    checkpoint, learn, read_global, combine, call,
    _written, _written, _written, _network, _network, _loop, _loop,
)  # fmt: skip
