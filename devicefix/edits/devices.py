"""Transfers as edits: ``device=``, ``.to(device)``, ``.cpu()``, and the device defined once."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from devicefix.edits.blocks import place_of
from devicefix.edits.errors import EditError
from devicefix.edits.expressions import append_call, each_of
from devicefix.edits.helpers import (
    below_helper,
    chosen,
    helper_of,
    import_helper,
    together,
    with_import,
)
from devicefix.edits.imports import import_torch, torch_neighbour
from devicefix.edits.keywords import add_keyword
from devicefix.edits.parameters import add_parameter
from devicefix.edits.preamble import insert_after_imports, later_import
from devicefix.edits.statements import insert_after, insert_at_body_start, insert_before
from devicefix.findings import Applicability, Edit, Fix, Span
from devicefix.flow.answers import answer_name
from devicefix.flow.scripts import is_main_guard, torch_name
from devicefix.settings import CUDA_OR_CPU, Settings
from devicefix.source.imports import bound_names

if TYPE_CHECKING:
    from devicefix.flow import DeviceName, FileFacts, Transfer
    from devicefix.source import Source

TRANSFER_RANK = 10
"""Transfers come behind casts appended to the same expression (``.float().to(device)``)."""


def define_device(
    source: Source, facts: FileFacts, settings: Settings, device: DeviceName
) -> tuple[Edit, ...]:
    """The edits that bring ``device`` into scope; none where it is.

    A new name is defined at the top of the program; a new parameter is passed by every call, also
    in other files (`Edit.path`). Raises ``EditError`` where one of them cannot be written.
    """
    if device.home is not None:
        there, torch = device.home, torch_name(device.home.tree)
        new = _definition(there, torch, settings, device)
        return tuple(_elsewhere(source, there, edit) for edit in new)
    if device.passed is None:
        return _definition(source, facts.torch, settings, device)
    edits = dict.fromkeys(_definition(source, facts.torch, settings, device))
    _pass_down(source, facts, settings, device.passed, edits)
    return tuple(edits)


def _pass_down(
    source: Source, facts: FileFacts, settings: Settings, function: ast.AST, edits: dict[Edit, None]
) -> None:
    """The parameter, the arguments of its calls, and what these need themselves."""
    parameter = facts.parameters[function]
    signature = _elsewhere(
        source, parameter.source, add_parameter(parameter.source, function, parameter.name)
    )
    if signature in edits:
        return
    edits[signature] = None
    for argument in parameter.arguments:
        there, device = argument.source, argument.device
        given = add_keyword(there, argument.call, parameter.name, device.text)
        edits[_elsewhere(source, there, given)] = None
        for edit in _definition(there, argument.torch, settings, device):
            edits[_elsewhere(source, there, edit)] = None
        if device.passed is not None:
            _pass_down(source, facts, settings, device.passed, edits)


def _elsewhere(here: Source, there: Source, edit: Edit) -> Edit:
    return edit if there is here else replace(edit, path=there.path)


def _definition(
    source: Source, torch_name: str, settings: Settings, device: DeviceName
) -> tuple[Edit, ...]:
    if not device.preamble:
        return ()
    if device.late is not None:
        return _moved_up(source, device.late)
    first_imports = _imports_inside(device.anchor)
    guarded = _imported_inside(device.anchor)
    torch = guarded[1] if guarded else torch_name or "torch"
    use = helper_of(source, settings, device)
    expression = chosen(use, device) if use else _expression(source, settings, device)
    text = f"{device.preamble} = {device.value or renamed(expression, torch)}"
    needed = not (torch_name or guarded or device.value)
    imported = import_torch(source) if needed else ()
    if use is not None and guarded:
        text = with_import(use, text)
    elif use is not None:
        needed = needed and "torch." in expression
        imported = (*(imported if needed else ()), *import_helper(source, use))
    if isinstance(device.anchor, (ast.FunctionDef, ast.AsyncFunctionDef)):
        text = quoted(source, text)
        if guarded and not device.value:
            return (insert_after(source, guarded[0], text),)
        if not device.value and _binds(device.anchor, torch):
            raise EditError(f"{device.anchor.name} assigns `{torch}` itself, further down")
        if first_imports:
            return (*imported, insert_after(source, first_imports[-1], text))
        return (*imported, _in_function(source, device.anchor, text))
    if isinstance(device.anchor, ast.If) and is_main_guard(device.anchor):
        text = quoted(source, text)
        if first_imports:
            return (*imported, insert_after(source, first_imports[-1], text))
        return (*imported, insert_before(source, device.anchor.body[0], text))
    if use is not None and use.defined and device.anchor is None:
        return (*imported, below_helper(source, use, quoted(source, text)))
    later = later_import(source, device.anchor, torch) if device.anchor is not None else None
    if device.anchor is not None and later is None:
        end = _line_end(source, device.anchor)
        return (*imported, insert_after(source, end, quoted(source, text)))
    behind = torch_neighbour(source) if needed else later
    defined = insert_after_imports(source, quoted(source, text), behind)
    return together(imported, defined, source.newline)


def _expression(source: Source, settings: Settings, device: DeviceName) -> str:
    """What a new device is set to by the settings, or by the conditions of the program."""
    if device.flag or device.index:
        condition = device.flag or "torch.cuda.is_available()"
        return f'torch.device({_accelerator(device.index)} if {condition} else "cpu")'
    answered = answer_name(device.anchor, source)
    if answered and settings.device_expression == CUDA_OR_CPU:
        return f'torch.device("cuda" if {answered} else "cpu")'
    return settings.device_expression


def _imports_inside(anchor: ast.stmt | None) -> list[ast.Import | ast.ImportFrom]:
    """The imports with which a main program or a function begins."""
    begins = (ast.If, ast.FunctionDef, ast.AsyncFunctionDef)
    found: list[ast.Import | ast.ImportFrom] = []
    for statement in anchor.body if isinstance(anchor, begins) else ():
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found.append(statement)
        elif not _is_text(statement):
            break
    return found


def _imported_inside(anchor: ast.stmt | None) -> tuple[ast.stmt, str] | None:
    """The last of these imports, if they give it torch; and what it calls that."""
    imports = _imports_inside(anchor)
    given = [pair for statement in imports for pair in bound_names(statement).items()]
    torch = next((name for name, origin in given if origin == "torch"), "")
    return (imports[-1], torch) if torch else None


def torch_inside(source: Source, node: ast.AST) -> str:
    """What a function or main program around ``node`` calls torch in the imports that it begins
    with, if any."""
    above = source.parent(node)
    while above is not None:
        begins = isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef))
        if begins or (isinstance(above, ast.If) and is_main_guard(above)):
            assert isinstance(above, ast.stmt)
            given = _imported_inside(above)
            if given is not None:
                return given[1]
        above = source.parent(above)
    return ""


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _binds(function: ast.AST, name: str) -> bool:
    """Whether ``name`` is the function's own, and nothing before it is bound."""
    for node in ast.walk(function):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and name in bound_names(node):
            return True
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
    return False


