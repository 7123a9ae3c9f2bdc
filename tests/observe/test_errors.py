"""What is said of an error: which operand, made where, moved where, what to change."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.observe.programs import run

pytestmark = pytest.mark.slow

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.mask = torch.ones(8)

    def forward(self, x):
        return self.fc1(x) * self.mask

"""

EXPLAINED = {
    "attribute": NET + 'net = Net().to("cuda")\nprint(net(torch.randn(2, 4, device="cuda")))\n',
    "module": NET + 'net = Net()\nx = torch.randn(2, 4, device="cuda")\nprint(net(x))\n',
    "loader": """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset

        def loss(model, x, y):
            return nn.functional.cross_entropy(model(x.cuda()), y)

        model = nn.Linear(4, 2).cuda()
        data = TensorDataset(torch.randn(8, 4), torch.zeros(8).long())
        for inputs, labels in DataLoader(data, batch_size=4, num_workers=1):
            loss(model, inputs, labels).backward()
        """,
    "brought_back": """
        import torch
        a = torch.zeros(5, device="cuda")
        b = (a * 2).cpu()
        print(torch.stack([a, b]))
        """,
    "from_numpy": """
        import numpy, torch
        x = torch.from_numpy(numpy.ones(3))
        print(x + torch.ones(3, device="cuda"))
        """,
    "gradient": """
        import torch
        w = torch.ones(3, requires_grad=True, device="cuda")
        w.sum().backward()
        print(w.grad + torch.ones(3))
        """,
    "to_numpy": """
        import numpy as np, torch
        x = torch.ones(3).cuda()
        np.sum(x.numpy())
        """,
    "lengths": """
        import torch
        x, lengths = torch.zeros(3, 2, 1).cuda(), torch.tensor([3, 2]).cuda()
        torch.nn.utils.rnn.pack_padded_sequence(x, lengths)
        """,
    "generator": """
        import torch
        torch.randn(3, device="cuda", generator=torch.Generator())
        """,
    "assigned": """
        import torch
        torch.zeros(3, requires_grad=True).grad = torch.ones(3).cuda()
        """,
    "recurrent": """
        import torch
        layer, x = torch.nn.LSTM(3, 4).cuda(), torch.randn(2, 1, 3).cuda()
        hidden = torch.zeros(1, 1, 4)
        layer(x, (hidden, hidden))
        """,
    "states": """
        import torch
        layer, x = torch.nn.LSTM(3, 4).cuda(), torch.randn(2, 1, 3).cuda()
        states = torch.zeros(1, 1, 4), torch.zeros(1, 1, 4)
        layer(x, states)
        """,
    "behind_another": """
        import torch
        x = torch.zeros(2)
        try:
            x + torch.zeros(2, device="cuda")
        except RuntimeError as error:
            raise ValueError("no luck") from error
        """,
    "of_another_kind": """
        import torch
        torch.zeros(3) @ torch.zeros(4)
        """,
}
"""Programs that end with an error, by name. They run in one process: starting one takes seconds."""

