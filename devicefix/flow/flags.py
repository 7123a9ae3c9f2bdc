"""Options such as ``args.cuda`` that switch the accelerator off: a new device has to obey them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from devicefix.flow.expressions import is_move
from devicefix.flow.frame import Analysis
from devicefix.flow.statements import only_moves
from devicefix.flow.values import Flag, Residence

AVAILABLE = "torch.cuda.is_available()"


@dataclass(frozen=True, slots=True)
class UserFlag:
    """The one condition under which the program moves things."""

    text: str
    """As it is written; empty when the accelerator alone decides."""
    anchor: ast.stmt | None
    """The statement of the module body after which the condition can be evaluated."""
    conflicting: bool = False
    """Several conditions, or one that the module body cannot evaluate."""
    asks: bool = False
    """It asks for the accelerator itself, too."""

    @property
    def condition(self) -> str:
        """When to take the accelerator."""
        return self.text if self.asks or not self.text else f"{self.text} and {AVAILABLE}"


def user_flag(analysis: Analysis) -> UserFlag:
    """What the guards of the program ask before they move things."""
    texts: dict[str, bool] = {}
    for tree, test in analysis.seen.tests.items():
        if isinstance(tree, ast.If):
            moving = only_moves(tree) and _mentions_cuda(tree.body)
        else:
            moving = isinstance(tree, ast.IfExp) and is_move(tree.body, tree.orelse)
        if (
            moving
            and not isinstance(test, Residence)
            and not (isinstance(test, Flag) and test.pure)
        ):
            assert isinstance(tree, (ast.If, ast.IfExp))
            texts[ast.unparse(tree.test)] = isinstance(test, Flag)
    if not texts:
        return UserFlag("", None)
    text, asks = texts.popitem()
    anchor = _anchor(analysis.source.tree, text)
    return UserFlag(text, anchor, bool(texts) or anchor is None, asks)


def _mentions_cuda(body: list[ast.stmt]) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "cuda"
        for statement in body
        for node in ast.walk(statement)
    )


def _anchor(module: ast.Module, text: str) -> ast.stmt | None:
    """The last statement of the module body that sets the flag or the object that holds it."""
    flag = ast.parse(text, mode="eval").body
    if isinstance(flag, ast.Attribute) and isinstance(flag.value, ast.Name):
        wanted = {text, flag.value.id}
    elif isinstance(flag, ast.Name):
        wanted = {text}
    else:
        return None
    found = None
    for statement in module.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(ast.unparse(target) in wanted for target in targets):
            found = statement
    return found
