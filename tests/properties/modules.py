"""Classes of modules, what they hold, and how they are made."""

from __future__ import annotations

from typing import Final

from tests.properties.scopes import Routine, Scope, Sort, Value
from tests.properties.sketch import Hole, Kind
from tests.properties.tensors import combine, some

LAYERS: Final = (
    ("self.@ = nn.Linear(3, 3)", "x = torch.tanh(self.@(x))"),
    ("self.@ = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 3))", "x = self.@(x)"),
    (
        "self.@ = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])",
        "for block in self.@:\n    x = x + torch.tanh(block(x))",
    ),
    ('self.@ = nn.ModuleDict({"a": nn.Linear(3, 3)})', 'x = self.@["a"](x)'),
    ("self.@ = nn.Parameter(torch.ones(3))", "x = x * self.@"),
    ('self.register_buffer("@", torch.full((3,), 0.1))', "x = x - self.@"),
    ("#torch.full((3,), 0.5)", "x = x * self.@"),
    ("#torch.arange(3).float()", "x = x + self.@"),
    ("#torch.tril(torch.ones(4, 4))", "x = self.@[:x.size(0), :x.size(0)].mm(x)"),
    ("", "@ = torch.ones(x.size(0), 1%)\nx = x * @"),
    ("", "x = x + 0.1 * torch.randn(x.size()%)"),
    ("", "x = x + 0.1 * torch.randn_like(x)"),
    ("", "@ = torch.arange(x.size(1)%).float()\nx = x + @"),
    ("", "x = F.dropout(x, 0.2, self.training)"),
    ("", "if self.training:\n    x = x + torch.rand(x.shape[1]%)"),
    (
        "self.@ = nn.Embedding(5, 3)",
        "x = x + self.@(torch.arange(x.size(0)%))",
    ),
    ("self.@ = nn.LayerNorm(3)", "x = self.@(x)"),
    ("self.@ = nn.BatchNorm1d(3)", "x = self.@(x)"),
    (
        "self.@ = nn.GRU(3, 3, batch_first=True)",
        "h@, _ = self.@(x.unsqueeze(1), torch.zeros(1, x.size(0), 3%))\nx = h@.squeeze(1)",
    ),
    (
        "self.@ = nn.LSTMCell(3, 3)",
        (
            "h = torch.zeros(x.size(0), 3%)\nc = torch.zeros_like(h)\n"
            "for _ in range(2):\n    h, c = self.@(x, (h, c))\nx = h"
        ),
    ),
    (
        "self.@ = None",
        (
            "if self.@ is None:\n    self.@ = torch.zeros(x.size(0), 3%)\n"
            "self.@ = 0.5 * self.@ + x.detach()\nx = x + self.@"
        ),
    ),
    (
        "self.@ = nn.Linear(3, 3, bias=False)",
        (
            "scores = torch.mm(self.@(x), x.t())\n"
            "mask = torch.triu(torch.ones(x.size(0), x.size(0)%), 1).bool()\n"
            'x = F.softmax(scores.masked_fill(mask, float("-inf")), -1).mm(x)'
        ),
    ),
    ("self.@ = 0.5", "x = x * self.@"),
    ("self.@ = [torch.ones(3), torch.zeros(3)]", "for row in self.@:\n    x = x + row$"),
    ("", "x = torch.cat([x, torch.zeros(x.size(0), 1%)], dim=1)[:, :3]"),
    ("", "x = torch.where(x > 0, x, torch.zeros(1%))"),
    ("", "x = x * torch.tensor([1.0, 2.0, 3.0]%)"),
)
"""What a constructor says (``#`` a tensor that is a buffer in the right program), and `forward`.

``@`` is a name, ``%`` a device, ``$`` a transfer to where ``x`` is.
"""


def define_module(scope: Scope) -> Routine:
    """A new class, and an object of it."""
    choices = scope.choices
    class_name = scope.name("Net")
    body: list[str] = []
    init: list[str] = []
    for _ in range(1 + choices.number(4)):
        _layer(scope, init, body)
    if not any("nn." in line for line in init):
        init.append("self.last = nn.Linear(3, 3)")
        body.append("x = self.last(x)")
    forward = scope.inside(body_lines := [], "x.device", "        ", [])
    for text in body:
        forward.line(text)
    known = Value("x", Sort.BATCH, True, True)
    forward.values.append(known)
    result = known
    if choices.chance(3):
        found = [combine(forward) for _ in range(1 + choices.number(3))]
        result = next((v for v in found[::-1] if v.sort is Sort.BATCH and v.there), known)
    forward.line(f"return {result.text}")
    head = [
        f"class {class_name}(nn.Module):",
        "    def __init__(self):",
        "        super().__init__()",
    ]
    head += [f"        {line}" for line in init]
    head += ["", "    def forward(self, x):", *body_lines, "", ""]
    scope.sketch.classes += head
    return instance(scope, class_name)


def _layer(scope: Scope, init: list[str], body: list[str]) -> None:
    made, used = scope.choices.pick(LAYERS)
    name = scope.name("p")
    add = scope.sketch.hole
    if made.startswith("#"):
        init.append(add(Hole(Kind.BUFFER, "", name, made[1:])))
    elif made:
        init.append(made.replace("@", name))
    while "%" in used:
        used = used.replace("%", add(Hole(Kind.KEYWORD, "x.device")), 1)
    if "$" in used:
        used = used.replace("$", add(Hole(Kind.TO, "x.device")))
    body.append(used.replace("@", name))


READY_MADE: Final = (
    "nn.Linear(3, 3)",
    "nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))",
)


def instance(scope: Scope, class_name: str) -> Routine:
    """An object of the class, moved in one of the usual ways."""
    return _placed(scope, f"{class_name}()")


def ready_made(scope: Scope) -> Routine:
    """A module of torch itself."""
    return _placed(scope, scope.choices.pick(READY_MADE))


def _placed(scope: Scope, text: str) -> Routine:
    name = scope.name("model")
    how = scope.choices.number(3)
    if how == 0:
        scope.line(f"{name} = {text}{scope.hole(Kind.MODULE)}")
    else:
        scope.line(f"{name} = {text}")
        scope.line(scope.hole(Kind.GUARD, name))
    if scope.choices.chance(3):
        scope.line(f"{name}.eval()")
    made = Routine(name, (Sort.BATCH,), Sort.BATCH, module=True)
    scope.callables.append(made)
    return made


def call(scope: Scope, function: Routine | None = None) -> Value:
    """The result of a module or a function."""
    known = scope.callables[::-1]
    function = function or (scope.choices.pick(known) if known else ready_made(scope))
    operands = [some(scope, sort) for sort in function.takes]
    there = function.module or function.closes or any(operand.there for operand in operands)
    texts = [scope.at(operand, there) for operand in operands]
    scope.sketch.anchored |= function.module
    return scope.bind("out", f"{function.text}({', '.join(texts)})", function.gives, there, True)
