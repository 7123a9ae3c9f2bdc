"""Names of ``torch.cuda`` that become those for any accelerator."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from devicefix.edits.arguments import replace_argument
from devicefix.edits.backends import NCCL, backend_of_device
from devicefix.edits.choices import generic_choice
from devicefix.edits.conditions import put_below
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import replace_expression
from devicefix.edits.numbers import require_first
from devicefix.edits.precision import amp_for_device
from devicefix.edits.seeds import SEEDS, without_seed
from devicefix.edits.versions import require
from devicefix.findings import Edit
from devicefix.flow import CudaSort, amp_call
from devicefix.flow.cuda_sites import sites
from devicefix.flow.imported import is_sole, origins, root_name
from devicefix.torch_api import GENERIC, Alone, Generic, Takes, no_generic_form

if TYPE_CHECKING:
    from devicefix.flow import CudaSite, FileFacts
    from devicefix.oldest_torch import OldestTorch
    from devicefix.settings import Settings
    from devicefix.source import Source

_ASKED: Final = "torch.accelerator.is_available"


def generic_form(
    source: Source, facts: FileFacts, settings: Settings, oldest: OldestTorch, site: CudaSite
) -> tuple[ast.AST, tuple[Edit, ...]]:
    """The form for any accelerator of a use of CUDA, and the tree that it takes the place of.

    Raises ``EditError`` with the reason why it stays.
    """
    if (mixed := amp_call(site, facts)) is not None:
        return mixed.call, amp_for_device(source, facts, settings, oldest, mixed)
    if site.name == NCCL:
        return backend_of_device(source, facts, oldest, site)
    if site.sort is CudaSort.TEXT:
        return generic_choice(source, facts, oldest, site)
    if site.sort is not CudaSort.NAME or not isinstance(site.tree, ast.expr):
        raise EditError("`.cuda()` places it on CUDA")
    if site.name in SEEDS:
        return without_seed(source, site.tree, site.name)
    return site.tree, _name(source, facts, oldest, site)


def _name(
    source: Source, facts: FileFacts, oldest: OldestTorch, site: CudaSite
) -> tuple[Edit, ...]:
    """``torch.cuda.synchronize()`` -> ``torch.accelerator.synchronize()``, where there is one."""
    row = GENERIC.get(site.name)
    if row is None or not row.form:
        raise EditError(no_generic_form(site.name))
    require(oldest, row.form)
    if any(other.name in row.unless for other in source.once(sites)):
        raise EditError("it is used with CUDA streams")
    assert isinstance(site.tree, ast.expr)
    torch = _torch(source, facts, site.tree)
    renamed = replace_expression(source, site.tree, _named(torch, row.form))
    if row.value:
        return (renamed,)
    call = facts.parents.get(site.tree)
    if not (isinstance(call, ast.Call) and call.func is site.tree):
        raise EditError("it is used as a value")
    if row.takes in (Takes.DEVICE, Takes.NUMBER) and (given := _given(call)):
        require_first(source, site, given)
    edits = (renamed, *_arguments(source, row, call))
    answers = row.alone is Alone.ANSWERS and oldest.version >= row.answers
    if answers or site.certain or not row.otherwise:
        return edits
    return _asking(source, call, f"{_named(torch, _ASKED)}()", row.otherwise, edits)


def _torch(source: Source, facts: FileFacts, tree: ast.expr) -> str:
    """The name of torch by which ``tree`` names something of it, or else one that is in scope."""
    root, known = root_name(tree), source.once(origins)
    if root != facts.torch and not is_sole(root, known, source):
        raise EditError(f"`{root}` also has another meaning")
    found = root if known[root] == "torch" else facts.torch
    if not found:
        raise EditError("torch is not imported in this scope")
    return found


def _named(torch: str, name: str) -> str:
    return f"{torch}{name.removeprefix('torch')}"


def _arguments(source: Source, row: Generic, call: ast.Call) -> tuple[Edit, ...]:
    """Those of ``call`` as the generic form takes them: without a name."""
    given = _given(call)
    if row.takes is Takes.SAME or not given:
        return ()
    if row.takes is Takes.NOTHING or len(given) > 1 or isinstance(given[0], ast.Starred):
        raise EditError(f"`{row.form}` does not take these arguments")
    if row.takes is Takes.NUMBER and not _is_number(given[0]):
        raise EditError(f"`{row.form}` takes an integer, and this may be something else")
    if call.args:
        return ()
    if call.keywords[0].arg is None:
        raise EditError("unpacked arguments may contain anything")
    return (replace_argument(source, call, given[0], source.segment(given[0])),)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def _is_number(tree: ast.expr) -> bool:
    return isinstance(tree, ast.Constant) and (type(tree.value) is int or tree.value is None)


def _asking(
    source: Source, call: ast.Call, question: str, otherwise: str, edits: tuple[Edit, ...]
) -> tuple[Edit, ...]:
    """``call``, as ``edits`` write it, only where ``question`` has found an accelerator."""
    statement = source.parent(call)
    if isinstance(statement, ast.Expr):
        (below,) = put_below(source, [statement], question)
        return (*edits, *below)
    span = source.span(call)
    text = source.text[span.start : span.end]
    for edit in sorted(edits, reverse=True):
        start, end = edit.start - span.start, edit.end - span.start
        text = f"{text[:start]}{edit.text}{text[end:]}"
    return (replace_expression(source, call, f"{text} if {question} else {otherwise}"),)
