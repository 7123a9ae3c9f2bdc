"""Remaining uses of CUDA are counted after `check` and `apply`, and listed with `--remaining`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.notebooks import code, notebook
from tests.repository import commit_all, needs_git

Answer = Callable[..., Any]
LINE = re.compile(r"^  (\S+?):(\d+):\d+ (.*) \[(.*)\]$", re.MULTILINE)


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def listed(out: str) -> list[tuple[str, int, str]]:
    """File, line and reason of each use."""
    uses = out.partition("Uses of CUDA:")[2]
    return [(path, int(line), why.split(":")[0]) for path, line, _, why in LINE.findall(uses)]


def reasons(answer: Answer, folder: Path, text: str) -> list[str]:
    """Why each use in one file remains, by line."""
    written(folder, {"a.py": text})
    out = answer(folder, "check", "--no-cache", "--remaining", "a.py").out
    return [f"{line} {why}" for _, line, why in listed(out)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("print(torch.cuda.is_available(), torch.version.cuda)", ["2 query only"] * 2),
        ("def f(x):\n    return x.is_cuda", ["3 query only"]),
        ("def f(x):\n    return x.device.type == 'cuda'", ["3 query only"]),
        ("def f(x):\n    return isinstance(x, torch.cuda.FloatTensor)", ["3 query only"]),
        ("def f(d):\n    return str(d).startswith('cuda')", ["3 query only"]),
        ("d = 'cuda' if torch.cuda.is_available() else 'cpu'", ["2 query only"] * 2),
        ("tt = torch.cuda if torch.cuda.is_available() else torch", ["2 query only"] * 2),
        ("torch.cuda.manual_seed(0)\ntorch.cuda.empty_cache()", ["2 harmless", "3 harmless"]),
        ("def f(x: torch.cuda.FloatTensor):\n    return x", ["2 harmless"]),
        ("with torch.autocast('cuda', enabled=False):\n    pass", ["2 harmless"]),
        ("torch.backends.cuda.matmul.allow_tf32 = True", ["2 harmless"]),
        (
            "if torch.cuda.is_available():\n    e = torch.cuda.Event()",
            ["2 query only", "3 guarded"],
        ),
        ("if torch.cuda.device_count() > 1:\n    show('cuda:1')", ["2 query only", "3 guarded"]),
        (
            "def f(x):\n    if not torch.cuda.is_available():\n        return x\n    show('cuda')",
            ["3 query only", "5 guarded"],
        ),
        (
            "def f(x):\n    if torch.cuda.is_available():\n        return x.to(0)",
            ["3 query only", "4 guarded"],
        ),
        ("try:\n    import cupy\nexcept ImportError:\n    cupy = None", ["3 guarded"]),
        ("import cupy", ["2 needs CUDA"]),
        ("torch.distributed.init_process_group('nccl')", ["2 needs CUDA"]),
        ("show('cuda')", ["2 not understood"]),
        ("def f(xs, i):\n    show(f'cuda:{i}', 'cuda:%d' % i)", ["3 not understood"] * 2),
        ("def f(xs, device='cuda'):\n    show(device)", ["2 not understood"]),
        ("class C:\n    device: str = 'cuda'", ["3 not understood"]),
        ("tt = torch.cuda", ["2 not understood"]),
        ("from lightning import Trainer\nt = Trainer(accelerator='gpu')", ["3 not understood"]),
        ("model = load(device_map='cuda')", ["2 not understood"]),
    ],
)
def test_why_a_use_remains(answer: Answer, tmp_path: Path, text: str, expected: list[str]) -> None:
    assert reasons(answer, tmp_path, f"import torch\n{text}\n") == expected


@pytest.mark.parametrize(
    "text",
    [
        '"""cuda"""',
        "places = {'cuda': 1}\nprint(places['cuda'])",
        "print('cuda')",
        "class Car:\n    def cuda(self):\n        return 1\n\n\nprint(Car().cuda())",
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--cuda', dest='cuda')",
        "def f(x):\n    assert x, 'cuda'\n    raise ValueError('cuda')",
        "use_cuda = False\nprint('torch.cuda is missing')",
    ],
)
def test_what_is_no_use(answer: Answer, tmp_path: Path, text: str) -> None:
    assert reasons(answer, tmp_path, f"import torch\n{text}\n") == []
    assert "0 uses of CUDA remain.\n" in answer(tmp_path, "check", "--remaining", "a.py").out
    assert "CUDA remain" not in answer(tmp_path, "check", "a.py").out


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    if x.device != torch.device('cuda'):\n        show(x, 'cuda')",
        "def f(x, ok):\n    if ok:\n        show(x, 'cuda')",
        "if not torch.cuda.is_available():\n    show('cuda')",
        "if torch.cuda.device_count() == 0:\n    show('cuda')",
    ],
)
def test_another_condition_is_no_guard(answer: Answer, tmp_path: Path, text: str) -> None:
    assert reasons(answer, tmp_path, f"import torch\n{text}\n")[-1].endswith(" not understood")


COUNTED = (
    "3 uses of CUDA remain in 1 file, 2 of them written by the fixes: "
    "2 work without CUDA (2 query only), 1 not understood"
)
NAILED = "import torch\n\nprint(torch.ones(2).cuda())\nshow('cuda')\n"


def test_lines_are_those_of_the_file_as_it_is(answer: Answer, tmp_path: Path) -> None:
    written(tmp_path, {"a.py": NAILED})
    checked = answer(tmp_path, "check", "--remaining", "a.py").out
    assert listed(checked) == [("a.py", 4, "not understood")]  # apply fixes the other one
    dry = answer(tmp_path, "apply", "--dry-run", "--remaining", "a.py")
    assert COUNTED.replace("remain", "would remain") in dry.err
    assert ("a.py", 4, "not understood") in listed(dry.err)
    assert "CUDA" not in dry.out  # a patch
    done = answer(tmp_path, "apply", "--remaining", "a.py").out
    lines = (tmp_path / "a.py").read_text().split("\n")
    assert [(line, why) for _, line, why in listed(done)] == [
        (lines.index(next(x for x in lines if "is_available" in x)) + 1, "query only"),
        (lines.index(next(x for x in lines if "is_available" in x)) + 1, "query only"),
        (lines.index("show('cuda')") + 1, "not understood"),
    ]
    assert listed(answer(tmp_path, "check", "--remaining", "a.py").out) == listed(done)


def test_nothing_left_is_said_where_nothing_is(answer: Answer, tmp_path: Path) -> None:
    written(tmp_path, {"a.py": NAILED})
    out = answer(tmp_path, "apply", "a.py").out
    assert re.search(r"Fixed 1 finding in 1 file \(1 checked\)\. `devicefix undo`", out)
    assert f"\n{COUNTED}; `devicefix check --remaining` lists them\n" in out
    text = "def f(x, y):\n    if x.is_cuda:\n        y = y.cuda()\n    return x + y\n"
    text = f"import torch\n\n\n{text}"
    written(tmp_path, {"b.py": text})
    out = answer(tmp_path, "apply", "b.py").out
    assert re.search(r"\(1 checked\); nothing left\. `devicefix undo`", out)
    assert "CUDA remain" not in out


def test_what_remains_after_apply_is_what_check_counts_and_what_the_fixes_write(
    answer: Answer, tmp_path: Path
) -> None:
    guarded = "import torch\n\nx = torch.ones(2)\nif torch.cuda.is_available():\n    x = x.cuda()\n"
    written(tmp_path, {"a.py": NAILED, "b.py": f"{guarded}print(x)\nshow('cuda')\n"})

    def uses(*command: str) -> list[dict[str, Any]]:
        out = answer(tmp_path, *command, "--output-format", "json").out
        return list(json.loads(out)["remaining"]["uses"])

    def texts(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
        return [(use["path"], use["text"]) for use in found]

    def old(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
        return texts([use for use in found if "new" not in use])

    before = uses("check", ".")
    foreseen, after = uses("apply", "--dry-run", "."), uses("apply", ".")
    assert texts(before) == old(before) == old(foreseen) == old(after)
    assert texts(foreseen) == texts(after)
    assert len(texts(before)) < len(after)
    assert texts(uses("check", ".")) == texts(after)  # then they are as old as all others


def test_what_rules_report(answer: Answer, tmp_path: Path) -> None:
    memory = "import torch\n\n\ndef f():\n    return torch.Storage(8).cuda()\n"
    kept = "import torch\n\nx = torch.ones(2).cuda()  # devicefix: ignore[DFX201]\n"
    written(tmp_path, {"a.py": memory, "b.py": kept})
    out = answer(tmp_path, "check", "--remaining", ".").out
    assert "a.py:5:29 torch.Storage(8).cuda() [reported: DFX201: this is a storage" in out
    assert "b.py:3:19 torch.ones(2).cuda() [reported: DFX201: suppressed by a comment]" in out
    out = answer(tmp_path, "check", "--remaining", "--select", "DFX1", "b.py").out
    assert "[reported: DFX201: not selected]" in out


def test_modules_without_torch(answer: Answer, tmp_path: Path) -> None:
    files = {"config.py": "DEVICE = ['cuda:1', 'cpu']\n", "a.py": "import torch\nimport config\n"}
    written(tmp_path, {**files, "apart.py": "x = 'cuda'\n"})
    out = answer(tmp_path, "check", "--remaining", ".").out
    assert listed(out) == [("apart.py", 1, "not understood"), ("config.py", 1, "not understood")]
    assert "no analysed PyTorch program imports this file" in out
    again = answer(tmp_path, "check", "--remaining", ".").out
    assert listed(again) == listed(out)  # the files are known, and not read
    assert "remain" not in answer(tmp_path, "check", "apart.py").out  # nothing is of torch


def test_what_is_not_counted_is_said(answer: Answer, tmp_path: Path) -> None:
    files = {
        "broken.py": "import torch\nx = torch.ones(2).cuda(\n",
        "skipped.py": "# devicefix: skip-file\nimport torch\ntorch.ones(2).cuda()\n",
        "a.py": "import torch\nshow('cuda')\n",
    }
    written(tmp_path, files)
    out = answer(tmp_path, "check", "--remaining", ".").out
    assert "Not counted:\n  broken.py\n  skipped.py\n" in out
    alone = "1 use of CUDA remains in 1 file: 1 not understood"
    assert f"{alone}; 2 files could not be counted" in out
    out = answer(tmp_path, "check", "skipped.py").out
    assert out == "Nothing found in 1 file.\n1 file could not be counted.\n"


def test_programs_get_the_same_with_each_number_of_processes_and_again(
    answer: Answer, tmp_path: Path
) -> None:
    files = {f"p{n}/a.py": f"import torch\nshow('cuda:{n}')\n" for n in range(4)}
    written(tmp_path, {**files, "p1/b.py": "import torch\nprint(torch.ones(1).cuda())\n"})
    arguments = ("check", "--output-format", "json", ".")
    reports = [
        json.loads(answer(tmp_path, *arguments, *more).out)["remaining"]
        for more in ((), (), ("--no-cache", "-j1"), ("--no-cache", "-j2"))
    ]
    assert reports == [reports[0]] * 4
    assert reports[0] == {
        "uses": [
            {
                "path": f"p{n}/a.py",
                "line": 2,
                "column": 6,
                "text": f"show('cuda:{n}')",
                "reason": "not understood",
                "detail": "passed to `show`",
            }
            for n in range(4)
        ],
        "counts": {"not understood": 4},
        "uncounted": [],
    }


@pytest.mark.parametrize("form", ["sarif", "markdown", "html", "github"])
def test_all_formats_name_each_use(answer: Answer, tmp_path: Path, form: str) -> None:
    written(tmp_path, {"a.py": "import torch\nshow('cuda')\n"})
    out = answer(tmp_path, "check", "--output-format", form, "a.py").out
    assert "not understood" in out
    assert "passed to `show`" in out


def test_notebooks(answer: Answer, tmp_path: Path) -> None:
    cells = notebook(code("import torch"), code("x = 1\nshow('cuda')"))
    (tmp_path / "a.ipynb").write_bytes(cells)
    out = answer(tmp_path, "check", "--remaining", "a.ipynb").out
    assert "  a.ipynb:cell 2:2:6 show('cuda') [not understood" in out


@needs_git
def test_changed_lines_are_not_all(answer: Answer, tmp_path: Path) -> None:
    written(tmp_path, {"a.py": "import torch\nshow('cuda')\n"})
    commit_all(tmp_path)
    assert "remain" not in answer(tmp_path, "check", "--since", "HEAD", "a.py").out
    run = answer(tmp_path, "check", "--remaining", "--since", "HEAD", "a.py")
    assert (run.status, "--remaining lists whole files" in run.err) == (2, True)


def test_a_path_that_does_not_exist_is_said_once(answer: Answer, tmp_path: Path) -> None:
    run = answer(tmp_path, "check", "nowhere")
    assert run.out == "No Python files or notebooks were checked; 1 file not processed.\n"
    assert run.err == "nowhere: error: no such file or directory\n"
    (tmp_path / "empty").mkdir()
    run = answer(tmp_path, "apply", "empty")
    assert (run.status, run.out) == (0, "No Python files or notebooks were checked.\n")


BANNED = "import torch\nfrom torch import cuda\n\nx = torch.ones(3).cuda()\ncuda.synchronize()\n"


def test_a_check_that_reads_texts_alone_evaluates_nothing(
    answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, {"a.py": BANNED})
    asked = ("check", "--no-cache", "--jobs", "1", "--select", "DFX214,DFX215", "a.py")
    counted = answer(tmp_path, *asked, "--remaining").out
    assert len(listed(counted)) == 2

    def evaluate(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("devicefix.flow.evaluated.evaluate_program", evaluate)
    run = answer(tmp_path, *asked)
    assert run.status == 1
    assert "a.py:5:1 DFX215 `torch.cuda.synchronize` is banned" in run.out
    assert "remain" not in run.out
    assert run.out.splitlines()[:4] == counted.splitlines()[:4]


def test_a_check_that_counts_is_kept_apart_from_one_that_does_not(
    answer: Answer, tmp_path: Path
) -> None:
    written(tmp_path, {"a.py": BANNED})
    asked = ("check", "--select", "DFX215", "a.py")
    answer(tmp_path, *asked)
    assert len(listed(answer(tmp_path, *asked, "--remaining").out)) == 2
