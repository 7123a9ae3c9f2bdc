"""What becomes of what a loader gives."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts, Use

Facts = Callable[[str], FileFacts]

SCRIPT: Final = "net = nn.Linear(3, 1)\nprint(net)\n"
HARMLESS: Final = [
    ("copied", "net.load_state_dict(torch.load(p))"),
    ("copied by name", "state = torch.load(p)\nnet.load_state_dict(state_dict=state['net'])"),
    ("copied into a tensor", "for w, v in zip(net.parameters(), torch.load(p)):\n    w.copy_(v)"),
    ("read", "state = torch.load(p)\nprint(len(state), f'{state}', state['n'] > 3, 'n' in state)"),
    ("tested", "if torch.load(p)['loss'] < best and not done:\n    print('better')"),
    ("sizes of layers", "nn.Linear(torch.load(p)['n'], 2)"),
    ("a number", "epoch = 0\nif p:\n    epoch = torch.load(p)['epoch']\nx = np.zeros(epoch)"),
    ("moved", "model = torch.load(p)\nmodel.cuda()\nmodel(x)"),
    ("moved and bound", "model = torch.load(p)\nmodel = model.to(d)\nmodel(x)"),
    ("moved under a condition", "m = torch.load(p)\nif cuda:\n    m.cuda()\nm(x)"),
    ("moved in place", "torch.load(p).to(d) + x"),
    ("another value before", "m = net\nm(x)\nm = torch.load(p)\nprint(m)"),
    ("the other part", "pair = (net, torch.load(p))\na, b = pair\na(x)\nnet.load_state_dict(b)"),
    ("a function", "def f():\n    return torch.load(p)['a']\nnet.load_state_dict(f())"),
    ("an argument", "def f(s, n=1):\n    net.load_state_dict(s)\nf(torch.load(p))"),
    ("by its own keys", "s = torch.load(p)\nfor k in s:\n    net.load_state_dict(s[k])"),
    ("saved again", "torch.save(torch.load(p), q)"),
    (
        "collected",
        "new = {}\nfor k, v in torch.load(p).items():\n    new[k] = v\nnet.load_state_dict(new)",
    ),
]
HOST: Final = [
    ("a random state", "torch.set_rng_state(torch.load(p))"),
    ("of CUDA, too", "s = torch.load(p)\ntorch.cuda.set_rng_state_all(s['cuda'])"),
    ("of a generator", "g = torch.Generator()\ng.set_state(torch.load(p)['g'])"),
    ("an array", "x = torch.load(p).float().numpy()"),
    ("NumPy", "np.mean(torch.load(p))"),
]
CALLED: Final = [
    ("called", "torch.load(p)(x)"),
    ("called later", "m = torch.load(p)\nm.eval()\nm(x)"),
    ("called before the move", "m = torch.load(p)\nm(x)\nm.cuda()"),
    ("moved in one branch", "m = torch.load(p)\nif q:\n    m.cuda()\nelse:\n    print(q)\nm(x)"),
    ("used by a function", "m = torch.load(p)\ndef f():\n    return m(x)\nm.cuda()"),
    ("only cast", "m = torch.load(p)\nm.to(torch.float64)\nm(x)"),
]
OPEN: Final = [
    ("computed", "x + torch.load(p)"),
    ("an index", "x[torch.load(p)]"),
    ("unseen code", "from lib import f\nf(torch.load(p))"),
    ("it becomes the parameters", "net.load_state_dict(torch.load(p), assign=True)"),
    ("the data of a parameter", "net.weight.data = torch.load(p)"),
    ("a list of others", "def f(xs):\n    xs.append(torch.load(p))\nf([])"),
    ("somebody else's object", "from lib import o\no.x = torch.load(p)"),
    ("yielded", "def f():\n    yield torch.load(p)"),
    ("returned to nobody", "def f():\n    return torch.load(p)"),
    (
        "an own method",
        "import lib\ndef load_state_dict(s): ...\nlib.a.load_state_dict(torch.load(p))",
    ),
]


def used(facts: Facts, program: str) -> set[Use]:
    found = [f for f in facts(program).library if "torch.load" in f.names]
    assert found, "the call is not seen"
    return set(found[0].uses)


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in HARMLESS])
def test_what_works_on_every_device(facts: Facts, program: str) -> None:
    assert used(facts, SCRIPT + program + "\n") == set()


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in HOST])
def test_what_belongs_to_the_host(facts: Facts, program: str) -> None:
    assert used(facts, SCRIPT + program + "\n") == {Use.HOST}


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in OPEN])
def test_what_may_need_one_place(facts: Facts, program: str) -> None:
    assert used(facts, SCRIPT + program + "\n") == {Use.OPEN}


@pytest.mark.parametrize("program", [pytest.param(p, id=name) for name, p in CALLED])
def test_what_is_called_may_need_one_place_and_is_an_object(facts: Facts, program: str) -> None:
    assert used(facts, SCRIPT + program + "\n") == {Use.OPEN, Use.OBJECT}


def test_what_takes_the_place_of_a_tensor_beside_the_device(facts: Facts) -> None:
    program = (
        "m = torch.zeros(3)\nif p:\n    m = torch.load(p)\nprint(torch.ones(3).cuda() - 2 * m)\n"
    )
    assert used(facts, SCRIPT + program) == {Use.DEVICE}
    assert used(facts, SCRIPT + program + "print(torch.ones(3) + m)\n") == {Use.DEVICE, Use.OPEN}


def test_a_library_may_be_imported(facts: Facts) -> None:
    program = "def read(path):\n    return torch.load(path)\n\n\ndef f():\n    print(read('a'))\n"
    assert used(facts, program) == {Use.OPEN}


def test_the_place_of_an_open_use_is_told(facts: Facts) -> None:
    (found,) = facts(SCRIPT + "m = torch.load(p)\nm(x)\n").library
    assert ast.unparse(found.uses[Use.OPEN]) == "m(x)"