EXPLAIN_ALL = """
import json, sys
from pathlib import Path
import torch
from devicefix import observe

for file in sys.argv[1:]:
    try:
        exec(compile(Path(file).read_text(), file, "exec"), {"__name__": "__main__"})
    except Exception as error:
        explained = observe.explain(error)
        print(json.dumps(explained and explained.entry()))
"""


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `observe.explain` says of each program."""
    folder = tmp_path_factory.mktemp("explained")
    files = []
    for name, program in EXPLAINED.items():
        files.append(folder / f"{name}.py")
        files[-1].write_text(dedent(program))
    ran = run(folder, EXPLAIN_ALL, given=tuple(map(str, files)))
    assert ran.status == 0, ran.err
    return dict(zip(EXPLAINED, map(json.loads, ran.out.splitlines()), strict=True))


def operand(error: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in error["operands"] if one["name"] == name)
    return found


def test_an_input_on_the_host(tmp_path: Path) -> None:
    ran = run(tmp_path, NET + 'net = Net().to("cuda")\nx = torch.randn(2, 4)\nprint(net(x))\n')
    assert ran.status == 1
    error = ran.error
    assert ran.record["status"] == "raised"
    assert error["placement"] is True
    assert error["op"] == "aten::addmm"
    assert error["message"].startswith("Expected all tensors to be on the same device")
    assert error["at"]["text"] == "return self.fc1(x) * self.mask"
    x = ran.operand("mat1")
    assert (x["device"], x["variable"], x["how"]) == ("cpu", "x", "torch.randn")
    assert x["created"]["text"] == "x = torch.randn(2, 4)"
    assert x["moved"] is None
    weight = ran.operand("mat2")
    assert (weight["device"], weight["module"]) == ("cuda:0", "fc1.weight")
    assert weight["created"]["text"] == "self.fc1 = nn.Linear(4, 8)"
    assert weight["moved"]["text"] == 'net = Net().to("cuda")'
    assert weight["moved_by"] == "torch.nn.Module.to"
    assert error["advice"] == (
        "`x` (created by torch.randn at train.py:15) is on the CPU; the weight of fc1 is on "
        "cuda:0. Create it there: `torch.randn(…, device=device)` at train.py:15, or "
        "`x = x.to(device)` before train.py:16."
    )
    assert ran.err.startswith("Traceback (most recent call last):\n")
    assert "devicefix" not in ran.err
    assert "_ops.py" not in ran.err
    assert ran.err.count("train.py") == 2
    files = {Path(place["file"]).name for place in error["traceback"]}
    assert files == {"train.py", "module.py", "linear.py"}


def test_a_plain_attribute_that_stayed_behind(explained: dict[str, Any]) -> None:
    error = explained["attribute"]
    mask = operand(error, "other")
    assert (mask["variable"], mask["module"], mask["registered"]) == ("self.mask", "mask", False)
    assert 'self.register_buffer("mask", …)' in error["advice"]


def test_a_module_that_was_never_moved(explained: dict[str, Any]) -> None:
    assert explained["module"]["advice"] == (
        "The weight of fc1 is on the CPU; `x` (created by torch.randn at module.py:15) is on "
        "cuda:0. Move the whole module there once, after it is created at module.py:8 and before "
        "the optimizer: `net.to(device)`."
    )


def test_a_batch_of_a_loader_with_workers(explained: dict[str, Any]) -> None:
    error = explained["loader"]
    target = operand(error, "target")
    assert target["how"] == "DataLoader"
    assert target["created"]["text"].startswith("for inputs, labels in DataLoader")
    assert (target["variable"], target["held"]["variable"]) == ("y", "labels")
    assert "`labels = labels.to(device)` before loader.py:12" in error["advice"]


def test_a_tensor_that_was_brought_back(explained: dict[str, Any]) -> None:
    advice = explained["brought_back"]["advice"]
    assert "It was moved to the CPU by `.cpu` at brought_back.py:4" in advice


def test_constructors_that_torch_hides(explained: dict[str, Any]) -> None:
    x = operand(explained["from_numpy"], "self")
    assert (x["how"], x["created"]["line"]) == ("torch.from_numpy", 3)


def test_a_gradient_was_made_by_the_backward_pass(explained: dict[str, Any]) -> None:
    gradient = operand(explained["gradient"], "self")
    assert (gradient["how"], gradient["created"]["line"]) == (".backward", 4)
    assert gradient["variable"] == "w.grad"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("to_numpy", "NumPy reads CPU memory, but `x` is on the device"),
        ("lengths", "pass `lengths.cpu()`"),
        ("generator", "A generator works on one device only"),
        ("assigned", "A gradient must be on the device of its tensor"),
        ("recurrent", "`hidden = hidden.to(x.device)` before recurrent.py:5"),
    ],
)
def test_errors_of_torchs_own(explained: dict[str, Any], name: str, advice: str) -> None:
    assert explained[name]["placement"] is True
    assert advice in explained[name]["advice"]


def test_a_tensor_in_a_tuple(explained: dict[str, Any]) -> None:
    assert operand(explained["states"], "hidden")["variable"] == "states[0]"
    assert explained["states"]["advice"].endswith(
        "Create it there: `torch.zeros(…, device=x.device)` at states.py:4."
    )


def test_native_errors_name_their_operands(explained: dict[str, Any]) -> None:
    error = explained["lengths"]
    assert error["op"] == "_pack_padded_sequence"
    lengths = operand(error, "lengths")
    assert (lengths["variable"], lengths["how"]) == ("lengths", "torch.tensor")


def test_an_error_of_another_kind_is_not_explained(explained: dict[str, Any]) -> None:
    assert explained["of_another_kind"] is None


def test_an_error_behind_another(explained: dict[str, Any]) -> None:
    error = explained["behind_another"]
    assert (error["type"], error["at"]["line"]) == ("RuntimeError", 5)


def test_an_uncaught_error_of_another_kind(tmp_path: Path) -> None:
    ran = run(tmp_path, "import torch\ntorch.zeros(3) @ torch.zeros(4)\n")
    assert ran.error["placement"] is False
    assert ran.error["at"]["line"] == 2
    assert ran.error["operands"] == []


def test_an_error_in_a_thread(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import threading, torch
        def work():
            torch.zeros(3) + torch.ones(3, device="cuda")
        worker = threading.Thread(target=work)
        worker.start()
        worker.join()
        """,
    )
    assert ran.status == 0
    assert ran.record["status"] == "finished"
    assert ran.operand("self")["created"]["function"] == "work"
    assert "devicefix" not in ran.err


def test_a_hook_of_the_programs_own(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import sys, torch
        sys.excepthook = lambda *given: print("own hook")
        torch.zeros(3) + torch.ones(3, device="cuda")
        """,
    )
    assert ran.out == "own hook\n"
    assert ran.record["status"] == "raised"
    assert ran.error["placement"] is True


def test_an_error_that_is_caught_and_shown(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import logging, sys, torch
        try:
            torch.zeros(3) + torch.ones(3, device="cuda")
        except RuntimeError:
            logging.exception("failed")
            sys.exit(1)
        """,
    )
    assert ran.status == 1
    assert ran.record["status"] == "finished"
    assert ran.error["placement"] is True
    assert "devicefix" not in ran.err


def test_a_replica_on_another_thread(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(3, 3)
            def forward(self, x):
                return self.fc(x) + torch.ones(3)
        torch.nn.DataParallel(Net().cuda())(torch.randn(8, 3).cuda())
        """,
        device="sim:cuda:2",
    )
    assert ran.error["at"]["line"] == 8
    assert ran.operand("other")["how"] == "torch.ones"
    assert "device=x.device" in ran.error["advice"]
    assert "devicefix" not in ran.err


def test_without_provenance_the_simulator_still_names_the_operands(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        "import torch\nx = torch.zeros(3)\nx + torch.ones(3, device='cuda')\n",
        provenance=False,
    )
    assert ran.operand("self")["variable"] == "x"
    assert ran.operand("self")["created"] is None
