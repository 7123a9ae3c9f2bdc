"""The code cells of a notebook, and where they stand in its JSON.

Formats 4, and 3 and 2 whose cells lie in worksheets and call their source ``input``
(https://nbformat.readthedocs.io/en/latest/changelog.html).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct, field

from devicefix.findings import Span
from devicefix.ipython import is_foreign
from devicefix.source.errors import NotPythonError, SourceError
from devicefix.source.json_text import Reader

_PYTHON: Final = ("python", "ipython")
_SOURCES: Final = ("source", "input")
_COUNTS: Final = ("execution_count", "prompt_number")
_FORMATS: Final = (2, 3, 4)


class Cell(Struct, frozen=True):
    """A cell of Python."""

    number: int
    """Among all cells of the notebook, from 1."""
    source: str
    span: Span
    """Of the source in the JSON."""
    elements: tuple[tuple[str, Span], ...] | None
    """The strings that the source consists of; None where it is one string."""
    outputs: Span | None = None
    """Where there are any."""
    count: Span | None = None
    """That of its execution, where it has one."""

    def layout(self, text: str) -> tuple[str, str, str]:
        """What stands before, between and after the strings of the source in the JSON ``text``."""
        spans = [span for _, span in self.elements or ()]
        if not spans:
            return "", ", ", ""
        lead = text[self.span.start + 1 : spans[0].start]
        tail = text[spans[-1].end : self.span.end - 1]
        if len(spans) > 1:
            return lead, text[spans[0].end : spans[1].start], tail
        return lead, f",{lead or ' '}", tail


class Cells(Struct, frozen=True):
    """The text of a notebook, and the cells in it that are of Python."""

    json: str
    encoding: str
    cells: tuple[Cell, ...]


class _Draft(Struct):
    """A cell as it is read."""

    fields: dict[str, Any] = field(default_factory=dict)
    source: str | None = None
    span: Span = field(default_factory=lambda: Span(0, 0))
    elements: tuple[tuple[str, Span], ...] | None = None
    spans: dict[str, Span] = field(default_factory=dict)


def read_cells(data: bytes, path: str) -> Cells:
    """Read a notebook. Raises ``SourceError``; `NotPythonError` for another language."""
    marked = data.startswith(codecs.BOM_UTF8)
    encoding = "utf-8-sig" if marked else "utf-8"
    try:
        text = data.decode(encoding)
        drafts, metadata = _read(Reader(text))
    except (ValueError, RecursionError) as error:
        raise SourceError(path, None, f"is not a notebook: {error}") from None
    language = _language(metadata)
    if not language.lower().startswith(_PYTHON):
        raise NotPythonError(path, None, f"is not a Python notebook: its language is {language}")
    return Cells(text, encoding, tuple(_cells(drafts)))


def _read(reader: Reader) -> tuple[list[_Draft], dict[str, Any]]:
    """All cells, and the metadata of the notebook."""
    drafts: list[_Draft] = []
    metadata: Any = {}
    found = False
    for key in reader.members():
        if key == "nbformat":
            version, _ = reader.value()
            if version not in _FORMATS:
                known = f"{min(_FORMATS)} to {max(_FORMATS)}"
                raise ValueError(f"format {version} is not supported; supported are {known}")
        if key == "cells":
            found = True
            drafts += [_draft(reader) for _ in reader.items()]
        elif key == "worksheets":
            found = True
            for _ in reader.items():
                drafts += _sheet(reader)
        elif key == "metadata":
            metadata, _ = reader.value()
    reader.end()
    if not found:
        raise ValueError("it has no cells")
    return drafts, metadata if isinstance(metadata, dict) else {}


def _sheet(reader: Reader) -> Iterator[_Draft]:
    for key in reader.members():
        if key == "cells":
            for _ in reader.items():
                yield _draft(reader)


def _draft(reader: Reader) -> _Draft:
    draft = _Draft()
    for key in reader.members():
        start = reader.at
        if key in _SOURCES and reader.begins_array:
            elements = [reader.value() for _ in reader.items()]
            draft.elements = tuple((str(value), span) for value, span in elements)
            draft.source = "".join(value for value, _ in draft.elements)
            end = reader.text.rindex("]", start, reader.at) + 1
            draft.span = Span(start, end)
        else:
            value, span = reader.value()
            draft.fields[key] = value
            draft.spans[key] = span
            if key in _SOURCES:
                draft.source, draft.span = str(value), span
    return draft


def _cells(drafts: list[_Draft]) -> Iterator[Cell]:
    for number, draft in enumerate(drafts, start=1):
        source = draft.source
        if draft.fields.get("cell_type") != "code" or source is None:
            continue
        if is_foreign(source) or not _is_python(draft):
            continue
        outputs = draft.spans["outputs"] if draft.fields.get("outputs") else None
        counts = [draft.spans[k] for k in _COUNTS if draft.fields.get(k) is not None]
        yield Cell(
            number, source, draft.span, draft.elements, outputs, counts[0] if counts else None
        )


def _is_python(draft: _Draft) -> bool:
    """Whether the cell itself says nothing else, as in formats 2 and 3 and in editors it may."""
    metadata = draft.fields.get("metadata")
    editor = metadata.get("vscode") if isinstance(metadata, dict) else None
    spoken = editor.get("languageId") if isinstance(editor, dict) else None
    language = spoken or draft.fields.get("language") or "python"
    return str(language).lower().startswith(_PYTHON)


def _language(metadata: dict[str, Any]) -> str:
    """What the kernel speaks; Python where nobody says."""
    for table, key in (("kernelspec", "language"), ("language_info", "name")):
        known = metadata.get(table)
        if isinstance(known, dict) and known.get(key):
            return str(known[key])
    return "python"
