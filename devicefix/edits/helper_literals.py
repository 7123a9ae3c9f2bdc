"""A string that names CUDA, as what a helper of the project gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devicefix.edits.choices import is_device, takes_device
from devicefix.edits.expressions import replace_expression
from devicefix.edits.helpers import import_helper, use_of
from devicefix.findings import Edit

if TYPE_CHECKING:
    from devicefix.flow import FileFacts
    from devicefix.settings import Settings
    from devicefix.source import Source


def literal_by_helper(
    source: Source, facts: FileFacts, settings: Settings, literal: ast.expr
) -> tuple[Edit, ...]:
    """``torch.device("cuda")`` -> ``which()``, and ``"cuda"`` -> ``str(which())`` where nothing but
    a string will do; nothing where there is no helper, or it is not in scope there."""
    use = use_of(source, settings)
    is_cuda = isinstance(literal, ast.Constant) and literal.value == "cuda"
    if use is None or not is_cuda or literal.lineno <= use.line:
        return ()
    above = source.parent(literal)
    whole = isinstance(above, ast.Call) and is_device(source, above) and use.typed
    place = above if whole and isinstance(above, ast.expr) else literal
    plain = whole or not use.typed or takes_device(source, facts, literal)
    text = use.text if plain else f"str({use.text})"
    return (*import_helper(source, use), replace_expression(source, place, text))
