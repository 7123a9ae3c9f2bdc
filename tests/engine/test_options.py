"""Conditions of several files that ask the user the same thing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import Choice, rehearsal
from devicefix.settings import Settings

TRAIN: Final = """\
import argparse

import torch

from net import sample

parser = argparse.ArgumentParser()
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()
net = torch.nn.Linear(3, 2)
if args.cuda:
    net.cuda()
x = torch.ones(2, 3)
if args.cuda:
    x = x.cuda()
print(net(x).sum().item(), sample(net, args, 2).shape)
"""
NET: Final = """\
import torch
from torch import nn


def sample(net, args, n):
    noise = torch.randn(n, 3)
    {0}
        noise = noise.cuda()
    return net(noise)
"""
IDLE: Final = """

def plot(args, figure):
    if args.cuda:
        figure.canvas = figure.canvas.cuda()
"""


def written(folder: Path, train: str, net: str) -> dict[str, str]:
    (folder / "train.py").write_text(train)
    (folder / "net.py").write_text(net)
    report = rehearsal((folder,), Settings()).report(Choice())
    assert not report.errors
    return {Path(r.path).name: change.after.decode() for r, change in report.changes}


def test_they_go_together(tmp_path: Path) -> None:
    after = written(tmp_path, TRAIN, NET.format("if args.cuda:"))
    assert not any("if" in text and ".cuda()" in text for text in after.values())
    assert {*after} == {"train.py", "net.py"}


@pytest.mark.parametrize(
    ("condition", "more"),
    [("if args.cuda and n > 2:", ""), ("if args.cuda:", IDLE)],
    ids=["one that asks more", "one that is not understood"],
)
def test_none_goes_if_another_file_goes_on_asking(
    tmp_path: Path, condition: str, more: str
) -> None:
    assert not written(tmp_path, TRAIN, NET.format(condition) + more)


def test_another_option_is_another_question(tmp_path: Path) -> None:
    other = IDLE.replace("args.cuda", "args.render")
    after = written(tmp_path, TRAIN, NET.format("if args.cuda:") + other)
    assert {*after} == {"train.py", "net.py"}
    assert "if args.render:" in after["net.py"]


KEPT: Final = """

class Batches:
    def __init__(self, args):
        self.use_cuda = args.cuda and args.fast

    def get(self, batch, figure):
        if self.use_cuda:
            figure.canvas = figure.canvas.cuda()
        return batch
"""


def test_an_attribute_asks_what_it_is_set_to(tmp_path: Path) -> None:
    assert not written(tmp_path, TRAIN, NET.format("if args.cuda:") + KEPT)
    other = KEPT.replace("args.cuda and ", "")
    assert written(tmp_path, TRAIN, NET.format("if args.cuda:") + other)


ASKED_BY_FLAG: Final = """

def show(figure, cuda, n=2):
    if cuda:
        figure.canvas = figure.canvas.cuda()
"""


@pytest.mark.parametrize(("given", "goes"), [("args.cuda", False), ("args.render", True)])
def test_a_parameter_asks_what_it_is_given(tmp_path: Path, given: str, goes: bool) -> None:
    train = TRAIN.replace("sample\n", "sample, show\n", 1) + f"show(object(), {given})\n"
    after = written(tmp_path, train, NET.format("if args.cuda:") + ASKED_BY_FLAG)
    assert bool(after) is goes


USES_FLAG: Final = """\
import argparse

import torch

from net import run

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()
net = torch.nn.Linear(3, 2)
if args.cuda:
    net.cuda()
print(run(net, torch.ones(2, 3), args.{0}).shape)
"""
HAS_FLAG: Final = """\
def run(net, x, cuda):
    if cuda:
        x = x.cuda()
    return net(x)
"""


@pytest.mark.parametrize(("given", "goes"), [("cuda", False), ("render", True)])
def test_a_device_is_in_vain_if_a_function_goes_on_asking(
    tmp_path: Path, given: str, goes: bool
) -> None:
    after = written(tmp_path, USES_FLAG.format(given), HAS_FLAG)
    assert ("train.py" in after) is goes
