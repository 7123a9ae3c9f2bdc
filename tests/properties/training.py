"""Loaders, loops, optimizers, metrics and checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.properties.modules import define_module, ready_made
from tests.properties.scopes import Routine, Scope, Sort, Value
from tests.properties.sketch import Kind
from tests.properties.tensors import some

DATASET: Final = """\
class Rows(Dataset):
    def __init__(self, n):
        self.x = torch.linspace(-1, 1, 3 * n).reshape(n, 3)
        self.y = torch.arange(n) % 3

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {}


"""

LOADERS: Final = (
    "DataLoader(TensorDataset(torch.randn(8, 3), torch.randint(0, 3, (8,))), batch_size=4)",
    "DataLoader(TensorDataset(torch.randn(8, 3), torch.arange(8) % 3), batch_size=4, shuffle=True)",
    "[(torch.randn(4, 3), torch.randint(0, 3, (4,))) for _ in range(2)]",
    "DataLoader(list(zip(torch.randn(8, 3), torch.arange(8) % 3)), batch_size=4)",
)
LOOPS: Final = (
    "for {x}, {y} in {l}:",
    "for i, ({x}, {y}) in enumerate({l}):",
    "for b in {l}:\n    {x}, {y} = b",
    "for b in {l}:\n    {x} = b[0]\n    {y} = b[1]",
    "for i, b in enumerate({l}, 1):\n    {x}, {y} = b[0], b[1]",
)


def _loader(scope: Scope) -> tuple[str, bool]:
    """Its name, and whether its batches are dicts."""
    name = scope.name("loader")
    kind = scope.choices.number(len(LOADERS) + 2)
    if kind < len(LOADERS):
        scope.line(f"{name} = {LOADERS[kind]}")
        return name, False
    mapping = kind == len(LOADERS) + 1
    items = '{"x": self.x[i], "y": self.y[i]}' if mapping else "self.x[i], self.y[i]"
    rows = scope.name("Rows")
    scope.sketch.classes.append(DATASET.format(items).replace("Rows", rows).rstrip("\n") + "\n\n")
    scope.line(f"{name} = DataLoader({rows}(8), batch_size=4)")
    return name, mapping


def over_batches(scope: Scope, body: Callable[[Scope, Value, Value], None]) -> None:
    """A loop over a loader."""
    loader, mapping = _loader(scope)
    x, y = scope.name("x"), scope.name("y")
    head = scope.choices.pick(LOOPS)
    if mapping:
        head = 'for b in {l}:\n    {x}, {y} = b["x"], b["y"]'
    with scope.block(head.format(x=x, y=y, l=loader)) as inner:
        there = scope.choices.chance()
        if there:
            inner.line(inner.hole(Kind.GUARD, x))
            inner.line(inner.hole(Kind.GUARD, y))
        values = Value(x, Sort.BATCH, there), Value(y, Sort.LABELS, there)
        for value in values:
            inner.known(value)
        body(inner, *values)


def module(scope: Scope) -> Routine:
    """One that is there, or a new one."""
    known = [c for c in scope.callables if c.module]
    if known and scope.choices.chance():
        return scope.choices.pick(known)
    return define_module(scope) if scope.choices.chance() else ready_made(scope)


OPTIMIZERS: Final = (
    "torch.optim.SGD({}.parameters(), lr=0.1)",
    "torch.optim.Adam({}.parameters(), lr=0.01)",
    "torch.optim.SGD([p for p in {}.parameters() if p.requires_grad], lr=0.1, momentum=0.9)",
    "torch.optim.Adagrad({}.parameters())",
    "torch.optim.RMSprop({}.parameters())",
)


def _criterion(scope: Scope) -> str:
    """A loss of scores and labels: an expression that is called."""
    how = scope.choices.number(5)
    if how == 0:
        return "F.cross_entropy"
    name = scope.name("criterion")
    weight = ""
    if how == 2:
        weight = f"weight=torch.tensor([1.0, 2.0, 0.5]{scope.hole(Kind.KEYWORD)})"
    text = f"nn.CrossEntropyLoss({weight})"
    if how == 3:
        text = f"nn.CrossEntropyLoss(torch.ones(3)){scope.hole(Kind.MODULE)}"
    if how == 4:
        text = "lambda a, b: F.nll_loss(F.log_softmax(a, 1), b)"
    scope.line(f"{name} = {text}")
    return name


def train(scope: Scope) -> None:
    """A model is trained for some steps."""
    net = module(scope)
    optimizer = scope.name("optimizer")
    scope.line(f"{optimizer} = {scope.choices.pick(OPTIMIZERS).format(net.text)}")
    criterion = _criterion(scope)
    losses = scope.name("losses")
    scope.line(f"{losses} = []")

    def body(inner: Scope, x: Value, y: Value) -> None:
        scope.sketch.anchored = True
        loss = inner.name("loss")
        inner.line(f"{optimizer}.zero_grad()")
        score = f"{net.text}({inner.at(x, True)})"
        inner.line(f"{loss} = {criterion}({score}, {inner.at(y, True)})")
        inner.line(f"{loss}.backward()")
        if inner.choices.chance(4):
            inner.line(f"nn.utils.clip_grad_norm_({net.text}.parameters(), 1.0)")
        inner.line(f"{optimizer}.step()")
        inner.line(_kept(inner, losses, loss))

    if scope.choices.chance(3):
        with scope.block("for epoch in range(2):") as epoch:
            over_batches(epoch, body)
    else:
        over_batches(scope, body)
    scope.line(f"print([round(float(v), 4) for v in {losses}])")


def _kept(scope: Scope, losses: str, loss: str) -> str:
    how = scope.choices.number(4)
    if how == 0:
        return f"{losses}.append({loss}.item())"
    if how == 1:
        return f"{losses}.append({loss}.detach())"
    if how == 2:
        return f"{losses}.append({loss}.detach(){scope.hole(Kind.CPU)}.numpy())"
    return f"{losses} += [float({loss})]"


def evaluate(scope: Scope) -> None:
    """Predictions are gathered and counted."""
    net = module(scope)
    scope.line(f"{net.text}.eval()")
    found, right = scope.name("found"), scope.name("right")
    scope.line(f"{found}, {right} = [], {scope.choices.pick(('0', '0.0'))}")
    ways = (
        ("{r} += (scores.argmax(1) == {y}).sum().item()", False, False),
        ("{r} += scores.max(1)[1].eq({y}).float().mean().item()", False, False),
        ("{r} += (scores.argmax(1){cpu}.numpy() == {y}.numpy()).mean()", True, False),
        ("{r} += int((scores.argmax(dim=1) == {y}).sum())", False, False),
        ("{f}.append(scores.detach())", False, True),
        ("{f}.append(scores.detach(){cpu}.numpy())", True, False),
        ("{f}.extend(scores.argmax(1).tolist())", False, False),
        ("{f} += list(scores.argmax(1){cpu}.numpy())", True, False),
        ("{f}.append(scores{cpu}.detach())", True, True),
    )
    template, host, tensors = scope.choices.pick(ways)

    def body(inner: Scope, x: Value, y: Value) -> None:
        scope.sketch.anchored = True
        with inner.block("with torch.no_grad():") as quiet:
            quiet.line(f"scores = {net.text}({quiet.at(x, True)})")
        cpu = inner.hole(Kind.CPU) if "{cpu}" in template else ""
        label = inner.at(y, not host) if "{y}" in template else ""
        inner.line(template.format(r=right, f=found, y=label, cpu=cpu))

    over_batches(scope, body)
    if tensors:
        scope.bind("all_", f"torch.cat({found})[:4]", Sort.BATCH, not host)
        scope.line(f"print(torch.cat({found}).shape)")
    else:
        scope.line(f"print({right}, np.array({found}).shape)")


def checkpoint(scope: Scope) -> None:
    """A model is saved and loaded, copied or averaged."""
    net = module(scope)
    copied = scope.name("other")
    how = scope.choices.number(4)
    if how == 0:
        buffer = scope.name("buffer")
        scope.line(f"{buffer} = io.BytesIO()")
        scope.line(f"torch.save({net.text}.state_dict(), {buffer})\n{buffer}.seek(0)")
        scope.line(f"{net.text}.load_state_dict(torch.load({buffer}))")
        return
    scope.line(f"{copied} = copy.deepcopy({net.text})")
    if how == 1:
        scope.line(f"{copied}.load_state_dict({net.text}.state_dict())")
    elif how == 2:
        with scope.block(
            f"for p, q in zip({copied}.parameters(), {net.text}.parameters()):"
        ) as inner:
            inner.line(
                scope.choices.pick(
                    ("p.data.mul_(0.9).add_(q.data, alpha=0.1)", "p.data.copy_(q.data * 0.5)")
                )
            )
    else:
        weights = scope.name("weights")
        scope.line(f"{weights} = {{k: v.clone() for k, v in {net.text}.state_dict().items()}}")
        scope.line(f"{copied}.load_state_dict({weights})")
    scope.callables.append(Routine(copied, (Sort.BATCH,), Sort.BATCH, module=True))


def learn(scope: Scope) -> None:
    """Tensors are trained by hand or by an optimizer."""
    weight = scope.name("weight")
    device = scope.hole(Kind.KEYWORD)
    scope.line(f"{weight} = torch.ones(3, requires_grad=True{device})")
    data = some(scope, Sort.BATCH)
    target = some(scope, Sort.COLUMN)
    loss = scope.name("loss")
    texts = scope.at(data, True), scope.at(target, True)
    detached = [t + ".detach()" for t in texts]
    scope.line(f"{loss} = (({detached[0]} @ {weight} - {detached[1]}) ** 2).mean()")
    scope.line(f"{loss}.backward()")
    with scope.block("with torch.no_grad():") as quiet:
        quiet.line(f"{weight} -= 0.1 * {weight}.grad")
    scope.line(f"print(round({loss}.item(), 4), {weight}.grad.sum().item() == 0)")
    scope.known(Value(weight, Sort.ROW, True, True))
