"""Functions, closures and classes that hold tensors."""

from __future__ import annotations

from tests.properties.modules import call
from tests.properties.scopes import Routine, Scope, Sort, Value
from tests.properties.sketch import Hole, Kind
from tests.properties.tensors import combine, make, read, some, write

SORTS = (Sort.BATCH, Sort.ROW, Sort.COLUMN, Sort.LABELS, Sort.MASK)


def _body(scope: Scope, most: int) -> None:
    for _ in range(scope.choices.number(most + 1)):
        scope.choices.pick((combine, combine, make_here, write_new, read))(scope)


def make_here(scope: Scope) -> Value:
    """A tensor of any sort."""
    return make(scope, scope.choices.pick(SORTS))


def write_new(scope: Scope) -> None:
    """Write into a tensor that the function made itself."""
    values = scope.values
    scope.values = [value for value in values if not value.grad]
    write(scope)
    made = [value for value in scope.values if value not in values]
    scope.values = values
    scope.values += made


def _returned(scope: Scope) -> Value:
    """Something that is where the parameters are."""
    there = [value for value in scope.values if value.there]
    return scope.choices.pick(there[::-1])


def define_function(scope: Scope) -> Routine:
    """A function of tensors, and a call of it."""
    name = scope.name("helper")
    takes = tuple(scope.choices.pick(SORTS) for _ in range(1 + scope.choices.number(2)))
    names = ["a", "b"][: len(takes)]
    lines: list[str] = []
    parameters = [Value(n, s, True, True) for n, s in zip(names, takes, strict=True)]
    inner = scope.inside(lines, "a.device", "    ", parameters)
    _body(inner, 4)
    result = _returned(inner)
    inner.line(f"return {result.text}")
    scope.sketch.functions += [f"def {name}({', '.join(names)}):", *lines, "", ""]
    made = Routine(name, takes, result.sort)
    scope.callables.append(made)
    return made


def define_closure(scope: Scope) -> Routine:
    """A function that reads a tensor of the one around it."""
    name = scope.name("make")
    held = scope.choices.pick((Sort.ROW, Sort.COLUMN, Sort.LABELS, Sort.BATCH))
    lines: list[str] = []
    inner = scope.inside(lines, "a.device", "        ", [Value("a", Sort.BATCH, True, True)])
    given = some(scope, held)
    inner.values.append(Value("held", held, given.there))
    for _ in range(1 + scope.choices.number(2)):
        combine(inner)
    result = _returned(inner)
    inner.line(f"return {result.text}")
    scope.sketch.functions += [
        f"def {name}(held):", "    def inner(a):", *lines, "", "    return inner", "", "",
    ]  # fmt: skip
    bound = scope.name("inner")
    scope.line(f"{bound} = {name}({given.text})")
    made = Routine(bound, (Sort.BATCH,), result.sort, closes=given.there)
    scope.callables.append(made)
    return made


def read_global(scope: Scope) -> Routine:
    """A function that reads a tensor of the file."""
    value = some(scope, scope.choices.pick((Sort.ROW, Sort.BATCH, Sort.LABELS, Sort.COLUMN)))
    name = scope.name("use")
    lines: list[str] = []
    inner = scope.inside(lines, "a.device", "    ", [Value("a", Sort.BATCH, True, True)])
    if value.text.isidentifier():
        inner.values.append(Value(value.text, value.sort, value.there))
    for _ in range(1 + scope.choices.number(2)):
        combine(inner)
    result = _returned(inner)
    inner.line(f"return {result.text}")
    if scope.indent:  # a name of a block may not be there yet
        return call_any(scope)
    scope.line(f"def {name}(a):")
    for line in lines:
        scope.line(line)
    made = Routine(name, (Sort.BATCH,), result.sort, closes=value.there)
    scope.callables.append(made)
    return made


def call_any(scope: Scope) -> Routine:
    """Call something that is there."""
    call(scope)
    return scope.callables[-1]


def define_holder(scope: Scope) -> None:
    """An object with tensors, and what it does with others."""
    name = scope.name("Keeper")
    held = Hole(Kind.TO, "a.device")
    add = scope.sketch.hole
    template = scope.choices.pick(
        (
            (
                f"self.total = self.total{add(held)} + a.detach().mean(0)\n"
                f"        return a - self.total{add(held)}"
            ),
            f"return (a * self.total{add(held)}).tanh()",
            "self.seen.append(a.detach())\n        return torch.stack(self.seen).mean(0)",
            "if self.last is None:\n            self.last = torch.zeros(a.shape"
            + add(Hole(Kind.KEYWORD, "a.device"))
            + ")\n        self.last = 0.5 * self.last + 0.5 * a.detach()\n        return self.last",
        )
    )
    scope.sketch.classes += [
        f"class {name}:", "    def __init__(self):", "        self.total = torch.zeros(3)",
        "        self.seen = []", "        self.last = None", "",
        "    def update(self, a):", f"        {template}", "", "",
    ]  # fmt: skip
    keeper = scope.name("keeper")
    scope.line(f"{keeper} = {name}()")
    for _ in range(1 + scope.choices.number(2)):
        operand = some(scope, Sort.BATCH)
        # an object that has been on the device stays there
        text = scope.at(operand, True)
        scope.bind("kept", f"{keeper}.update({text})", Sort.BATCH, True, True)
