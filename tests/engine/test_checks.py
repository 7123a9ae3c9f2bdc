from __future__ import annotations

import pytest

from devicefix.engine.checks import Inspector, undefined_names
from devicefix.findings import Edit
from devicefix.source import Source, SourceError


def test_counts_undefined_names() -> None:
    assert undefined_names("a = b + b\ndef f():\n    return c\n") == {"b": 2, "c": 1}
    starred = "from torch import *\nzeros(zeros(device))\n"
    assert undefined_names(starred) == {"zeros": 1, "device": 1}
    assert undefined_names("'\\d'\n") == {}


@pytest.mark.parametrize(
    ("before", "new", "reason"),
    [
        ("import torch\n", "x = (\n", "never closed|syntax"),
        ("import torch\n", "return 1\n", "outside function"),
        ("import torch\n", "x = device\n", "leaves a name undefined: device"),
        ("from torch import *\n", "x = device\n", "leaves a name undefined: device"),
        ("print(device)\n", "x = device\n", "leaves a name undefined: device"),
    ],
)
def test_refuses(before: str, new: str, reason: str) -> None:
    source = Source.from_text(before, "x.py")
    end = len(before)
    with pytest.raises(SourceError, match=reason):
        Inspector(source).edited(source, [Edit(end, end, 0, new)])


def test_what_did_not_compile_before_need_not_after() -> None:
    source = Source.from_text("return 1\n", "x.py")
    assert Inspector(source).edited(source, [Edit(7, 8, 0, "2")]).text == "return 2\n"


FAILING = "class C:\n    from __future__ import annotations\n"
"""It parses, but does not compile, and pyflakes fails."""


def test_where_names_cannot_be_looked_up_nothing_is_said_of_them() -> None:
    assert undefined_names(FAILING) is None
    source = Source.from_text(FAILING, "x.py")
    end = len(FAILING)
    edited = Inspector(source).edited(source, [Edit(end, end, 0, "device\n")])
    assert edited.text == f"{FAILING}device\n"


def test_never_runs_what_it_checks(capfd: pytest.CaptureFixture[str]) -> None:
    source = Source.from_text("print('run!')\n__import__('os')._exit(9)\n", "x.py")
    Inspector(source).edited(source, [Edit(0, 0, 0, "pass\n")])
    assert capfd.readouterr().out == ""
