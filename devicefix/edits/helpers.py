"""A new device by a helper of the project: the expression, and the import that it needs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from devicefix.edits import ranks
from devicefix.edits.blocks import place_of
from devicefix.edits.errors import EditError
from devicefix.edits.preamble import insert_after_imports
from devicefix.edits.statements import insert_after
from devicefix.findings import Edit
from devicefix.settings import CUDA_OR_CPU

if TYPE_CHECKING:
    from devicefix.device_helpers import HelperUse
    from devicefix.flow import DeviceName
    from devicefix.settings import Settings
    from devicefix.source import Source


def helper_of(source: Source, settings: Settings, device: DeviceName) -> HelperUse | None:
    """The helper that says what the new name ``device`` is; None where none can.

    That is so for one of several accelerators, which no helper knows, where the new name would hide
    the helper's, and where its import cannot be written.
    """
    use = use_of(source, settings)
    if use is None or device.value or device.index:
        return None
    read = {n.id for n in ast.walk(ast.parse(use.text)) if isinstance(n, ast.Name)}
    return use if device.preamble not in read else None


def use_of(source: Source, settings: Settings) -> HelperUse | None:
    """How the file writes a device by a helper, where its import can be written."""
    use = settings.helper(source.path)
    if use is None or settings.device_expression != CUDA_OR_CPU:
        return None
    return None if use.module and _is_crowded(source, use) else use


def chosen(use: HelperUse, device: DeviceName) -> str:
    """The expression that ``device`` is set to, under the user's own condition if there is one."""
    if not use.typed:
        kind = f'{use.text} if {device.flag} else "cpu"' if device.flag else use.text
        return f"torch.device({kind})"
    return f'{use.text} if {device.flag} else torch.device("cpu")' if device.flag else use.text


def import_helper(source: Source, use: HelperUse) -> tuple[Edit, ...]:
    """The import of its name, if the file does not have it: beside others of that module, or behind
    the last of the project's own."""
    if not use.module:
        return ()
    if use.beside >= 0:
        node = source.tree.body[use.beside]
        assert isinstance(node, ast.ImportFrom)
        return (_with_name(source, node, use.name),)
    statement = f"from {use.module} import {use.name}"
    if use.after >= 0:
        return (insert_after(source, source.tree.body[use.after], statement),)
    edit = insert_after_imports(source, statement)
    return (replace(edit, rank=edit.rank - 1),)


def _with_name(source: Source, node: ast.ImportFrom, name: str) -> Edit:
    """One more name for an import, on a line of its own where each has one."""
    last = source.span(node.names[-1])
    start = source.line_start(last.start)
    listed = source.text[: source.span(node.names[0]).start].rstrip().endswith("(")
    indent = source.text[start : last.start]
    own = listed and not indent.strip()
    return Edit(last.end, last.end, 0, f",{source.newline}{indent}{name}" if own else f", {name}")


def _is_crowded(source: Source, use: HelperUse) -> bool:
    """Whether a new import has no line of its own to stand on, or would take a comment from what it
    is for."""
    if use.beside >= 0:
        node = source.tree.body[use.beside]
        assert isinstance(node, ast.ImportFrom)
        line, _ = source.position(source.span(node.names[-1]).end)
        return line in source.comments and source.text[source.span(node).end - 1] == ")"
    if use.after >= 0:
        return not place_of(source, source.tree.body[use.after]).ends_line
    edit = insert_after_imports(source, f"from {use.module} import {use.name}")
    return edit.rank != ranks.AFTER_IMPORTS


def with_import(use: HelperUse, text: str) -> str:
    """``text`` below the import of its name, for a function that imports torch itself."""
    return f"from {use.module} import {use.name}\n{text}" if use.module else text


def together(imported: tuple[Edit, ...], defined: Edit, newline: str) -> tuple[Edit, ...]:
    """Both, without the blank lines that each would leave below itself."""
    return (
        *(
            replace(edit, text=edit.text.rstrip("\r\n") + newline)
            if edit.start == defined.start and edit.rank < defined.rank
            else edit
            for edit in imported
        ),
        defined,
    )


def below_helper(source: Source, use: HelperUse, text: str) -> Edit:
    """``text`` behind the function of the file itself that it calls."""
    for statement in source.tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == use.name:
            return insert_after(source, statement, f"\n\n{text}")
    raise EditError(f"the file has no function `{use.name}`")
