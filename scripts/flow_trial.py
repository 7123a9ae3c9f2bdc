"""A copy of the checkout in which the tests of the analysis run on one mutant after the other."""

from __future__ import annotations

import json
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flow_mutants import Mutant

TESTS: Final = (
    ("tests/flow",),
    ("tests/codemods", "-k", "becomes_its_output or stays_as_it_is"),
)
"""Each case of a codemod once; that a second run changes nothing takes as long again."""
_PYTEST: Final = (
    *(sys.executable, "-m", "pytest"),
    *("-x", "-q", "--no-header", "--tb=no", "-n", "0", "-p", "no:cacheprovider"),
)
_TIMES: Final = 3
"""What the tests may take of the time of the processor that they take without a mutant."""
_WALL_S: Final = 1800.0
"""Nothing should wait, but something may."""
_MEMORY: Final = 6 << 30
_LATER: Final = 2.0
"""Seconds. Python takes what it has compiled for a file of the same length and second."""


class Trial:
    """A context: the copy is gone behind it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = Path(tempfile.mkdtemp(prefix="devicefix-mutants-"))
        self._seconds = 600
        self._environment = {**os.environ, "PYTHONHASHSEED": "0"}

    def __enter__(self) -> Trial:
        names = subprocess.run(
            ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
            cwd=self._root,
            check=True,
            capture_output=True,
        ).stdout
        for name in filter(None, os.fsdecode(names).split("\0")):
            if (self._root / name).is_file():
                (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self._root / name, self._folder / name)
        self._install()
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _install(self) -> None:
        """Codemods are loaded only from where the distribution says that it is."""
        installed = distribution("devicefix")
        target = self._folder / f"devicefix-{installed.version}.dist-info"
        target.mkdir()
        for name in ("METADATA", "entry_points.txt"):
            (target / name).write_text(installed.read_text(name) or "", encoding="utf-8")
        origin = {"url": self._folder.as_uri(), "dir_info": {"editable": True}}
        (target / "direct_url.json").write_text(json.dumps(origin), encoding="utf-8")
        (target / "RECORD").touch()

    def passes(self) -> bool:
        """Whether all tests pass where nothing is changed; what they take bounds the others."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        if any(self._pytest(*tests) != "survived" for tests in TESTS):
            return False
        taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self._seconds = math.ceil(_TIMES * taken)
        # All is compiled by now but mutants, and one may be as long, and as old, as another.
        self._environment["PYTHONDONTWRITEBYTECODE"] = "1"
        return True

    def end(self, mutant: Mutant) -> str:
        """How ``mutant`` ends: killed, timeout or survived."""
        file = self._folder / mutant.module
        original, written = file.read_bytes(), file.stat().st_mtime
        own = Path("tests", "flow", f"test_{file.stem}.py")
        file.write_text(mutant.text, encoding="utf-8")
        os.utime(file, (written, written + _LATER))
        try:
            first = [(str(own),)] if (self._folder / own).exists() else []
            for tests in (*first, *TESTS):
                end = self._pytest(*tests)
                if end != "survived":
                    return end
        finally:
            file.write_bytes(original)
            os.utime(file, (written, written))
        return "survived"

    def _pytest(self, *tests: str) -> str:
        process = subprocess.Popen(
            (*_PYTEST, *tests),
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=self._bound,
        )
        try:
            status = process.wait(_WALL_S)
        except subprocess.TimeoutExpired:
            return "timeout"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if status == -signal.SIGXCPU:
            return "timeout"
        return "killed" if status else "survived"

    def _bound(self) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (self._seconds, self._seconds + 5))
