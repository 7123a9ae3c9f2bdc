"""What an editor holds: the texts of open documents, and where they lie."""

from __future__ import annotations

import codecs
import io
import os
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

_NOT_OF_A_NAME: Final = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Document:
    """An open document at one moment."""

    uri: str
    """As the editor spells it."""
    path: Path
    """Where it lies, or would."""
    text: str
    version: int | None

    @property
    def data(self) -> bytes:
        """What the file would hold, were it saved now."""
        return as_bytes(self.text)


class Documents:
    """All open documents."""

    def __init__(self) -> None:
        self._by_uri: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(self._by_uri.values())

    def hold(self, uri: str, text: str, version: int | None, folder: Path) -> Document | None:
        """A document is opened, or has another text now; None for one that is no file's."""
        path = path_of(uri, folder)
        if path is None:
            return None
        document = Document(uri, path, text, version)
        self._by_uri.pop(uri, None)  # the one that changed last comes last
        self._by_uri[uri] = document
        return document

    def close(self, uri: str) -> None:
        """Its file counts again."""
        self._by_uri.pop(uri, None)

    def get(self, uri: str) -> Document | None:
        """The document that an editor means."""
        return self._by_uri.get(uri)

    def at(self, path: str) -> Document | None:
        """The document of a file, whatever way leads to it."""
        real = os.path.realpath(path)
        return next((d for d in self if os.path.realpath(d.path) == real), None)

    def texts(self) -> Mapping[Path, bytes]:
        """What takes the place of files."""
        return {document.path: document.data for document in self}


def path_of(uri: str, folder: Path) -> Path | None:
    """Where a document lies; in ``folder`` if it has no file yet, None if it never has one."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme == "file":
        host = f"//{parts.netloc}" if parts.netloc not in ("", "localhost") else ""
        path = url2pathname(host + parts.path)
        return Path(path) if "\0" not in path and Path(path).is_absolute() else None
    if parts.scheme == "untitled":
        name = _NOT_OF_A_NAME.sub("-", unquote(parts.path)).strip("-") or "untitled"
        return folder / f"{name}.py"
    return None


def uri_of(path: Path) -> str:
    """What a file is called that is not open."""
    return Path(os.path.abspath(path)).as_uri()  # noqa: PTH100  links stay


def as_bytes(text: str) -> bytes:
    """The bytes that Python reads as ``text``, as far as its encoding has them."""
    data = text.encode("utf-8", "surrogatepass")
    # CPython translates line ends before it looks for the declaration
    head = b"".join(line + b"\n" for line in re.split(rb"\r\n|\r|\n", data, maxsplit=2)[:2])
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(head).readline)[0]
        return data if codecs.lookup(encoding).name == "utf-8" else text.encode(encoding)
    except (SyntaxError, LookupError, UnicodeError):
        return data
