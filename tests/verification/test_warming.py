"""Programs that are forked off a Python with torch are as those that are started afresh."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from devicefix.records import How
from devicefix.records.observations import Kind
from devicefix.verification import Bounds
from devicefix.verification.execution import Execution, Order, execute
from devicefix.verification.request import Request
from devicefix.verification.result import Role
from devicefix.verification.scratch import Scratch
from devicefix.verification.trees import Tree
from devicefix.verification.warming import ForkServer
from tests.patience import given_time


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    with ForkServer(sys.executable) as found:
        yield found


class Project:
    """A program that can be run both ways."""

    def __init__(self, root: Path, fork_server: ForkServer) -> None:
        self.root = root
        self.fork_server = fork_server

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))

    def run(
        self,
        name: str = "train.py",
        *arguments: str,
        warm: bool = True,
        device: str = "cpu",
        is_module: bool = False,
        clock: int = 0,
        seconds: float | None = None,
    ) -> Execution:
        request = Request(name, arguments, sys.executable, is_module, bounds=Bounds(seconds))
        with Scratch(Tree(self.root)) as scratch:
            scratch.restore(Tree(self.root))
            order = Order(Role.AFTER, device, clock)
            return execute(request, scratch, self.root, order, self.fork_server if warm else None)


@pytest.fixture
def project(tmp_path: Path, fork_server: ForkServer) -> Project:
    root = tmp_path / "project"
    root.mkdir()
    return Project(root, fork_server)


AROUND = """
    import json, os, sys, random
    import torch
    import helper
    variables = sorted(name for name in os.environ if name.startswith("DEVICEFIX_"))
    print(json.dumps([
        __name__, __file__, sys.argv, sys.path[0], os.getcwd(), helper.__file__,
        sys.modules["__main__"].__dict__ is globals(), __builtins__ is not None,
        os.environ.get("DEVICEFIX_MAIN") == str(os.getpid()), os.getsid(0) == os.getpid(),
        torch.cuda.is_available(), random.random(), torch.rand(1).item(), sys.stdin.read(),
        variables, os.environ["PYTHONPATH"], [path for path in sys.path if "devicefix" in path],
    ]))
