"""Names of torch.cuda: where they stand, and which imports bind them."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from devicefix.flow import FileFacts

Facts = Callable[[str], FileFacts]


@pytest.mark.parametrize(
    ("program", "found"),
    [
        ("torch.cuda.synchronize()\n", ["torch.cuda.synchronize is synchronize"]),
        ("from torch.cuda import amp\namp.autocast()\n", ["amp.autocast is amp.autocast"]),
        ("import torch as t\nx = t.cuda.ByteTensor\n", ["t.cuda.ByteTensor is ByteTensor"]),
        ("torch.zeros(3)\ntorch.backends.cudnn.benchmark = True\n", []),
        ("f = getattr(torch.cuda, 'synchronize', None)\n", []),
        ("def f():\n    torch.cuda.Event()\n", ["torch.cuda.Event is Event"]),
        (
            "class A:\n    @torch.cuda.amp.custom_fwd\n    def f(ctx): ...\n",
            ["torch.cuda.amp.custom_fwd is amp.custom_fwd"],
        ),
    ],
)
def test_the_longest_name_is_told(facts: Facts, program: str, found: list[str]) -> None:
    seen = [
        (ast.unparse(m.tree), m.name.removeprefix("torch.cuda.")) for m in facts(program).mentions
    ]
    assert [f"{text} is {name}" for text, name in seen] == found


def test_annotations_and_classes_are_types(facts: Facts) -> None:
    program = (
        "from torch.cuda.amp import GradScaler as S\nx = S()\nprint(isinstance(x, (int, S)))\n"
    )
    assert [m.is_type for m in facts(program).mentions] == [False, True]


@pytest.mark.parametrize(
    ("program", "sole"),
    [
        ("from torch.cuda.amp import autocast\n", True),
        ("try:\n    from torch.cuda.amp import autocast\nexcept ImportError: ...\n", False),
        ("from torch.cuda.amp import autocast\ndef autocast(): ...\n", False),
        ("from torch.cuda.amp import autocast\ndef f(autocast): ...\n", False),
        ("from torch.cuda.amp import autocast\nfrom lib import autocast\n", False),
    ],
)
def test_an_import_may_not_be_the_only_one(facts: Facts, program: str, sole: bool) -> None:
    (found,) = facts(program).imports
    assert (found.local, found.origin, found.sole) == ("autocast", "torch.cuda.amp.autocast", sole)


def test_reads_in_annotations_do_not_count(facts: Facts) -> None:
    program = "from torch.cuda.amp import GradScaler as S\ndef f(s: S) -> S: ...\nf(S())\n"
    (found,) = facts(program).imports
    assert [name.lineno for name in found.reads] == [8]


@pytest.mark.parametrize(
    ("program", "typed"),
    [
        ("d = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n", True),
        ("d = 'cuda' if torch.cuda.is_available() else 'cpu'\n", False),
        ("d = torch.device('cuda') if torch.cuda.is_available() else 'cpu'\n", False),
        ("d = 'cpu'\nif torch.cuda.is_available():\n    d = 'cuda'\n", False),
        ("d = torch.device('cpu')\nif torch.cuda.is_available(): d = torch.device('cuda')\n", True),
    ],
)
def test_a_string_is_no_torch_device(facts: Facts, program: str, typed: bool) -> None:
    found = facts(program + "with torch.cuda.amp.autocast(): ...\n").mentions[-1]
    assert found.device is not None
    assert (found.device.text, found.device.typed) == ("d", typed)
