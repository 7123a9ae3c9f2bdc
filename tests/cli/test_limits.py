"""Where the analysis gives up, that is said: "nothing found" means that all was understood."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name as resolved
from typing import Any, Final

import pytest

from devicefix.cli import main
from devicefix.engine.projects import plans
from devicefix.engine.reading import scan

CHAIN: Final = "".join(
    ["import torch\ndef f0(x):\n    return x + torch.ones(3)\n"]
    + [f"def f{n}(x):\n    return f{n - 1}(x)\n" for n in range(1, 30)]
    + ["print(f29(torch.zeros(3)))\n"]
)
DEEP: Final = "its calls are nested more than 24 deep"
BUDGET: Final = "its code takes more than 120 evaluations"
LONG: Final = "import torch\nx = torch.ones(3)\n" + "x = x + torch.ones(3)\n" * 1_000
CUDA: Final = (
    "import torch\nmodel = torch.nn.Linear(2, 2).cuda()\nprint(model(torch.ones(3, 2).cuda()))\n"
)
LATE: Final = "it took more than 0.01 s of processor time"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devicefix.flow.analysis.MAX_STEPS", 60)
    monkeypatch.setattr("devicefix.flow.analysis.STEPS_PER_FILE", 0)


def json_of(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("command", ["check", "apply"])
def test_calls_nested_too_deeply_are_said(
    folder: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (folder / "a.py").write_text(CHAIN)
    assert main([command, "."]) == 2
    out, err = capsys.readouterr()
    assert out.endswith("in 1 file; 1 file not fully analysed.\n")
    why = f"not fully analysed: {DEEP}; findings there may be missing"
    assert err == f"a.py: error: {why}\n"


def test_a_program_is_named_with_all_its_files(
    folder: Path, capsys: pytest.CaptureFixture[str], small_budget: None
) -> None:
    for number in range(6):
        (folder / f"m{number}.py").write_text("import torch\n" + "x = torch.ones(3) + 1\n" * 30)
    (folder / "main.py").write_text("import m0, m1, m2, m3, m4, m5\n")
    (folder / "other.py").write_text(CUDA)
    assert main(["check", "."]) == 2
    out, err = capsys.readouterr()
    assert err.startswith("m0.py: error: not fully analysed together with ")
    assert f" and 3 more files: {BUDGET}; " in err
    assert "(8 checked; 7 files not fully analysed), 2 fixable with `devicefix apply`." in out

    assert main(["check", ".", "--output-format", "json"]) == 2
    content = json_of(capsys)
    (error,) = content["errors"]
    assert not content["complete"]
    assert sorted(error["program"]) == [
        "m0.py",
        "m1.py",
        "m2.py",
        "m3.py",
        "m4.py",
        "m5.py",
        "main.py",
    ]

    assert main(["check", ".", "--output-format", "sarif"]) == 2
    (invocation,) = json_of(capsys)["runs"][0]["invocations"]
    (said,) = invocation["toolExecutionNotifications"]
    assert not invocation["executionSuccessful"]
    assert said["descriptor"] == {"id": "analysis-unfinished"}
    assert len(said["locations"]) == 7

    for form in ("github", "markdown", "html"):
        assert main(["check", ".", "--output-format", form]) == 2
        assert "not fully analysed" in capsys.readouterr().out


def test_all_that_is_understood_is_complete(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.py").write_text("import torch\nprint(torch.ones(3))\n")
    assert main(["check", ".", "--output-format", "json"]) == 0
    assert json_of(capsys)["complete"]


def test_what_is_half_understood_is_not_safe(
    folder: Path, capsys: pytest.CaptureFixture[str], small_budget: None
) -> None:
    text = CUDA + "y = 1\n" * 60
    (folder / "a.py").write_text(text)
    assert main(["apply", "."]) == 2
    assert "the program was not fully analysed" in capsys.readouterr().out
    assert (folder / "a.py").read_text() == text


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_program_that_takes_too_long_is_left_and_the_others_go_on(
    folder: Path, capsys: pytest.CaptureFixture[str], jobs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devicefix.engine.processes.WORTH", 1)
    (folder / "a.py").write_text(LONG)
    (folder / "b.py").write_text(CUDA)
    assert main(["check", ".", "--time-limit", "0.01", "-j", jobs, "--ignore", "DFX203"]) == 2
    err = capsys.readouterr().err
    assert f"a.py: error: not fully analysed: {LATE}; " in err
    assert main(["apply", ".", "-j", jobs]) == 0
    assert ".cuda()" not in (folder / "b.py").read_text()


def test_a_program_that_takes_too_long_is_analysed_in_parts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "long.py").write_text(LONG + "x = x + torch.ones(3)\n" * 20_000)
    (folder / "short.py").write_text(CUDA)
    (folder / "main.py").write_text("import long\nimport short\n")
    assert main(["apply", ".", "--time-limit", "1"]) == 2
    assert ".cuda()" not in (folder / "short.py").read_text()
    err = capsys.readouterr().err
    assert "it took more than 1 s of processor time, and was analysed in 2 parts; " in err
    assert "long.py: error: not fully analysed" in err


def test_what_others_import_of_a_part_is_for_them(tmp_path: Path) -> None:
    for name, text in {"a": "", "b": "import a\n", "c": "import a, b\n"}.items():
        (tmp_path / f"{name}.py").write_text(f"import torch\n{text}")
    paths = sorted(tmp_path.glob("*.py"))
    (plan,) = plans(paths, [scan(path) for path in paths], ())
    parts = {tuple(Path(p).stem for p in part.paths): part for part in plan.parts()}
    assert sorted(name for names in parts for name in names) == ["a", "b", "c"]
    assert len(parts) == 2
    for part in parts.values():
        inside = set(part.paths)
        wanted = {t for p, to in plan.links.items() if p not in inside for t in to} & inside
        assert part.imported_elsewhere == wanted
        assert part.about_torch == inside


def test_the_limit_may_be_a_setting(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "a.py").write_text(LONG)
    (folder / "pyproject.toml").write_text("[tool.devicefix]\ntime-limit = 0.01\n")
    assert main(["check", "."]) == 2
    assert LATE in capsys.readouterr().err
    assert main(["check", ".", "--time-limit", "0"]) == 0
    (folder / "pyproject.toml").write_text("[tool.devicefix]\ntime-limit = -1\n")
    assert main(["check", "."]) == 2
    assert "time-limit must be a number of seconds, 0 for no limit" in capsys.readouterr().err


def test_what_was_cut_short_is_not_remembered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.py").write_text(LONG)
    kept = Path(os.environ["DEVICEFIX_CACHE_DIR"])
    assert main(["check", ".", "--time-limit", "0.01"]) == 2
    assert not list((kept / "checks").rglob("*.json"))
    assert main(["check", "."]) == 0
    (found,) = (kept / "checks").rglob("*.json")
    # what came to its end holds for any limit
    assert main(["check", ".", "--time-limit", "0.01"]) == 0
    assert list((kept / "checks").rglob("*.json")) == [found]


def test_dicts_of_dicts_that_hold_each_other_come_to_an_end(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = "".join(f"meta['k{n}'] = {{'x': torch.ones(3), 'meta': meta}}\n" for n in range(24))
    collated = "batch = torch.utils.data.default_collate([meta])\n"
    (folder / "a.py").write_text(f"import torch\nmeta = {{}}\n{items}{collated}")
    assert main(["check", "."]) == 0
    assert capsys.readouterr() == ("Nothing found in 1 file.\n", "")


def test_pairs_of_what_may_be_a_pair_come_to_an_end(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = "".join(f"if len(sys.argv) > {n}:\n    x = (x, x)\n" for n in range(24))
    (folder / "a.py").write_text(f"import sys\n\nimport torch\n\nx = torch.zeros(2)\n{pairs}")
    assert main(["check", ".", "--time-limit", "20"]) == 0
    assert "processor time" not in capsys.readouterr().err


def test_diamonds_of_classes_come_to_an_end(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    diamonds = "".join(
        f"class B{n}(A{n}): pass\nclass C{n}(A{n}): pass\nclass A{n + 1}(B{n}, C{n}): pass\n"
        for n in range(60)
    )
    used = "model = A60().cuda()\nprint(model(torch.ones(3).cuda()))\n"
    first = "class A0(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
    (folder / "a.py").write_text(f"import torch\n{first}{diamonds}{used}")
    assert main(["check", "-q", "."]) == 1
    out, err = capsys.readouterr()
    assert (out.count(" DFX201 "), out.count("[safe]"), err) == (2, 2, "")


def test_what_was_cut_short_is_not_counted_as_free_of_cuda(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.py").write_text(LONG)
    (folder / "b.py").write_text("import a\nprint(a.x.is_cuda)\n")
    assert main(["check", ".", "--time-limit", "0.01"]) == 2
    assert "2 files could not be counted" in capsys.readouterr().out


def elifs(count: int) -> str:
    """A chain of which nothing surely leaves, in a program that moves something."""
    tests = "".join(f"elif len(sys.argv) == {n}:\n    y = {n}\n" for n in range(count))
    return f"import sys\n{CUDA}if len(sys.argv) == -1:\n    pass\n{tests}"


def names(count: int) -> str:
    """As many imports as fixes."""
    imports = "".join(f"from m{n} import f{n}\n" for n in range(count))
    return f"{imports}{CUDA}" + "".join(
        f"f{n}(model(torch.ones(3, 2).cuda()))\n" for n in range(count)
    )


def moves(count: int) -> str:
    """Tensors that one function makes for the module."""
    made = "".join(f"    x{n} = model(torch.ones(3, 2))\n" for n in range(count))
    return f"{CUDA}def run():\n{made}run()\n"


def losses(count: int) -> str:
    """Items of a loss, as they were read before torch 0.4."""
    return f"{CUDA}loss = model(torch.ones(3, 2))\n" + "print(loss.data[0])\n" * count


GUARD: Final = "if torch.cuda.is_available():\n"


def guards(count: int) -> str:
    """Modules that are moved where there is CUDA, each by itself."""
    return "import torch\n" + "".join(
        f"n{n} = torch.nn.Linear(3, 2)\n{GUARD}    n{n}.cuda()\n" for n in range(count)
    )


def guards_of_one(count: int) -> str:
    """A tensor that is moved again and again."""
    moved = f"{GUARD}    x = x.cuda()\n"
    return "import torch\nx = torch.ones(3)\n" + moved * count


def callers(count: int) -> str:
    """Calls of one function that moves what it is given."""
    helper = "def moved(x):\n    return x.cuda()\n"
    return f"{CUDA}{helper}" + "print(model(moved(torch.ones(3, 2))))\n" * count


@pytest.mark.parametrize(
    ("written", "counted"),
    [
        (elifs, ["ast.iter_child_nodes"]),
        (
            guards,
            [
                "ast.iter_child_nodes",
                "devicefix.source.text.Source.span",
                "devicefix.flow.queries.control._led",
                "devicefix.flow.queries.settled.Settled._behind",
                "devicefix.engine.remaining._touches",
            ],
        ),
        (guards_of_one, ["devicefix.flow.scripts.is_main_guard"]),
        (callers, ["devicefix.flow.unavoidable.Unavoidable._need"]),
        (names, ["devicefix.edits.preamble.bound_names"]),
        (moves, ["ast.walk"]),
        (losses, ["ast.iter_child_nodes"]),
    ],
)
def test_work_grows_with_the_text_and_not_with_its_square(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: Callable[[int], str],
    counted: list[str],
) -> None:
    def counting(name: str, asked: Counter[str]) -> Callable[..., Any]:
        function = resolved(name)

        def one(*args: Any) -> Any:
            asked[name] += 1
            return function(*args)

        return one

    def steps(count: int) -> Counter[str]:
        asked = Counter[str]()
        (folder / "a.py").write_text(written(count))
        with monkeypatch.context() as patched:
            for name in counted:
                patched.setattr(name, counting(name, asked))
            assert main(["check", ".", "--no-cache"]) == 1
        return asked

    few, many = steps(40), steps(80)
    assert [name for name in counted if not 0 < many[name] < 3 * few[name]] == []


MANY_WAYS: Final = (
    "import torch\n\n\ndef f0(x):\n"
    + "    x = x + 1\n" * 99
    + "    return x\n"
    + "".join(f"\n\ndef f{n}(x):\n    return f{n - 1}(f{n - 1}(x))\n" for n in range(1, 6))
    + "\n\nprint(f5(torch.ones(3).cuda()))\n"
)


def test_what_took_too_long_is_not_tried_again_in_later_rounds(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("devicefix.flow.analysis.MAX_STEPS", 1_700)
    evaluate, tried = resolved("devicefix.flow.program:_evaluate"), []

    def spied(analysis: Any) -> None:
        tried.append(analysis.contexts)
        evaluate(analysis)

    monkeypatch.setattr("devicefix.flow.program._evaluate", spied)
    (folder / "a.py").write_text(MANY_WAYS)
    assert main(["apply", "-j", "1", "."]) == 0
    assert ".cuda()" not in (folder / "a.py").read_text()
    assert tried == [12, 4, 4]
