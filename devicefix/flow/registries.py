"""Functions and classes that a program takes out of one of its files by a name that it computes.

``getattr(models, args.arch)(classes=10)``, ``models.__dict__[args.arch](10)``: it may be each one
that can take the arguments. Where the file imports something of another library that it does not
use itself, a model of torchvision say, the name may be for that, and nothing is known.
"""

from __future__ import annotations

import ast
import sys
from typing import Final

from devicefix.flow.files import enter, member
from devicefix.flow.frame import Frame
from devicefix.flow.joins import one_of
from devicefix.flow.values import Class, External, File, Function, Unknown, Value
from devicefix.source.walking import walk

_REASON = "an attribute whose name is computed"

_BUILDING_BLOCKS: Final = sys.stdlib_module_names | {"torch"}
"""Libraries that a program takes no whole models from."""


def picked(frame: Frame, tree: ast.expr, file: File) -> Value:
    """What ``tree`` may be, which takes something out of ``file`` and calls it at once."""
    found = tuple(fitting(frame, tree, file).values())
    return one_of(found) if found else Unknown(_REASON)


def fitting(frame: Frame, tree: ast.AST, file: File) -> dict[object, Value]:
    """The functions and classes of ``file`` that the call of ``tree`` may be for, by name."""
    call = frame.analysis.parents.get(tree)
    if not isinstance(call, ast.Call) or call.func is not tree:
        return {}
    inside = enter(frame, file.record)
    names = inside.public() if inside is not None else []
    values = {name: member(frame, file, name) for name in names}
    nodes = walk(file.record.source.tree)
    used = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    if any(name not in used and _is_imported(value) for name, value in values.items()):
        return {}
    return {name: value for name, value in values.items() if _takes(value, call)}


def _is_imported(value: Value) -> bool:
    """Whether it is a member of a library that has models for programs to take."""
    match value:
        case External(name=name):
            library, _, member_name = name.partition(".")
            return bool(member_name) and library not in _BUILDING_BLOCKS
    return False


def _takes(value: Value, call: ast.Call) -> bool:
    """Whether something of the program can be called so."""
    match value:
        case Function(tree=tree):
            return _binds(tree.args, call, 0)
        case Class(record=record):
            made = record.lookup("__init__")
            return not isinstance(made, Function) or _binds(made.tree.args, call, 1)
    return False


def _binds(spec: ast.arguments, call: ast.Call, bound: int) -> bool:
    """Whether the arguments of ``call`` fill the parameters, the first ``bound`` being given."""
    positional = [a.arg for a in (*spec.posonlyargs, *spec.args)]
    optional = {*positional[len(positional) - len(spec.defaults) :]}
    optional |= {
        a.arg for a, d in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if d is not None
    }
    positional = positional[bound:]
    filled, named = positional[: len(call.args)], {k.arg for k in call.keywords}
    open_ = None in named or any(isinstance(a, ast.Starred) for a in call.args)
    many = len(call.args) > len(positional) and spec.vararg is None
    known = {*positional, *(a.arg for a in spec.kwonlyargs)}
    unknown = named - known - {None} if spec.kwarg is None else set[str | None]()
    missing = known - optional - {*filled} - named
    return not unknown and (open_ or not (many or missing))
