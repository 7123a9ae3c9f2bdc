"""Strings that name an accelerator."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.command_line import unfit_options
from devicefix.flow.frame import Frame
from devicefix.flow.graph import Label
from devicefix.flow.values import (
    Const,
    Device,
    External,
    FileRecord,
    Opaque,
    Plain,
    Tensor,
    Unknown,
    Value,
    is_accelerator_string,
)
from devicefix.source import Source


def note_literal(frame: Frame, expr: ast.expr | None, value: Value) -> None:
    """Remember accelerator strings used as a device, and where they come from."""
    if isinstance(value, (Const, Device)):
        _note_written(frame, expr, value.written)
    if isinstance(value, Device) and isinstance(expr, ast.Call) and not expr.args:
        _note_asked(frame, expr, value)
    if isinstance(value, Plain) and value.option:
        frame.seen.chosen_devices.add(value.option)
    if isinstance(expr, ast.Attribute) and isinstance(value, Plain) and value.choice:
        frame.seen.device_options.setdefault(ast.unparse(expr), set()).add(frame.entry)
        if any(expr.attr in f.source.once(unfit_options) for f in _files(frame)):
            frame.seen.unfit_options.add(ast.unparse(expr))
    if expr is not None:
        note_number(frame, expr)


def _note_asked(frame: Frame, call: ast.Call, device: Device) -> None:
    """Remember a function of the program that is asked for the device, and for nothing else."""
    if not call.keywords and isinstance(call.func, (ast.Attribute, ast.Name)):
        found = frame.seen.device_calls.setdefault(frame.file, {})
        found.setdefault(ast.unparse(call), device)


def _files(frame: Frame) -> list[FileRecord]:
    return list(frame.analysis.files.values())


def _note_written(frame: Frame, expr: ast.expr | None, written: frozenset[ast.expr]) -> None:
    frame.seen.device_strings |= written - {expr}
    computed = frame.analysis.parents.get(expr) in frame.seen.computed if expr else False
    if expr is not None and expr in written and not computed:
        found = frame.seen.device_literals.setdefault(expr, {})
        found[frame.context] = frame.occurrence(expr)


def note_number(frame: Frame, expr: ast.expr) -> None:
    """Remember numbers used as a device: ``0``, ``torch.cuda.current_device()``."""
    if isinstance(expr, ast.Constant) and type(expr.value) is int:
        _note_place(frame, expr, True)
    if not isinstance(expr, ast.Call):
        return
    if "torch.cuda.current_device" in frame.seen.calls.get(expr, ()):
        _note_place(frame, expr, True)
    elif isinstance(expr.func, ast.Attribute) and expr.func.attr == "get_device":
        holder = frame.evaluate(expr.func.value)
        if isinstance(holder, (External, Opaque, Tensor, Unknown)) and not expr.args:
            sure = isinstance(holder, (Tensor, Opaque)) or _can_only_be_a_tensor(frame, expr)
            sure = sure and frame.seen.places.get(expr, (True,))[0]
            _note_place(frame, expr, sure)


def _note_place(frame: Frame, expr: ast.expr, sure: bool) -> None:
    _, seen = frame.seen.places.get(expr, (True, {}))
    frame.seen.places[expr] = (sure, {**seen, frame.context: frame.occurrence(expr)})


def _can_only_be_a_tensor(frame: Frame, expr: ast.Call) -> bool:
    """``y.cuda(x.get_device())``, where no class of the program has such a method itself."""
    call = frame.analysis.parents.get(expr)
    handed = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    cuda = handed and isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "cuda"
    return cuda and not any(file.source.once(_defines_get_device) for file in _files(frame))


def _defines_get_device(source: Source) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(n, kinds) and n.name == "get_device" for n in source.nodes)


def note_computed(frame: Frame, tree: ast.expr, given: Sequence[ast.expr | None]) -> None:
    """Remember ``torch.device("cuda", i)`` and ``torch.device(f"cuda:{i}")``."""
    first = given[0] if given else None
    if not isinstance(tree, ast.Call) or first is None:
        return
    numbered = len(given) == 2 and isinstance(first, ast.Constant)
    named = numbered and is_accelerator_string(getattr(first, "value", ""))
    if named or (len(given) == 1 and _starts_with_cuda(first)):
        frame.seen.computed.add(tree)


def written_device(frame: Frame, tree: ast.expr) -> Device | None:
    """The device that a string names which is put together here."""
    if not _starts_with_cuda(tree):
        return None
    number = _number(tree)
    gpu = gpu_of(frame.evaluate(number)) if number is not None else ""
    written = frozenset((tree,))
    return Device(
        Label.TARGET, agnostic=False, typed=False, written=written, gpu=gpu, origins=written
    )


def gpu_of(value: Value) -> str:
    """Which accelerator a number stands for: itself, or the option of the user's that gives it."""
    match value:
        case Const(value=int() as number) if not isinstance(number, bool):
            return str(number)
        case Plain(choice=True, option=option):
            return option
        case Device(gpu=gpu):
            return gpu
    return ""


def _number(tree: ast.expr) -> ast.expr | None:
    """What follows ``"cuda:"``."""
    match tree:
        case ast.JoinedStr(
            values=[ast.Constant(value="cuda:"), ast.FormattedValue(value=number, format_spec=None)]
        ):
            return number
        case ast.BinOp(left=ast.Constant(value="cuda:%d" | "cuda:%s"), op=ast.Mod(), right=number):
            return number
        case ast.BinOp(
            left=ast.Constant(value="cuda:"), right=ast.Call(func=ast.Name("str"), args=[number])
        ):
            return number
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value="cuda:{}")), args=[number], keywords=[]
        ):
            return number
    return None


def _starts_with_cuda(tree: ast.expr) -> bool:
    """``f"cuda:{i}", ``"cuda:%d" % i``, ``"cuda:" + str(i)``, ``"cuda:{}".format(i)``."""
    if isinstance(tree, ast.JoinedStr):
        tree = tree.values[0] if tree.values else tree
    elif isinstance(tree, ast.BinOp):
        tree = tree.left
    elif isinstance(tree, ast.Call) and isinstance(tree.func, ast.Attribute):
        tree = tree.func.value if tree.func.attr == "format" else tree
    else:
        return False
    return isinstance(tree, ast.Constant) and str(tree.value).startswith("cuda:")
