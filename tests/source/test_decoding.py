"""Bytes survive: codecs, byte-order marks, line ends; what Python refuses is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from devicefix.findings import Edit
from devicefix.source import Source, SourceError

ACCEPTED = {
    "empty": b"",
    "ascii": b"x = 1\n",
    "utf-8": "x = 'äöü€😀'\n".encode(),
    "byte-order mark": b"\xef\xbb\xbfx = 1\n",
    "byte-order mark alone": b"\xef\xbb\xbf",
    "byte-order mark and cookie": b"\xef\xbb\xbf# -*- coding: utf-8 -*-\nx = '\xc3\xa4'\n",
    "latin-1": b"# -*- coding: latin-1 -*-\nx = '\xe4'\n",
    "latin-1 on the second line": b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx='\xe4'",
    "cp1252": b"# coding: cp1252\nx = '\x80'\n",
    "euc-jp": "# coding: euc-jp\nx = '日本語'\n".encode("euc-jp"),
    "gbk": "# coding: gbk\nx = '中文'\n".encode("gbk"),
    "koi8-r": "# coding: koi8-r\nx = 'привет'\n".encode("koi8-r"),
    "crlf": b"x = 1\r\ny = 2\r\n",
    "lone carriage returns": b"x = 1\ry = 2\r",
    "cookie ended by a carriage return": b"# coding: latin-1\rx = '\xe4'\r",
    "no cookie across carriage returns": b"# a\rx = dict(\r  coding=1)\ry = '\xc3\xa4'\r",
    "mixed line ends": b"x = 1\r\ny = 2\nz = 3\rw = 4",
    "no line end at the end": b"x = 1",
    "form feed": b"x = 1\n\x0cy = 2\n",
    "tabs": b"if 1:\n\tx = 1\n\ty = 2\n",
    "line separator in a string": "x = 'a\u2028b\x85c'\n".encode(),
    "line end inside a string": b"x = '''a\r\nb\rc\n'''\r\n",
}


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED)
def test_every_byte_survives(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file.py").write_bytes(data)
    source = Source.read(tmp_path / "file.py")
    assert source.encode(source.apply([])) == data
    assert source.tree.body or len(data) <= 3


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED)
def test_every_byte_outside_an_edit_survives(data: bytes) -> None:
    source = Source.from_bytes(data, "file.py")
    for statement in source.tree.body:
        span = source.span(statement)
        new = source.encode(source.apply([Edit(span.start, span.end, 0, "pass")]))
        prefix = source.encode(source.text[: span.start])
        mark = b"\xef\xbb\xbf" if source.encoding == "utf-8-sig" else b""
        suffix = source.encode(source.text[span.end :]).removeprefix(mark)
        assert new == prefix + b"pass" + suffix
        assert data.startswith(prefix)
        assert data.endswith(suffix)


REFUSED = {
    "utf-16": ("x = 1".encode("utf-16"), "f.py: is UTF-16"),
    "utf-32": ("x = 1".encode("utf-32"), "f.py: is UTF-16 or UTF-32"),
    "utf-16 without a mark": ("x = 1".encode("utf-16-le"), "f.py:1: contains null bytes"),
    "null byte": (b"x = 1\r\ny = '\0'\n", "f.py:2: contains null bytes"),
    "unknown codec": (b"# coding: no-such-codec\nx = 1\n", "f.py:1: unknown encoding: no-such"),
    "not utf-8": (b"x = 1\ny = '\xe4'\n", "f.py:2: "),
    "not utf-8 further down": (b"x = 1\n\n\ny = '\xe4'\n", "f.py:4: byte 0xe4 is not valid utf-8"),
    "not euc-jp": (b"# coding: euc-jp\nx = '\xff'\n", "f.py:2: byte 0xff is not valid euc-jp"),
    "no text codec": (b"# coding: rot13\nx = 1\n", "f.py:1: cannot be decoded as rot13"),
    "utf-16 by cookie": (b"# coding: utf-16\nx = 1\n", "utf-16"),
    "a codec that interprets": (
        b"# coding: unicode_escape\nx = '\\n'\n",
        "f.py: changes when",
    ),
    "mark against cookie": (b"\xef\xbb\xbf# coding: latin-1\n", "f.py:1: encoding problem"),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_python_refuses_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes(data, "f.py")
    assert reason in str(caught.value)
    assert caught.value.path == "f.py"


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no_such.py: cannot be read: No such file"):
        Source.read(tmp_path / "no_such.py")
    with pytest.raises(SourceError, match=r"^shown: cannot be read"):
        Source.read(tmp_path, display="shown")


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a", "\n"), ("a\nb\r\nc\r\n", "\r\n"), ("a\rb\rc\n", "\r"), ("a\r\nb\n", "\n")],
)
def test_the_commonest_line_end(text: str, newline: str) -> None:
    assert Source.from_text(text).newline == newline


def test_a_character_that_the_codec_lacks() -> None:
    source = Source.from_bytes(b"# coding: latin-1\nx = '\xe4'\n", "f.py")
    with pytest.raises(SourceError, match=r"f\.py:3: .*iso-8859-1 has no character '€'"):
        source.encode(source.text + "y = '€'\n")
    with pytest.raises(SourceError, match=r"cannot be|no character"):
        Source.from_text("").encode("\ud800")
