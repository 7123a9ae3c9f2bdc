"""Notebooks as texts: nothing but the source of changed cells differs when they come back."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from devicefix.findings import Place
from devicefix.source import NotPythonError, Source, SourceError
from devicefix.source.notebooks import Notebook, is_valid
from tests.notebooks import code, notebook, sources

MAGICS = """\
%matplotlib inline
!pip install -q torch \\
    numpy
import numpy as np
files = !ls *.py
env = %env HOME
if files:
    !echo {files[0]}
    %time x = np.zeros(3)
np.zeros?
?np
%timeit -n 3 -r 2 np.ones(3)
pip install x
text = "a" \\
  % 3
print('''
%no magic
!nor this
''', 5
% 3)
"""


def read(data: bytes) -> Source:
    return Source.from_bytes(data, "n.ipynb")


def book(source: Source) -> Notebook:
    assert source.notebook is not None
    return source.notebook


def with_text(source: Source, old: str, new: str) -> bytes:
    assert old in source.text
    return source.encode(source.text.replace(old, new))


def test_the_cells_are_one_program() -> None:
    source = read(notebook("#md Title", "x = 1\n", "y = x"))
    names = [node.targets[0].id for node in source.tree.body]  # type: ignore[attr-defined]
    assert names == ["x", "y"]


@pytest.mark.parametrize("indent", [None, 0, 1, 2, 4, "\t"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_all_but_changed_sources_stays(indent: int | None, ascii_only: bool) -> None:
    content = json.loads(notebook("#md Ünï", "s = 'é'\nx = 1", "y = '☃'", "", "z = 3\n"))
    for end in ("", "\n"):
        data = (json.dumps(content, indent=indent, ensure_ascii=ascii_only) + end).encode()
        source = read(data)
        assert source.encode(source.text) == data
        after = with_text(source, "x = 1", "x = 2")
        content["cells"][1]["source"] = ["s = 'é'\n", "x = 2"]
        assert after == (json.dumps(content, indent=indent, ensure_ascii=ascii_only) + end).encode()
        content["cells"][1]["source"] = ["s = 'é'\n", "x = 1"]


def test_one_string_a_byte_order_mark_and_odd_escapes() -> None:
    cell = json.dumps({**code("x"), "source": "SOURCE"}).replace(
        "SOURCE", "a = '\\u003cb\\/>'\\nx = 1"
    )
    data = b"\xef\xbb\xbf" + f'{{"cells": [{cell}], "metadata": {{}}}}'.encode()
    source = read(data)
    assert "a = '<b/>'" in source.text
    assert with_text(source, "x = 1", "x = '<'") == data.replace(b"x = 1", b"x = '\\u003c'")


def test_windows_line_ends_in_cells() -> None:
    source = read(notebook("x = 1\r\ny = 2\r\n", "z = 3"))
    assert source.newline == "\r\n"
    after = source.encode(source.text.replace("y = 2\r\n", "y = 2\r\nw = 4\r\n"))
    assert sources(after) == ["x = 1\r\ny = 2\r\nw = 4\r\n", "z = 3"]


def test_a_line_behind_the_last_one_of_a_cell() -> None:
    source = read(notebook("x = 1", "y = 2", ""))
    assert sources(with_text(source, "x = 1\n", "x = 1\nnew = 3\n")) == [
        "x = 1\nnew = 3",
        "y = 2",
        "",
    ]
    assert sources(with_text(source, "y = 2\n", "")) == ["x = 1", "", ""]
    again = read(with_text(source, "y = 2\n", ""))
    assert again.text == source.text.replace("y = 2\n", "")


def test_what_is_ipythons_comes_back_as_it_was() -> None:
    source = read(notebook(MAGICS, "%%time\nz = 5", "x = 1"))
    assert source.tree
    after = with_text(source, "z = 5", "z = 6")
    assert sources(after) == [MAGICS, "%%time\nz = 6", "x = 1"]
    timed = sources(with_text(source, "x = np.zeros(3)", "x = np.zeros(4)"))
    assert timed[0] == MAGICS.replace("np.zeros(3)", "np.zeros(4)")
    assert "%no magic" in source.text
    assert "!pip" not in source.text


@pytest.mark.parametrize("cell", ["%%bash\nls", "%%html\n<b>", "\n%%writefile a.py\nimport torch"])
def test_cells_of_other_languages_are_left_out(cell: str) -> None:
    script = code("alert(1)", metadata={"vscode": {"languageId": "javascript"}})
    raw = {"cell_type": "raw", "metadata": {}, "source": "x = ="}
    source = read(notebook("x = 1", cell, raw, script, "y = 2"))
    assert [c.number for c in book(source).cells] == [1, 5]


def test_other_kernels_are_none_of_our_business() -> None:
    with pytest.raises(NotPythonError, match="is not a Python notebook: its language is R"):
        read(notebook("x <- 1", metadata={"kernelspec": {"language": "R", "name": "ir"}}))
    with pytest.raises(NotPythonError, match="julia"):
        read(notebook("x = 1", metadata={"language_info": {"name": "julia"}}))


@pytest.mark.parametrize(
    "data",
    [
        *(
            b"",
            b"[]",
            b"{}",
            b'{"cells": [}',
            b'{"cells": []',
            b"\xff",
            b'{"cells": [], "a\tb": 0}',
        ),
        b'{"cells": []}, 1',
        b'{"cells": [], "cells": []}',
        b'{"cells": [{"source": "a", "source": ["b"]}]}',
    ],
)
def test_what_is_no_notebook(data: bytes) -> None:
    with pytest.raises(SourceError, match="is not a notebook"):
        read(data)


@pytest.mark.parametrize("cells", [(), ("#md text",), ("no python, and nobody needs it",)])
def test_a_notebook_without_python_comes_back(cells: tuple[str, ...]) -> None:
    data = notebook(*cells)
    source = Source.from_bytes(data, "book.ipynb")
    assert source.encode(source.text) == data


def test_formats() -> None:
    with pytest.raises(SourceError, match="format 1 is not supported; supported are 2 to 4"):
        read(notebook("x = 1", nbformat=1))
    cells = [{"cell_type": "code", "language": "python", "input": "x = 1", "prompt_number": 3}]
    cells.append({"cell_type": "code", "language": "ruby", "input": "puts", "outputs": []})
    old = {"metadata": {}, "nbformat": 3, "nbformat_minor": 0, "worksheets": [{"cells": cells}]}
    source = read(json.dumps(old).encode())
    cells[0]["input"] = "x = 2"
    assert with_text(source, "x = 1", "x = 2") == json.dumps(old).encode()


def test_places_are_those_of_the_cell() -> None:
    source = read(notebook("#md", "x = 1", "%time y = x\nif y:\n    %time z = y"))
    y, z = (source.text.index(name) for name in ("y = x", "z = y"))
    assert source.place(y) == Place(1, 7, 3)
    assert source.place(z) == Place(3, 11, 3)
    assert source.line_text(source.position(z)[0]) == "%time z = y"
    assert book(source).line(3, 3) == source.position(z)[0]
    assert source.with_line_names("see line 2") == "see cell 2, line 1"
    for cell, line in ((1, 1), (3, 4), (9, 1)):
        with pytest.raises(ValueError, match="no"):
            book(source).line(cell, line)


def test_our_comments_are_not_mistaken_for_the_users() -> None:
    text = "#%%~cell 2\n#%%~0\nx = 1\n%cd a"
    source = read(notebook(text, "y = 1"))
    assert sources(with_text(source, "x = 1", "x = 2")) == [text.replace("1", "2"), "y = 1"]


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("cell 2", ""),
        lambda text: text.replace("cell 1", ""),
        lambda text: text.replace("pass", "done"),
        lambda text: text + text,
    ],
)
def test_edits_that_reach_over_cells_or_magics_are_refused(edit: Callable[[str], str]) -> None:
    source = read(notebook("%cd a", "x = 1"))
    with pytest.raises(SourceError, match="the edits extend beyond cell"):
        source.encode(edit(source.text))


def test_a_broken_cell_that_nobody_needs_is_left_out() -> None:
    source = read(notebook("x = 1", "def exercise(:\n    pass", "print(x)"))
    assert source.tree
    assert [str(error) for error in book(source).left_out] == [
        "n.ipynb:cell 2:1: syntax error: invalid syntax (the cell is skipped)"
    ]


@pytest.mark.parametrize(
    ("cell", "line"), [("y = (", 1), ("a = 1\ny.cuda(", 2), ("y = 1\nprint y", 2), ('"""y', 1)]
)
def test_a_broken_cell_that_others_may_need_is_named(cell: str, line: int) -> None:
    source = read(notebook("x = 1", cell, "print(x, y)", '"""', ")"))
    with pytest.raises(SourceError) as caught:
        _ = source.tree
    assert (caught.value.cell, caught.value.line) == (2, line)


def test_outputs_of_some_cells_are_cleared() -> None:
    before = notebook("x = 1", "y = 2")
    cleared = json.loads(book(read(before)).without_outputs([2]))
    assert [cell["outputs"] == [] for cell in cleared["cells"]] == [False, True]
    assert [cell["execution_count"] for cell in cleared["cells"]] == [1, None]


def test_nbformat_says_what_is_valid() -> None:
    assert is_valid(notebook("x = 1"))
    assert not is_valid(notebook(code("x = 1", outputs=None)))
