"""Notebooks: JSON to a program and back, byte for byte where nothing was changed."""

from __future__ import annotations

import ast
import functools
import json
import random
from collections.abc import Iterator
from typing import Any, Final

from devicefix.findings import Edit
from devicefix.source import Source, SourceError
from devicefix.source.notebooks import Notebook
from fuzz.seeds import blobs_of, cases, examples, texts_of
from fuzz.splicing import splicer
from fuzz.target import Target, require

_MAGICS: Final = (
    *("%matplotlib inline\n", "!pip install x\n", "%%time\n", "x = !ls\n", "a, b = %time f()\n"),
    *("%%bash\nls\n", "f?\n", "%time x = 1\n", "pip install y\n", "!ls \\\n  a\n", "  %cd x\n"),
)
_CELLS: Final = 6


def check(data: bytes) -> None:
    """A notebook, or a clear error; what was not edited comes back as it was."""
    try:
        source = Source.from_bytes(data, "book.ipynb")
    except SourceError as error:
        require("\n" not in str(error), "an error of several lines")
        return
    book = source.notebook
    assert book is not None
    require(source.encode(source.text) == data, "other bytes come back")
    _places(source, book)
    _edited(source, book, data)
    try:
        _ = source.tree
        for node in source.nodes:
            if isinstance(node, ast.stmt):
                _ = source.span(node), source.is_displayed(node)
    except SourceError:
        return


def _places(source: Source, book: Notebook) -> None:
    """Each line of each cell is found in the text, and leads back to it."""
    for number, lines in book.cell_lines():
        for inside, line in enumerate(lines, start=1):
            require(book.line(number, inside) == line, "a line of a cell is another one")
            place = source.placed(line)
            require((place.cell, place.line) == (number, inside), "a line leads elsewhere")
            require(0 < book.json_line(number, inside) <= book.json.count("\n") + 1, "no such line")
            _ = source.line_name(line), source.line_text(line)


def _edited(source: Source, book: Notebook, data: bytes) -> None:
    """A comment below each cell, and nothing else, is what there is more."""
    for number, lines in book.cell_lines():
        if not lines:
            continue
        at = source.offset(lines[-1], 0)
        text = source.apply([Edit(at, at, 0, f"pass  # new{source.newline}")])
        try:
            new = source.encode(text)
        except SourceError:
            return  # it reaches into what is IPython's
        before, after = _cells(data), _cells(new)
        changed = [n for n, cell in enumerate(after) if cell != before[n]]
        require(changed == [number - 1], "another cell changes")
        require(_joined(after[number - 1]).count("# new") > 0, "the edit is lost")
        again = Source.from_bytes(new, "book.ipynb")
        require(again.encode(again.text) == new, "other bytes come back after an edit")


def _cells(data: bytes) -> list[Any]:
    content = json.loads(data.decode("utf-8-sig"))
    sheets = [content, *content.get("worksheets", [])]
    return [cell for sheet in sheets for cell in sheet.get("cells", [])]


def _joined(cell: dict[str, Any]) -> str:
    source = cell["source"] if "source" in cell else cell["input"]
    return source if isinstance(source, str) else "".join(source)


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Other programs in the cells, or another shape of the file around them."""
    try:
        content = json.loads(data.decode("utf-8-sig"))
        cells = content["cells"]
        cell = cells[chance.randrange(len(cells))]
    except (ValueError, KeyError, TypeError, IndexError):
        return _made(chance.choice(_programs()).decode("utf-8", "replace"), chance)
    if not isinstance(cell, dict) or chance.random() < 0.1:
        cells.insert(0, {"cell_type": "code", "metadata": {}, "source": _program(chance)})
        return _written(content, chance)
    try:
        before = _joined(cell)
    except (KeyError, TypeError):
        before = ""
    cell["source"] = _shaped(_other(before, chance), chance)
    return _written(content, chance)


def _other(program: str, chance: random.Random) -> str:
    """Another program, with lines of IPython's in it."""
    if chance.random() < 0.6:
        program = _splice()(program.encode("utf-8", "replace"), chance).decode("utf-8", "replace")
    if chance.random() < 0.4:
        lines = program.splitlines(keepends=True)
        lines.insert(chance.randint(0, len(lines)), chance.choice(_MAGICS))
        program = "".join(lines)
    return program


@functools.cache
def _splice() -> Any:
    return splicer(_programs)


@functools.cache
def _programs() -> list[bytes]:
    return [text.encode() for text in cases() if len(text) < 800]


def _program(chance: random.Random) -> str:
    return chance.choice(_programs()).decode()


def _shaped(program: str, chance: random.Random) -> Any:
    """One string, or a list with one for each line or in odder pieces."""
    kind = chance.random()
    if kind < 0.3:
        return program
    if kind < 0.8:
        return program.splitlines(keepends=True)
    cut = chance.randint(0, len(program))
    return [program[:cut], program[cut:]]


def _made(program: str, chance: random.Random) -> bytes:
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": _shaped(program, chance)}
        for _ in range(chance.randint(1, _CELLS))
    ]
    return _written({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, chance)


def _written(content: Any, chance: random.Random) -> bytes:
    indent = chance.choice((None, 1, "\t"))
    text = json.dumps(content, indent=indent, ensure_ascii=chance.random() < 0.5)
    mark = "\ufeff" if chance.random() < 0.05 else ""
    return (mark + text).encode("utf-8", "surrogatepass")


def seeds() -> Iterator[bytes]:
    """The example, the tests of notebooks, and programs of the cases as notebooks."""
    yield from examples("*.ipynb")
    yield from blobs_of("source")
    chance = random.Random(0)
    for text in (*texts_of("source", 20), *cases()):
        if len(text) < 600:
            yield _made(_other(text, chance), chance)


TARGET: Final = Target(check, seeds, 4_096, mutate)