def _moved_up(source: Source, statement: ast.stmt) -> tuple[Edit, ...]:
    """The definition goes behind the imports, with the comments that stand above it; nothing where
    it stands there already."""
    end = source.next_line(source.span(statement).end)
    start = source.line_start(source.span(statement).start)
    while start and source.position(source.line_start(start - 1))[0] in _whole_comments(source):
        start = source.line_start(start - 1)
    inserted = insert_after_imports(source, source.text[start:end])
    if inserted.start <= start and not source.text[inserted.start : start].strip():
        return ()
    return inserted, Edit(start, end, 0, "")


def _whole_comments(source: Source) -> frozenset[int]:
    """The lines that are a comment of the user's."""
    return frozenset(
        line
        for line, span in source.comments.items()
        if source.line_start(span.start) == span.start and not source.is_heading(line)
    )


def _in_function(
    source: Source, function: ast.FunctionDef | ast.AsyncFunctionDef, text: str
) -> Edit:
    """First of all in the body, but behind ``super().__init__()``."""
    first = function.body[ast.get_docstring(function) is not None :][:1]
    own = "." not in text.partition(" = ")[0]
    if first and _prepares(first[0]) and (own or _is_base(source, function)):
        return insert_after(source, first[0], text)
    local = insert_at_body_start(source, function, text)
    if local is None:
        raise EditError("the function is written on one line")
    return local


