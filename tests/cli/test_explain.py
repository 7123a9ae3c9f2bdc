"""``devicefix explain FILE:LINE`` with the real inference and rules, on whole programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import jsonschema
import pytest

from devicefix.cli import main

Explain = Callable[..., tuple[int, str, str]]
SCHEMA: Final = json.loads(
    (Path(__file__).resolve().parents[2] / "docs" / "explain.schema.json").read_text("utf-8")
)

PROGRAM: Final[Mapping[str, str]] = MappingProxyType(
    {
        "net.py": """\
import torch
from torch import nn

from data import ramp


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.scale = torch.ones(2)

    def forward(self, x):
        weights = ramp(2)
        return self.fc(x) * weights * self.scale
""",
        "data.py": """\
import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self):
        self.points = torch.randn(64, 4)

    def __getitem__(self, index):
        return self.points[index]

    def __len__(self):
        return 64


def ramp(n):
    return torch.ones(n) / n


def batches():
    return DataLoader(Points(), batch_size=8)
""",
        "train.py": """\
import torch

import data
from net import Net

net = Net()
for batch in data.batches():
    scores = net(batch)
    print(scores.argmax(dim=1).numpy())

print(data.ramp(3).numpy())
""",
    }
)


@pytest.fixture
def explain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Explain:
    """Writes the files of a program into a repository, and asks there."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    def run(files: Mapping[str, str], *arguments: str) -> tuple[int, str, str]:
        for name, text in files.items():
            path = Path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        status = main(["explain", *arguments])
        captured = capfdbinary.readouterr()
        return status, captured.out.decode(), captured.err.decode()

    return run


@pytest.fixture
def values(explain: Explain) -> Callable[..., dict[str, Any]]:
    """The beliefs about a line by their text, from the JSON."""

    def run(files: Mapping[str, str], place: str) -> dict[str, Any]:
        status, out, err = explain(files, place, "--output-format", "json")
        assert (status, err) == (0, "")
        content = json.loads(out)
        jsonschema.Draft202012Validator(SCHEMA).validate(content)
        return {value["text"]: value for value in content["values"]}

    return run


def way(value: Mapping[str, Any], number: int = 0) -> list[tuple[str, int, str]]:
    return [(spot["path"], spot["line"], spot["what"]) for spot in value["ways"][number]]


def test_a_value_is_followed_across_the_files(explain: Explain) -> None:
    status, out, err = explain(PROGRAM, "net.py:14")
    assert (status, err) == (0, "")
    assert out.startswith(
        """\
net.py:14 weights = ramp(2)

weights, ramp(2)  tensor, float32
  where   on the CPU now, on the device after the fix
  from    data.py:17  created here, on the CPU; returned by `ramp`: return torch.ones(n) / n
          net.py:14   assigned to `weights`
  used    net.py:15   with `self.fc(x)`, on the device: return self.fc(x) * weights * self.scale
  fix     data.py:17  DFX107 `torch.ones` creates a CPU tensor, but the callers use it on the device
"""
    )
    assert "One group, applied as a whole or not at all:\n  data.py:17:12 DFX107" in out
    assert "\n  train.py:6:7 DFX101 `Net` is used but never moved" in out


def test_a_batch_is_followed_from_the_loader_into_the_module(values: Any) -> None:
    x = values(PROGRAM, "net.py:15:24")["x"]
    assert (x["kind"], x["dtype"]) == ("tensor", "float32")
    assert way(x) == [
        ("data.py", 21, "batches come from here"),
        ("data.py", 21, "returned by `batches`"),
        ("train.py", 7, "`batch` of each iteration"),
        ("train.py", 8, "passed as `x` to `forward`"),
    ]


def test_a_column_asks_for_one_expression(values: Any) -> None:
    assert list(values(PROGRAM, "net.py:15:24")) == ["x"]
    assert list(values(PROGRAM, "net.py:15:29")) == ["weights"]


def test_contexts_that_differ_are_told_with_their_callers(explain: Explain) -> None:
    status, out, _ = explain(PROGRAM, "data.py:17", "--output-format", "json")
    assert status == 0
    moved, stays = json.loads(out)["values"]
    assert (moved["after"], stays["after"]) == ("device", "CPU")
    assert [(c["path"], c["line"]) for c in moved["callers"]] == [("net.py", 14)]
    assert [(c["path"], c["line"]) for c in stays["callers"]] == [("train.py", 11)]
    assert stays["uses"][0]["what"] == "read here"


