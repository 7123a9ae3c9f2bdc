"""Names that a program gives to tensor types of CUDA, and what reads them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.analysis import Analysis
from devicefix.flow.facts import Mention, TypeAlias
from devicefix.flow.references import References
from devicefix.flow.scopes import binding_scope
from devicefix.flow.values import FileRecord, Flag
from devicefix.source.imports import binds
from devicefix.source.walking import walk


def type_aliases(
    analysis: Analysis, file: FileRecord, mentions: Sequence[Mention], references: References
) -> tuple[TypeAlias, ...]:
    """``Tensor = torch.cuda.FloatTensor``, with a choice of the host's type or without."""
    found = [_alias(analysis, file, m, references) for m in mentions if m.dtype]
    return tuple(alias for alias in found if alias is not None)


def _alias(
    analysis: Analysis, file: FileRecord, mention: Mention, references: References
) -> TypeAlias | None:
    parents, choice = analysis.parents, analysis.parents.get(mention.tree)
    if isinstance(choice, ast.arguments):
        return _parameter(analysis, mention, choice, references)
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
    reads, sole = _reads(analysis, file, target, whole, references)
    return TypeAlias(whole, mention.tree, mention.name, reads, sole, condition)


def _chooses(tree: ast.If, statement: ast.Assign, mention: Mention) -> bool:
    """``if cuda: T = torch.cuda.FloatTensor`` with an ``else`` that binds the host's type.

    It may do so for several names, and nothing else.
    """
    pairs = list(zip(tree.body, tree.orelse, strict=False))
    other = next((o for s, o in pairs if s is statement), None)
    return (
        len(tree.body) == len(tree.orelse)
        and all(_bind_types(one, another) for one, another in pairs)
        and isinstance(other, ast.Assign)
        and _is_host_type(other.value, mention)
    )


def _bind_types(one: ast.stmt, other: ast.stmt) -> bool:
    """Two statements that bind one name to the types of CUDA and of the host."""
    if not (isinstance(one, ast.Assign) and isinstance(other, ast.Assign)):
        return False
    same = ast.unparse(one.targets[0]) == ast.unparse(other.targets[0])
    typed = [ast.unparse(s.value).endswith("Tensor") for s in (one, other)]
    return same and all(typed) and ".cuda." in ast.unparse(one.value)


def _is_host_type(tree: ast.expr, mention: Mention) -> bool:
    """``torch.FloatTensor`` beside ``torch.cuda.FloatTensor``."""
    named = tree.attr if isinstance(tree, ast.Attribute) else getattr(tree, "id", "")
    short = mention.name.rpartition(".")[2]
    same = named == short or (named, short) == ("Tensor", "FloatTensor")
    return same and "cuda" not in ast.unparse(tree)


def _reads(
    analysis: Analysis,
    file: FileRecord,
    target: ast.Name,
    whole: ast.stmt,
    references: References,
) -> tuple[tuple[ast.Name, ...], bool]:
    """Where the name is read, and whether nothing else binds it or reads it elsewhere."""
    scope = binding_scope(analysis.parents, target)
    own = set(walk(whole))
    trees = list(walk(scope))
    others = any(target.id in binds(tree) for tree in trees if tree not in own)
    shared = isinstance(scope, ast.ClassDef)
    if isinstance(scope, ast.Module) and file.imported:
        shared = not references.is_private(file, target.id)
    return _reads_in(trees, target.id), not (others or shared)


def _reads_in(trees: Sequence[ast.AST], name: str) -> tuple[ast.Name, ...]:
    reads = [t for t in trees if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Load)]
    return tuple(t for t in reads if t.id == name)


def _parameter(
    analysis: Analysis, mention: Mention, given: ast.arguments, references: References
) -> TypeAlias | None:
    """``def cast(x, dtype=Tensor)``: all its calls are seen, and give no other type."""
    function = analysis.parents.get(given)
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return None
    arguments = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(arguments) - len(given.defaults)), *given.defaults]
    pairs = zip([*arguments, *given.kwonlyargs], [*defaults, *given.kw_defaults], strict=True)
    argument = next(argument for argument, default in pairs if default is mention.tree)
    trees = [node for statement in function.body for node in walk(statement)]
    bound = any(argument.arg in binds(tree) for tree in trees)
    position = arguments.index(argument) if argument in arguments else len(arguments)
    position -= isinstance(analysis.parents.get(function), ast.ClassDef)
    calls = (call for call, callees in analysis.seen.callees.items() if function in callees)
    sole = not bound and references.are_only_calls(function)
    sole = sole and not any(_gives(call, argument.arg, position) for call in calls)
    return TypeAlias(argument, mention.tree, mention.name, _reads_in(trees, argument.arg), sole)


def _gives(call: ast.AST, name: str, position: int) -> bool:
    """Whether a call may give a value to a parameter, of which ``position`` stand before it."""
    if not isinstance(call, ast.Call):
        return True
    spread = any(isinstance(argument, ast.Starred) for argument in call.args)
    named = any(keyword.arg in (None, name) for keyword in call.keywords)
    return spread or named or len(call.args) > position
