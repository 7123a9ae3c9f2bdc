"""The pytest plugin, in test-suites of other projects: each runs in a process of its own.

Most are forked off a Python that has imported torch. A process from nothing have those in which
the start itself counts: what is imported, with which warnings, and who came first.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.verification.environment import simulated
from tests.forking import run_forked

pytest_plugins = ["pytester"]

TESTS = """
import pytest
import torch

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")

@needs_cuda
def test_on_the_device():
    assert (torch.ones(3, device="cuda") + 1).sum().item() == 6

def test_on_the_host():
    assert torch.ones(3).sum().item() == 3

@pytest.mark.no_simulated_device(reason="reads the memory of the GPU")
def test_marked():
    pass
"""

MIXED = """
import torch

def test_mixed():
    layer = torch.nn.Linear(3, 2).cuda()
    samples = torch.ones(4, 3)
    layer(samples)
"""
OTHER = "\ndef test_other(): raise RuntimeError('mat1 and mat2 shapes')\n"


@pytest.fixture(autouse=True)
def quick_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one has compiled serves the next, and plugins that say nothing here are left out."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest -p no:anyio")


@pytest.fixture(autouse=True)
def entry_point() -> None:
    """An editable installation that is older than the plugin does not have it."""
    names = {point.name for point in importlib.metadata.entry_points(group="pytest11")}
    assert "devicefix" in names, "install devicefix again: its entry points have changed"


Forked = Callable[..., pytest.RunResult]


@pytest.fixture
def run_forked_pytest(pytester: pytest.Pytester) -> Forked:
    """As `pytester.runpytest_subprocess`, but sooner."""

    def run(*options: str) -> pytest.RunResult:
        began = time.perf_counter()
        command = (sys.executable, "-m", "pytest", f"--basetemp={pytester.path}/base", *options)
        done = run_forked(command, os.environ, pytester.path)
        lines = (text.splitlines() for text in (done.stdout, done.stderr))
        print(done.stdout, done.stderr)  # noqa: T201 - for whoever reads of a failure
        return pytest.RunResult(done.returncode, *lines, time.perf_counter() - began)

    return run


def test_without_the_option_nothing_is_imported(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        """
        import sys

        def pytest_unconfigure(config):
            assert config.pluginmanager.has_plugin("devicefix")
            heavy = {"torch", "libcst", "rich", "click", "devicefix.simulator"} & {*sys.modules}
            print("imported:", sorted(heavy))
        """
    )
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.no_simulated_device(reason="known without the option, too")
        def test_marked():
            pass
        """
    )
    result = pytester.runpytest_subprocess("--strict-markers", "-W", "error")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["imported: []*"])
    result.stdout.no_fnmatch_line("*devicefix:*")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("device", "said"),
    [
        ("cuda", "devicefix: simulating cuda, 1 device"),
        ("sim:cuda:2", "devicefix: simulating cuda, 2 devices"),
    ],
)
def test_tests_find_the_device(
    pytester: pytest.Pytester, run_forked_pytest: Forked, device: str, said: str
) -> None:
    pytester.makepyfile(TESTS)
    result = run_forked_pytest("--simulate-device", device, "-rs", "-W", "error")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(
        [
            said,
            "devicefix: 1 of 2 tests computed on cuda; 1 transfer between CPU and device, 4 B",
            "*test_tests_find_the_device.py:*: not on a simulated device: reads the memory of *",
        ]
    )


@pytest.mark.slow
def test_other_kinds(pytester: pytest.Pytester, run_forked_pytest: Forked) -> None:
    pytester.makepyfile(
        """
        import torch

        def test_mps():
            assert torch.backends.mps.is_available()
            assert torch.ones(2).to("mps").device.type == "mps"
        """
    )
    result = run_forked_pytest("--simulate-device=mps")
    result.assert_outcomes(passed=1)


