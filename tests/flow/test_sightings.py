"""What runs have seen is taken where the text does not tell, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Final

import pytest
from msgspec.structs import replace

from devicefix.digests import digest_of_text, line_digests
from devicefix.evidence import Evidence, Expression, Fact, RecordedFile
from devicefix.flow import FileFacts, Transfer
from devicefix.flow.evaluated import analyse_program
from devicefix.flow.explanation import Explainer
from devicefix.source import Program, Source

PATH: Final = "/project/train.py"
HEAD: Final = """\
import torch
import torch.nn.functional as F
import zoo

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 2).to(device)
"""
HOST: Final = Fact("tensor", "torch.Tensor", "float32", "cpu")
THERE: Final = Fact("tensor", "torch.Tensor", "float32", "cuda:0")
NONE: Final = Fact("other", "NoneType")
NUMBER: Final = Fact("other", "int")
MODULE: Final = Fact("module", "zoo.Net", "float32", "cpu")


def evidence(text: str, seen: Mapping[str, tuple[Fact, ...]]) -> Evidence:
    """As if the first expression, or name that is bound, of each text had been these."""
    found = []
    for part, facts in seen.items():
        start = text.index(part)
        line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
        found.append(Expression((line, column, line, column + len(part)), facts))
    file = RecordedFile(digest_of_text(text), tuple(line_digests(text)), tuple(found))
    return Evidence(files={PATH: file})


def program(text: str, known: Evidence, first: str = "") -> Program:
    alone = Program.alone(Source.from_text(text, PATH))
    before = {PATH: Source.from_text(first, PATH)} if first else {}
    return replace(alone, evidence=known, first=before)


def transfers(body: str, seen: Mapping[str, tuple[Fact, ...]]) -> list[str]:
    """What would be moved, with ``?`` behind what is unsafe."""
    text = HEAD + body
    return told(analyse_program(program(text, evidence(text, seen)))[PATH])


def told(facts: FileFacts) -> list[str]:
    return [_line(transfer) for transfer in facts.transfers]


def _line(transfer: Transfer) -> str:
    what = transfer.name or ast.unparse(transfer.tree)
    doubt = "?" * bool(transfer.unsafe) + "!" * bool(transfer.blocked)
    return f"{what} -> {transfer.device.text if transfer.device else 'cpu'}{doubt}"


@pytest.mark.parametrize(
    ("body", "seen", "moved"),
    [
        ("net(zoo.make())\n", {"zoo.make()": (HOST,)}, ["zoo.make() -> device?"]),
        ("net(zoo.make())\n", {"zoo.make()": (HOST, NONE)}, ["zoo.make() -> device?"]),
        ("x = zoo.make()\nnet(x)\n", {"zoo.make()": (HOST,)}, ["zoo.make() -> device?"]),
        ("for xs in zoo.all():\n    net(xs)\n", {"xs": (HOST,)}, ["xs -> device?"]),
        ("xs, ys = zoo.make()\nnet(xs)\n", {"xs": (HOST,)}, ["xs -> device?"]),
        ("net(zoo.make())\n", {"zoo.make()": (THERE,)}, []),
        ("net(zoo.make())\n", {"zoo.make()": (HOST, THERE)}, []),
        ("net(zoo.make())\n", {"zoo.make()": (HOST, NUMBER)}, []),
        ("net(zoo.make())\n", {"zoo.make()": (NUMBER,)}, []),
        (
            "m = zoo.build()\nm(net.weight)\n",
            {"zoo.build()": (MODULE,)},
            ["zoo.build() -> device?"],
        ),
        (
            "import pickle\nnet(pickle.load(open('x', 'rb'))['x'])\n",
            {"pickle.load(open('x', 'rb'))['x']": (HOST,)},
            ["pickle.load(open('x', 'rb'))['x'] -> device?"],
        ),
        (
            "m = zoo.build()\nm.head(net.weight)\n",
            {"zoo.build()": (MODULE,), "m.head": (MODULE,)},
            ["zoo.build() -> device?"],
        ),
        (
            "m = zoo.build()\ny = net.weight + m.table\n",
            {"zoo.build()": (MODULE,), "m.table": (HOST,)},
            [],
        ),
        ("mm, n = zoo.build()\nmm(net.weight)\n", {"mm": (MODULE,)}, []),
    ],
)
def test_what_was_seen_stands_for_what_is_unknown(
    body: str, seen: Mapping[str, tuple[Fact, ...]], moved: list[str]
) -> None:
    assert transfers(body, {}) == []
    assert transfers(body, seen) == moved


def test_what_is_known_is_not_overruled() -> None:
    body = "x = torch.ones(4, 3)\nnet(x)\n"
    assert transfers(body, {"torch.ones(4, 3)": (THERE,), "x": (NUMBER,)}) == [
        "torch.ones(4, 3) -> device"
    ]


def test_what_a_later_pass_finds_is_not_overruled() -> None:
    """What a dict holds that is filled later."""
    body = (
        "def keep():\n"
        "    kept.append(found['x'])\n"
        "def fill():\n"
        "    found['x'] = torch.ones(4, 3)\n"
        "found, kept = {}, []\n"
        "keep()\n"
        "fill()\n"
        "net(kept[0])\n"
    )
    known = transfers(body, {})
    assert known == ["torch.ones(4, 3) -> device?"]
    assert transfers(body, {"found['x']": (THERE,)}) == known


def test_what_unseen_code_makes_of_tensors_follows_them() -> None:
    """In the run all of it was on the CPU; what the program moves is not there any more."""
    body = "x = net(torch.ones(4, 3))\ny = zoo.halve(x)\nloss = y * torch.ones(2)\n"
    assert transfers(body, {"zoo.halve(x)": (HOST,)}) == [
        "torch.ones(4, 3) -> device?",
        "torch.ones(2) -> device?",
    ]


def test_a_changed_line_is_void() -> None:
    text = HEAD + "net(zoo.make())\n"
    known = evidence(text, {"zoo.make()": (HOST,)})
    assert told(analyse_program(program("# new\n" + text, known))[PATH]) != []
    assert told(analyse_program(program(text.replace("make()", "make() "), known))[PATH]) == []


def test_what_our_own_fixes_rewrite_is_known_still() -> None:
    first = HEAD + "m = zoo.build(1)\ny = m(zoo.make()) + zoo.make()\n"
    seen = {"zoo.build(1)": (MODULE,), "zoo.make()": (HOST,)}
    known = evidence(first, seen)
    text = first.replace("build(1)", "build(1).to(device)")
    now = program(text, known, first)
    assert "zoo.make() -> device?" in told(analyse_program(now)[PATH])
    assert "zoo.build(1) -> device?" not in told(analyse_program(now)[PATH])
    by_hand = program(text, known)
    assert told(analyse_program(by_hand)[PATH]) == []


def test_a_line_says_what_was_seen() -> None:
    text = HEAD + "x = zoo.make()\ny = net(x) + 1\n"
    known = evidence(text, {"zoo.make()": (replace(HOST, shapes=((4, 3), ())),), "net(x)": (HOST,)})
    explainer = Explainer(program(text, known))
    bound, made = explainer.line(PATH, 7).beliefs
    assert (bound.text, bound.basis, bound.seen) == ("x", "seen", ())
    assert (made.basis, made.today, made.dtype) == ("seen", "CPU", "float32")
    assert made.seen == ("tensor, float32, cpu, shape (4, 3) or ()",)
    assert made.notes[0] == f"seen in a run, not inferred: what `zoo.make()` is ({PATH}:7)"
    by_text = {belief.text: belief for belief in explainer.line(PATH, 8).beliefs}
    assert (by_text["net"].basis, by_text["x"].basis) == ("inferred", "seen")
    assert next(b for b in by_text.values() if b.seen).seen == ("tensor, float32, cpu",)