"""


WHOLE = (
    AROUND
    + """
    import atexit, ctypes

    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters())
    loss = model(torch.randn(4, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())

    last, left = helper.Last("a script"), open("left.txt", "w")
    left.write("never closed")
    ctypes.CDLL(None).printf(b"what C has buffered\\n")
    value = torch.ones(2)
    atexit.register(lambda: print("at the end", value.sum().item(), torch.__name__))
"""
)
HELPER = """
    class Last:
        def __init__(self, name):
            self.name, self.itself = name, self

        def __del__(self):
            print("end of", self.name, flush=True)

    OURS = Last("a module")
"""


@dataclass(frozen=True)
class Both:
    """A program that was forked, and the same that was started afresh."""

    warm: Execution
    cold: Execution


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Both:
    """What `WHOLE` does on the CPU; each start of torch takes a second."""
    root = tmp_path_factory.mktemp("whole") / "project"
    root.mkdir()
    project = Project(root, fork_server)
    project.write("train.py", WHOLE)
    project.write("helper.py", HELPER)
    return Both(*(project.run("train.py", "--x", "1", warm=warm) for warm in (True, False)))


def around(run: Execution) -> list[object]:
    assert run.ending.status == 0, run.errors
    found: list[object] = json.loads(run.output.splitlines()[0])
    return found


def test_what_is_around_a_script_is_the_same(both: Both) -> None:
    assert around(both.warm) == around(both.cold)


def test_what_is_around_a_script_on_the_device_is_the_same(project: Project) -> None:
    project.write("train.py", AROUND)
    project.write("helper.py", "")
    warm, cold = (
        project.run("train.py", "--x", "1", warm=w, device="sim:cuda") for w in (True, False)
    )
    assert around(warm) == around(cold)


def test_what_is_around_a_module_is_the_same(project: Project) -> None:
    project.write("pack/__init__.py", "")
    project.write("pack/train.py", AROUND.replace("import helper", "from . import helper"))
    project.write("pack/helper.py", "")
    warm, cold = (project.run("pack.train", "-v", is_module=True, warm=w) for w in (True, False))
    assert around(warm) == around(cold)


def test_the_same_is_observed(both: Both) -> None:
    runs = (both.warm, both.cold)
    assert [run.observed[0].loaded for run in runs] == [{"train.py", "helper.py"}] * 2
    first, second = (run.observed[0].events for run in runs)
    assert {event.kind for event in first} >= {Kind.LOSS, Kind.READ, Kind.WRITTEN, Kind.LEFT}
    assert first == second


def test_an_exception_leaves_its_traceback_and_its_record(project: Project) -> None:
    project.write(
        "train.py", "import torch\n\ndef f():\n    torch.ones(2) + torch.ones(3)\n\nf()\n"
    )
    warm, cold = (project.run(warm=warm) for warm in (True, False))
    assert warm.ending.status == cold.ending.status == 1
    assert warm.errors == cold.errors
    assert warm.failure is not None
    assert cold.failure is not None
    assert warm.failure == cold.failure


def test_a_text_that_does_not_parse_is_told(project: Project) -> None:
    project.write("train.py", "print 'x'\n")
    warm, cold = (project.run(warm=warm) for warm in (True, False))
    assert warm.ending.status == 1
    assert warm.errors == cold.errors


@pytest.mark.parametrize(
    ("text", "how", "status"),
    [
        ("import sys; sys.exit(3)", How.EXITED, 3),
        ("import os; os._exit(4)", How.EXITED, 4),
        ("import os; os.kill(os.getpid(), 15)", How.SIGNAL, 143),
    ],
)
def test_its_end_is_seen(project: Project, text: str, how: How, status: int) -> None:
    project.write("train.py", text)
    ending = project.run().ending
    assert (ending.how, ending.status) == (how, status)


def test_it_is_held_to_its_bounds(project: Project) -> None:
    project.write("train.py", "print('begun', flush=True)\nwhile True: pass\n")
    run = given_time(lambda seconds: project.run(seconds=seconds), lambda run: bool(run.output))
    assert run.ending.how is How.TIMEOUT
    assert run.output == b"begun\n"


def test_one_run_leaves_nothing_to_the_next(project: Project) -> None:
    project.write(
        "train.py",
        """
        import os, sys, torch
        print(os.environ.get("LEFT"), hasattr(sys, "left"), hasattr(torch, "left"))
        os.environ["LEFT"], sys.left, torch.left = "1", 1, 1
        """,
    )
    assert [project.run().output for _ in range(2)] == [b"None False False\n"] * 2


def test_a_run_with_another_clock_has_other_addresses(project: Project) -> None:
    """What is ordered by address is then not the same in all runs, and is found to vary."""
    project.write(
        "train.py",
        """
        import torch

        class Name:
            pass

        names, large = [Name() for _ in range(30)], torch.ones(1 << 20)
        print([names.index(name) for name in set(names)])
        print(large.data_ptr())
        """,
    )
    runs = [project.run(clock=clock).output.splitlines() for clock in (0, 1, 1, 2, 3, 4, 5)]
    orders, places = zip(*runs, strict=True)
    assert len(set(orders)) > 1  # two may be the same by chance
    assert len(set(places[:3])) == 3


def test_workers_and_children_are_started_as_ever(project: Project) -> None:
    project.write(
        "train.py",
        """
        import multiprocessing, subprocess, sys
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        def double(x):
            return 2 * x

        if __name__ == "__main__":
            loader = DataLoader(TensorDataset(torch.arange(6)), batch_size=2, num_workers=1)
            print([batch[0].tolist() for batch in loader])
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(double, [1, 2]))
            print(subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True).stdout)
        """,
    )
    run = project.run()
    assert run.output == b"[[0, 1], [2, 3], [4, 5]]\n[2, 4]\nb'7\\n'\n", run.errors


def test_what_cannot_be_forked_is_not(project: Project, fork_server: ForkServer) -> None:
    here = project.root
    project.write("train.py", "import torch")
    python = sys.executable
    assert fork_server.takes((python, "train.py"), here, here)
    assert fork_server.takes((python, "-m", "train"), here, here)
    assert not fork_server.takes((python, "."), here, here)
    assert not fork_server.takes(("/bin/sh", "train.py"), here, here)
    project.write("queue.py", "")  # imported ahead by torch: the program would not get its own
    assert not fork_server.takes((python, "train.py"), here, here)


def test_nothing_is_imported_ahead_for_a_tree_that_does_not_speak_of_it(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import time")
    with ForkServer(sys.executable) as fork_server:
        assert not fork_server.takes((sys.executable, "train.py"), tmp_path, tmp_path)


def test_an_interpreter_without_torch_takes_nothing(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torch")
    with ForkServer("/bin/false") as fork_server:
        assert not fork_server.takes(("/bin/false", "train.py"), tmp_path, tmp_path)


def test_what_a_program_does_when_it_is_taken_apart_is_seen(both: Both) -> None:
    assert both.warm.output.splitlines()[1:] == both.cold.output.splitlines()[1:]
    assert both.warm.files == both.cold.files == {"left.txt": "never closed"}
    _, loss, *apart = both.cold.output.splitlines()
    assert loss.startswith(b"loss ")
    assert sorted(apart) == [
        b"at the end 2.0 torch",
        b"end of a module",
        b"end of a script",
        b"what C has buffered",
    ]
