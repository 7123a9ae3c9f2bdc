"""Fix groups: one decision, safe only where all code that a moved tensor reaches is known."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

import pytest

from devicefix.flow import FileFacts

Facts = Callable[[str], FileFacts]

NET: Final = "net = nn.Linear(3, 1)\ny = net(torch.zeros(3))\nprint(y)\n"


def doubts(found: FileFacts) -> set[str]:
    """What is said against the transfers; the empty string for those that are safe."""
    return {transfer.unsafe or transfer.blocked for transfer in found.transfers}


def test_what_a_module_asks_for_is_one_decision_with_it(facts: Facts) -> None:
    found = facts(NET + "print(y.detach().numpy())\n")
    assert len(found.transfers) == 3
    assert len({transfer.group for transfer in found.transfers}) == 1
    assert doubts(found) == {""}


def test_what_does_not_touch_is_decided_apart(facts: Facts) -> None:
    found = facts(NET + "other = nn.Linear(4, 1)\nprint(other(torch.ones(4)))\n")
    groups = [transfer.group for transfer in found.transfers]
    assert [groups.count(group) for group in dict.fromkeys(groups)] == [2, 2]


def test_results_that_meet_join_the_decisions(facts: Facts) -> None:
    found = facts(NET + "other = nn.Linear(4, 1)\nprint(other(torch.ones(4)) + y)\n")
    assert len({transfer.group for transfer in found.transfers}) == 1


BUILT: Final = [
    pytest.param("Net(device='cpu')", True, id="given"),
    pytest.param("Net(torch.device('cpu'))", True, id="given as a torch.device"),
    pytest.param("Net()", True, id="the default"),
    pytest.param("Net(None)", False, id="another one"),
]


@pytest.mark.parametrize(("made", "unsafe"), BUILT)
def test_a_module_that_is_created_for_the_cpu(facts: Facts, made: str, unsafe: bool) -> None:
    found = facts(
        "class Net(nn.Module):\n"
        "    def __init__(self, device='cpu'):\n"
        "        super().__init__()\n"
        "        self.device = device\n"
        "        self.linear = nn.Linear(3, 1)\n"
        "    def forward(self, x):\n"
        "        return self.linear(x)\n"
        f"net = {made}\nprint(net(torch.zeros(3)))\n"
    )
    assert len(found.transfers) == 2
    assert all(("created for the CPU" in doubt) is unsafe for doubt in doubts(found))


UNSEEN: Final = [
    pytest.param("from mylib import report\nreport(y)\n", "mylib.report", id="function"),
    pytest.param("from .mylib import report\nreport(y)\n", ".mylib", id="relative import"),
    pytest.param("import mylib\nmylib.plot.show(data=[y])\n", "mylib.plot.show", id="in a list"),
    pytest.param("import mylib\nprint(y + mylib.load())\n", "mylib.load", id="operand"),
    pytest.param("print(net(torch.load('x.pt')))\n", "torch.load", id="what was saved"),
    pytest.param(
        "from mylib import batches\nfor b in batches():\n    print(net(b['x']))\n",
        "mylib.batches",
        id="part of something",
    ),
    pytest.param(
        "from mylib import Base\nclass Log(Base):\n    pass\nLog().add(y)\n",
        "'add'",
        id="inherited method",
    ),
    pytest.param(
        "from collections import namedtuple\nBatch = namedtuple('Batch', open('f').read())\n"
        "print(net(Batch(torch.zeros(3)).x))\n",
        "named tuple",
        id="built at run time",
    ),
    pytest.param(
        "from mylib import scale\nprint(y * scale)\n",
        "mylib.scale",
        id="imported value",
    ),
]


@pytest.mark.parametrize(("program", "named"), UNSEEN)
def test_unknown_code_makes_the_decision_unsafe_and_is_named(
    facts: Facts, program: str, named: str
) -> None:
    (doubt,) = doubts(facts(NET + program))
    assert doubt.startswith("line ")
    assert named in doubt


KNOWN: Final = [
    pytest.param("from mylib import report\nreport(y.item())\n", id="it only gets a number"),
    pytest.param("from mylib import report\nreport(y.shape)\n", id="it only gets a shape"),
    pytest.param("from mylib import report\nreport(3)\n", id="it gets nothing of ours"),
    pytest.param("from einops import rearrange\nprint(rearrange(y, 'a -> a'))\n", id="torch world"),
    pytest.param("import torchmetrics\nprint(torchmetrics.functional.accuracy(y, y))\n", id="more"),
    pytest.param(
        "class Log:\n    def add(self, value):\n        print(value.item())\nLog().add(y)\n",
        id="own class",
    ),
    pytest.param("import json\nprint(json.dumps(y.tolist()))\n", id="standard library"),
    pytest.param("net.load_state_dict(torch.load('net.pt'))\n", id="a state"),
]


@pytest.mark.parametrize("program", KNOWN)
def test_known_code_does_not(facts: Facts, program: str) -> None:
    assert doubts(facts(NET + program)) == {""}


def test_only_the_decision_that_meets_it_is_unsafe(facts: Facts) -> None:
    found = facts(
        NET + "from mylib import report\nother = nn.Linear(4, 1)\nreport(other(torch.ones(4)))\n"
    )
    safe = {transfer.group for transfer in found.transfers if not transfer.unsafe}
    unsafe = {transfer.group for transfer in found.transfers if transfer.unsafe}
    assert (len(safe), len(unsafe)) == (1, 1)
    assert not safe & unsafe


PREDICT: Final = "def predict(x):\n    return net(x)\n"
CALLERS: Final = [
    pytest.param("from mylib import serve\nserve(predict)\n", id="given to unknown code"),
    pytest.param(
        "import torch.multiprocessing as mp\n"
        "mp.Process(target=predict, args=(torch.ones(3),)).start()\n",
        id="given to a process",
    ),
    pytest.param(
        "",
        id="never called here",
        marks=pytest.mark.xfail(
            strict=True, reason="what nobody calls in a script is taken as never called at all"
        ),
    ),
]


@pytest.mark.parametrize("program", CALLERS)
def test_callers_that_are_not_seen_make_the_decision_unsafe(facts: Facts, program: str) -> None:
    (doubt,) = doubts(facts(NET + PREDICT + program))
    assert "predict" in doubt


def test_a_program_that_is_too_large_is_left_alone(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devicefix.flow.analysis.MAX_STEPS", 4)
    found = facts(NET)
    assert not found.complete
    assert found.transfers == ()


def test_what_other_processes_compute_may_live_elsewhere(moves: Callable[[str], list[str]]) -> None:
    program = """
        from torch.distributed import rpc
        net = nn.Linear(3, 1)
        x = rpc.rpc_sync("other", torch.add, args=(torch.ones(3), 1))
        print(net(x))
        """
    assert moves(program) == ["MODULE nn.Linear(3, 1) -> +device?"]


def test_what_may_be_an_array_is_not_brought_back(moves: Callable[[str], list[str]]) -> None:
    program = """
        from tables import labels, pinned
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if pinned:
            labels = torch.tensor(labels, device=device)
        rows = []
        for i in range(3):
            rows.append(labels[i])
        print(np.stack(rows))
        """
    # behind `labels[i]`, which may be an item of an array, nothing can be written, and nothing
    # that has just been put on the device is brought back there
    assert moves(program) == []


def test_what_moves_in_one_place_for_several_callers_is_one_decision(facts: Facts) -> None:
    found = facts(
        "def make():\n    return nn.Linear(3, 1)\n"
        "one = make()\nprint(one(torch.zeros(3)).tolist())\n"
        "two = make()\nprint(two(torch.ones(3)).tolist())\nprint(make()(torch.ones(3)))\n"
    )
    assert next(ast.unparse(t.tree) for t in found.transfers) == "nn.Linear(3, 1)"
    assert len(found.transfers) == 4
    assert len({transfer.group for transfer in found.transfers}) == 1


def test_one_callers_unseen_code_makes_the_shared_transfer_unsafe(facts: Facts) -> None:
    found = facts(
        "import mylib\ndef make():\n    return nn.Linear(3, 1)\n"
        "one = make()\nprint(one(torch.zeros(3)))\n"
        "print(make()(torch.ones(3) + mylib.load()))\n"
    )
    assert any("mylib.load" in doubt for doubt in doubts(found))
    assert "" not in doubts(found)


def test_what_follows_a_tensor_is_decided_by_each_caller(facts: Facts) -> None:
    found = facts(
        "def add(x):\n    return x + torch.ones(3)\n"
        "one = nn.Linear(3, 3)\nprint(add(one(torch.zeros(3))))\n"
        "two = nn.Linear(3, 3)\nprint(add(two(torch.zeros(3))))\n"
    )
    assert len({transfer.group for transfer in found.transfers}) == 2


def test_callers_that_cannot_be_as_they_are_taken_to_be_say_nothing(
    moves: Callable[[str], list[str]],
) -> None:
    """A table that one method moves and another one reads: no placement is right in any order."""
    program = """
        class Scheduler:
            def __init__(self, values):
                self.table = torch.cumprod(1.0 - torch.tensor(values), dim=0)
                self.one = torch.tensor(1.0)

            def variance(self, t: int, before: int):
                now = self.table[t]
                return self.table[before] if before >= 0 else self.one

            def add_noise(self, x: torch.Tensor, noise: torch.Tensor, t: torch.Tensor):
                self.table = self.table.to(device=x.device)
                table = self.table.to(dtype=x.dtype)
                rest = (1 - table[t]) ** 0.5
                return x + rest * noise
        """
    assert moves(program) == []


def test_who_asks_a_tensor_for_its_device_rests_on_what_brings_it_there(facts: Facts) -> None:
    program = """
import mylib
def mix(w, v, both):
    scale = torch.ones(3)
    mylib.look(scale)
    filled = torch.zeros(scale.size(0))
    mylib.look(filled)
    if not both:
        return w.relu(), v.relu()
    return w.relu() * scale, v.relu() * (filled + scale)
"""
    found = facts(program)
    assert [t.device and t.device.text for t in found.transfers] == ["w.device", "scale.device"]
    assert len({transfer.group for transfer in found.transfers}) == 1
    assert doubts(found) == {"line 10: mylib.look was not analysed"}
