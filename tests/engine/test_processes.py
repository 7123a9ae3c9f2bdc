"""Programs in several processes: the same results, in the same order, whatever becomes of them."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from devicefix.engine import check, processes
from devicefix.engine.interpreter import at_work
from devicefix.engine.processes import how_many
from devicefix.engine.projects import Plan, Shelf, plans
from devicefix.engine.reading import scan
from devicefix.engine.report import Outcome, Report
from devicefix.engine.work import Work
from devicefix.engine.work import one_program as original
from devicefix.engine.workbench import Workbench
from devicefix.settings import Settings

Tree = Callable[[dict[str, str]], Path]
SCRIPT = """\
import torch

net = torch.nn.Linear({0}, 1)
print(net(torch.ones(2, {0})))
"""
FILES = {f"script{n}.py": SCRIPT.format(n) + "# " + "-" * 100 * n for n in range(1, 7)}


def facts_of(report: Report) -> Report:
    return replace(report, seconds=0.0)


@pytest.fixture
def root(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six programs, the last one the largest; each worth a process."""
    monkeypatch.setattr(processes, "WORTH", 1)
    return tree({**FILES, "broken.py": "import torch\n1 +\n"})


def test_the_report_is_that_of_one_process(root: Path) -> None:
    alone = check([root], Settings(), jobs=1)
    assert len(alone.files) == 6
    assert [Path(error.path).name for error in alone.errors] == ["broken.py"]
    assert facts_of(check([root], Settings(), jobs=3)) == facts_of(alone)


@pytest.mark.skipif(
    multiprocessing.get_start_method() != "fork", reason="the processes must know of the trap"
)
def test_what_a_dead_process_leaves_is_done_here(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = check([root], Settings(), jobs=1)
    here = os.getpid()

    def one_program(plan: Plan, bench: Workbench, work: Work) -> Outcome:
        if os.getpid() != here:
            os._exit(9)
        return original(plan, bench, work)

    monkeypatch.setattr("devicefix.engine.work.one_program", one_program)
    assert facts_of(check([root], Settings(), jobs=2)) == facts_of(alone)


def test_where_no_process_can_be_had_the_work_is_done_here(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no semaphores")

    monkeypatch.setattr(processes, "ProcessPoolExecutor", refuse)
    assert len(check([root], Settings(), jobs=2).files) == 6


def found(root: Path) -> list[Plan]:
    return list(plans([root], [scan(path) for path in sorted(root.rglob("*.py"))], ()))


def test_processes_have_to_be_worth_their_start(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = found(root)
    assert how_many(programs, 4) == 4
    assert how_many(programs, 40) == len(programs)
    monkeypatch.setattr(processes, "WORTH", sum(plan.size for plan in programs) // 2)
    assert how_many(programs, 4) == 2
    monkeypatch.setattr(processes, "WORTH", 1_000_000)
    assert how_many(programs, 4) == 1


def test_by_default_there_are_as_many_as_processors(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = found(root)
    monkeypatch.setattr(processes, "_processors", lambda: 2)
    assert how_many(programs, 0) == 2
    monkeypatch.setattr(processes, "_processors", lambda: 64)
    monkeypatch.setattr(processes, "MOST", 3)
    assert how_many(programs, 0) == 3


def test_plans_travel_to_other_processes(root: Path) -> None:
    programs = found(root)
    copies = pickle.loads(pickle.dumps(programs))
    assert [plan.paths for plan in copies] == [plan.paths for plan in programs]
    first = copies[0].neighbour
    assert isinstance(first.__self__, Shelf)
    assert all(plan.neighbour.__self__ is first.__self__ for plan in copies)
    assert first(programs[1].paths[0]) is not None


def test_the_interpreter_is_left_as_it_was() -> None:
    before = gc.get_threshold(), sys.getrecursionlimit()
    with at_work():
        assert gc.get_threshold() > before[0]
        assert sys.getrecursionlimit() > 1_000
    assert (gc.get_threshold(), sys.getrecursionlimit()) == before


PLANTED = ("multiprocessing", "signal", "socket", "pickle")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="one process; nothing else keeps it away")
def test_a_new_interpreter_imports_nothing_from_the_repository(root: Path, tmp_path: Path) -> None:
    for name in PLANTED:
        (root / f"{name}.py").write_text("open('ran', 'w').close()\n")
    program = tmp_path / "elsewhere" / "program.py"
    program.parent.mkdir()
    program.write_text(
        "import multiprocessing, os\n"
        "from pathlib import Path\n"
        "from devicefix.engine import check, processes\n"
        "from devicefix.settings import Settings\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "    processes.WORTH = 1\n"
        "    report = check([Path()], Settings(), jobs=2)\n"
        "    print(len(report.files), 'PYTHONSAFEPATH' in os.environ)\n"
    )
    done = subprocess.run(
        [sys.executable, program], cwd=root, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("6 False\n", "")
    assert not (root / "ran").exists()
