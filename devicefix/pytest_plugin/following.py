"""What is said of a test-suite on a simulated accelerator: before, at failures and at the end."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pytest

from devicefix.pytest_plugin.provenance import provenance
from devicefix.pytest_plugin.tally import Counts, Tally
from devicefix import simulator
from devicefix.simulator.watching import POST, watch

_ATTRIBUTE: Final = "devicefix"
"""Of a report: what its phase did with the device. pytest-xdist brings a report's attributes from
the worker."""

_SIMULATOR: Final = Path(simulator.__file__).parent

_SECTION: Final = "devicefix: where the tensors were"


class Following:
    """The hooks of a run with a simulated accelerator."""

    def __init__(self, accelerator: simulator.Accelerator) -> None:
        self._device = accelerator.name
        self._count = accelerator.count
        self._tally = Tally(POST.watcher)
        self._total = Counts()
        self._tests: set[str] = set()
        self._on_device: set[str] = set()
        watch(self._tally)

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
        _hide_simulator(item.config, call.excinfo)
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
        """One line at the end."""
        if not self._tests:
            return
        total = self._total
        terminalreporter.write_line(
            f"devicefix: {len(self._on_device)} of {_number(len(self._tests), 'test')} computed on "
            f"{self._device}; {_number(total.crossings, 'crossing')} between host and device, "
            f"{_megabytes(total.bytes)}"
        )


def _hide_simulator(
    config: pytest.Config, excinfo: pytest.ExceptionInfo[BaseException] | None
) -> None:
    """Leave our own frames out, as kernels in C++ have none; ``--full-trace`` shows them."""
    if excinfo is not None and not config.getoption("fulltrace"):
        entries = excinfo.traceback.filter(lambda entry: not _is_ours(entry.path))
        excinfo.traceback = entries or excinfo.traceback


def _is_ours(path: Path | str) -> bool:
    return _SIMULATOR in Path(path).parents


def _add_provenance(
    report: pytest.TestReport | pytest.CollectReport,
    excinfo: pytest.ExceptionInfo[BaseException] | None,
) -> None:
    if excinfo is None or not report.failed:
        return
    text = provenance(excinfo.value)
    if text is None:
        return
    if hasattr(report.longrepr, "addsection"):  # it belongs to the error, whatever is captured
        report.longrepr.addsection(_SECTION, text)
    else:
        report.sections.append((_SECTION, text))


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