def test_one_place_in_two_programs_is_one_decision(explain: Explain) -> None:
    script = """\
from torch import nn
from core import run
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(1, 1)
    def forward(self, x):
        return self.f(x)
"""
    core = """\
import torch
def run(make, rows):
    net = make()
    x = torch.as_tensor(rows)
    print(net(x).tolist())
"""
    files = {
        "core.py": core,
        "a.py": f"{script}run(Net, [[1.0]])\n",
        "b.py": f"{script}def f(rows):\n    run(Net, rows)\n",
    }
    _, out, _ = explain(files, "core.py:4", "--output-format", "json")
    moved = [v for v in json.loads(out)["values"] if v["today"] != v["after"]]
    assert len(moved) == 2
    assert all("DFX103" in [f["code"] for f in v["findings"]] for v in moved)


MOVED = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.scale = nn.Parameter(torch.ones(3))
    def forward(self, x):
        return self.layer(x * self.scale)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
at_once = nn.Linear(3, 2).to(device)
later = nn.Linear(3, 2)
later.to(device)
there = torch.ones(4, 3, device=device)
net = Net().to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
print(at_once(there), later(there), net(there), net.layer, net.scale)
optimizer.step()
"""


def test_a_module_is_created_in_one_place_and_moved_in_another(explain: Explain) -> None:
    def told(line: int) -> str:
        status, out, _ = explain({"a.py": MOVED}, f"a.py:{line}")
        assert status == 0
        return out

    assert "a.py:13  created here; moved here, to the device; assigned to `at_once`" in told(13)
    assert (
        "  from    a.py:14  created here; assigned to `later`\n"
        "          a.py:15  moved here, to the device: later.to(device)\n"
    ) in told(14)
    assert "a.py:16  created here, on the device; assigned to `there`" in told(16)
    assert "a.py:17  created here; moved here, to the device; assigned to `net`" in told(20)
    uses = told(19)
    assert (
        "a.py:7   created here; assigned to `self.layer`: self.layer = nn.Linear(3, 2)\n"
        "          a.py:17  moved here, to the device: net = Net().to(device)\n"
    ) in uses
    assert "a.py:8   created here, on the CPU; assigned to `self.scale`" in uses


def test_an_attribute_is_followed_to_where_it_is_stored(values: Any) -> None:
    scale = values(PROGRAM, "net.py:15")["self.scale"]
    assert scale["kind"] == "tensor attribute of a module"
    assert way(scale) == [
        ("net.py", 11, "created here"),
        ("net.py", 11, "assigned to `self.scale`"),
    ]
    assert "DFX106" in [finding["code"] for finding in scale["findings"]]


def test_what_the_host_reads_is_moved_back(values: Any) -> None:
    scores = values(PROGRAM, "train.py:9")["scores.argmax(dim=1)"]
    assert (scores["today"], scores["after"]) == ("CPU", "device")
    assert [(m["line"], m["place"]) for m in scores["moves"]] == [(9, "CPU")]
    array = values(PROGRAM, "train.py:9")["scores.argmax(dim=1).numpy()"]
    assert (array["kind"], array["today"], array["after"]) == ("NumPy array", "CPU", "CPU")


def test_workers_keep_their_tensors_on_the_host(values: Any) -> None:
    points = values(PROGRAM, "data.py:10")["self.points"]
    assert (points["today"], points["after"], points["uses"]) == ("CPU", "CPU", [])
    assert "this runs on the CPU" in points["notes"][0]


def test_kinds_and_devices(values: Any) -> None:
    program = {
        "a.py": """\
