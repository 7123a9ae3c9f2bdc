"""Backends of process groups: NCCL for CUDA, and what is the same for the device at hand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.edits.devices import quoted, renamed
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.versions import require
from devicefix.findings import Edit
from devicefix.flow.cuda_guards import Conditions
from devicefix.flow.imported import dotted, origins
from devicefix.torch_api import BACKEND_OF, CHOSEN, IS_AVAILABLE, canonical

if TYPE_CHECKING:
    from devicefix.flow import CudaSite, FileFacts
    from devicefix.oldest_torch import OldestTorch
    from devicefix.source import Source

NCCL = "nccl"
_HOST = "gloo"
_GROUP = "torch.distributed.init_process_group"


def backend_of_device(
    source: Source, facts: FileFacts, oldest: OldestTorch, site: CudaSite
) -> tuple[ast.AST, tuple[Edit, ...]]:
    """``"nccl" if torch.cuda.is_available() else "gloo"``, also with a flag for it, or ``"nccl"``
    below a check, and the backend that torch has for the device.

    Raises ``EditError`` where it is neither.
    """
    assert isinstance(site.tree, ast.expr)
    require(oldest, BACKEND_OF)
    chosen = source.parent(site.tree)
    if isinstance(chosen, ast.IfExp) and chosen.body is site.tree and _is_choice(source, chosen):
        device = f'{CHOSEN}(check_available=True) or "cpu"'
        return chosen, (_called(source, facts, chosen, device),)
    if isinstance(chosen, ast.IfExp) and _is_of_flag(source, site, chosen):
        device = f'{CHOSEN}() if {source.segment(chosen.test)} else "cpu"'
        return chosen, (_called(source, facts, chosen, device),)
    if site.checks and site.certain and _is_given(source, site.tree):
        return site.tree, (_called(source, facts, site.tree, f"{CHOSEN}()"),)
    raise EditError("NCCL supports CUDA devices only")


def _is_choice(source: Source, tree: ast.IfExp) -> bool:
    other = tree.orelse.value if isinstance(tree.orelse, ast.Constant) else None
    asked = tree.test.func if isinstance(tree.test, ast.Call) else tree.test
    return other == _HOST and _name(source, asked) in IS_AVAILABLE


def _is_of_flag(source: Source, site: CudaSite, tree: ast.IfExp) -> bool:
    """``"nccl" if use_cuda else "gloo"``, where the flag holds only if CUDA is there."""
    other = tree.orelse.value if isinstance(tree.orelse, ast.Constant) else None
    asked = site.checks and Conditions(source).lead_to(site.tree, tree)
    return tree.body is site.tree and other == _HOST and bool(asked)


def _is_given(source: Source, tree: ast.expr) -> bool:
    """``init_process_group("nccl")``."""
    parent = source.parent(tree)
    named = isinstance(parent, ast.keyword) and parent.arg == "backend"
    call = source.parent(parent) if named and parent is not None else parent
    first = named or (isinstance(call, ast.Call) and call.args[:1] == [tree])
    return isinstance(call, ast.Call) and first and _name(source, call.func) == _GROUP


def _called(source: Source, facts: FileFacts, tree: ast.expr, device: str) -> Edit:
    if not facts.torch:
        raise EditError("torch is not imported in this scope")
    text = renamed(f"{BACKEND_OF}({device})", facts.torch)
    return replace_expression(source, tree, quoted(source, text))


def _name(source: Source, tree: ast.expr) -> str:
    known = source.once(origins)
    return canonical(dotted(tree, known)) if isinstance(tree, ast.Attribute) else ""
