"""Numbers of accelerators: which of them stand for the one that the program uses."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import asks, is_a_choice
from devicefix.flow.facts import DeviceName, DeviceNumber, Number
from devicefix.flow.graph import Label
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.observations import Occurrence
from devicefix.flow.proof import held
from devicefix.flow.user_index import (
    chosen_devices,
    chosen_gpus,
    cuda_index,
    names_itself,
    shared_gpu,
)
from devicefix.flow.values import Const, Value, as_device


def own_device(analysis: Analysis, call: ast.Call, values: Sequence[Value]) -> DeviceName | None:
    """``.cuda(device)`` of a device of the program names itself; ``.cuda(x.get_device())`` asks x.

    Both are right below any condition.
    """
    index = cuda_index(call)
    if isinstance(index, ast.Call) and analysis.seen.places.get(index, (False,))[0]:
        asked = index.func if not _is_current(analysis, index) else None
        if isinstance(asked, ast.Attribute):
            return DeviceName(f"{ast.unparse(asked.value)}.device", follows=True)
    if not isinstance(index, (ast.Name, ast.Attribute)):
        return None
    return DeviceName(ast.unparse(index)) if names_itself(values) else None


def keeps_index(
    analysis: Analysis,
    call: ast.Call,
    values: Sequence[Value],
    device: DeviceName | None,
    places: Sequence[Occurrence],
) -> bool:
    """Whether ``device`` is surely the accelerator that ``.cuda(index)`` asks for."""
    index = cuda_index(call)
    if index is None:
        return True
    if device is None:
        return False
    if device == own_device(analysis, call, values):
        return True
    text, chosen = ast.unparse(index), chosen_devices(analysis, analysis.home(call))
    if text in (device.text, device.index):
        return True
    asked, named = shared_gpu(values), named_gpu(device, places)
    if asked and asked == named:
        return True
    same = bool(asked) and chosen_gpus(analysis, analysis.home(call)) == {asked}
    current = isinstance(index, ast.Call) and _is_current(analysis, index)
    if current or same or chosen == {text}:
        return bool(device.preamble) and not device.index
    if named not in ("", "0"):
        return False
    zero = text == "0" or (bool(values) and all(v == Const(0) for v in values))
    return zero and chosen <= {"0", text}


def named_gpu(device: DeviceName, places: Sequence[Occurrence]) -> str:
    """Which of several accelerators the name stands for, in all these places."""
    if device.index:
        return device.index.rpartition(".")[2]
    if device.preamble or device.passed is not None:
        return ""
    found = [held(seen.names, device.text) for seen in places]
    gpus = {as_gpu(value) for value in found if value is not None}
    return gpus.pop() if len(gpus) == 1 and None not in found else ""


def as_gpu(value: Value) -> str:
    """As `gpu_of`, of what is used as a device."""
    device = as_device(value)
    return device.gpu if device is not None else ""


def device_numbers(analysis: Analysis, names: DeviceNames) -> tuple[DeviceNumber, ...]:
    """Numbers used as devices where nobody has asked whether there are any."""
    found = []
    for tree, (sure, seen) in analysis.seen.places.items():
        if asks(analysis, tree) or not analysis.home(tree).owned:
            continue
        kind = _kind(analysis, tree)
        device = None
        if kind is Number.CURRENT and not _defines(analysis, tree):
            wanted = [(place, Label.TARGET) for place in seen.values()]
            device = names.at(wanted, Moved((ast.unparse(tree),), already=True))
            if device is not None and not _is_the_current(analysis, tree, device):
                device = None
        found.append(DeviceNumber(tree, kind, sure, device))
    for call in analysis.seen.computed:
        chosen = asks(analysis, call) or is_a_choice(analysis, call)
        if not chosen and not _is_part(analysis, call):
            found.append(DeviceNumber(call, Number.COMPUTED, True, None))
    return tuple(sorted(found, key=lambda f: (f.tree.lineno, f.tree.col_offset)))


def _is_the_current(analysis: Analysis, tree: ast.expr, device: DeviceName) -> bool:
    """Whether the name stands for the current device, and not for another one."""
    file = analysis.home(tree)
    several = any(analysis.home(call) is file for call in analysis.seen.computed)
    if several or chosen_devices(analysis, file):
        return bool(device.preamble) and not device.index
    return not device.index


def _kind(analysis: Analysis, tree: ast.expr) -> Number:
    if isinstance(tree, ast.Call) and not _is_current(analysis, tree):
        return Number.LOCATED
    chosen = chosen_devices(analysis, analysis.home(tree))
    zero = isinstance(tree, ast.Constant) and tree.value == 0 and chosen <= {"0"}
    return Number.CURRENT if zero or isinstance(tree, ast.Call) else Number.OTHER


def _is_current(analysis: Analysis, call: ast.Call) -> bool:
    return "torch.cuda.current_device" in analysis.seen.calls.get(call, ())


def _defines(analysis: Analysis, tree: ast.expr) -> bool:
    """``torch.device(0)``: it may be the definition of the name that is looked for."""
    call = analysis.parents.get(tree)
    return isinstance(call, ast.Call) and "torch.device" in analysis.seen.calls.get(call, ())


def _is_part(analysis: Analysis, call: ast.Call) -> bool:
    """``torch.device("cuda", i).type == …``: a question, not a place."""
    parent = analysis.parents.get(call)
    return isinstance(parent, (ast.Attribute, ast.Compare))
