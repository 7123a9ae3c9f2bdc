"""Strings that name an accelerator, as edits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from devicefix.edits.conditions import only_if
from devicefix.edits.devices import define_device, quoted, renamed, torch_inside
from devicefix.edits.expressions import replace_expression
from devicefix.edits.helper_literals import literal_by_helper
from devicefix.edits.imports import import_torch
from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.flow import DeviceLiteral, FileFacts
    from devicefix.settings import Settings
    from devicefix.source import Source

_ASKED: Final = {"mps": "torch.backends.mps.is_available()", "xpu": "torch.xpu.is_available()"}


def replace_literal(
    source: Source, facts: FileFacts, settings: Settings, found: DeviceLiteral
) -> tuple[Edit, ...]:
    """``"cuda"`` -> ``device``, or ``"cuda" if torch.cuda.is_available() else "cpu"``, or what the
    project's own helper gives.

    Raises ``EditError`` where neither can be written.
    """
    literal = found.literal
    if found.device is not None:
        definition = define_device(source, facts, settings, found.device)
        return (replace_expression(source, literal, found.device.text), *definition)
    if by_helper := literal_by_helper(source, facts, settings, literal):
        return by_helper
    torch = facts.torch or torch_inside(source, literal)
    imported = () if torch else import_torch(source)
    text = source.segment(literal)
    asked = _ASKED.get(text.strip("'\"").partition(":")[0], "torch.cuda.is_available()")
    otherwise = text[-1] + "cpu" + text[-1] if text[-1] in "'\"" else quoted(source, '"cpu"')
    asking = only_if(source, literal, renamed(asked, torch or "torch"), otherwise)
    return (*imported, asking)
