"""Random edits on sample programs: what is inserted is all that changes.

Every kind of edit leaves a mark that can be taken out of the new tree; what remains must be the old
tree, and the text outside the edits must be the old text.
"""

from __future__ import annotations

import ast
import random
import sys

import pytest

from devicefix.edits import (
    EditError,
    add_keyword,
    append_call,
    assign_statement,
    insert_after,
    insert_after_imports,
    insert_at_body_start,
    insert_before,
)
from devicefix.findings import Edit
from devicefix.source import Source

MODEL = '''\
#!/usr/bin/env python
"""A model, ä € 😀."""
from __future__ import annotations

import torch, numpy as np
from torch import nn
try:
    import tqdm
except ImportError: tqdm = None


class Net(nn.Module):
    """One layer."""
    scale: float = -1.5

    def __init__(self, size=3, *, bias: bool = True) -> None:  # : here
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(size, 4, bias=bias),  # in
            nn.ReLU(),
            nn.Linear(4, 2)  # out
        )

    @torch.no_grad()
    def forward(self, x, *args, **kwargs):
        h = self.layers(x) if x is not None else -self.scale ** 2; h = h + 1
        return h, *args


def train(net, loader, epochs = 2):
    total, seen = 0., 0
    for epoch in range(epochs):
        for i, (data, target) in enumerate(loader, 1):
            if data.dim() == 1: data = data[None, :]; target = target[None]
            out = net(data, )[0]
            loss = ((out - target) ** 2).mean() \\
                + sum(p.abs().sum() for p in net.parameters())
            total += loss.item(); seen += len(data)
            print(f"{epoch}: {loss.item()!r:>{10}} {seen:d} {total / seen:.{2 + 1}f} {seen=}",
                  end="" if i % 2 else "\\n", **{})
        else:
            assert (n := seen) >= 0, ("none", n)
    while False: break
    with torch.no_grad() as a, (open)(__file__) as b:
        pass
    return [x for x in {1: 2, **{}} if not x or x > 1 and x < 3], lambda y=1: y or -y
'''

SAMPLES = {
    "lf": MODEL,
    "crlf": MODEL.replace("\n", "\r\n"),
    "cr": MODEL.replace("\n", "\r"),
    "mixed": "\r\n".join(MODEL.split("\n", 12)),
    "tabs": MODEL.replace("    ", "\t"),
    "no line end": MODEL.rstrip("\n"),
    "form feeds": MODEL.replace("\n\n\n", "\n\x0c\n"),
    "one line": "x = 1; f(x, -x); y = [x if x else (x,)]",
}

ENCODINGS = ["utf-8", "utf-8-sig"]


class Unmark(ast.NodeTransformer):
    """Takes the marks of this test out of a tree."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "mark":
            return node.func.value
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "mark"]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id == "mark_statement":
            return None
        if isinstance(target, ast.Name) and target.id == "mark_value":
            return ast.Expr(node.value)
        return node


def random_edits(source: Source, chance: random.Random) -> list[Edit]:
    edits: list[Edit] = []
    for node in ast.walk(source.tree):
        try:
            if isinstance(node, ast.expr) and chance.random() < 0.4:
                edits += append_call(source, node, ".mark()", chance.choice([0, 7]))
            if isinstance(node, ast.Call) and chance.random() < 0.3:
                edits.append(add_keyword(source, node, "mark", "-1"))
            if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
                edits.append(assign_statement(source, node, "mark_value"))
            if isinstance(node, ast.stmt) and chance.random() < 0.2:
                edits.append(insert_after(source, node, "mark_statement = 1"))
            if isinstance(node, ast.stmt) and chance.random() < 0.2 and not first(source, node):
                edits.append(insert_before(source, node, "mark_statement = 2"))
            if isinstance(node, ast.stmt) and chance.random() < 0.2:
                edit = insert_at_body_start(source, node, "mark_statement = 3")
                edits += [edit] if edit else []
        except EditError:
            continue
    edits.append(insert_after_imports(source, "mark_statement = torch.nn"))
    return without_conflicts(source, edits)


def first(source: Source, node: ast.stmt) -> bool:
    """Whether a statement before this one would displace a docstring or ``__future__``."""
    body = getattr(source.parent(node), "body", [])
    return node in body[:2]


def without_conflicts(source: Source, edits: list[Edit]) -> list[Edit]:
    """Leave out replacements that hold another edit, as the engine leaves them to another round."""
    kept: list[Edit] = [edit for edit in edits if edit.start == edit.end]
    for edit in edits:
        if edit.start < edit.end:
            try:
                source.apply([*kept, edit])
            except ValueError:
                continue
            kept.append(edit)
    return kept


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", SAMPLES)
def test_only_what_was_inserted_changes(name: str, seed: int) -> None:
    text = SAMPLES[name]
    source = Source.from_bytes(text.encode("utf-8-sig" if seed % 2 else "utf-8"), name)
    edits = random_edits(source, random.Random(seed))
    assert edits
    new = source.apply(edits)
    assert ast.dump(Unmark().visit(ast.parse(new))) == ast.dump(ast.parse(text))
    assert outside(source.text, edits) == rest_of(new, source.text, edits)
    assert source.encode(new).startswith(source.encode("")), "the byte-order mark stays"


def outside(text: str, edits: list[Edit]) -> list[str]:
    """The pieces of the old text that no edit touches."""
    pieces, at = [], 0
    for edit in sorted(set(edits)):
        pieces.append(text[at : edit.start])
        at = max(at, edit.end)
    return [piece for piece in [*pieces, text[at:]] if piece]


def rest_of(new: str, old: str, edits: list[Edit]) -> list[str]:
    """The same pieces, found in the new text in their order."""
    found, at = [], 0
    for piece in outside(old, edits):
        place = new.find(piece, at)
        assert place >= 0, f"lost: {piece!r}"
        found.append(new[place : place + len(piece)])
        at = place + len(piece)
    return found


@pytest.mark.slow
def test_on_the_standard_library() -> None:
    """The same on files that nobody wrote for us."""
    import email.message
    import pathlib
    import tarfile
    import typing

    for module in (email.message, tarfile, typing, pathlib):
        if module.__file__ is None or not module.__file__.endswith(".py"):
            continue
        path = pathlib.Path(module.__file__)
        source = Source.from_bytes(path.read_bytes(), path.name)
        new = source.apply(random_edits(source, random.Random(sys.maxsize)))
        assert ast.dump(Unmark().visit(ast.parse(new))) == ast.dump(ast.parse(source.text)), (
            path.name
        )