def _prepares(statement: ast.stmt) -> bool:
    """``super().__init__(…)`` with nothing in it that could ask for the device."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return (
        call.func.attr == "__init__"
        and isinstance(call.func.value, ast.Call)
        and isinstance(call.func.value.func, ast.Name)
        and call.func.value.func.id == "super"
        and all(isinstance(g, (ast.Constant, ast.Name)) for g in given)
    )


def _is_base(source: Source, function: ast.AST) -> bool:
    """Its class has no other base: nobody's constructor can ask for what is not there yet."""
    owner = source.parent(function)
    bases = owner.bases if isinstance(owner, ast.ClassDef) else [function]
    return all(isinstance(base, ast.Name) and base.id == "object" for base in bases)


def _line_end(source: Source, statement: ast.stmt) -> ast.stmt:
    """The last statement of its line, where those behind it call nothing; below an attribute, the
    text that documents it."""
    place = place_of(source, statement)
    current = place
    following = place.block[place.index + 1 : place.index + 2]
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and any(map(_is_text, following)):
        return following[0]
    while not current.ends_line and not place.inline:
        current = replace(current, index=current.index + 1)
        if any(isinstance(n, ast.Call) for n in ast.walk(current.block[current.index])):
            return statement
    return current.block[current.index]


def _accelerator(index: str) -> str:
    if not index:
        return '"cuda"'
    return f'"cuda:{index}"' if index.isdigit() else f'f"cuda:{{{index}}}"'


def is_at_hand(facts: FileFacts, device: DeviceName) -> bool:
    """Whether the program has the name of the device, or surely gets it for other reasons."""
    if not device.preamble and device.passed is None:
        return True
    devices = [call.device for call in facts.calls.values()]
    sure = (t for t in facts.transfers if not (t.blocked or t.unsafe))
    devices += [transfer.device for transfer in sure]
    return any(d is not None and _origin(d) == _origin(device) for d in devices)


def _origin(device: DeviceName) -> tuple[str, ast.AST | None, ast.AST | None]:
    """Where the name comes from."""
    return device.preamble, device.anchor, device.passed


def renamed(expression: str, torch: str) -> str:
    """``expression`` with the file's own name for torch."""
    return re.sub(r"(?<![\w.])torch(?=\.)", torch, expression)


def quoted(source: Source, text: str) -> str:
    """``text`` with the quotes that the file prefers."""
    single = source.text.count("'") > source.text.count('"')
    return text.replace('"', "'") if single and "'" not in text else text


def transfer_edits(
    source: Source, facts: FileFacts, settings: Settings, transfer: Transfer
) -> tuple[Edit, ...]:
    """The edits of one transfer that is written on an expression; none where it cannot be."""
    if transfer.blocked:
        return ()
    try:
        return _transfer_edits(source, facts, settings, transfer)
    except EditError:
        return ()


