"""Names for tensor types of CUDA."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts, analyse_program
from devicefix.source import Program, Source
from devicefix.source.modules import ModuleIndex

Facts = Callable[[str], FileFacts]
CHOICE = "T = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor\n"
ANSWER = "c = True if torch.cuda.is_available() else False\n"


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("T = torch.cuda.FloatTensor\nT(3)\n", ["torch.cuda.FloatTensor 1 sole"]),
        (CHOICE + "T(3)\nx.type(T)\n", ["torch.cuda.FloatTensor 2 sole"]),
        ("c = torch.cuda.is_available()\nT = torch.cuda.ByteTensor if c else torch.ByteTensor\n",
         ["torch.cuda.ByteTensor 0 sole"]),
        (ANSWER + "T = torch.cuda.ByteTensor if c else torch.ByteTensor\n",
         ["torch.cuda.ByteTensor 0 sole"]),
        (CHOICE + "S = T\nS(3)\n", ["torch.cuda.FloatTensor 1 sole"] * 2),
        (CHOICE + "T = 3\n", ["torch.cuda.FloatTensor 0"]),
        (CHOICE + "def f(T): ...\n", ["torch.cuda.FloatTensor 0"]),
        ("T = torch.cuda.ByteTensor if c else torch.ByteTensor\nT(3)\n",
         ["torch.cuda.ByteTensor 1 sole"]),
        ("T = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.DoubleTensor\n", []),
        ("T = torch.FloatTensor\nT(3)\n", []),
        ("class A:\n    T = torch.cuda.FloatTensor\n", ["torch.cuda.FloatTensor 0"]),
        ("o.T = torch.cuda.FloatTensor\n", []),
        ("def f(x, t=torch.cuda.FloatTensor):\n    return x.type(t)\nf(torch.ones(3))\n",
         ["torch.cuda.FloatTensor 1 sole"]),
        ("def f(x, t=torch.cuda.FloatTensor):\n    return x.type(t)\nf(*[torch.ones(3)])\n",
         ["torch.cuda.FloatTensor 1"]),
        ("def f(x, t=torch.cuda.FloatTensor):\n    t = t or 1\n    x.type(t)\nf(torch.ones(3))\n",
         ["torch.cuda.FloatTensor 2"]),
    ],
)  # fmt: skip
def test_what_a_name_stands_for(facts: Facts, program: str, found: list[str]) -> None:
    seen = facts(program).aliases
    assert [f"{a.type} {len(a.reads)}{' sole' * a.sole}" for a in seen] == found


UTIL: Final = "import torch\nT = torch.cuda.FloatTensor\ndef cast(x):\n    return x.type(T)\n"


@pytest.mark.parametrize(
    ("reader", "sole"),
    [
        ("import util\nutil.cast(3)\n", True),
        ("from util import cast\nT = 3\nprint(cast(T))\n", True),
        ("from util import T\n", False),
        ("from util import *\nT(3)\n", False),
        ("import util\nutil.T(3)\n", False),
        ("import util\ngetattr(util, 'T')\n", False),
        ("import util\nvars(util)\n", False),
    ],
)
def test_a_name_of_an_imported_file_may_be_its_own(reader: str, sole: bool) -> None:
    texts = {"util.py": UTIL, "main.py": reader}
    sources = {path: Source.from_text(text, path) for path, text in texts.items()}
    facts = analyse_program(Program(sources, ModuleIndex(sources), lambda _: None))
    (alias,) = facts["util.py"].aliases
    assert alias.sole is sole


def test_a_choice_by_statement_is_the_definition(facts: Facts) -> None:
    program = (
        "if torch.cuda.is_available():\n    T = torch.cuda.FloatTensor\n"
        "else:\n    T = torch.FloatTensor\nT(3)\n"
    )
    (found,) = facts(program).aliases
    assert isinstance(found.statement, ast.If)
    assert (found.sole, found.condition) == (True, "")


def test_the_condition_of_the_user_is_told(facts: Facts) -> None:
    program = (
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\n"
        "cuda = args.cuda and torch.cuda.is_available()\n"
        "T = torch.cuda.FloatTensor if cuda else torch.FloatTensor\n"
    )
    (found,) = facts(program).aliases
    assert found.condition == "cuda"


@pytest.mark.parametrize(
    ("arguments", "plain"),
    [
        ("3", True),
        ("3, 4", True),
        ("[1, 2]", True),
        ("np.zeros(3)", True),
        ("torch.zeros(3)", False),
        ("[torch.zeros(())]", True),
        ("[unknown()]", True),
        ("unknown()", False),
        ("unknown(), 3", True),
    ],
)
def test_what_a_type_is_given(facts: Facts, arguments: str, plain: bool) -> None:
    (found,) = facts(f"from lib import unknown\nx = torch.cuda.FloatTensor({arguments})\n").mentions
    assert found.takes_no_tensor is plain
