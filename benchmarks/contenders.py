"""Who is measured: devicefix, what people would use instead, and the baseline."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from corpus import cache

PINS: Final = Path(__file__).with_name("tools.txt")
HERE: Final = Path(__file__).parent
BASELINE: Final = "ast.parse"


@dataclass(frozen=True, slots=True)
class Contender:
    """A command that reads the corpus and changes nothing."""

    name: str
    command: tuple[str, ...]
    statuses: frozenset[int] = frozenset((0, 1))
    """Exit statuses that say that the work was done."""
    remembers: Path | None = None
    """Where it finds what an earlier run has kept."""
    forgets: bool = False
    """Whether that is emptied first."""

    @property
    def environment(self) -> Mapping[str, str]:
        """What it is told besides."""
        return {"DEVICEFIX_CACHE_DIR": str(self.remembers)} if self.remembers is not None else {}

    def prepare(self) -> None:
        """Make all rounds alike."""
        if self.remembers is not None and self.forgets:
            shutil.rmtree(self.remembers, ignore_errors=True)


def environment() -> Path:
    """The folder with the programs of the others, in a virtual environment of their own.

    Raises `subprocess.CalledProcessError` where pip cannot install them.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    folder = cache() / f"tools-{version}-{digest}"
    programs = folder / ("Scripts" if sys.platform == "win32" else "bin")
    finished = folder / "finished"
    if not finished.exists():
        venv.create(folder, clear=True, with_pip=True)
        command = [str(programs / "python"), "-m", "pip", "install", "-q", "--no-deps"]
        subprocess.run([*command, "-r", str(PINS)], check=True)
        finished.touch()
    return programs


def contenders(folder: Path, names: Sequence[str]) -> list[Contender]:
    """Those of ``names`` on the files in ``folder``, with the baseline, which comes first."""
    target = str(folder)
    found = [Contender(BASELINE, (sys.executable, str(HERE / "bare_parse.py"), target))]
    found += [_devicefix(name, target) for name in names if name.startswith("devicefix")]
    others = [name for name in names if name in OTHERS]
    if others:
        programs = environment()
        found += [_other(name, programs, target) for name in others]
    return found


WARM: Final = "devicefix warm"
DEVICEFIX: Final = {"devicefix": ("-j", "1"), "devicefix -j 2": ("-j", "2"), WARM: ("-j", "1")}
"""The last one finds what the one before it has kept."""
OTHERS: Final = {
    "ruff": ("ruff", "check", "--isolated", "--no-cache", "--quiet"),
    "ast-grep": ("ast-grep", "run", "--lang", "python", "--pattern", "$X.cuda($$$)"),
    "libcst codemod": ("python", str(HERE / "trivial_codemod.py")),
    "fixit": ("fixit", "--quiet", "lint"),
    "TorchFix": ("torchfix", "-j", "1", "--select", "ALL"),
}
NAMES: Final = (*DEVICEFIX, *OTHERS)


def _devicefix(name: str, target: str) -> Contender:
    command = (sys.executable, "-m", "devicefix", "check", *DEVICEFIX[name])
    # 2: it names files that it could not work on, and has worked on the others
    done = frozenset((0, 1, 2))
    return Contender(name, (*command, target), done, cache() / "checks", name != WARM)


def _other(name: str, programs: Path, target: str) -> Contender:
    program, *options = OTHERS[name]
    return Contender(name, (str(programs / program), *options, target), frozenset(range(128)))


def versions() -> dict[str, str]:
    """What was measured, by name."""
    pins = (line.split("==") for line in PINS.read_text("utf-8").split())
    return dict(pins)


def elsewhere() -> str:
    """A folder to start in, so that no configuration around the current one counts."""
    return tempfile.gettempdir()
