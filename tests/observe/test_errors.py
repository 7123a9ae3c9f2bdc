"""What the record says of an error: which operand, made where, moved where, what to change."""

from __future__ import annotations

from pathlib import Path

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
        "`x` (made by torch.randn at train.py:15) is on the CPU; the weight of fc1 is on cuda:0. "
        "Create it there: `torch.randn(…, device=device)` at train.py:15, or "
        "`x = x.to(device)` before train.py:16."
    )


def test_the_traceback_is_the_programs_own(tmp_path: Path) -> None:
    ran = run(tmp_path, NET + 'net = Net().to("cuda")\nprint(net(torch.randn(2, 4)))\n')
    assert ran.err.startswith("Traceback (most recent call last):\n")
    assert "devicefix" not in ran.err
    assert "_ops.py" not in ran.err
    assert ran.err.count("train.py") == 2
    files = {Path(place["file"]).name for place in ran.error["traceback"]}
    assert files == {"train.py", "module.py", "linear.py"}


def test_a_plain_attribute_that_stayed_behind(tmp_path: Path) -> None:
    ran = run(
        tmp_path, NET + 'net = Net().to("cuda")\nprint(net(torch.randn(2, 4, device="cuda")))\n'
    )
    other = ran.operand("other")
    assert (other["variable"], other["module"], other["registered"]) == ("self.mask", "mask", False)
    assert 'self.register_buffer("mask", …)' in ran.error["advice"]


def test_a_module_that_was_never_moved(tmp_path: Path) -> None:
    ran = run(tmp_path, NET + 'net = Net()\nx = torch.randn(2, 4, device="cuda")\nprint(net(x))\n')
    assert ran.error["advice"] == (
        "The weight of fc1 is on the CPU; `x` (made by torch.randn at train.py:15) is on cuda:0. "
        "Move the whole module there once, after it is made at train.py:8 and before the "
        "optimizer: `net.to(device)`."
    )


def test_a_batch_of_a_loader_with_workers(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import torch
        from torch import nn
        from torch.utils.data import DataLoader, TensorDataset

        def loss(model, x, y):
            return nn.functional.cross_entropy(model(x.cuda()), y)

        model = nn.Linear(4, 2).cuda()
        data = TensorDataset(torch.randn(8, 4), torch.zeros(8).long())
        for inputs, labels in DataLoader(data, batch_size=4, num_workers=2):
            loss(model, inputs, labels).backward()
        """,
    )
    target = ran.operand("target")
    assert target["how"] == "DataLoader"
    assert target["created"]["text"].startswith("for inputs, labels in DataLoader")
    assert (target["variable"], target["held"]["variable"]) == ("y", "labels")
    assert "`labels = labels.to(device)` before train.py:12" in ran.error["advice"]


def test_a_tensor_that_was_brought_back(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import torch
        a = torch.zeros(5, device="cuda")
        b = (a * 2).cpu()
        print(torch.stack([a, b]))
        """,
    )
    assert "It was brought to the CPU by `.cpu` at train.py:4" in ran.error["advice"]


@pytest.mark.parametrize(
    ("statement", "advice"),
    [
        ("np.sum(x.numpy())", "numpy reads host memory and `x` is on the accelerator"),
        ("nn.utils.rnn.pack_padded_sequence(x[:, None], x.long())", "pass `lengths.cpu()`"),
        ("torch.randn(3, device='cuda', generator=torch.Generator())", "belongs to one device"),
        ("torch.zeros(3, requires_grad=True).grad = x", "A gradient lives where its tensor lives"),
    ],
)
def test_errors_of_torchs_own(tmp_path: Path, statement: str, advice: str) -> None:
    start = "import numpy as np, torch\nfrom torch import nn\nx = torch.ones(3).cuda()\n"
    ran = run(tmp_path, start + statement)
    assert ran.error["placement"] is True
    assert advice in ran.error["advice"]


def test_native_errors_name_their_operands(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import torch
        x, lengths = torch.zeros(3, 2, 1).cuda(), torch.tensor([3, 2]).cuda()
        torch.nn.utils.rnn.pack_padded_sequence(x, lengths)
        """,
    )
    assert ran.error["op"] == "_pack_padded_sequence"
    assert ran.operand("lengths")["variable"] == "lengths"
    assert ran.operand("lengths")["how"] == "torch.tensor"


def test_an_error_of_another_kind(tmp_path: Path) -> None:
    ran = run(tmp_path, "import torch\ntorch.zeros(3) @ torch.zeros(4)\n")
    assert ran.error["placement"] is False
    assert ran.error["at"]["line"] == 2
    assert ran.error["operands"] == []


def test_an_error_behind_another(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import torch
        x = torch.zeros(2)
        try:
            x + torch.zeros(2, device="cuda")
        except RuntimeError as error:
            raise ValueError("no luck") from error
        """,
    )
    assert ran.error["placement"] is True
    assert ran.error["at"]["line"] == 5
    assert ran.err.endswith("ValueError: no luck\n")


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
