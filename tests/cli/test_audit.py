"""``devicefix audit`` on a small program."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest

from devicefix.audit.targets import OPERATORS
from devicefix.cli import main

PROGRAM = """\
import torch
import apex
from apex import amp
import torch.distributed as dist, torch.utils.cpp_extension
# import cupy, torch.float64, load_inline

x = torch.ones(4, 3, dtype=torch.float64)
dist.init_process_group("nccl")
torch.utils.cpp_extension.load(name="b", sources=["b.cpp", "b.cu"])
"""


def audited(capsys: pytest.CaptureFixture[str], target: str) -> dict[str, Any]:
    assert main(["audit", ".", "--target", target, "--output-format", "json"]) == 0
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    return content


def test_items_by_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(PROGRAM)
    Path("kernel.cu").touch()
    Path("cpp.py").write_text(
        "from torch.utils.cpp_extension import load\nload(name='a', sources=['a.cpp'])\n"
    )
    Path("fixed.py").write_text('import torch\nx = torch.ones(2).to("cuda")\nprint(x)\n')
    mps = audited(capsys, "mps")
    assert {(i["category"], i["path"], i["line"]) for i in mps["items"]} == {
        ("automatic", "fixed.py", 2),
        ("custom CUDA kernel", "kernel.cu", 1),
        ("third-party CUDA package", "train.py", 2),
        ("unsupported dtype or operator", "train.py", 7),
        ("distributed backend", "train.py", 8),
        ("custom CUDA kernel", "train.py", 9),
    }
    assert mps["automatic_share"] == pytest.approx(1 / 6)
    assert mps["effort"]["hours"] == pytest.approx(37.02)
    assert [file["path"] for file in mps["files"]] == ["train.py", "kernel.cu", "fixed.py"]
    assert main(["audit", "--target", "mps", "--exclude", "kernel.cu", "--exclude", "t*.py"]) == 0
    said = capsys.readouterr().out
    assert "fixed.py" in said
    assert "kernel.cu" not in said
    assert "train.py" not in said
    Path(".gitignore").write_text("*.cu\n")
    Path(".git").mkdir()
    assert "kernel.cu" not in {item["path"] for item in audited(capsys, "mps")["items"]}
    Path(".gitignore").unlink()
    assert [i["what"] for i in audited(capsys, "rocm")["items"]] == [
        "kernel.cu",
        "torch.utils.cpp_extension.load",
    ]


def test_a_place_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(
        """\
import torch
import torch.distributed as dist
import triton
import triton.language as tl

torch.cuda.set_device(0)
dist.init_process_group(
    backend="nccl",
)
"""
    )
    found = [(i["category"], i["line"]) for i in audited(capsys, "npu")["items"]]
    assert found == [
        ("third-party CUDA package", 3),
        ("needs a decision", 6),
        ("distributed backend", 7),
    ]


def test_the_page_names_every_place_and_escapes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(PROGRAM)
    Path("a<b>.cu").touch()
    assert main(["audit", ".", "--target", "xpu", "--output-format", "html"]) == 0
    page = capsys.readouterr().out
    assert "<h1>Readiness for xpu: 0% automatic</h1>" in page
    assert "<td>train.py:8</td><td>nccl</td>" in page
    assert "<td>a&lt;b&gt;.cu:1</td>" in page
    assert "<script" not in page


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_a_little_work_is_not_shown_as_none(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text('import torch\nprint(torch.ones(3, device="cuda"))\n')
    assert main(["audit", ".", "--target", "mps", "--output-format", form]) == 0
    page = html.unescape(capsys.readouterr().out)
    assert "< 0.1" in page
    assert "0.0" not in page.replace("0.02", "")


def test_operators_that_mps_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(
        "import torch\nfrom torch import nn\n\nx = torch.rand(3, 3)\n"
        "print(torch.linalg.eig(x), torch.linalg.eigh(x))\nprint(nn.MultiMarginLoss())\n"
    )
    found = [(i["category"], i["line"], i["what"]) for i in audited(capsys, "mps")["items"]]
    kind = "unsupported dtype or operator"
    assert found == [(kind, 5, "torch.linalg.eig"), (kind, 6, "torch.nn.MultiMarginLoss")]
    assert audited(capsys, "xpu")["items"] == []


def test_the_operators_are_those_of_the_list_of_torch() -> None:
    torch = pytest.importorskip("torch")
    from devicefix.simulator.catalogue import read_catalogue

    if not torch.__version__.startswith("2.13"):
        pytest.skip("the table is that of torch 2.13")
    kernels: dict[str, set[str]] = {}
    for name, entry in read_catalogue().items():
        base, _, overload = name.partition(".")
        if not overload.endswith("out") and not any(k.startswith("Comp") for k in entry.keys):
            kernels.setdefault(base, set()).update(entry.keys)
    lacking = {base for base, keys in kernels.items() if "CUDA" in keys and "MPS" not in keys}
    for name in OPERATORS["mps"]:
        module, _, base = name.rpartition(".")
        prefix = {"torch.linalg": "linalg_", "torch.special": "special_"}.get(module, "")
        assert f"{prefix}{base}" in lacking, name
