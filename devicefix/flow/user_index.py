"""The one index that a file gives to all its calls of ``.cuda(index)``: a new device obeys it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.command_line import is_option
from devicefix.flow.graph import Label
from devicefix.flow.literals import gpu_of
from devicefix.flow.values import Const, Device, FileRecord, Plain, Value

_CHOOSES_A_CARD: Final = frozenset(
    {
        "torch.accelerator.device_index",
        "torch.accelerator.set_device_idx",
        "torch.accelerator.set_device_index",
        "torch.accelerator.set_stream",
        "torch.cuda.device",
        "torch.cuda.device_of",
        "torch.cuda.set_device",
        "torch.cuda.set_stream",
        "torch.cuda.stream",
    }
)
"""What makes another accelerator the current one; a stream does if it is of another one."""


def cuda_index(call: ast.Call) -> ast.expr | None:
    """The index in ``.cuda(index)``; None where there is none, or it is None."""
    given = next((k.value for k in call.keywords if k.arg == "device"), None)
    index = call.args[0] if given is None and call.args else given
    nothing = isinstance(index, ast.Constant) and index.value is None
    return None if nothing else index


def chosen_devices(analysis: Analysis, file: FileRecord) -> set[str]:
    """What a file gives to ``torch.cuda.set_device``, as it is written."""
    calls = [c for c, names in analysis.seen.calls.items() if "torch.cuda.set_device" in names]
    given = [[*c.args, *(k.value for k in c.keywords)] for c in calls if analysis.home(c) is file]
    return {ast.unparse(arguments[0]) for arguments in given if arguments}


def names_one_gpu(analysis: Analysis) -> bool:
    """Whether the program names no accelerator but the first by its number: then all that it moves
    is on one."""
    seen = analysis.seen
    texts = {getattr(n, "value", "") for n in (*seen.device_literals, *seen.device_strings)}
    return not (
        seen.ranked
        or seen.computed
        or not texts <= {"cuda", "cuda:0"}
        or any(is_cuda(c) and not _goes_to_the_one(analysis, c) for c in seen.transfers)
        or any(not names.isdisjoint(_CHOOSES_A_CARD) for names in seen.calls.values())
    )


def _goes_to_the_one(analysis: Analysis, call: ast.Call) -> bool:
    """``x.cuda()``, ``x.cuda(0)``; ``x.cuda(y.get_device())``, as y is on it, too."""
    index, values = cuda_index(call), analysis.seen.indices.get(call, ())
    if index is None or (isinstance(index, ast.Call) and index in analysis.seen.places):
        return True
    return bool(values) and all(value == Const(0) for value in values)


def is_cuda(call: ast.Call) -> bool:
    """``x.cuda()``, with an index or without."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def user_index(analysis: Analysis, file: FileRecord) -> str:
    """An index of the user's that all calls share, as it is written; empty where there is none."""
    calls = [
        call for call in analysis.seen.transfers if is_cuda(call) and analysis.home(call) is file
    ]
    own = {call for call in calls if names_itself(analysis.seen.indices.get(call, ()))}
    own |= {call for call in calls if cuda_index(call) in analysis.seen.places}
    calls = [call for call in calls if call not in own]
    indices = [cuda_index(call) for call in calls]
    texts = {"" if index is None else ast.unparse(index) for index in indices}
    values = [value for call in calls for value in analysis.seen.indices.get(call, ())]
    text = texts.pop() if len(texts) == 1 else ""
    if None not in indices and (option := shared_gpu(values)).isidentifier():
        text = _read_at_the_top(file, option) or text
    if not text or chosen_devices(analysis, file) or not _is_plain(text):
        return ""
    return text if _are_numbers(analysis, file, text, values) else ""


def shared_gpu(values: Sequence[Value]) -> str:
    """The one accelerator that all values stand for: a number, or the option that gives it."""
    gpus = {gpu_of(value) for value in values}
    return gpus.pop() if len(gpus) == 1 else ""


def chosen_gpus(analysis: Analysis, file: FileRecord) -> set[str]:
    """As `shared_gpu`, of what a file gives to ``torch.cuda.set_device``."""
    calls = [c for c, names in analysis.seen.calls.items() if "torch.cuda.set_device" in names]
    calls = [call for call in calls if analysis.home(call) is file]
    return {gpu_of(v) for call in calls for v in analysis.seen.indices.get(call, ())}


def _read_at_the_top(file: FileRecord, option: str) -> str:
    """``args.gpu``, where the top of the file has the options of the program as ``args``."""
    for statement in file.source.tree.body:
        value = statement.value if isinstance(statement, ast.Assign) else None
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if value.func.attr == "parse_args" and isinstance(target, ast.Name):
            return f"{target.id}.{option}"
    return ""


def names_itself(values: Sequence[Value]) -> bool:
    """``.cuda(device)``, where that is a ``torch.device`` of the program."""
    return bool(values) and all(
        isinstance(v, Device) and v.typed and v.label is Label.TARGET for v in values
    )


def _is_plain(text: str) -> bool:
    """``1``, ``gpu``, ``args.gpu``."""
    return all(part.isidentifier() or part.isdigit() for part in text.split("."))


def _are_numbers(analysis: Analysis, file: FileRecord, text: str, values: Sequence[Value]) -> bool:
    """Whether it surely is the number of an accelerator, and not just the first one."""
    if any(_makes_number(statement, text) for statement in file.source.tree.body):
        return True
    if all(isinstance(value, Plain) and value.choice for value in values):
        return _is_number_option(analysis, text)
    numbers = [v.value for v in values if isinstance(v, Const) and type(v.value) is int]
    return len(numbers) == len(values) and all(numbers)


def _makes_number(statement: ast.stmt, text: str) -> bool:
    """``local_rank = int(os.environ["LOCAL_RANK"])``."""
    if not (isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)):
        return False
    called = statement.value.func
    number = isinstance(called, ast.Name) and called.id == "int"
    return number and [ast.unparse(target) for target in statement.targets] == [text]


def _is_number_option(analysis: Analysis, text: str) -> bool:
    """``parser.add_argument("--gpu", type=int, default=0)`` for ``args.gpu``."""
    name = text.rpartition(".")[2]
    calls = [n for f in analysis.owned for n in f.source.nodes if isinstance(n, ast.Call)]
    options = [call for call in calls if is_option(call, name)]
    return bool(options) and all(map(_takes_numbers, options))


def _takes_numbers(call: ast.Call) -> bool:
    """Its type is int, and it has a number where the user gives none."""
    options = {k.arg: k.value for k in call.keywords}
    kind, default = options.get("type"), options.get("default")
    number = isinstance(default, ast.Constant) and type(default.value) is int
    return number and isinstance(kind, ast.Name) and kind.id == "int" and "nargs" not in options