def _transfer_edits(
    source: Source, facts: FileFacts, settings: Settings, transfer: Transfer
) -> tuple[Edit, ...]:
    assert isinstance(transfer.tree, ast.expr)
    if transfer.device is None:
        suffix = _laid_out(source, transfer.tree, ".cpu()")
        return append_call(source, transfer.tree, suffix, TRANSFER_RANK)
    preamble = define_device(source, facts, settings, transfer.device)
    if transfer.keyword:
        assert isinstance(transfer.tree, ast.Call)
        return (add_keyword(source, transfer.tree, "device", transfer.device.text), *preamble)
    if transfer.each:
        device = _destination(transfer)
        return (*each_of(source, transfer.tree, f".to({device})", TRANSFER_RANK), *preamble)
    suffix = _laid_out(source, transfer.tree, f".to({_destination(transfer)})")
    return (*append_call(source, transfer.tree, suffix, TRANSFER_RANK), *preamble)


def _laid_out(source: Source, expr: ast.expr, suffix: str) -> str:
    """``suffix`` on a line of its own behind a chain that has a line for every method."""
    if not (isinstance(expr, ast.Call) and isinstance(expr.func, ast.Attribute)):
        return suffix
    dot = source.text.rindex(".", 0, source.span(expr.func).end)
    start = source.line_start(dot)
    indent = source.text[start:dot]
    if indent.strip() or start == 0 or source.text[:start].rstrip("\r\n").endswith("\\"):
        return suffix
    return f"{source.newline}{indent}{suffix}"


def _destination(transfer: Transfer) -> str:
    """The arguments of ``.to``: without pinned memory ``non_blocking`` would do nothing."""
    assert transfer.device is not None
    return f"{transfer.device.text}, non_blocking=True" if transfer.pinned else transfer.device.text


def rebindings(transfers: Sequence[Transfer]) -> list[list[Transfer]]:
    """Transfers of names that one statement binds and that one device takes, together."""
    groups: dict[tuple[int, str, str], list[Transfer]] = {}
    for transfer in transfers:
        device = transfer.device.text if transfer.device is not None else ""
        groups.setdefault((id(transfer.tree), device, transfer.group), []).append(transfer)
    return list(groups.values())


def header(source: Source, statement: ast.AST) -> Span:
    """The part of a statement that a reader looks at: a loop's first line, not its body."""
    span = source.span(statement)
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return Span(span.start, source.span(statement.iter).end)
    return span


def rebind_edits(
    source: Source, facts: FileFacts, settings: Settings, transfers: Sequence[Transfer]
) -> tuple[Edit, ...]:
    """One new statement that moves all names that one statement binds; none where none fits."""
    if transfers[0].blocked:
        return ()
    try:
        return _rebind_edits(source, facts, settings, transfers)
    except EditError:
        return ()


def _rebind_edits(
    source: Source, facts: FileFacts, settings: Settings, transfers: Sequence[Transfer]
) -> tuple[Edit, ...]:
    names = [t.name for t in transfers]
    moved = [f"{t.name}.to({_destination(t)})" for t in transfers]
    text = f"{', '.join(names)} = {', '.join(moved)}"
    statement = transfers[0].tree
    assert isinstance(statement, ast.stmt)
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        edit = insert_at_body_start(source, statement, text)
        if edit is None:
            return ()
    else:
        edit = insert_after(source, statement, text)
    device = transfers[0].device
    preamble = define_device(source, facts, settings, device) if device is not None else ()
    return (edit, *preamble)


def transfer_fix(edits: tuple[Edit, ...], transfer: Transfer) -> Fix:
    """The fix of a placement decision: as sure as what was seen of the program allows.

    A decision knows no borders between files: half of it, such as the model on the device and its
    batches in another file not, is worse than nothing.
    """
    if transfer.blocked or not edits:
        applicability = Applicability.DISPLAY
    elif transfer.unsafe:
        applicability = Applicability.UNSAFE
    else:
        applicability = Applicability.SAFE
    return Fix(edits, applicability, transfer.group, shared=True, needed=True)


def transfer_advice(transfer: Transfer) -> str:
    """What a person has to decide before this transfer can be made."""
    if transfer.blocked:
        return transfer.blocked
    if transfer.unsafe:
        return f"moving it may be wrong ({transfer.unsafe})"
    return ""
