"""Options such as ``args.cuda`` that switch the accelerator off: a new device has to obey them."""

from __future__ import annotations

import ast

from msgspec import Struct
from msgspec.structs import replace

from devicefix.flow.analysis import Analysis
from devicefix.flow.cards import first_question
from devicefix.flow.expressions import is_move
from devicefix.flow.moving import is_move_statement
from devicefix.flow.user_index import user_index
from devicefix.flow.values import FileRecord, Flag, Residence

AVAILABLE = "torch.cuda.is_available()"


class UserFlag(Struct, frozen=True):
    """The one condition under which the program moves things."""

    text: str
    """As it is written; empty when the accelerator alone decides."""
    anchor: ast.stmt | None
    """The statement of the module body after which the condition can be evaluated."""
    conflicting: bool = False
    """Several conditions, or one that the module body cannot evaluate."""
    asks: bool = False
    """It asks for the accelerator itself, too."""
    index: str = ""
    """Which of several accelerators all calls of ``.cuda(index)`` take."""
    never: bool = False
    """Nothing at the top of the file may ask for CUDA; see ``cards``."""

    @property
    def condition(self) -> str:
        """When to take the accelerator."""
        return self.text if self.asks or not self.text else f"{self.text} and {AVAILABLE}"


def user_flag(analysis: Analysis, file: FileRecord) -> UserFlag:
    """What the guards of a file ask before they move things, and when they may."""
    flag, first = _asked(analysis, file), file.source.once(first_question)
    after = [statement for statement in (flag.anchor, first.after) if statement is not None]
    anchor = max(after, key=lambda statement: statement.lineno, default=None)
    return replace(flag, anchor=anchor, never=first.never)


def _asked(analysis: Analysis, file: FileRecord) -> UserFlag:
    texts: dict[str, bool] = {}
    for tree, test in analysis.tests(file):
        if isinstance(tree, ast.If):
            moving = _moves_some(tree) and not _asked_above(analysis, tree)
        else:
            moving = isinstance(tree, ast.IfExp) and is_move(tree.body, tree.orelse)
        if (
            moving
            and not isinstance(test, Residence)
            and not (isinstance(test, Flag) and test.pure)
        ):
            assert isinstance(tree, (ast.If, ast.IfExp))
            texts[ast.unparse(tree.test)] = isinstance(test, Flag)
    index = user_index(analysis, file)
    behind = _anchor(file.source.tree, index) if index and not index.isdigit() else None
    if index and behind is None and not index.isdigit():
        index = ""
    if not texts:
        return UserFlag("", behind, index=index)
    text, asks = texts.popitem()
    anchor = _anchor(file.source.tree, text)
    conflicting = bool(texts) or anchor is None
    if anchor is not None and behind is not None and behind.lineno > anchor.lineno:
        anchor = behind
    return UserFlag(text, anchor, conflicting, asks, index)


def _moves_some(tree: ast.If) -> bool:
    """Whether the condition decides about moves: some statement of the body is one."""
    return any(is_move_statement(s) and mentions_cuda(s) for s in tree.body)


def mentions_cuda(statement: ast.stmt) -> bool:
    """Whether something in the statement is called ``cuda``."""
    return any(isinstance(n, ast.Attribute) and n.attr == "cuda" for n in ast.walk(statement))


def _asked_above(analysis: Analysis, tree: ast.AST) -> bool:
    """Below another condition that asks for the accelerator, this one decides something else."""
    parent = analysis.parents.get(tree)
    while parent is not None and not isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if isinstance(parent, ast.If) and (
            isinstance(analysis.seen.tests.get(parent), Flag) or _moves_some(parent)
        ):
            return True
        parent = analysis.parents.get(parent)
    return False


def _anchor(module: ast.Module, text: str) -> ast.stmt | None:
    """The last statement of the module body that sets the flag or the object that holds it."""
    flag: ast.expr = ast.parse(text, mode="eval").body
    if isinstance(flag, ast.Compare) and all(isinstance(c, ast.Constant) for c in flag.comparators):
        flag = flag.left  # `args.gpu >= 0`
        text = ast.unparse(flag)
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
