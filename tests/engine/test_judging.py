"""What the judge objects to is not made, whichever codemod calls it safe."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from devicefix.codemod import Codemod, Context
from devicefix.engine import apply
from devicefix.findings import Applicability, Edit, Finding, Fix
from devicefix.settings import Settings

PROGRAM = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x) + torch.zeros(2, 3)


print(Net()(torch.ones(2, 3)).sum().item())
"""


class ByItsSound(Codemod):
    """``device=self.device`` wherever there is a ``self``."""

    code = "DFX998"
    name = "by-its-sound"

    def check(self, context: Context) -> Iterator[Finding]:
        for call in context.source.of_type(ast.Call):
            if context.source.segment(call) == "torch.zeros(2, 3)":
                end = context.source.span(call).end - 1
                fix = Fix(
                    (Edit(end, end, 0, ", device=self.device"),), Applicability.SAFE, "its-sound"
                )
                yield context.finding(self, call, "it sounds right", fix)


class AnotherName(Codemod):
    """A fix that nothing speaks against."""

    code = "DFX999"
    name = "another-name"

    def check(self, context: Context) -> Iterator[Finding]:
        for name in context.source.of_type(ast.Call):
            span = context.source.span(name)
            if context.source.segment(name) == "Net()":
                fix = Fix(
                    (Edit(span.start, span.end, 0, "(Net())"),), Applicability.SAFE, "another-name"
                )
                parent = context.facts.parents.get(name)
                if isinstance(parent, ast.Call) and not context.source.text.count("(Net())"):
                    yield context.finding(self, name, "it could be in brackets", fix)


def test_what_the_judge_objects_to_is_left_and_the_rest_is_made(tmp_path: Path) -> None:
    file = tmp_path / "net.py"
    file.write_text(PROGRAM)
    report = apply([tmp_path], Settings(), codemods=[ByItsSound, AnotherName])
    assert file.read_text() == PROGRAM.replace("Net()(", "(Net())(")
    (left,) = report.files[0].left
    assert left.finding.code == "DFX998"
    assert "`self.device` may not be a device there" in left.reason
    assert left.reason.startswith("the fix is unsafe")
    assert not report.errors


STAYS = """\
import torch
from torch.autograd import Variable
from other import load

zeros = load()
zeros.cuda()


def attack(img):
    diff = torch.FloatTensor(img.shape).zero_()
    diff = Variable(diff.cuda(), requires_grad=False)
    diff += img
    return diff - zeros


print(attack(torch.ones(3).cuda()))
"""


def test_a_move_in_front_of_text_that_goes_is_judged_as_well(tmp_path: Path) -> None:
    file = tmp_path / "attack.py"
    file.write_text(STAYS)
    apply([tmp_path], Settings())
    assert "    diff = diff.cuda()\n" in file.read_text()


@pytest.mark.parametrize("settings", [Settings(unsafe_fixes=True)])
def test_it_is_made_on_request(tmp_path: Path, settings: Settings) -> None:
    file = tmp_path / "net.py"
    file.write_text(PROGRAM)
    apply([tmp_path], settings, codemods=[ByItsSound])
    assert "torch.zeros(2, 3, device=self.device)" in file.read_text()
