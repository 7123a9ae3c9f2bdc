"""What shows that an object which code made that nobody has seen is one of torch.

Names decide nothing: a ``.cuda()`` may belong to any class. Objects of the program itself and of
libraries that work with torch are taken as torch's if the result of ``.cuda()`` is used, for a
``cuda()`` of somebody's own works in place and gives nothing back. Of a package that is in no table
not even that is known: it has to come from tensors, or to be given some, or something of torch
takes it, or it is used as only a module or a tensor can be.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.analysis import Analysis
from devicefix.flow.values import External, FileRecord, Unknown, Value
from devicefix.source import Source
from devicefix.torch_api import ONLY_TENSOR, World, world

_ONLY_MODULE = frozenset(
    ("parameters", "named_parameters", "state_dict", "load_state_dict", "zero_grad", "eval")
)
_LITERALS = (ast.List, ast.Tuple)
_CLEAR = ONLY_TENSOR - {"cuda", "cpu"} | {"requires_grad", "grad"}


def must_be_torch(analysis: Analysis, call: ast.Call, receivers: Sequence[Value]) -> bool:
    """Whether something of torch is moved by ``call``, although what made it was not seen."""
    if not isinstance(call.func, ast.Attribute):
        return False
    file = analysis.home(call)
    receiver = ast.unparse(call.func.value)
    if receiver in file.source.once(_used_as_modules):
        return True
    if any(map(_is_foreign, receivers)) and not _shows(analysis, call):
        return _is_shown(analysis, file, call, receiver)
    return not isinstance(analysis.parents.get(call), ast.Expr)


def _shows(analysis: Analysis, call: ast.Call) -> bool:
    """Whether in each context the uses of the result show that it is a tensor or a module."""
    arrived = analysis.arrived.get(call, {}).values()
    return bool(arrived) and all(record.tensor or record.module for record in arrived)


def _is_foreign(value: Value) -> bool:
    if isinstance(value, External):
        return world(value.name) is World.UNKNOWN
    return isinstance(value, Unknown) and value.foreign and not value.near


def _used_as_modules(source: Source) -> frozenset[str]:
    """What a file uses as only a module can be used: ``model.parameters()``."""
    return _holders(source, _ONLY_MODULE)


def _used_as_torch(source: Source) -> frozenset[str]:
    """The same for tensors, too: ``loss.backward()``."""
    return _holders(source, _ONLY_MODULE | _CLEAR)


def _holders(source: Source, attributes: frozenset[str]) -> frozenset[str]:
    return frozenset(
        ast.unparse(node.value)
        for node in source.nodes
        if isinstance(node, ast.Attribute) and node.attr in attributes
    )


def _is_shown(analysis: Analysis, file: FileRecord, call: ast.Call, receiver: str) -> bool:
    """By what the file does with the object, or with what ``.cuda()`` gives, under their names."""
    names = {receiver, ast.unparse(call), *_bound_to(analysis, call)}
    if names & file.source.once(_used_as_torch):
        return True
    fed = (c for c in analysis.seen.fed if analysis.home(c) is file)
    if any(ast.unparse(c.func) in names for c in fed):
        return True
    takers = [c for c, origins in analysis.seen.calls.items() if _is_torch(origins)]
    takers += analysis.seen.module_calls
    return any(
        ast.unparse(given) in names
        for taker in takers
        if analysis.home(taker) is file
        for argument in (*taker.args, *(keyword.value for keyword in taker.keywords))
        for given in (argument.elts if isinstance(argument, _LITERALS) else [argument])
    )


def _bound_to(analysis: Analysis, call: ast.Call) -> list[str]:
    """What the statement around ``call`` binds to its result."""
    parent = analysis.parents.get(call)
    targets = parent.targets if isinstance(parent, ast.Assign) else []
    return [ast.unparse(target) for target in targets]


def _is_torch(origins: set[str]) -> bool:
    return all(world(origin) is World.TORCH for origin in origins)
