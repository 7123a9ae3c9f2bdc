"""Where the programs of the harm campaign come from."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
WRITTEN: Final = ROOT / "benchmarks" / "programs"
_MAIN: Final = "main.py"
_MANIFEST: Final = "harm.json"
_CASE: Final = "case.json"
_RUN: Final = "# run:"
_ENTRIES: Final = (_MAIN, "train.py")


@dataclass(frozen=True, slots=True)
class Run:
    """One way to start a program."""

    entry: str
    """A path below the folder of the program."""
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.entry, *self.arguments))


@dataclass(frozen=True, slots=True)
class Program:
    """Sources in a folder, and how they are started."""

    kind: str
    name: str
    runs: tuple[Run, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    tree: Path | None = None
    """In the place of ``files``."""
    path: tuple[str, ...] = ()
    """Folders of other modules that it finds."""
    variables: tuple[tuple[str, str], ...] = ()
    """Of its environment."""
    options: tuple[str, ...] = ()
    """Of `apply`."""
    beside: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are put into its folder, by name."""


def cases() -> Iterator[Program]:
    """What the rules are tested with: each case before it is fixed."""
    sys.path.insert(0, str(ROOT))
    from tests.codemods.test_cases import CASES

    for case in CASES:
        files = {"program.py": case.before.encode()}
        yield Program("cases", f"{case.path}: {case.title}", (Run("program.py"),), files)


def examples() -> Iterator[Program]:
    """The examples of the documentation."""
    yield from below(ROOT / "examples", "examples")


def written() -> Iterator[Program]:
    """Programs that were written for this."""
    yield from below(WRITTEN, "written")


def below(folder: Path, kind: str) -> Iterator[Program]:
    """The programs in ``folder``: those that its ``harm.json`` names, or all scripts and folders.

    ``harm.json`` is a list of ``{"name", "folder", "entry", "runs"}``, where ``folder`` is a path
    from here and ``runs`` a list of lists of arguments. Without it each file is a program, and
    each folder that has a ``main.py`` or ``train.py``; lines ``# run: ARGUMENTS`` at the beginning
    of that file say how it is started: once for each, or once without arguments. A folder with a
    ``case.json`` holds the program in ``before``; ``{"entry": PATH}`` says what of it is started.
    """
    manifest = folder / _MANIFEST
    if manifest.exists():
        for entry in json.loads(manifest.read_text(encoding="utf-8")):
            yield _listed(folder, kind, entry)
        return
    for path in sorted(folder.iterdir()):
        if path.suffix in {".py", ".ipynb"}:
            files = {path.name: path.read_bytes()}
            yield Program(kind, path.stem, _runs(path), files)
        if (case := path / _CASE).exists():
            entry = json.loads(case.read_text(encoding="utf-8"))["entry"]
            yield Program(kind, path.name, (Run(entry),), tree=path / "before")
            continue
        for name in _ENTRIES:
            if (path / name).exists():
                yield Program(kind, path.name, _runs(path / name), tree=path)
                break


def _listed(folder: Path, kind: str, entry: Mapping[str, Any]) -> Program:
    runs = tuple(Run(entry["entry"], tuple(some)) for some in entry.get("runs", [[]]))
    return Program(kind, entry["name"], runs, tree=folder / entry["folder"])


def _runs(script: Path) -> tuple[Run, ...]:
    lines = script.read_text(encoding="utf-8", errors="replace").splitlines()
    asked = [line.removeprefix(_RUN) for line in lines[:20] if line.startswith(_RUN)]
    return tuple(Run(script.name, tuple(shlex.split(some))) for some in asked or [""])


def scripts(
    manifest: Path, mirrors: Path, checkouts: Path, path: tuple[str, ...]
) -> Iterator[Program]:
    """Public scripts: ``[{"repo": "owner+name", "script", "args"}]``, one program a repository.

    The newest commit of ``mirrors/owner+name`` is checked out below ``checkouts``.
    """
    wanted: dict[str, list[Run]] = defaultdict(list)
    for entry in json.loads(manifest.read_text(encoding="utf-8")):
        wanted[entry["repo"]].append(Run(entry["script"], tuple(shlex.split(entry["args"]))))
    for repository, runs in wanted.items():
        tree = checkouts / repository
        if not tree.exists() and not _checked_out(mirrors / repository, tree):
            print(f"left out: {repository}, of which there is no whole mirror", file=sys.stderr)
            continue
        yield Program("scripts", repository, tuple(runs), tree=tree, path=path, variables=_FEW)


_FEW: Final = (("STUB_N", os.environ.get("STUB_N", "400")),)
"""How many samples a data set has that a stub makes up."""


def _checked_out(mirror: Path, tree: Path) -> bool:
    places = (mirror, mirror / "repo", mirror / ".git")
    folder = next((place for place in places if (place / "HEAD").exists()), None)
    if folder is None:
        return False
    tree.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(dir=tree.parent))
    git = ["git", f"--git-dir={folder}", "archive", "HEAD"]
    with subprocess.Popen(git, stdout=subprocess.PIPE) as archive:
        tar = subprocess.run(["tar", "x", "-C", str(part)], stdin=archive.stdout, check=False)
    if tar.returncode or archive.returncode:  # a mirror may lack some of its files
        shutil.rmtree(part)
        return False
    part.rename(tree)
    return True
