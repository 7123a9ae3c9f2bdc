"""What ties a program to CUDA besides ``.cuda()`` and conditions: device strings and choices."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from devicefix.flow.about_data import asks_about_data
from devicefix.flow.analysis import Analysis
from devicefix.flow.calls_seen import moved_with, name_at
from devicefix.flow.command_line import is_option
from devicefix.flow.cuda_guards import Guards, is_move_to_cuda
from devicefix.flow.definitions import enclosing
from devicefix.flow.facts import DeviceLiteral, DeviceName
from devicefix.flow.gpu_choice import TOO_EARLY, first_question
from devicefix.flow.importing import runs_on_import
from devicefix.flow.indices import named_gpu
from devicefix.flow.kept_devices import kept_device
from devicefix.flow.leftovers import leftovers
from devicefix.flow.naming import DeviceNames, Moved
from devicefix.flow.observations import Occurrence
from devicefix.flow.probes import is_probe
from devicefix.flow.scopes import FUNCTIONS
from devicefix.flow.scripts import is_main_guard
from devicefix.flow.user_index import chosen_devices
from devicefix.flow.values import (
    FileRecord,
    Flag,
    Value,
    is_accelerator_string,
)
from devicefix.source.imports import module_constants
from devicefix.source.walking import walk
from devicefix.torch_api import ASKS_FOR_CUDA, NEEDS_CUDA

_ON_IMPORT = (
    "importing the package would initialize CUDA, which its users could not use after a fork"
)
_ONE_OF_SEVERAL = "it is one of several devices, which would all be the CPU without CUDA"


def device_literals(analysis: Analysis, names: DeviceNames) -> tuple[DeviceLiteral, ...]:
    """Accelerator strings used as devices where nothing has asked whether there is one."""
    direct = analysis.seen.device_literals
    handed_on = {*analysis.seen.device_strings, *_defaults_of_options(analysis)}
    found = []
    for literal in {*direct, *handed_on}:
        places = list(direct.get(literal, {}).values())
        names_there = places[-1].names if places else {}
        asked = _is_guarded(analysis, literal, names_there) or is_probe(analysis, literal)
        asked = asked or Guards(analysis, analysis.home(literal).source).have_asked(literal)
        asked = asked or _needs_cuda(analysis, literal)
        if asked or _is_compared(analysis, literal):
            continue
        # what is handed on stays a string: who gets it may compare it, or print it
        alone = literal in handed_on or _is_named(analysis, literal)
        alone = alone or getattr(literal, "value", "") not in ("cuda", "cuda:0")
        moved = Moved(moved_with(analysis, literal), named=True)
        device = None if alone else name_at(places, names, moved)
        written = literal
        if device is None and getattr(literal, "value", "") == "cuda":
            written = _whole(analysis, literal)
            device = kept_device(analysis, written, places, names)
        if device is not None and _is_another(analysis, literal, device, places):
            device = None
        if device is None and literal in handed_on:
            device = _constant(analysis, literal)
        left = _too_early(analysis, literal) if device is None else ""
        if _is_one_of_several(analysis, literal):
            device, left = None, _ONE_OF_SEVERAL
        generator = _makes_generator(analysis, literal)
        replaceable = not (alone or generator or left) and getattr(literal, "value", "") == "cuda"
        whole = written if device is not None else literal
        found.append(DeviceLiteral(whole, device, generator, left, replaceable))
    seen = {*direct, *handed_on}
    for literal, reason in (left for file in analysis.owned for left in leftovers(analysis, file)):
        if literal not in seen and not _is_guarded(analysis, literal, {}):
            found.append(DeviceLiteral(literal, None, left=reason or _too_early(analysis, literal)))
    return tuple(sorted(found, key=lambda f: (f.literal.lineno, f.literal.col_offset)))


def _needs_cuda(analysis: Analysis, literal: ast.expr) -> bool:
    """``torch.cuda.set_device("cuda:0")``: what asks before the call asks for the device, too."""
    above = analysis.parents.get(literal)
    while isinstance(above, (ast.expr, ast.keyword)):
        names = analysis.seen.calls.get(above, set()) if isinstance(above, ast.Call) else set()
        if names and names <= NEEDS_CUDA:
            return True
        above = analysis.parents.get(above)
    return False


def _constant(analysis: Analysis, literal: ast.expr) -> DeviceName | None:
    """``device`` behind ``device = "cuda"`` at the top of a file, where that writes ``"cuda"``
    again: the same string, also when it depends on the machine."""
    scope, text = enclosing(analysis, literal), getattr(literal, "value", "")
    if not isinstance(scope, ast.Module) or not text:
        return None
    for name, value in analysis.home(literal).source.once(module_constants).items():
        same = isinstance(value, ast.Constant) and value.value == text
        if same and (value.end_lineno or 0) < literal.lineno:
            return DeviceName(name, typed=False)
    return None


def _whole(analysis: Analysis, literal: ast.expr) -> ast.expr:
    """The device that a string names: ``torch.device("cuda")``, or the string itself."""
    parent = analysis.parents.get(literal)
    made = isinstance(parent, ast.Call) and _is_device_call(analysis, parent)
    return parent if made and isinstance(parent, ast.expr) else literal


def _too_early(analysis: Analysis, literal: ast.expr) -> str:
    """Why the program cannot ask for CUDA there; empty: it can."""
    file = analysis.home(literal)
    source = file.source
    if source.once(first_question).is_too_early(literal):
        return TOO_EARLY
    installed = analysis.program.modules.is_installed(file.path)
    if installed and runs_on_import(literal) and not _asks_on_import(analysis, file):
        return _ON_IMPORT
    return analysis.processes.why_not(literal, source.path)


def _asks_on_import(analysis: Analysis, file: FileRecord) -> bool:
    """Whether importing the file asks for CUDA as it is."""
    asking = (c for c, names in analysis.seen.calls.items() if not names.isdisjoint(ASKS_FOR_CUDA))
    return any(analysis.home(call) is file and runs_on_import(call) for call in asking)


def _is_another(
    analysis: Analysis, literal: ast.expr, device: DeviceName, places: Sequence[Occurrence]
) -> bool:
    """``"cuda:0"``, where the name stands for another one of several accelerators."""
    if getattr(literal, "value", "") != "cuda:0":
        return bool(device.index)
    gpu = named_gpu(device, places)
    current = chosen_devices(analysis, analysis.home(literal)) <= {"0"}
    return gpu != "0" if gpu or not current else False


def _defaults_of_options(analysis: Analysis) -> Iterator[ast.Constant]:
    """``parser.add_argument("--device", default="cuda")``, where ``args.device`` is a device."""
    chosen = analysis.seen.chosen_devices
    trees = (tree for file in analysis.owned if chosen for tree in file.source.nodes)
    for tree in trees:
        if isinstance(tree, ast.Call) and any(is_option(tree, name) for name in chosen):
            default = next((k.value for k in tree.keywords if k.arg == "default"), None)
            if isinstance(default, ast.Constant) and is_accelerator_string(default.value):
                yield default


def _makes_generator(analysis: Analysis, literal: ast.expr) -> bool:
    parent = analysis.parents.get(literal)
    if isinstance(parent, ast.keyword):
        parent = analysis.parents.get(parent)
    return isinstance(parent, ast.Call) and "torch.Generator" in analysis.seen.calls.get(parent, ())


def _is_guarded(analysis: Analysis, tree: ast.AST, names: Mapping[str, Value]) -> bool:
    """Below a condition: something has been asked before the device is taken.

    ``names`` say what they mean where ``tree`` stands.
    """
    child, parent = tree, analysis.parents.get(tree)
    while parent is not None:
        if (
            isinstance(parent, (ast.If, ast.IfExp))
            and child is not parent.test
            and not is_main_guard(parent)
            and not _asks_for_others(analysis, parent, names)
            and not _both_name_cuda(analysis, parent)
        ):
            return True
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return is_move_to_cuda(parent, analysis.parents.get(parent))
        child, parent = parent, analysis.parents.get(parent)
    return False


def _both_name_cuda(analysis: Analysis, tree: ast.If | ast.IfExp) -> bool:
    """Whether what runs where the condition holds, and what runs where not, both go to CUDA: then
    it asks about something else."""
    return all(_goes_to_cuda(analysis, arm) for arm in (tree.body, tree.orelse))


def _goes_to_cuda(analysis: Analysis, arm: ast.expr | Sequence[ast.stmt]) -> bool:
    """Whether a device of CUDA is named, below no further condition."""
    waiting: list[ast.AST] = [arm] if isinstance(arm, ast.expr) else [*arm]
    while waiting:
        tree = waiting.pop()
        if tree in analysis.seen.device_literals and isinstance(tree, ast.Constant):
            return str(tree.value).partition(":")[0] == "cuda"
        if not isinstance(tree, (ast.If, ast.IfExp, ast.BoolOp)):
            waiting += ast.iter_child_nodes(tree)
    return False


def _asks_for_others(
    analysis: Analysis, tree: ast.If | ast.IfExp, names: Mapping[str, Value]
) -> bool:
    """``if os.path.isfile(path):``, ``if mask is not None:``: no question about devices."""
    test = analysis.asked(tree)
    if isinstance(tree.test, ast.Constant) or asks_about_data(test, names):
        return True
    test = test.operand if isinstance(test, ast.UnaryOp) else test
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], ast.IsNot) and ast.unparse(test.comparators[0]) == "None"
    called = analysis.seen.calls.get(test, ()) if isinstance(test, ast.Call) else ()
    return bool(called) and all(name.startswith(("os.", "pathlib.")) for name in called)


def _is_named(analysis: Analysis, literal: ast.expr) -> bool:
    """``device = torch.device("cuda")``: it is what other places have as their device."""
    parent = analysis.parents.get(literal)
    if isinstance(parent, ast.Call) and _is_device_call(analysis, parent):
        parent = analysis.parents.get(parent)
    return isinstance(parent, ast.Assign)


def _is_one_of_several(analysis: Analysis, literal: ast.expr) -> bool:
    """``[torch.device("cpu"), torch.device("cuda")]``: without CUDA two would be the same.

    So would those that a loop numbers, and what else its function numbers.
    """
    if _is_numbered_by_loop(analysis, literal):
        return True
    item, parent = literal, analysis.parents.get(literal)
    if isinstance(parent, ast.Call) and _is_device_call(analysis, parent):
        item, parent = parent, analysis.parents.get(parent)
    if not isinstance(parent, (ast.List, ast.Tuple, ast.Set)):
        return False
    return any(other is not item and _is_device(analysis, other) for other in parent.elts)


def _is_numbered_by_loop(analysis: Analysis, literal: ast.expr) -> bool:
    """``f"cuda:{i}"`` in a function that does so in ``for i in …``."""
    if isinstance(literal, ast.Constant):
        return False
    function = enclosing(analysis, literal)
    known = {*analysis.seen.device_literals, *analysis.seen.device_strings}
    numbered = (t for t in known if not isinstance(t, ast.Constant))
    beside = (t for t in numbered if enclosing(analysis, t) is function)
    return any(_reads_item(analysis, tree) for tree in beside)


def _reads_item(analysis: Analysis, tree: ast.expr) -> bool:
    """Whether an expression reads what a loop around it binds."""
    read = {n.id for n in walk(tree) if isinstance(n, ast.Name)}
    above = analysis.parents.get(tree)
    while above is not None and not isinstance(above, FUNCTIONS):
        loops = [above] if isinstance(above, (ast.For, ast.AsyncFor)) else []
        targets = [loop.target for loop in (*loops, *getattr(above, "generators", ()))]
        bound = {n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)}
        if not bound.isdisjoint(read):
            return True
        above = analysis.parents.get(above)
    return False


def _is_device(analysis: Analysis, tree: ast.expr) -> bool:
    if isinstance(tree, ast.Call):
        return _is_device_call(analysis, tree)
    text = tree.value if isinstance(tree, ast.Constant) else None
    return text == "cpu" or is_accelerator_string(text)


def _is_device_call(analysis: Analysis, call: ast.Call) -> bool:
    return "torch.device" in analysis.seen.calls.get(call, ()) and len(call.args) == 1


def _is_compared(analysis: Analysis, literal: ast.AST) -> bool:
    """``device.type == torch.device("cuda").type``: a question, not a place.

    In ``a == b.to("cuda")`` what is compared is what a call has done with it.
    """
    child, parent = literal, analysis.parents.get(literal)
    while isinstance(parent, ast.expr):
        if isinstance(parent, ast.Compare):
            return True
        if isinstance(parent, ast.Call) and child in parent.args and _places(analysis, parent):
            return False
        child, parent = parent, analysis.parents.get(parent)
    return False


def _places(analysis: Analysis, call: ast.Call) -> bool:
    """It puts something on the device that it is given, by position: ``b.to("cuda")``."""
    return isinstance(call.func, ast.Attribute) and not _is_device_call(analysis, call)


def two_way_choices(analysis: Analysis, file: FileRecord) -> tuple[ast.expr, ...]:
    """``"cuda" if torch.cuda.is_available() else "cpu"``: other accelerators are not asked for."""
    return tuple(taken for taken, test in _choices(analysis, file) if _means_cuda(test))


def choices_of_options(analysis: Analysis, file: FileRecord) -> tuple[ast.expr, ...]:
    """``"cuda" if args.gpu else "cpu"``: nothing has asked whether there is CUDA."""
    return tuple(taken for taken, test in _choices(analysis, file) if not isinstance(test, Flag))


def _means_cuda(test: Value | None) -> bool:
    return isinstance(test, Flag) and test.holds


def _choices(analysis: Analysis, file: FileRecord) -> Iterator[tuple[ast.expr, Value | None]]:
    """The device of CUDA where a condition chooses between it and the CPU, with the condition."""
    for tree, test in analysis.tests(file):
        # below another choice, that one may have asked for other accelerators
        if not isinstance(analysis.parents.get(tree), (ast.If, ast.IfExp)):
            taken, other = _branches(tree)
            if taken is not None and _names_cuda(taken) and other and _names_host(other):
                yield taken, test


def _branches(tree: ast.AST) -> tuple[ast.expr | None, ast.expr | None]:
    """What a choice takes, and what else: by expression, or by one assignment each."""
    if isinstance(tree, ast.IfExp):
        return tree.body, tree.orelse
    if not isinstance(tree, ast.If) or not len(tree.body) == len(tree.orelse) == 1:
        return None, None
    one, other = tree.body[0], tree.orelse[0]
    if isinstance(one, ast.Assign) and isinstance(other, ast.Assign):
        return one.value, other.value
    return None, None


def _names_cuda(tree: ast.expr) -> bool:
    """``"cuda"``, ``"cuda:0"``, ``torch.device("cuda")``."""
    if isinstance(tree, ast.Call) and len(tree.args) == 1 and not tree.keywords:
        tree = tree.args[0]
    return isinstance(tree, ast.Constant) and str(tree.value).partition(":")[0] == "cuda"


def _names_host(tree: ast.expr) -> bool:
    if isinstance(tree, ast.Call) and len(tree.args) == 1 and not tree.keywords:
        tree = tree.args[0]
    return isinstance(tree, ast.Constant) and tree.value == "cpu"