@pytest.mark.slow
def test_setting_and_conftest(pytester: pytest.Pytester) -> None:
    """The device is there before a conftest file is imported."""
    pytester.makeini("[pytest]\nsimulate_device = cuda\nfilterwarnings = error")
    pytester.makeconftest("import torch\nassert torch.cuda.is_available()")
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["devicefix: simulating cuda, 1 device"])


def test_the_command_line_overrides_the_setting(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nsimulate_device = cuda")
    pytester.makepyfile("import sys\ndef test(): assert 'torch' not in sys.modules")
    result = pytester.runpytest_subprocess("--simulate-device=")
    result.assert_outcomes(passed=1)


PLACES = [
    "*- devicefix: where the tensors were -*",
    "addmm got tensors on 2 devices:",
    "*samples (mat1)*cpu*float32 [[]4, 3[]]",
    "*created*.py:5*samples = torch.ones(4, 3)",
    "*never moved",
    "*change*samples*",
]


@pytest.mark.slow
def test_workers(pytester: pytest.Pytester, run_forked_pytest: Forked) -> None:
    """What they have counted and recorded is put together."""
    pytester.makepyfile(test_found=TESTS, test_failing=MIXED, model=MODEL, test_model=SCORES)
    result = run_forked_pytest("--simulate-device=cuda", "-n", "2", "--record", "evidence.json")
    result.assert_outcomes(passed=4, skipped=1, failed=2)
    result.stdout.fnmatch_lines(["devicefix: simulating cuda, 1 device"])
    result.stdout.fnmatch_lines(PLACES)
    total = "2 of 6 tests computed on cuda; 7 transfers between CPU and device, 100 B"
    result.stdout.fnmatch_lines([f"devicefix: {total}"])
    result.stdout.fnmatch_lines(["devicefix: evidence.json has 9 expressions of 1 file"])
    check_recorded(pytester.path)


@pytest.mark.slow
def test_a_failure_says_where_the_tensors_were(
    pytester: pytest.Pytester, run_forked_pytest: Forked
) -> None:
    """And one for another reason, in the same words, says nothing of the kind."""
    pytester.makepyfile(MIXED + OTHER)
    result = run_forked_pytest("--simulate-device=cuda", "--show-capture=no", "--tb=short")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(PLACES)
    result.stdout.no_fnmatch_line("*devicefix/simulator/*")
    assert result.stdout.str().count("where the tensors were") == 1


@pytest.mark.slow
def test_an_accelerator_that_came_in_from_outside(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`devicefix run pytest` installs it when the tests import torch."""
    for name, value in simulated(os.environ, "sim:cuda", None, provenance=False).items():
        monkeypatch.setenv(name, value)
    pytester.makepyfile(MIXED)
    result = pytester.runpytest_subprocess("-W", "error")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*- devicefix: where the tensors were -*", "devicefix: 0 of 1 test computed on cuda; *"]
    )


@pytest.mark.slow
def test_provenance_can_be_left_out(pytester: pytest.Pytester, run_forked_pytest: Forked) -> None:
    pytester.makepyfile(MIXED)
    result = run_forked_pytest("--simulate-device=cuda", "--no-device-provenance")
    result.stdout.fnmatch_lines(
        ["*- devicefix: where the tensors were -*", "*created*not recorded"]
    )


@pytest.mark.slow
def test_processes_that_a_test_starts_have_the_device(
    pytester: pytest.Pytester, run_forked_pytest: Forked
) -> None:
    pytester.makepyfile(
        """
        import subprocess
        import sys

        PROGRAM = "import torch; print(torch.ones(2).cuda().device)"

        def test():
            child = subprocess.run(
                [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
            )
            assert (child.stdout, child.stderr) == ("cuda:0\\n", "")
        """
    )
    run_forked_pytest("--simulate-device=cuda").assert_outcomes(passed=1)


@pytest.mark.slow
def test_so_does_a_module_that_cannot_be_collected(
    pytester: pytest.Pytester, run_forked_pytest: Forked
) -> None:
    pytester.makepyfile("import torch\ntorch.ones(2).cuda() + torch.ones(2)")
    result = run_forked_pytest("--simulate-device=cuda")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*- devicefix: where the tensors were -*"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("device", "sentence"),
    [
        ("tpu", "unknown simulated device 'sim:tpu'; choose from sim:cuda, *"),
        ("cuda:x", "'sim:cuda:x': the number of devices is 1 to 16"),
    ],
)
def test_a_device_that_is_none(run_forked_pytest: Forked, device: str, sentence: str) -> None:
    result = run_forked_pytest("--simulate-device", device)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --simulate-device: {sentence}"])
    result.stderr.no_fnmatch_line("Traceback*")


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("raise ModuleNotFoundError('no', name='torch')", "* has no torch: install it next to*"),
        ("import numpyy", "torch cannot be imported: No module named 'numpyy'"),
        ("raise OSError('libcudnn.so.9')", "torch cannot be imported: OSError: libcudnn.so.9"),
    ],
)
def test_without_torch(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, statement: str, sentence: str
) -> None:
    pytester.mkpydir("elsewhere")
    Path("elsewhere/torch.py").write_text(statement)
    monkeypatch.setenv("PYTHONPATH", str(pytester.path / "elsewhere"))
    result = pytester.runpytest_subprocess("--simulate-device=cuda")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --simulate-device: {sentence}"])
    assert not re.search("Traceback", result.stderr.str() + result.stdout.str())


@pytest.mark.slow
def test_a_marker_needs_a_reason(pytester: pytest.Pytester, run_forked_pytest: Forked) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.no_simulated_device
        def test(): pass
        """
    )
    result = run_forked_pytest("--simulate-device=cuda")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*::test: no_simulated_device needs a reason, such as *"])


def test_it_can_be_left_out(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test(): pass")
    result = pytester.runpytest_subprocess("-p", "no:devicefix")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*devicefix*")


MODEL = """
import torch

net = torch.nn.Linear(3, 2).cuda()

def score(batch):
    return net(batch)

def twice(batch):
    return batch * 2
"""
SCORES = """
import model
import torch

def test_there(): model.score(torch.ones(4, 3, device="cuda"))
def test_here(): model.score(torch.ones(4, 3))
def test_twice(): model.twice(torch.ones(4, 3))
"""


def check_recorded(folder: Path) -> None:
    """What is there of the function ``score``."""
    content = json.loads((folder / "evidence.json").read_text())
    (file,) = content["files"].items()
    seen = {tuple(one["place"]): one for one in file[1]["expressions"]}
    assert file[0] == "model.py"
    assert {fact["device"] for fact in seen[5, 11, 5, 16]["seen"]} == {"cpu", "cuda:0"}
    demand = seen[6, 12, 6, 22]["demand"]
    assert demand["met"]
    assert len(demand["failed"]) == 1


@pytest.mark.slow
def test_expressions_are_recorded(pytester: pytest.Pytester, run_forked_pytest: Forked) -> None:
    """In the project's modules, and with what has failed; the file is added to."""
    pytester.makepyfile(model=MODEL, test_model=SCORES)
    for chosen, failed, count in (("not twice", 1, 6), ("twice", 0, 9)):
        options = ("--simulate-device", "cuda", "-k", chosen, "--record", "evidence.json")
        result = run_forked_pytest(*options)
        result.assert_outcomes(passed=1, failed=failed)
        said = f"devicefix: evidence.json has {count} expressions of 1 file"
        result.stdout.fnmatch_lines([said])
        check_recorded(pytester.path)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--record", "e.json"), "--record needs --simulate-device"),
        (("--record", "test_x.py", "--simulate-device", "cuda"), "*test_x.py: not a file of*"),
    ],
)
def test_nothing_is_recorded(
    pytester: pytest.Pytester,
    run_forked_pytest: Forked,
    options: tuple[str, ...],
    complaint: str,
) -> None:
    pytester.makepyfile(test_x="def test_x(): pass\n")
    result = run_forked_pytest(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{complaint}*"])
