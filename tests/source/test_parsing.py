"""A file that does not parse gets a line and a reason to act on."""

from __future__ import annotations

import ast
import sys

import pytest

from devicefix.source import Source, SourceError, annotated_targets, annotation_of
from devicefix.source.parsing import parse

PYTHON_2 = {
    "print 'x'\n": "print statement",
    "x = 1\nprint x\n": "print statement",
    "exec 'x'\n": "exec statement",
    "try:\n    a\nexcept A, e:\n    b\n": "`except A, name`",
    "try:\n    a\nexcept (A, B), e:\n    b\n": "`except (A, B), name`",
    "raise A, 'b'\n": "`raise A, value`",
    "if a <> b: pass\n": "`<>`",
    "x = `a`\n": "backquotes",
    "x = 0777\n": "octal literal",
    "x = 10L\n": "long literal",
    "x = ur'a'\n": "ur'' string",
    "def f(a, (b, c)): pass\n": "tuple parameter",
    "if x:\n\ty\n        z\n": "tabs and spaces mixed",
}


def reason_of(text: str) -> SourceError:
    with pytest.raises(SourceError) as caught:
        Source.from_text(text, "f.py").tree  # noqa: B018 - the property does the work
    return caught.value


@pytest.mark.parametrize(("text", "name"), PYTHON_2.items())
def test_python_2_is_called_so(text: str, name: str) -> None:
    assert f"looks like Python 2 ({name})" in reason_of(text).reason


def test_a_plain_mistake_is_a_syntax_error_with_its_line() -> None:
    error = reason_of("x = 1\ny = (\n")
    assert error.line == 2
    assert error.reason.startswith("syntax error: ")
    assert str(error).startswith("f.py:2: syntax error")


def test_an_old_argument_that_became_a_keyword() -> None:
    assert "`async` has been a keyword since Python 3.7" in reason_of("x.cuda(async=True)\n").reason


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
@pytest.mark.parametrize(
    "text", ["type X = int\n", "def f[T](x): pass\n", "class A[T]: pass\n", "f'{x['a']}'\n"]
)
def test_newer_syntax_names_the_python_it_needs(text: str) -> None:
    assert "Python 3.12" in reason_of(text).reason


def test_null_bytes_and_depth_are_errors_of_the_file() -> None:
    assert "null" in reason_of("x = '\0'\n").reason
    deep = "(" * 100_000
    assert reason_of(deep).path == "f.py"
    assert reason_of("-" * 100_000 + "x").path == "f.py"


def test_odd_escapes_do_not_warn() -> None:
    assert Source.from_text("x = '\\d'\ny = 1 is 1\n").tree.body


def test_an_annotated_assignment_is_an_assignment() -> None:
    tree = parse("for i in y:\n    x: int = 1\nz: str\n", "a.py")
    assert [type(s) for s in ast.walk(tree) if isinstance(s, (ast.Assign, ast.AnnAssign))] == [
        ast.AnnAssign,
        ast.Assign,
    ]
    (assignment,) = (s for s in ast.walk(tree) if isinstance(s, ast.Assign))
    annotation = annotation_of(assignment)
    assert isinstance(annotation, ast.Name)
    assert annotation.id == "int"
    assert annotation in ast.walk(tree)
    assert annotation_of(tree.body[1]) is None
    assert len(annotated_targets(tree.body[1])) == len(annotated_targets(assignment)) == 1
