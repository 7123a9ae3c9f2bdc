"""Reading Python 2: what it takes, what it says, and that it leaves no traces."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from devicefix.source import Source, SourceError
from devicefix.source.lexing import tokens
from devicefix.source.python2 import Python2, complaint

TEXT: Final = "print 'a', `b`\ndef f((c, d)):\n    raise E, c\n"
NEW: Final = "print('a', repr(b))\ndef f(packed):\n    (c, d) = packed\n    raise E(c)\n"


def test_the_spelling_changes_and_nothing_else() -> None:
    assert Python2(TEXT, "x.py").modern() == NEW


def test_it_is_the_same_every_time_and_in_every_thread() -> None:
    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(lambda _: Python2(TEXT, "x.py").modern(), range(20)))
    assert found == {NEW}


def test_it_says_nothing(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        Python2("raise 'x'\nprint 1\n", "x.py").modern()
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_it_leaves_nothing_in_the_folders_of_the_user(tmp_path: Path) -> None:
    code = "from devicefix.source.python2 import Python2; Python2('print 1\\n', 'x').modern()"
    names = ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA")
    environment = {**os.environ, **dict.fromkeys(names, str(tmp_path))}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    assert list(tmp_path.iterdir()) == []


def test_fissix_is_loaded_when_it_is_needed() -> None:
    code = "import sys, codemods.legacy.python2_source; print('fissix' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("print 1\nx = = 2\n", 1, "as Python 2: line 2: invalid syntax at `=`"),
        ("x = (1\n", 1, "as Python 2: line"),
        ("def f(a: int): pass\nprint 1\n", 2, "as Python 2: line 1: only Python 3 has `a: int`"),
        ("print 1\nx = f'{y}'\n", 1, "as Python 2: line 2: only Python 3 has `f'{y}'`"),
        ("def f():\n    nonlocal x\nprint 1\n", 3, "line 2: only Python 3 has `nonlocal`"),
        ('print 1\nx = 1 """\n"""\n', 1, 'as Python 2: line 2: invalid syntax at `""" …`'),
    ],
)
def test_what_is_neither_is_told_by_both_parsers(text: str, line: int, reason: str) -> None:
    error = complaint(Source.from_text(text, "x.py"))
    assert error.line == line
    assert reason in error.reason


def test_what_python_2_reads_is_told_by_python_3_alone() -> None:
    error = complaint(Source.from_text("print 1\n"))
    assert "looks like Python 2 (print statement)" in error.reason
    assert "as Python 2" not in error.reason


@pytest.mark.parametrize(
    "text", ["print(a, file=b)\nprint c\n", "async def f(): print 1\n", "print a,\u0664b\n"]
)
def test_a_mixture_is_refused(text: str) -> None:
    with pytest.raises(SourceError):
        Python2(text, "x.py")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("if x:\n\ty\n\tz\n        w\n", "if x:\n\ty\n\tz\n\tw\n"),
        ("if x:\n    if y:\n\tz\n    w\n", "if x:\n    if y:\n        z\n    w\n"),
        ("if x:\n\ty = '''\n\ta'''\n        z\n", "if x:\n        y = '''\n\ta'''\n        z\n"),
    ],
)
def test_a_tab_goes_to_the_next_multiple_of_eight(old: str, new: str) -> None:
    assert Python2(old, "x.py").modern() == new


@pytest.mark.parametrize(
    "text",
    ["", "a\r\nb\rc\n", "'''x\n", "'a\\\n b' # c\f\n", "\\\n\t`x` <> 0777L ur'\\d'", "ü = '"],
)
def test_tokens_leave_nothing_out(text: str) -> None:
    assert "".join(token.text for token in tokens(text)) == text
