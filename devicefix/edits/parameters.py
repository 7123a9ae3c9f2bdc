"""A new parameter for a function, None by default, laid out as its other parameters are."""

from __future__ import annotations

import ast

from devicefix.edits import ranks
from devicefix.edits.errors import EditError
from devicefix.edits.gaps import outer_span
from devicefix.findings import Edit
from devicefix.source import Source


def add_parameter(source: Source, function: ast.AST, name: str) -> Edit:
    """Add ``name=None`` as the last parameter, but before any ``**kwargs``.

    Behind ``*args`` and keyword-only parameters it is keyword-only, too. One parameter per line
    stays so. Raises ``EditError`` where the parameter is there already, where only positional
    parameters may follow, and for type parameters (PEP 695).
    """
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise EditError("only a named function takes a new parameter")
    spec = function.args
    named = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
    extra = [a for a in (spec.vararg, spec.kwarg) if a is not None]
    if any(a.arg == name for a in (*named, *extra)):
        raise EditError(f"the function already has a parameter {name!r}")
    if getattr(function, "type_params", None) or (spec.posonlyargs and not spec.args):
        raise EditError("the form of the parameter list is not supported")
    last = _last(source, spec)
    if last is None:
        return _first(source, function, name)
    start, end = last
    return Edit(end, end, ranks.KEYWORD, f",{_space(source, start)}{name}=None")


def _last(source: Source, spec: ast.arguments) -> tuple[int, int] | None:
    """Where the last parameter before ``**kwargs`` starts and where it ends, default included."""
    if spec.kwonlyargs:
        argument, default = spec.kwonlyargs[-1], spec.kw_defaults[-1]
    elif spec.vararg is not None:
        argument, default = spec.vararg, None
    elif spec.args:
        argument, default = spec.args[-1], spec.defaults[-1] if spec.defaults else None
    else:
        return None
    start = source.span(argument).start
    end = outer_span(source, default).end if default is not None else source.span(argument).end
    return start, end


def _first(source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Edit:
    if function.args.kwarg is not None:
        start = source.text.rindex("**", 0, source.span(function.args.kwarg).start)
        return Edit(start, start, ranks.KEYWORD, f"{name}=None, ")
    start = source.text.index("(", source.span(function).start)
    end = source.text.index(")", start)
    return Edit(start, end + 1, 0, f"({name}=None)")


def _space(source: Source, start: int) -> str:
    """A line break and the indentation of a parameter that has a line to itself, else a space."""
    line = source.line_start(start)
    indent = source.text[line:start]
    return f"{source.newline}{indent}" if not indent.strip() else " "