import numpy as np
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 1).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.from_numpy(np.zeros((3, 2), dtype="float32")).to(device)
loss = net(x).mean()
parts = [x, net.weight]
"""
    }
    assert values(program, "a.py:4")["device"]["kind"] == "device"
    assert values(program, "a.py:5")["net"]["kind"] == "module nn.Linear"
    assert values(program, "a.py:6")["optimizer"]["kind"] == "optimizer"
    x = values(program, "a.py:7")["x"]
    assert (x["kind"], x["dtype"], x["today"]) == ("tensor", "float32", "device")
    assert [s["what"] for s in x["ways"][0]][:2] == ["created here", "moved here"]
    assert [s["place"] for s in x["ways"][0]][:2] == ["CPU", "device"]
    assert values(program, "a.py:8")["loss"]["kind"] == "0-dim tensor"
    parts = values(program, "a.py:9")
    assert parts["parts"]["kind"] == "list of tensors"
    assert parts["net.weight"]["kind"] == "parameter or buffer"


def test_what_a_module_computes_is_where_the_module_is(values: Any) -> None:
    program = {
        "a.py": """\
import torch
net = torch.nn.Linear(2, 1).to("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(1, 2)
scores = net(x)
"""
    }
    found = values(program, "a.py:4")
    assert (found["x"]["today"], found["x"]["after"]) == ("CPU", "device")
    assert (found["scores"]["today"], found["scores"]["after"]) == ("device", "device")


def test_a_list_that_holds_itself(explain: Explain) -> None:
    text = "import torch\ntree = []\nfor _ in range(3):\n    tree.append(tree)\nprint(tree)\n"
    status, out, _ = explain({"a.py": text}, "a.py:5")
    assert (status, "no tensor, module, array, loader or device on this line" in out) == (0, True)


def test_code_that_was_not_seen_is_named(explain: Explain) -> None:
    program = {
        "a.py": """\
import torch
from mylab import report
net = torch.nn.Linear(2, 1)
scores = net(torch.zeros(1, 2))
report(scores)
"""
    }
    _, out, _ = explain(program, "a.py:5")
    assert "it is used in code that was not analysed (a.py:5: mylab.report was not" in out
    assert "One group, applied as a whole or not at all, not fixed:" in out
    assert "the fix is unsafe (--unsafe-fixes applies it)" in out
    assert "unknown: mylab.report was not analysed" in out


def test_a_conflict_names_its_place(values: Any) -> None:
    program = {
        "a.py": """\
import torch
net = torch.nn.Linear(3, 1).to("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(1, 3)
x.numpy()[0] = 1
print(net(*[x]))
"""
    }
    x = values(program, "a.py:5")["x"]
    assert (x["today"], x["after"], x["findings"]) == ("CPU", "CPU", [])
    (note,) = x["notes"]
    assert note.startswith("no consistent placement was found: a.py:")


def test_what_is_changed_in_place_keeps_its_origin(values: Any) -> None:
    program = {"a.py": "import torch\nx = torch.zeros(3)\ny = torch.ones(3)\nx += y\nprint(x)\n"}
    assert way(values(program, "a.py:5")["x"]) == [
        ("a.py", 2, "created here"),
        ("a.py", 2, "assigned to `x`"),
        ("a.py", 4, "changed here"),
    ]


def test_without_a_model_nothing_asks_for_the_device(explain: Explain) -> None:
    _, out, _ = explain({"a.py": "import torch\nx = torch.zeros(3)\nprint(x + 1)\n"}, "a.py:3")
    assert "it is combined with nothing on the device, so it stays where it is" in out


def test_what_is_moved_at_once_is_where_it_comes_from_until_then(values: Any) -> None:
    program = (
        'import torch\ndevice = torch.device("cuda")\nmodel = torch.nn.Linear(3, 1).to(device)\n'
        "t = torch.rand(4, 3)\nfor x in {}:\n    x = x.to(device)\n    print(model(x), t.numpy())\n"
    )
    for pair, places in (("[t.to(device), t]", "CPU or device"), ("[t.to(device)]", "device")):
        x = values({"a.py": program.format(pair)}, "a.py:5")["x"]
        assert (x["today"], x["after"]) == (places, places)


def test_parameters_that_nobody_passes(values: Any) -> None:
    program = {"a.py": "import torch\ndef f(a, b):\n    return b.t(), a\n"}
    found = values(program, "a.py:3")
    assert "no call to `f` was found: `b` is assumed to be on the device" in found["b"]["notes"][0]
    assert "its uses do not show what `a` is" in found["a"]["notes"][0]
    assert (found["b"]["basis"], found["a"]["basis"]) == ("assumed", "unknown")


def test_a_fix_is_as_sure_as_check_says(explain: Explain) -> None:
    text = (
        "import torch\n\n\n"
        "class Scaled(torch.nn.Module):\n"
        "    def __init__(self, layer, name):\n"
        "        super().__init__()\n"
        "        self.layer, self.name = layer, name\n\n"
        "    def forward(self, x):\n"
        "        scale = getattr(self.layer, self.name + '_raw')\n"
        "        if scale.is_cuda:\n"
        "            x = x.cuda()\n"
        "        return self.layer.forward(x * scale)\n\n\n"
        'net = Scaled(torch.nn.Linear(3, 4), "weight")\n'
        "out = net(torch.randn(2, 3))\n"
    )
    _, out, _ = explain({"net.py": text}, "net.py:11")
    assert "net.py:11:12 DFX204 the condition only decides whether to move to CUDA [unsafe]" in out
    assert "net.py:12: `scale.is_cuda` controlled this" in out


def test_tests_and_skipped_files_say_so(explain: Explain) -> None:
    text = "import torch\nnet = torch.nn.Linear(2, 1)\nprint(net(torch.zeros(1, 2)))\n"
    assert "this is a test" in explain({"test_a.py": text}, "test_a.py:3")[1]
    _, out, _ = explain({"b.py": f"{text}# devicefix: skip-file\n"}, "b.py:3")
    assert "skip-file`: nothing in this file is changed" in out


def test_the_paths_can_be_named(explain: Explain) -> None:
    _, out, _ = explain(PROGRAM, "data.py:17", "data.py", "--output-format", "json")
    alone = json.loads(out)
    assert alone["files"] == 1
    assert [value["after"] for value in alone["values"]][:1] == ["CPU"]


def test_a_project_is_looked_at_from_its_top(explain: Explain) -> None:
    files = {f"src/{name}" if name != "train.py" else name: t for name, t in PROGRAM.items()}
    _, out, _ = explain(files, "src/data.py:17", "--output-format", "json")
    assert json.loads(out)["files"] == 3


@pytest.mark.parametrize(
    ("place", "status", "said"),
    [
        ("gone.py:3", 2, "gone.py: no such file or directory"),
        ("a.py:9", 2, "a.py has no line 9: it has 3"),
        ("a.py:0", 2, "a.py has no line 0"),
        ("a.py:1:80", 2, "a.py:1 has no column 80: it has 12"),
        ("broken.py:1", 2, "broken.py:1: error: "),
        ("a.py", 2, "which line? devicefix explain a.py:LINE"),
        ("a.py:2", 0, "this line is empty"),
        ("a.py:3", 0, "no tensor, module, array, loader or device on this line"),
        ("plain.py:1", 0, "mentions torch"),
        ("DFX999", 2, "unknown rule 'DFX999'"),
    ],
)
def test_where_there_is_nothing_to_explain(
    explain: Explain, place: str, status: int, said: str
) -> None:
    files = {
        "a.py": "import torch\n\nn = 3\n",
        "broken.py": "import torch (\n",
        "plain.py": "n = 3\n",
    }
    found, out, err = explain(files, place)
    assert found == status
    assert said in (err if status else out)


def test_a_line_that_is_never_reached(explain: Explain) -> None:
    text = "import torch\nraise SystemExit\nx = torch.zeros(3)\n"
    assert "is never reached" in explain({"a.py": text}, "a.py:3")[1]


def test_the_paths_of_a_rule_make_no_sense(explain: Explain) -> None:
    assert explain({}, "DFX101", "src")[0] == 2


def test_a_rule_as_json(explain: Explain) -> None:
    status, out, _ = explain({}, "DFX101", "--output-format", "json")
    assert status == 0
    assert [rule["code"] for rule in json.loads(out)["rules"]] == ["DFX101"]


def test_names_and_lines_cannot_steer_a_terminal(explain: Explain) -> None:
    name = "\x1b]0;title\x07.py"
    files = {name: "import torch\nx = torch.ones(2)  # \x1b[2J\u202e\n"}
    status, out, _ = explain(files, f"{name}:2")
    assert status == 0
    assert out.startswith(r"\x1b]0;title\x07.py:2 x = torch.ones(2)  # \x1b[2J\u202e")
    assert "\x1b" not in out
