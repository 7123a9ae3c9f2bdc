"""How simulator and observation come into a program, and how they do not."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.observe import programs
from tests.observe.programs import witness

run = partial(programs.run, afresh=True)
forked = programs.run

pytestmark = pytest.mark.slow


def test_a_program_that_never_imports_torch_is_left_alone(tmp_path: Path) -> None:
    ran = run(tmp_path, "import sys; print('torch' in sys.modules, sys.path[1:2])")
    assert ran.status == 0
    assert "observe" not in ran.out
    assert ran.out.startswith("False")
    assert ran.records == ()


def test_the_device_is_there_as_soon_as_torch_is_and_all_else_is_the_programs_own(
    tmp_path: Path,
) -> None:
    """The `sitecustomize` of the machine included."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("import sys; sys.customized = __name__")
    ran = run(
        tmp_path,
        """
        import sys, torch
        print(sys.customized)
        print(torch.cuda.is_available(), torch.ones(2, device="cuda"))
        print(type(torch.__spec__.loader).__name__, torch.__loader__ is torch.__spec__.loader)
        torch.nn.Linear(2, 2).cuda()(torch.ones(1, 2).cuda()).sum().backward()
        print("torch._dynamo" in sys.modules, "torch.utils.flop_counter" in sys.modules)
        print("err", file=sys.stderr)
        sys.exit(7)
        """,
        path=str(other),
    )
    assert ran.out.splitlines() == [
        "sitecustomize",
        "True tensor([1., 1.], device='cuda:0')",
        "SourceFileLoader True",
        "False False",  # the compiler is not imported for our sake
    ]
    assert (ran.status, ran.err) == (7, "err\n")
    assert ran.record["status"] == "finished"
    assert ran.record["main"] is True
    assert ran.record["device"] == "sim:cuda"
    assert ran.record["error"] is None


def test_looking_for_torch_imports_nothing(tmp_path: Path) -> None:
    ran = run(
        tmp_path,
        """
        import importlib.util, sys
        importlib.util.find_spec("torch")
        print("torch" in sys.modules)
        """,
    )
    assert ran.out == "False\n"
    assert ran.records == ()


def test_a_device_that_cannot_be_had_ends_the_program(tmp_path: Path) -> None:
    ran = run(tmp_path, "print('begin'); import torch; print('end')", device="sim:abacus")
    assert ran.status == 2
    assert ran.out == "begin\n"
    assert ran.err.startswith("devicefix: ")
    assert ran.err.count("\n") == 1
    assert ran.record["status"] == "refused"
    assert ran.record["refused"] in ran.err


def test_forked_children_write_nothing_and_spawned_ones_do(tmp_path: Path) -> None:
    ran = forked(
        tmp_path,
        """
        import multiprocessing
        import torch

        def work(what):
            print(what, torch.cuda.is_available(), flush=True)

        if __name__ == "__main__":
            for method in ("fork", "spawn"):
                child = multiprocessing.get_context(method).Process(target=work, args=(method,))
                child.start()
                child.join()
        """,
    )
    assert "spawn True" in ran.out
    assert [record["main"] for record in ran.records] == [True, False]
    assert ran.records[1]["ppid"] == ran.records[0]["pid"]


def test_a_killed_program_leaves_a_record(tmp_path: Path) -> None:
    ran = forked(tmp_path, "import os, signal, torch; os.kill(os.getpid(), signal.SIGKILL)")
    assert ran.status == -9
    assert ran.record["status"] == "running"


def test_a_verified_program_that_is_killed_leaves_what_was_counted(tmp_path: Path) -> None:
    ran = witness(
        tmp_path,
        """
        import os, signal, time, torch
        made = torch.ones(10, device="cuda")
        # 3.5 s later, when what was counted is due to be written
        time.monotonic = lambda: time.clock_gettime(time.CLOCK_MONOTONIC) + 3.5
        for _ in range(500):
            made = made * 1.0
        print("before the end")
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        "sim:cuda",
    )
    assert ran.status == -9
    assert ran.record["status"] == "running"
    assert ran.record["work"]["cuda:0"] > 1000
    assert [event.text for event in ran.events.events] == ["before the end\n"]
    assert not ran.events.whole


def test_compiled_programs_run(tmp_path: Path) -> None:
    ran = forked(
        tmp_path,
        """
        import torch
        model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU()).cuda()
        for backend in ("eager", "aot_eager"):
            compiled = torch.compile(model, backend=backend, fullgraph=True)
            compiled(torch.randn(2, 3, device="cuda")).sum().backward()
        recurrent = torch.compile(torch.nn.LSTM(4, 4).cuda(), backend="eager")
        print(recurrent(torch.randn(2, 3, 4, device="cuda"))[0].shape)
        try:
            torch.compile(lambda x: x.cuda() * 2)(torch.ones(2))
        except Exception as error:
            print(str(error).splitlines()[1].partition(":")[0], error.inner_exception)
        """,
    )
    assert ran.out.startswith(
        "torch.Size([2, 3, 4])\n"
        "NotSimulated devicefix does not simulate torch.compile with inductor on a device: "
    )
    assert "devicefix" not in ran.err
    assert ran.status == 0


def test_warnings_name_the_programs_line(tmp_path: Path) -> None:
    ran = forked(
        tmp_path,
        """
        import torch
        torch.sparse_coo_tensor(torch.zeros(1, 1).long(), torch.ones(1)).to_dense()
        """,
    )
    assert "train.py:3: UserWarning" in ran.err
    assert "provenance" not in ran.err
