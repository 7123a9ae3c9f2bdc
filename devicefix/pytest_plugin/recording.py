"""`pytest --simulate-device cuda --record FILE`: what the expressions of the project were."""

from __future__ import annotations

import builtins
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest

from devicefix.engine import EngineError, add_evidence, evidence_at
from devicefix.evidence import Evidence, gather_evidence
from devicefix.observe import explain
from devicefix.observe.sightings.instrument import NAME
from devicefix.observe.sightings.writing import begin
from devicefix.records import read_failure, with_error
from devicefix.verification.environment import seeing

_FAILED: Final = ".failed"
_FOLDER: Final = "DEVICEFIX_SEEN"


class Recording:
    """The hooks of a process in which tests run.

    The first process gathers what all have seen. Those that it starts come in by the environment,
    workers of pytest-xdist too; what tests do in them is seen as well.
    """

    def __init__(self, file: Path, root: Path) -> None:
        self._write: Callable[[], None] | None = None
        self._file, self._shown = file.absolute(), str(file)
        self._is_first = not hasattr(builtins, NAME)
        self._said = ""
        if not self._is_first:
            return
        try:
            evidence_at(file)
        except EngineError as error:
            raise pytest.UsageError(f"--record: {error}") from None
        os.environ.update(seeing(root, Path(tempfile.mkdtemp(prefix="devicefix-seen-"))))
        self._write = begin(Path(os.environ[_FOLDER]), str(root))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep the error of placement that a test has failed with."""
        report = yield
        explanation = explain(call.excinfo.value) if call.excinfo is not None else None
        if explanation is not None:
            name = f"{uuid.uuid4().hex}{_FAILED}"
            Path(os.environ[_FOLDER], name).write_text(json.dumps(explanation.entry()), "utf-8")
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Put together what was seen: the workers have come to their end."""
        if self._write is None:
            return
        self._write()
        folder = Path(os.environ[_FOLDER])
        try:
            said = add_evidence(self._file, _gathered(folder))
            self._said = said.replace(str(self._file), self._shown)
        except EngineError as error:
            self._said = str(error)
        shutil.rmtree(folder, ignore_errors=True)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line at the end."""
        if self._said:
            terminalreporter.write_line(f"devicefix: {self._said}")


def _gathered(folder: Path) -> Evidence:
    found = gather_evidence(folder)
    for path in sorted(folder.glob(f"*{_FAILED}")):
        found = with_error(found, read_failure(json.loads(path.read_text("utf-8"))))
    return found
