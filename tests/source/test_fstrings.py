"""Expressions inside f-strings are found where they are, or are declared untouchable."""

from __future__ import annotations

import ast
import sys

import pytest

from devicefix.source import Source

PLACED = [
    "f'{name}'",
    'rf"\\d{name}"',
    "f'{{{name}}}'",
    "f'{{name}} {name}'",
    "f'{name} {name}'",
    "f'name {name}'",
    "f'{name!r:>{width}} {other}'",
    "f'{name:%Y-%m-%d}'",
    "f'{(name)}'",
    "f'{ name }'",
    "f'{name == other} {name != other} {name <= other}'",
    "f'{(lambda: name)()}'",
    "f'{ {name: other}[name] }'",
    "f'{d[\"}\"]} {name}'",
    "f'{d[\":\"]} {name}'",
    "f'{name[1:2]}'",
    "f'ä {name} ö {other}'",
    "'a' f'{name}' \"{b}\" f\"{other}\"",
    "(f'{name}'  # '{c}\n  f'{other}')",
    "f'''\n{name}\n  {other}'''",
    "f'''\r\n{\n name\r\n}'''",
    "f'\\N{BULLET} {name}'",
    "f'\\{name}'",
    "f'\\'{name}'",
    "f'{f\"{name} {other}\"} {name}'",
    "f'{name!s}{other:{width}.{precision}f}'",
    "F'{*name, other}'",
    "f'{name,}'",
    "f'{name if name else other}'",
    "f(f'{name}', f'{name}')",
    "f'{[name for name in other]}'",
    "f'{f(x=name)}'",
]


@pytest.mark.parametrize("text", PLACED)
def test_names_are_where_they_are(text: str) -> None:
    source = Source.from_text(f"x = {text}\n")
    found = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name)]
    assert all(source.segment(node) == node.id for node in found)
    assert all(source.is_editable(node) for node in found)
    places = [source.span(node) for node in found]
    assert len(set(places)) == len(places), "two names at one place"


@pytest.mark.parametrize("text", ["f'{name=}'", "f'{(name) = !r}'", "f'{f\"{name=}\"}'"])
def test_expressions_whose_source_is_printed_stay(text: str) -> None:
    source = Source.from_text(f"x = {text}\n")
    (name,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == "name")
    assert not source.is_editable(name)


def test_the_string_itself_may_be_replaced_and_its_pieces_may_not() -> None:
    source = Source.from_text("x = f'a {b} c'\n")
    (whole,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.JoinedStr))
    assert source.is_editable(whole)
    assert source.fstring_of(whole) is None
    text = whole.values[0]
    assert not source.is_editable(text)
    assert source.fstring_of(text) is whole
    assert source.segment(text) == "f'a {b} c'"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs PEP 701")
def test_quotes_nested_as_python_3_12_allows() -> None:
    source = Source.from_text("x = f'{a['b']} {c + f'{d}'}'\n")
    found = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name)]
    assert all(source.segment(node) == node.id for node in found)
