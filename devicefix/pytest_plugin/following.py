"""What is said of a test-suite on a simulated accelerator: before, at failures and at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from dataclasses import asdict
from typing import Any, Final

import pytest

from devicefix.observe import start
from devicefix.pytest_plugin.provenance import provenance
from devicefix.pytest_plugin.tally import Counts, Tally
from devicefix.reporting.places import bytes_of
from devicefix.simulator import Accelerator
from devicefix.simulator.watching import POST, watch

_ATTRIBUTE: Final = "devicefix"
"""Of a report: what its phase did with the device. pytest-xdist brings a report's attributes from
the worker.
"""

_OURS: Final = ("devicefix.simulator", "devicefix.observe", "devicefix.pytest_plugin")

_SECTION: Final = "devicefix: where the tensors were"


class Following:
    """The hooks of a run with a simulated accelerator."""

    def __init__(self, accelerator: Accelerator, has_provenance: bool) -> None:
        self._device = accelerator.name
        self._count = accelerator.count
        self._before = POST.watcher
        self._tally = Tally(self._before)
        self._total = Counts()
        self._tests: set[str] = set()
        self._on_device: set[str] = set()
        watch(self._tally)
        self._observation = start(None) if has_provenance else None
        _hide_frames()

    def pytest_unconfigure(self) -> None:
        """Leave the process as it was, as far as an accelerator can be left."""
        if self._observation is not None:
            self._observation.stop()
        watch(self._before)

    def pytest_report_header(self) -> str:
        """One line among those that pytest begins with."""
        devices = "1 device" if self._count == 1 else f"{self._count} devices"
        return f"devicefix: simulating {self._device}, {devices}"

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Put into the report what the test did, and where the operands of its error were."""
        counts = self._tally.take()
        report = yield
        self._tally.take()  # the traceback prints tensors, and that reads them
        setattr(report, _ATTRIBUTE, asdict(counts))
        _add_provenance(report, call.excinfo)
        return report

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self,
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """The same for what a test module does when it is imported."""
        report = yield
        call = getattr(report, "call", None)
        _add_provenance(report, call.excinfo if call is not None else None)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the tests of this process, or of all workers."""
        counts = Counts(**getattr(report, _ATTRIBUTE, {}))
        self._total.add(counts)
        if report.when == "call":
            self._tests.add(report.nodeid)
        if counts.kernels:
            self._on_device.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line at the end, unless ``devicefix run --no-summary`` runs the tests."""
        if not self._tests or os.environ.get("DEVICEFIX_SUMMARY") == "0":
            return
        total = self._total
        terminalreporter.write_line(
            f"devicefix: {len(self._on_device)} of {_number(len(self._tests), 'test')} computed on "
            f"{self._device}; {_number(total.transfers, 'transfer')} between CPU and device, "
            f"{bytes_of(total.bytes)}"
        )


def _hide_frames() -> None:
    """Leave our own frames out of tracebacks, as kernels in C++ have none.

    pytest looks for this name in the globals of a frame, too; ``--full-trace`` shows all.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(_OURS):
            vars(module)["__tracebackhide__"] = True


def _add_provenance(
    report: pytest.TestReport | pytest.CollectReport,
    excinfo: pytest.ExceptionInfo[BaseException] | None,
) -> None:
    if excinfo is None or not report.failed:
        return
    text = provenance(excinfo.value)
    if text is None:
        return
    add = getattr(report.longrepr, "addsection", None)
    if add is not None:  # it belongs to the error, whatever is captured
        add(_SECTION, text)
    else:
        report.sections.append((_SECTION, text))


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
