"""Names that a program gives to tensor types of CUDA, and what reads them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import Mention, TypeAlias
from devicefix.flow.scopes import binding_scope
from devicefix.flow.values import FileRecord, Flag
from devicefix.source.imports import binds


def type_aliases(
    analysis: Analysis, file: FileRecord, mentions: Sequence[Mention]
) -> tuple[TypeAlias, ...]:
    """``Tensor = torch.cuda.FloatTensor``, with a choice of the host's type or without."""
    found = [_alias(analysis, file, mention) for mention in mentions if mention.dtype]
    return tuple(alias for alias in found if alias is not None)


def _alias(analysis: Analysis, file: FileRecord, mention: Mention) -> TypeAlias | None:
    parents, choice = analysis.parents, analysis.parents.get(mention.tree)
    value: ast.expr = mention.tree
    test: ast.expr | None = None
    if isinstance(choice, ast.IfExp):
        if choice.body is not value or not _is_host_type(choice.orelse, mention):
            return None
        value, test = choice, choice.test
    statement = parents.get(value)
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return None
    whole: ast.Assign | ast.If = statement
    above = parents.get(statement)
    if test is None and isinstance(above, ast.If) and _chooses(above, statement, mention):
        whole, test = above, above.test
    target = statement.targets[0]
    if not isinstance(target, ast.Name):
        return None
    asked = analysis.seen.tests.get(parents[test]) if test is not None else Flag()
    pure = isinstance(asked, Flag) and asked.pure and asked.holds
    condition = ast.unparse(test) if test is not None and not pure else ""
    reads, sole = _reads(analysis, file, target, whole)
    return TypeAlias(whole, mention.tree, mention.name, reads, sole, condition)


def _chooses(tree: ast.If, statement: ast.Assign, mention: Mention) -> bool:
    """``if cuda: T = torch.cuda.FloatTensor`` with an ``else`` that binds the host's type."""
    other = tree.orelse[0] if len(tree.orelse) == 1 else None
    return (
        tree.body == [statement]
        and isinstance(other, ast.Assign)
        and ast.unparse(other.targets[0]) == ast.unparse(statement.targets[0])
        and _is_host_type(other.value, mention)
    )


def _is_host_type(tree: ast.expr, mention: Mention) -> bool:
    """``torch.FloatTensor`` beside ``torch.cuda.FloatTensor``."""
    named = tree.attr if isinstance(tree, ast.Attribute) else getattr(tree, "id", "")
    return named == mention.name.rpartition(".")[2] and "cuda" not in ast.unparse(tree)


def _reads(
    analysis: Analysis, file: FileRecord, target: ast.Name, whole: ast.stmt
) -> tuple[tuple[ast.Name, ...], bool]:
    """Where the name is read, and whether nothing else binds it or reads it elsewhere."""
    scope = binding_scope(analysis.parents, target)
    own = set(ast.walk(whole))
    trees = list(ast.walk(scope))
    others = any(target.id in binds(tree) for tree in trees if tree not in own)
    shared = isinstance(scope, ast.ClassDef) or (file.imported and isinstance(scope, ast.Module))
    reads = [t for t in trees if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Load)]
    return tuple(t for t in reads if t.id == target.id), not (others or shared)
