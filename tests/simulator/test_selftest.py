"""The self-test: its verdicts, what is kept of them, and how a crash is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from devicefix.simulator import selftest
from devicefix.simulator.selftest import Verdict, verdict

TORCH = """
import os, sys
__version__ = "2.99.0"
{}
"""


@pytest.fixture(autouse=True)
def fresh_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "state"
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(folder))
    return folder


@pytest.fixture
def torch_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a torch before the real one that does what its source says when it is imported."""

    def put(source: str) -> None:
        package = tmp_path / "site" / "torch"
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(TORCH.format(source))
        (package / "version.py").write_text("__version__ = '2.99.0'\ngit_version = 'abc'\n")
        monkeypatch.setenv("PYTHONPATH", str(package.parent))

    return put


def ended(monkeypatch: pytest.MonkeyPatch, source: str) -> Verdict:
    """The verdict where the process of the trial runs ``source``."""
    monkeypatch.setattr(selftest, "_ENTER", f"import os, sys\n{source}")
    return verdict(sys.executable, "sim:cuda")


def test_a_device_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown simulated device 'cuda'"):
        verdict(sys.executable, "cuda")


def test_what_is_no_python_is_said(tmp_path: Path) -> None:
    found = verdict(str(tmp_path / "gone"), "sim:cuda")
    assert not found.holds
    assert "does not start, or is not Python" in found.reason


def test_an_interpreter_without_torch_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "_BUILD", 'print(\'{"python": "3", "torch": null}\')')
    found = verdict(sys.executable, "sim:cuda")
    reason = f"{sys.executable} has no torch: install torch, or name another Python"
    assert found == Verdict(False, reason, "")


def test_a_torch_that_cannot_be_imported_is_said(torch_that: Callable[[str], None]) -> None:
    torch_that("raise ImportError('libcudnn.so.9 is missing')")
    found = verdict(sys.executable, "sim:cuda")
    assert not found.holds
    assert found.torch == "2.99.0"
    assert "ImportError: libcudnn.so.9 is missing" in found.reason


def test_a_crash_is_told_with_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    source = (
        "print('devicefix-selftest step recurrent_layers', flush=True); os.kill(os.getpid(), 11)"
    )
    found = ended(monkeypatch, source)
    assert "it crashed in its self-test of recurrent layers (SIGSEGV)" in found.reason


def test_a_crash_at_the_very_end_counts(monkeypatch: pytest.MonkeyPatch, fresh_state: Path) -> None:
    pytest.importorskip("torch")
    lines = "devicefix-selftest step attention\\ndevicefix-selftest holds "
    found = ended(monkeypatch, f"print('{lines}', flush=True); os.kill(os.getpid(), 11)")
    assert "it crashed when the process ended (SIGSEGV)" in found.reason
    assert not fresh_state.exists()


def test_a_failed_step_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    lines = "devicefix-selftest step attention\\ndevicefix-selftest failed the values are not the CPU's"  # fmt: skip  # noqa: E501
    found = ended(monkeypatch, f'print("{lines}")')
    assert "its self-test of attention failed: the values are not the CPU's" in found.reason


def test_a_refusal_is_handed_on_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    lines = "devicefix-selftest step install\\ndevicefix-selftest refused this machine has one"
    assert ended(monkeypatch, f"print('{lines}')").reason == "this machine has one"


def test_a_trial_without_an_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(selftest, "_SECONDS", 0.5)
    found = ended(monkeypatch, "import time; time.sleep(60)")
    assert "did not finish within 0.5 seconds" in found.reason


def test_only_a_verdict_that_holds_is_kept(
    monkeypatch: pytest.MonkeyPatch, fresh_state: Path
) -> None:
    pytest.importorskip("torch")
    lines = "devicefix-selftest step attention\\ndevicefix-selftest holds "
    assert ended(monkeypatch, f"print('{lines}')").holds
    (record,) = (fresh_state / "selftest").iterdir()
    assert json.loads(record.read_text()) == {"holds": True}
    assert ended(monkeypatch, "os.abort()").holds, "kept, so not tried again"
    record.write_text("{")
    assert not ended(monkeypatch, "os.abort()").holds, "a damaged record is none"


def test_another_source_of_the_simulator_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    lines = "devicefix-selftest step attention\\ndevicefix-selftest holds "
    assert ended(monkeypatch, f"print('{lines}')").holds
    monkeypatch.setattr(selftest, "_source", lambda: "another")
    assert not ended(monkeypatch, "os.abort()").holds


def test_a_place_that_cannot_be_written_costs_no_verdict(
    monkeypatch: pytest.MonkeyPatch, fresh_state: Path
) -> None:
    pytest.importorskip("torch")
    fresh_state.write_text("a file")
    lines = "devicefix-selftest step attention\\ndevicefix-selftest holds "
    assert ended(monkeypatch, f"print('{lines}')").holds


@pytest.mark.slow
@pytest.mark.parametrize("device", ["sim:cuda:2", "sim:mps", "sim:xpu"])
def test_it_holds_here(device: str, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tried here, or by the first test that needs the device."""
    pytest.importorskip("torch")
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(state))
    found = verdict(sys.executable, device)
    assert found.holds, found.reason


@pytest.mark.slow
def test_an_order_of_slots_that_is_not_the_librarys_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The step that would notice headers of another build does notice."""
    pytest.importorskip("torch")
    turned = (
        "from devicefix.simulator import guard\n"
        "right = guard.model\n"
        "def wrong():\n"
        "    address, names = right()\n"
        "    a, b = names.index('type'), names.index('deviceCount')\n"
        "    names[a], names[b] = names[b], names[a]\n"
        "    return address, names\n"
        "guard.model = wrong\n"
    )
    enter = selftest._ENTER.replace("main()\n", turned + "main()\n")
    monkeypatch.setattr(selftest, "_ENTER", enter)
    found = verdict(sys.executable, "sim:cuda")
    assert "self-test of slots failed: the device guard's type is elsewhere" in found.reason
