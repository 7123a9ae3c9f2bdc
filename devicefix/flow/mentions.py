"""Where a program names something of ``torch.cuda``, and the imports that bind such names."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace

from devicefix.flow.already_there import is_read_at_once, is_sent_on
from devicefix.flow.analysis import Analysis
from devicefix.flow.calls_seen import assigned
from devicefix.flow.cuda_guards import asks
from devicefix.flow.facts import CudaImport, DeviceName, Mention
from devicefix.flow.graph import Label
from devicefix.flow.imported import dotted, origins
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.observations import Occurrence
from devicefix.flow.version_checks import version_checks
from devicefix.source import Source
from devicefix.source.imports import bindings, bound_names
from devicefix.source.parsing import Parents
from devicefix.source.walking import walk
from devicefix.torch_api import AMP, LEGACY_CONSTRUCTORS, canonical

_ROOT = "torch.cuda"


def mentions(analysis: Analysis, names: DeviceNames) -> tuple[Mention, ...]:
    """The longest dotted names below ``torch.cuda``, in the order of the text."""
    found = []
    for tree, seen in analysis.seen.mentions.items():
        if analysis.parents.get(tree) in analysis.seen.mentions:
            continue
        meant = {name for name, _ in seen.values()}
        name = meant.pop() if len(meant) == 1 else ""
        device = _device(analysis, names, tree, [o for _, o in seen.values()], name)
        row = LEGACY_CONSTRUCTORS.get(name)
        mention = Mention(tree, name, _root(tree), is_type(analysis.parents, tree), device)
        if row is not None:
            call = analysis.parents.get(tree)
            takes_no_tensor = analysis.seen.typed.get(call or tree, False)
            guarded = asks(analysis, tree)
            mention = replace(
                mention,
                dtype=row.dtype,
                guarded=guarded,
                takes_no_tensor=takes_no_tensor,
                again=analysis.seen.typed_again.get(call or tree, False),
                sent_on=isinstance(call, ast.Call) and _does_not_matter(analysis, tree, call),
            )
        found.append(mention)
    found += (m for file in analysis.owned for m in _annotations(analysis, file.source))
    return tuple(sorted(found, key=lambda f: (f.tree.lineno, f.tree.col_offset)))


def _annotations(analysis: Analysis, source: Source) -> Iterator[Mention]:
    """Types of mixed precision that are only written down: nothing evaluates them.

    What begins with a name that an import of mixed precision binds changes with that import.
    """
    known = source.once(origins)
    for tree in source.of_type(ast.Attribute):
        name = canonical(dotted(tree, known))
        written = name in AMP and is_annotation(analysis.parents, tree)
        root = _root(tree)
        whole = isinstance(root, ast.Name) and known.get(root.id) == "torch"
        if written and whole and tree not in analysis.seen.mentions:
            yield Mention(tree, name, root, True, None)


def _device(
    analysis: Analysis, names: DeviceNames, tree: ast.AST, seen: list[Occurrence], name: str
) -> DeviceName | None:
    """What names the device there, where a rewrite of ``name`` would name it."""
    if name not in AMP and not (name in LEGACY_CONSTRUCTORS and _makes(analysis.parents, tree)):
        return None
    if not analysis.home(tree).owned:
        return None
    places = [(occurrence, Label.TARGET) for occurrence in seen]
    call = analysis.parents.get(tree, tree)
    texts = [name, *assigned(analysis, call)]
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        texts.append(ast.unparse(call.func.value))
    return names.at(places, Moved(tuple(texts), already=True))


def _does_not_matter(analysis: Analysis, tree: ast.expr, call: ast.Call) -> bool:
    """Whether it makes no difference where the tensor is that a call of, or with, a type gives.

    What is made there is computed with there, too, even if only a number is read.
    """
    casts = call.func is not tree
    return is_sent_on(analysis, call) or (casts and is_read_at_once(analysis, call))


def _makes(parents: Parents, tree: ast.AST) -> bool:
    """``FloatTensor(3)`` makes a tensor, ``x.type(FloatTensor)`` casts and moves one."""
    call = parents.get(tree)
    if not isinstance(call, ast.Call):
        return False
    casts = isinstance(call.func, ast.Attribute) and call.func.attr == "type"
    return call.func is tree or (casts and call.args[:1] == [tree])


def _root(tree: ast.expr) -> ast.expr:
    """The name at the start of ``a.b.c``."""
    while isinstance(tree, ast.Attribute):
        tree = tree.value
    return tree


def is_type(parents: Parents, tree: ast.AST) -> bool:
    """An annotation, or the class in ``isinstance(x, …)``."""
    parent = parents.get(tree)
    if isinstance(parent, ast.Tuple):
        tree, parent = parent, parents.get(parent)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return parent.func.id == "isinstance" and tree in parent.args[1:]
    return is_annotation(parents, tree)


def _is_read(parents: Parents, tree: ast.Name) -> bool:
    return isinstance(tree.ctx, ast.Load) and not is_annotation(parents, tree)


def is_annotation(parents: Parents, tree: ast.AST) -> bool:
    """Whether it is a type that is only written down."""
    child, parent = tree, parents.get(tree)
    while isinstance(parent, ast.expr) and not isinstance(parent, ast.Call):
        child, parent = parent, parents.get(parent)
    return any(getattr(parent, field, None) is child for field in ("annotation", "returns"))


def cuda_imports(source: Source) -> tuple[CudaImport, ...]:
    """The imports of names of ``torch.cuda`` other than ``torch`` itself."""
    imports = [
        (node, local, origin) for node in source.imports for local, origin in _cuda_names(node)
    ]
    if not imports:
        return ()
    bound = source.once(bindings)
    names = {local for _, local, _ in imports}
    reads: dict[str, list[ast.Name]] = defaultdict(list)
    for node in source.of_type(ast.Name):
        if node.id in names and _is_read(Parents(), node):
            reads[node.id].append(node)
    asking = source.once(version_checks)
    tried = {id(n) for t in (*source.of_type(ast.Try), *asking) for n in walk(t)}
    return tuple(
        CudaImport(
            node, local, origin, tuple(reads[local]), bound[local] == 1 and id(node) not in tried
        )
        for node, local, origin in imports
    )


def _cuda_names(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for local, origin in bound_names(node).items():
        name = canonical(origin)
        if name == _ROOT or name.startswith(f"{_ROOT}."):
            yield local, name
