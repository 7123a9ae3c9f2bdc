"""Notebooks for tests."""

from __future__ import annotations

import json
from typing import Any

PYTHON = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}


def code(source: str, number: int = 1, **more: Any) -> dict[str, Any]:
    """A code cell that was run, with what it printed."""
    output = {"name": "stdout", "output_type": "stream", "text": [f"{number}\n"]}
    lines = source.splitlines(keepends=True)
    cell = {"cell_type": "code", "execution_count": number, "metadata": {}, "outputs": [output]}
    return {**cell, "source": lines, **more}


def notebook(*cells: str | dict[str, Any], indent: int | None = 1, **more: Any) -> bytes:
    """A notebook; texts are code cells, those that begin with ``#md`` text."""
    made = [cell if isinstance(cell, dict) else _cell(cell, n) for n, cell in enumerate(cells, 1)]
    content = {"cells": made, "metadata": PYTHON, "nbformat": 4, "nbformat_minor": 4, **more}
    return (json.dumps(content, indent=indent) + "\n").encode()


def _cell(text: str, number: int) -> dict[str, Any]:
    if text.startswith("#md"):
        return {"cell_type": "markdown", "metadata": {}, "source": [text[3:]]}
    return code(text, number)


def sources(data: bytes) -> list[str]:
    """What the cells hold."""
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]
