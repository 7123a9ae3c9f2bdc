"""What the record says of a program that ended well: arithmetic, transfers, modules, tensors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.observe.programs import Ran, run

pytestmark = pytest.mark.slow

PROGRAM = """
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

class Numbers(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.ones(64, 64) @ torch.ones(64, 4), i % 2

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
    def forward(self, x):
        return self.fc(x) + 1

net, head = Net().to("cuda"), nn.Linear(2, 2)
for workers in (0, 1):
    for x, y in DataLoader(Numbers(), batch_size=4, num_workers=workers):
        x = x.to("cuda")
        out = net(x)
        loss = head(out.cpu()).sum()
        loss.backward()
        print(loss.item())
sample = Numbers()[0]
big = torch.zeros(1000, device="cuda")
total = big.sum().tolist()
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    ended = run(tmp_path_factory.mktemp("recording"), PROGRAM)
    assert ended.err == ""
    return ended


def at(entries: Iterable[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    return [entry for entry in entries if entry["at"] and entry["at"]["text"] == text]


def test_arithmetic_by_line(ran: Ran) -> None:
    (forward,) = at(ran.record["lines"], "return self.fc(x) + 1")
    steps, rows = 4, 4 * 64
    assert forward["work"] == {"cuda:0": steps * (2 * rows * 4 * 2 + rows * 2)}
    (head,) = at(ran.record["lines"], "loss = head(out.cpu()).sum()")
    assert head["work"] == {"cpu": steps * (2 * rows * 2 * 2 + 1)}


def test_backward_passes_count_where_the_program_waits(ran: Ran) -> None:
    (backward,) = at(ran.record["lines"], "loss.backward()")
    steps, rows = 4, 4 * 64
    assert backward["work"]["cuda:0"] >= steps * 2 * rows * 4 * 2
    assert backward["work"]["cpu"] >= steps * 2 * (2 * rows * 2 * 2)


def test_the_loaders_work_is_not_counted(ran: Ran) -> None:
    assert at(ran.record["lines"], "return torch.ones(64, 64) @ torch.ones(64, 4), i % 2") == []


def test_the_total_is_the_sum_of_the_lines(ran: Ran) -> None:
    for device in ("cpu", "cuda:0"):
        lines = sum(line["work"].get(device, 0) for line in ran.record["lines"])
        assert ran.record["work"][device] == lines


def test_modules(ran: Ran) -> None:
    by_name = {(one["root"], one["name"]): one for one in ran.record["modules"]}
    fc = by_name["Net", "fc"]
    assert (fc["type"], fc["device"], fc["parameters"], fc["bytes"]) == ("Linear", "cuda:0", 10, 40)
    assert fc["work"] == {"cuda:0": 4 * 2 * 256 * 4 * 2}
    assert by_name["Net", "Net"]["work"] == {"cuda:0": 4 * 256 * 2}
    assert by_name["Linear", "Linear"]["device"] == "cpu"
    assert list(by_name["Linear", "Linear"]["work"]) == ["cpu"]


def test_transfers(ran: Ran) -> None:
    (moved,) = at(ran.record["transfers"], 'x = x.to("cuda")')
    assert (moved["source"], moved["target"], moved["how"]) == ("cpu", "cuda:0", ".to")
    assert (moved["count"], moved["bytes"]) == (4, 4 * 256 * 4 * 4)
    (module,) = at(ran.record["transfers"], 'net, head = Net().to("cuda"), nn.Linear(2, 2)')
    assert (module["how"], module["count"], module["bytes"]) == ("torch.nn.Module.to", 2, 40)
    (back,) = at(ran.record["transfers"], "loss = head(out.cpu()).sum()")
    assert (back["source"], back["target"], back["how"]) == ("cuda:0", "cpu", ".cpu")


def test_readings_are_transfers(ran: Ran) -> None:
    (total,) = at(ran.record["transfers"], "total = big.sum().tolist()")
    assert (total["source"], total["target"], total["count"]) == ("cuda:0", "cpu", 1)
    assert at(ran.record["transfers"], "print(loss.item())") == []


def test_the_largest_tensors(ran: Ran) -> None:
    sizes = [tensor["bytes"] for tensor in ran.record["tensors"]]
    assert sizes == sorted(sizes, reverse=True)
    (big,) = [tensor for tensor in ran.record["tensors"] if tensor["shape"] == [1000]]
    assert (big["bytes"], big["device"], big["dtype"]) == (4000, "cuda:0", "float32")
    assert big["created"]["text"] == 'big = torch.zeros(1000, device="cuda")'


def test_inference_mode_counts_the_same(tmp_path: Path) -> None:
    ended = run(
        tmp_path,
        """
        import torch
        head = torch.nn.Linear(2, 3)
        with torch.inference_mode():
            head(torch.ones(5, 2))
        """,
    )
    assert ended.record["work"] == {"cpu": 2 * 5 * 2 * 3}


WHOLE = """
import torch
from torch import nn

torch.manual_seed(0)
layer, head = nn.LSTM(6, 5, 2).to(DEVICE), nn.Linear(5, 1).to(DEVICE)
states, _ = layer(torch.randn(7, 3, 6, device=DEVICE))
head(states).sum().backward()
query = torch.randn(2, 1, 4, 8, device=DEVICE)
nn.functional.scaled_dot_product_attention(query, query, query)
"""


def test_what_runs_as_a_whole_is_the_device_s_work_and_as_much_as_on_the_host(
    tmp_path: Path,
) -> None:
    work = {}
    for device in ("cpu", "cuda"):
        folder = tmp_path / device
        folder.mkdir()
        program = WHOLE.replace("DEVICE", repr(device))
        work[device] = run(folder, program).record["work"]
    (on_the_host,) = work["cpu"].items()
    (on_the_device,) = work["cuda"].items()
    assert (on_the_host[0], on_the_device[0]) == ("cpu", "cuda:0")
    assert on_the_device[1] == pytest.approx(on_the_host[1], rel=0.02)


NESTED = """
import torch
from torch import nn

rows = [torch.ones(2, 4), torch.ones(3, 4)]
nested = torch.nested.nested_tensor(rows, device="cuda")
made = nn.Linear(4, 3).to("cuda")(nested)
print(torch.nested.to_padded_tensor(made, 0.0).shape)
print(torch.bmm(nested, torch.nested.nested_tensor([r.t() for r in rows], device="cuda")).is_nested)
"""


def test_what_cannot_be_counted_does_not_end_the_program(tmp_path: Path) -> None:
    ended = run(tmp_path, NESTED)
    assert (ended.status, ended.out) == (0, "torch.Size([2, 3, 3])\nTrue\n")
    assert any("aten::bmm" in note for note in ended.record["notes"])


def test_sparse_tensors_do_no_harm(tmp_path: Path) -> None:
    program = "import torch\nprint(torch.eye(3).to_sparse().to('cuda').to_dense().sum().item())\n"
    ended = run(tmp_path, program)
    assert (ended.status, ended.out) == (0, "3.0\n"), ended.err


def test_modules_of_one_class_are_told_apart(tmp_path: Path) -> None:
    """One that stays behind does not go under in another that was moved."""
    ran = run(
        tmp_path,
        """
        import copy, torch
        from torch import nn

        net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        average = copy.deepcopy(net)
        net.cuda()
        x = torch.ones(2, 4)
        for step in range(2):
            net(x.cuda())
            average(x)
            nn.Linear(4, 1)(x)
        """,
    )
    assert (ran.status, ran.err) == (0, "")
    computing = {one["name"]: one for one in ran.record["modules"] if one["parameters"]}
    assert {name: list(one["work"]) for name, one in computing.items()} == {
        "0": ["cuda:0"],
        "0 of Sequential 2": ["cpu"],
        "Linear": ["cpu"],
    }


def test_modules_in_plain_lists_have_their_parameters(tmp_path: Path) -> None:
    """They stay where they were made when their module moves: a verification has to see that."""
    ran = run(
        tmp_path,
        """
        import torch
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 4)
                self.layers = [nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.ReLU())]
                self.heads = {"a": nn.Linear(4, 1)}

            def forward(self, x):
                x = self.first(x).cpu()
                for layer in (*self.layers, *self.heads.values(), LAST):
                    x = layer(x)
                return x

        LAST = nn.Linear(1, 1)
        net = Net().cuda()
        for step in range(2):
            net(torch.ones(2, 4, device="cuda"))
        """,
    )
    assert (ran.status, ran.err) == (0, "")
    of_net = {one["name"]: one for one in ran.record["modules"] if one["root"] == "Net"}
    computing = {name: one for name, one in of_net.items() if one["parameters"] and one["work"]}
    assert {name: list(one["work"]) for name, one in computing.items()} == {
        "first": ["cuda:0"],
        "layers[0]": ["cpu"],
        "layers[1].0": ["cpu"],
        "heads['a']": ["cpu"],
        "Linear": ["cpu"],
    }
    assert of_net["layers[0]"]["parameters"] == 20
