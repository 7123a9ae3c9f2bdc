"""Apply an edit to a text and check what every edit owes: it parses, the rest stays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

import pytest

from devicefix.findings import Edit
from devicefix.source import Source


@pytest.fixture
def apply() -> Callable[..., str]:
    """Run a rewrite on a text; the result parses."""

    def run(text: str, rewrite: Callable[[Source], Edit | Iterable[Edit] | None]) -> str:
        source = Source.from_text(text)
        made = rewrite(source)
        edits = [made] if isinstance(made, Edit) else list(made or ())
        new = source.apply(edits)
        ast.parse(new)
        return new

    return run
