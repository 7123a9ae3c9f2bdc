"""A new device by a helper of the project: the expression, and the import that it needs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from msgspec.structs import replace

from devicefix.edits import ranks
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

    That is so for one of several accelerators, which no helper knows, and where the new name would
    hide the helper's.
    """
    use = settings.helper(source.path)
    if use is None or device.value or device.index or settings.device_expression != CUDA_OR_CPU:
        return None
    read = {n.id for n in ast.walk(ast.parse(use.text)) if isinstance(n, ast.Name)}
    return use if device.preamble not in read else None


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
    level = len(use.module) - len(use.module.lstrip("."))
    for node in source.tree.body:
        if not isinstance(node, ast.ImportFrom) or node.names[0].name == "*":
            continue
        if node.level == level and (node.module or "") == use.module[level:]:
            end = source.span(node.names[-1]).end
            return (Edit(end, end, 0, f", {use.name}"),)
    statement = f"from {use.module} import {use.name}"
    if use.after >= 0:
        return (insert_after(source, source.tree.body[use.after], statement),)
    edit = insert_after_imports(source, statement)
    return (replace(edit, rank=edit.rank - 1) if edit.rank == ranks.AFTER_IMPORTS else edit,)


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
