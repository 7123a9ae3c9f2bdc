"""A check of its own for what stays for CUDA below a check that is to ask for any accelerator."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from devicefix.edits.conditions import put_inside, runs
from devicefix.edits.errors import EditError
from devicefix.edits.unwrapping import statement_of
from devicefix.findings import Edit
from devicefix.flow import CudaSort

if TYPE_CHECKING:
    from devicefix.flow import CudaSite, FileFacts
    from devicefix.source import Source


def own_checks(
    source: Source, facts: FileFacts, stays: Sequence[CudaSite]
) -> Mapping[CudaSite, tuple[Edit, ...]]:
    """``if use_cuda: print(torch.cuda.get_device_name())`` asks for CUDA itself.

    ``stays`` are those that raise without CUDA. Nothing where one of them would keep a check that
    it shares with others all the same.
    """
    shared = [site for site in stays if not _is_checked(source, site)]
    if not facts.torch or not all(_is_alone(source, site) for site in shared):
        return {}
    found: dict[ast.stmt, list[CudaSite]] = {}
    for site in shared:
        found.setdefault(statement_of(source, site.tree), []).append(site)
    try:
        return dict(_below(source, f"{facts.torch}.cuda.is_available()", found))
    except EditError:
        return {}


def _below(
    source: Source, question: str, found: Mapping[ast.stmt, Sequence[CudaSite]]
) -> Iterable[tuple[CudaSite, tuple[Edit, ...]]]:
    for run in runs(source, found):
        for statement, edits in zip(run, put_inside(source, run, f"if {question}:"), strict=True):
            yield found[statement][0], edits


def _is_checked(source: Source, site: CudaSite) -> bool:
    """Whether the check that protects it stands around it, or before it in its statement."""
    around: list[ast.AST] = []
    node: ast.AST | None = site.tree
    while node is not None:
        around.append(node)
        node = source.parent(node)
    inside = [statement_of(source, check) for check in site.checks]
    direct = any(statement is above for statement in inside for above in around)
    return site.certain and direct


def _is_alone(source: Source, site: CudaSite) -> bool:
    """Whether its statement does nothing but tell of it, or do it."""
    statement = statement_of(source, site.tree)
    return site.sort is CudaSort.NAME and isinstance(statement, ast.Expr)
