"""Repairs that take something away or let it run earlier, where one more transfer cannot help."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from devicefix.edits import EditError, insert_after, remove_keyword, remove_method, remove_statement
from devicefix.findings import Edit
from devicefix.records import Failure, Place
from devicefix.source import Source
from devicefix.verification.loop import sites
from devicefix.verification.loop.writing import Editor, Rewrite, Site

_FRAME: Final = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+), in (?P<function>\S+)')
_MOST: Final = 4
"""Statements of one kind that are tried."""
_Words = tuple[str, tuple[Rewrite, ...]]


# A process that must not use the device -----------------------------------------------------------


def kept_on_the_cpu(editor: Editor, failure: Failure) -> Iterator[_Words]:
    """What a worker process runs moves nothing: its function, else all of its class."""
    frames = [
        Place(one["file"], int(one["line"]), one["function"], "")
        for one in _FRAME.finditer(failure.message)
    ]
    for site in (editor.site(place) for place in reversed(frames)):
        if site is None:
            continue
        function = sites.function_of(site.source, site.statement)
        owner = sites.class_of(site.source, site.statement)
        for scope in (function, owner):
            edits = without_transfers(site.source, scope) if scope is not None else ()
            if scope is not None and edits:
                runs = f"`{scope.name}`, which runs in a worker process,"
                words = f"{runs} no longer moves anything to the device"
                yield words, (Rewrite(site, edits),)


def without_transfers(source: Source, scope: ast.AST) -> tuple[Edit, ...]:
    """A function or statement that moves nothing, and makes nothing on a device."""
    return tuple(edit for node in ast.walk(scope) for edit in _without_transfer(source, node))


def _without_transfer(source: Source, node: ast.AST) -> Iterator[Edit]:
    """``x.to(device)`` as ``x``, and a call without its ``device=``."""
    if not isinstance(node, ast.Call):
        return
    try:
        if is_transfer(node):
            yield remove_method(source, node)
        elif any(keyword.arg == "device" for keyword in node.keywords):
            yield remove_keyword(source, node, "device")
    except EditError:
        return


def is_transfer(node: ast.AST) -> bool:
    """Whether it is ``x.cuda(…)``, or ``x.to(…)`` with anything but a type of torch's."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "cuda":
        return True
    first = node.args[0] if node.args else None
    return node.func.attr == "to" and first is not None and not _is_type(first)


def _is_type(value: ast.expr) -> bool:
    """``torch.float32``, or the type of another tensor."""
    return isinstance(value, ast.Attribute) and (
        (isinstance(value.value, ast.Name) and value.value.id == "torch") or value.attr == "dtype"
    )


# Generators ---------------------------------------------------------------------------------------


def generators_of_the_cpu(editor: Editor) -> Iterator[_Words]:
    """``torch.Generator(device=device)`` as ``torch.Generator()``, one after the other."""
    calls = (
        (source, node)
        for source in editor.sources("Generator")
        for node in source.of_type(ast.Call)
        if isinstance(node, ast.Call) and makes_generator(node)
    )
    found = ((source, call, edit) for source, call in calls for edit in _hostly(source, call))
    for source, call, edit in islice(found, _MOST):
        site = Site(source, sites.statement_of(source, call))
        yield f"`{ast.unparse(call)}` is created on the CPU", (Rewrite(site, (edit,)),)


def makes_generator(call: ast.Call) -> bool:
    """``torch.Generator(…)``."""
    return ast.unparse(call.func).rpartition(".")[2] == "Generator"


def _hostly(source: Source, call: ast.Call) -> Iterator[Edit]:
    if len(call.args) == 1 and not call.keywords:
        span = source.span(call.args[0])
        yield Edit(span.start, span.end, 0, "")
    elif any(keyword.arg == "device" for keyword in call.keywords):
        yield remove_keyword(source, call, "device")


# What is older than the move of its module --------------------------------------------------------


def moved_earlier(editor: Editor, failure: Failure) -> Iterator[_Words]:
    """Modules are moved where they are created, before anything is derived from them.

    What an optimizer has made or loaded by then stays on the CPU when its module moves.
    """
    places = [operand.created for operand in failure.operands if operand.created is not None]
    places += [Place(f.file, f.line, f.function, f.text) for f in reversed(failure.traceback)]
    scopes: dict[tuple[str, ast.AST], Source] = {}
    for site in (editor.site(place) for place in places):
        if site is not None:
            scope = sites.function_of(site.source, site.statement) or site.source.tree
            scopes[os.path.realpath(site.source.path), scope] = site.source
    found = (one for (_, scope), source in scopes.items() for one in _late(source, scope))
    for source, move, name, made in islice(found, _MOST):
        edits = _hoisted(source, move, made)
        if edits:
            words = f"`{name}` is moved right after it is created"
            yield words, (Rewrite(Site(source, move), edits),)


def _late(source: Source, scope: ast.AST) -> Iterator[tuple[Source, ast.stmt, str, ast.stmt]]:
    """The statements that move a name and nothing else, and what binds it before."""
    for node in ast.walk(scope):
        call = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
        if not isinstance(node, (ast.Expr, ast.Assign)) or call is None or not is_transfer(call):
            continue
        assert isinstance(call, ast.Call)
        assert isinstance(call.func, ast.Attribute)
        name = ast.unparse(call.func.value)
        targets = node.targets if isinstance(node, ast.Assign) else ()
        if not name.isidentifier() or any(ast.unparse(target) != name for target in targets):
            continue
        made = sites.binding(source, node, name)
        if made is not None:
            yield source, node, name, made


def _hoisted(source: Source, move: ast.stmt, made: ast.stmt) -> tuple[Edit, ...]:
    """``move`` right behind ``made``, with what names its device where that comes later."""
    block = getattr(source.parent(move), "body", ())
    if made not in block or move not in block:
        return ()
    between = block[block.index(made) + 1 : block.index(move)]
    read = {node.id for node in ast.walk(move) if isinstance(node, ast.Name)}
    above = [
        one
        for one in between
        if isinstance(one, ast.Assign) and set(sites.plain_names(one.targets[0])) & read
    ]
    if not set(between) - set(above):
        return ()
    together = [*above, move]
    text = "\n".join(source.segment(one) for one in together)
    try:
        away = [remove_statement(source, one) for one in together]
        return (*away, insert_after(source, made, text))
    except EditError:
        return ()
