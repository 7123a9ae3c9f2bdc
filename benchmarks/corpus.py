"""The corpus of the benchmarks: the Python files of a few packages, at fixed versions.

    python benchmarks/corpus.py          # prints its folder; downloads it the first time (31 MB)

`corpus.txt` names the packages with the digests of their wheels, which pip checks. Only files that
end in ``.py`` are kept, in the cache folder of the platform; nothing is installed or imported.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Final

import platformdirs

PINS: Final = Path(__file__).with_name("corpus.txt")
_WHEELS: Final = (
    *("--no-deps", "--only-binary", ":all:", "--require-hashes"),
    *("--python-version", "3.11", "--platform", "manylinux_2_28_x86_64"),
)
"""Of all platforms the same files."""


def cache() -> Path:
    """Where benchmarks keep what they download."""
    named = os.environ.get("DEVICEFIX_BENCHMARKS")
    return Path(named) if named else platformdirs.user_cache_path("devicefix-benchmarks")


def corpus() -> Path:
    """The folder that holds the corpus, one folder for each package.

    Raises `subprocess.CalledProcessError` where pip cannot get it.
    """
    digest = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    folder = cache() / f"corpus-{digest}"
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as working:
            made = Path(working, "corpus")
            made.mkdir()
            for wheel in _downloaded(Path(working)):
                _unpack(wheel, made)
            made.rename(folder)  # at once, so that a folder of that name is complete
    return folder


def files(folder: Path) -> list[Path]:
    """All files of the corpus, in order."""
    return sorted(folder.rglob("*.py"))


def sample(folder: Path, every: int) -> Path:
    """A folder with the files of each ``every``-th folder of the corpus: whole folders, so that
    files find those that they import."""
    digest = hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]
    target = cache() / f"sample-{every}-{digest}"
    if not target.is_dir():
        folders = sorted({path.parent for path in files(folder)})
        with tempfile.TemporaryDirectory(dir=target.parent) as working:
            made = Path(working, "sample")
            for chosen in folders[::every]:
                for path in sorted(chosen.glob("*.py")):
                    copy = made / path.relative_to(folder)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, copy)
            made.rename(target)
    return target


def _downloaded(working: Path) -> list[Path]:
    wheels = working / "wheels"
    command = [sys.executable, "-m", "pip", "download", "-q", *_WHEELS]
    subprocess.run([*command, "-r", str(PINS), "-d", str(wheels)], check=True)
    return sorted(wheels.glob("*.whl"))


def _unpack(wheel: Path, target: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(".py"):
                archive.extract(name, target)


if __name__ == "__main__":
    print(corpus())
