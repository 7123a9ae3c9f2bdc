"""A program that is written in another way means the same, and the same is found in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.properties.checking import rewordings_that_differ, variations_that_differ
from tests.properties.choices import Choices
from tests.properties.programs import generate
from tests.properties.rewording import definitions_reversed, imports_changed, names_changed
from tests.properties.test_generated import MANY

SAMPLE: Final = 2
"""Programs of the run that belongs to the suite: they take a second."""
_CASES: Final = Path(__file__).parents[1] / "codemods"
_PLACED: Final = re.compile(r"^# (?:output|reports|unsafe|min-torch)", re.MULTILINE)


def _differences(number: int, folder: Path) -> list[str]:
    program = generate(Choices.seeded(number))
    return [str(violation) for violation in variations_that_differ(program, folder)]


@pytest.mark.properties
@pytest.mark.parametrize("number", range(SAMPLE))
def test_a_few_ways_of_writing_make_no_difference(number: int, tmp_path: Path) -> None:
    assert _differences(number, tmp_path) == []


@pytest.mark.properties
@pytest.mark.skipif(
    not MANY, reason="takes a second for each program: DEVICEFIX_PROPERTIES=N, a tenth of them here"
)
def test_ways_of_writing_make_no_difference(tmp_path: Path) -> None:
    found = {n: _differences(n, tmp_path) for n in range(max(1, MANY // 10))}
    assert {number: wrong for number, wrong in found.items() if wrong} == {}


def _programs() -> list[str]:
    """Those of the cases of all rules that Python 3 reads and that suppress nothing.

    Modules of Python 2 (``import cPickle as p``) are not looked for under other names.
    """
    found = []
    for path in sorted(set(_CASES.glob("*/*.py")) - set(_CASES.glob("legacy/python2_*.py"))):
        for case in re.split(r"^# case:.*\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            text = _PLACED.split(re.sub(r"^# (?:reports|unsafe|min-torch).*\n", "", case))[0]
            if "import" in text and "devicefix:" not in text and _parses(text):
                found.append(text)
    return found


def _parses(text: str) -> bool:
    try:
        compile(text, "case", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


@pytest.mark.properties
@pytest.mark.skipif(not MANY, reason="takes minutes: DEVICEFIX_PROPERTIES=1 or more")
def test_ways_of_writing_make_no_difference_to_the_cases_of_the_rules(tmp_path: Path) -> None:
    wrong = {text: [str(v) for v in rewordings_that_differ(text, tmp_path)] for text in _programs()}
    assert {text: found for text, found in wrong.items() if found} == {}


PROGRAM: Final = """\
import os.path
from json import dumps as write

def outer(size, rate=1):
    def inner(x):
        return x * rate
    return inner(size)

class Shelf:
    kind = 3

    def put(self, kind):
        return outer(kind, rate=self.kind)

print(write(Shelf().put(2)), os.path.sep)
"""


def test_other_names_for_what_is_no_attribute_and_no_keyword() -> None:
    text = names_changed(PROGRAM)
    assert "def zq_outer(zq_size, rate=1):" in text
    assert "print(write(zq_Shelf().put(2)), os.path.sep)" in text
    assert "def put(self, kind)" in text.replace("zq_self", "self")


def test_other_names_for_imports() -> None:
    text = imports_changed(PROGRAM)
    assert text.startswith("import os.path\nfrom json import dumps as zq_write\n")
    assert "print(zq_write(Shelf().put(2)), os.path.sep)" in text


def test_definitions_change_places_where_none_needs_another() -> None:
    text = definitions_reversed(PROGRAM)
    assert text.index("class Shelf") < text.index("def outer")
    dependent = PROGRAM.replace("class Shelf:", "class Shelf(outer(object)):")
    assert definitions_reversed(dependent).index("def outer") < text.index("def outer")
