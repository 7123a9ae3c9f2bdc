"""Assignments of tensors made into buffers of their module."""

from __future__ import annotations

import ast

from devicefix.edits import ranks
from devicefix.edits.errors import EditError
from devicefix.edits.gaps import outer_span, require_editable, skip_forward
from devicefix.findings import Edit
from devicefix.source import Source


def register_modules_edits(source: Source, statement: ast.stmt, container: str) -> tuple[Edit, ...]:
    """``self.x = [a, b]`` -> ``self.x = container([a, b])``.

    What stands in the brackets stays as it is written. Raises ``EditError`` where the statement is
    no assignment to one target, or its value a tuple without parentheses.
    """
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        raise EditError("not an assignment to one target")
    span = outer_span(source, statement.value)
    if isinstance(statement.value, ast.Tuple) and source.text[span.start] != "(":
        raise EditError("a tuple without parentheses")
    require_editable(source, statement.value, container)
    if source.text[span.start : span.end] in ("[]", "()", "{}"):
        return (Edit(span.start, span.end, 0, f"{container}()"),)
    return (
        Edit(span.start, span.start, ranks.opening(span.end - span.start), f"{container}("),
        Edit(span.end, span.end, ranks.ENCLOSED, ")"),
    )


def register_buffer_edits(source: Source, statement: ast.stmt, name: str) -> tuple[Edit, ...]:
    """``self.x = t`` -> ``self.register_buffer("x", t, persistent=False)``.

    ``t`` stays as it is written, comments and line breaks included. Without ``persistent=False``
    the keys of ``state_dict`` would change, and old checkpoints would not load. Raises
    ``EditError`` where the statement is no assignment to one attribute.
    """
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        raise EditError("not an assignment to one target")
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Attribute) or isinstance(value, (ast.Yield, ast.YieldFrom)):
        raise EditError("not an assignment to an attribute")
    end = source.span(target).end
    equals = skip_forward(source.text, end)
    if not source.text.startswith("=", equals) or source.text[end:equals].strip():
        raise EditError("there is other text between the attribute and its value")
    quote = "'" if source.text.count("'") > source.text.count('"') else '"'
    space = "" if source.text[equals + 1].isspace() else " "
    opening = f"register_buffer({quote}{name}{quote},{space}"
    behind = outer_span(source, value).end
    return (
        Edit(end - len(target.attr), equals + 1, 0, opening),
        Edit(behind, behind, ranks.ENCLOSED, ", persistent=False)"),
    )
