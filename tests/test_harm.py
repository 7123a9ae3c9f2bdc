"""The harm campaign: what it calls harm, and that a small program goes through it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
sys.path.append(str(BENCHMARKS))

from harm_judging import same_numbers, same_text, steady  # noqa: E402
from harm_programs import Program, Run, below, scripts  # noqa: E402
from harm_running import CPU  # noqa: E402
from harm_trial import PORTED_TO, SAME, tried  # noqa: E402


def test_numbers_are_compared_and_not_their_spelling() -> None:
    assert same_text("right tensor(2) 0.50", "right 2 0.5")
    assert not same_text("loss 0.5000001", "loss 0.5")
    assert same_numbers("loss 0.5000001 on cpu", "loss 0.5 on cuda:0")
    assert same_numbers("loss 0.5 on cpu", "loss 0.5 on mps:0")
    assert not same_numbers("hits 3", "hits 4")


def test_lines_that_differ_from_run_to_run_do_not_count() -> None:
    assert steady("a 1\nb", "a 2\nb", "a 3\nb") == ("b", "b")


def test_a_mirror_that_cannot_be_read_is_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "owner+name").mkdir()
    (tmp_path / "owner+name" / "HEAD").write_text("ref: refs/heads/main\n")
    manifest = tmp_path / "scripts.json"
    manifest.write_text('[{"repo": "owner+name", "script": "main.py", "args": ""}]')
    assert not list(scripts(manifest, tmp_path, tmp_path / "trees", ()))
    assert "owner+name" in capsys.readouterr().err
    assert not list((tmp_path / "trees").iterdir())


def test_a_case_names_its_entry(tmp_path: Path) -> None:
    (tmp_path / "one" / "before").mkdir(parents=True)
    (tmp_path / "one" / "case.json").write_text('{"entry": "run.py"}')
    (found,) = below(tmp_path, "given")
    assert (found.name, found.runs, found.tree) == (
        "one",
        (Run("run.py"),),
        tmp_path / "one" / "before",
    )


@pytest.mark.slow
def test_a_program_is_rewritten_and_prints_the_same() -> None:
    text = "import torch\nnet = torch.nn.Linear(2, 1)\nprint(net(torch.ones(1, 2)).item())\n"
    program = Program("test", "line", (Run("program.py"),), {"program.py": text.encode()})
    outcomes, status = tried(program, 60, (CPU,))
    assert status == 0
    assert [(o.verdict, o.changed) for o in outcomes] == [(SAME, True)]


@pytest.mark.slow
def test_a_program_that_takes_another_accelerator_prints_what_it_did_with_cuda() -> None:
    text = "import torch\n\nprint(torch.cuda.is_available(), torch.cuda.device_count())\n"
    files = {"program.py": text.encode()}
    style = ("--style", "accelerator")
    program = Program("test", "asked", (Run("program.py"),), files, options=style)
    outcomes, status = tried(program, 60, ("sim:xpu",))
    assert status == 0
    assert [(o.verdict, o.changed) for o in outcomes] == [(PORTED_TO, True)]
