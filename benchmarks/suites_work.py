"""One library of `suites.py`: its sources, what it needs, and what its tests say."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

PASSED: Final = "passed"
_LINE: Final = 300
"""Characters of what a test said that are kept."""


class SuiteError(Exception):
    """A suite that could not be run, in a sentence."""


@dataclass(frozen=True, slots=True)
class Suite:
    """An entry of the manifest."""

    name: str
    repository: str
    """``owner/name``."""
    commit: str
    tests: tuple[str, ...]
    """Arguments of pytest."""
    apply: tuple[str, ...]
    """What is rewritten: files and folders of the repository."""
    path: tuple[str, ...] = (".",)
    """Folders of the repository that Python imports from."""
    device: tuple[str, ...] = ()
    """More arguments of pytest on the simulated device, for suites that choose it."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """More of the environment."""
    seconds: int = 900
    """A run that takes longer is ended."""

    def digest(self, requirements: Sequence[str]) -> str:
        """Of all that the outcomes before depend on, but for the simulator and the time."""
        versions = [sys.version, *map(version, ("torch", "numpy", "pytest"))]
        said = json.dumps([asdict(replace(self, seconds=0)), *requirements, *versions])
        return hashlib.sha256(said.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Of one run of a suite."""

    tests: Mapping[str, str]
    """By the name of the test: ``passed``, ``skipped``, or what it said when it failed."""
    seconds: float
    status: int

    @property
    def passed(self) -> set[str]:
        """The tests that passed."""
        return {name for name, said in self.tests.items() if said == PASSED}


@dataclass(frozen=True, slots=True)
class Applied:
    """What `devicefix apply` did."""

    files: int
    hunks: int
    seconds: float
    status: int
    said: list[str] = field(default_factory=list)
    """Its last lines."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `suites.json` says."""

    requirements: tuple[str, ...]
    """Installed without what they depend on: PyTorch is that of the interpreter."""
    suites: tuple[Suite, ...]

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """From a file."""
        found = json.loads(path.read_text("utf-8"), object_hook=_frozen)
        return cls(found["requirements"], tuple(Suite(**each) for each in found["suites"]))


def _frozen(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in entry.items()}


def extract(suite: Suite, mirrors: Path, tree: Path) -> None:
    """The repository at its commit, without links and files that the mirror does not hold."""
    marker = tree.with_suffix(".commit")
    if marker.exists() and marker.read_text("utf-8") == suite.commit:
        return
    git = ["git", "--git-dir", str(_mirror(suite, mirrors))]
    listed = _output([*git, "ls-tree", "-r", "-z", suite.commit]).split(b"\0")
    rows = [line.split(b"\t", 1) for line in listed if line.startswith(b"100")]
    names = {path: about.split()[2] for about, path in rows}
    shutil.rmtree(tree, ignore_errors=True)
    for path, content in zip(names, _blobs(git, list(names.values())), strict=True):
        if content is not None:
            target = tree / os.fsdecode(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    marker.write_text(suite.commit, "utf-8")


def _mirror(suite: Suite, mirrors: Path) -> Path:
    owner, name = suite.repository.split("/")
    for folder in (f"{owner}+{name}/repo", f"{owner}+{name}", suite.repository, f"{name}.git"):
        for found in (mirrors / folder / ".git", mirrors / folder):
            if (found / "HEAD").exists():
                return found
    raise SuiteError(f"no mirror of {suite.repository} in {mirrors}")


def _blobs(git: Sequence[str], names: Sequence[bytes]) -> Iterator[bytes | None]:
    answer = _output([*git, "cat-file", "--batch"], b"".join(name + b"\n" for name in names))
    at = 0
    for _ in names:
        end = answer.index(b"\n", at)
        header = answer[at:end].split()
        if header[-1] == b"missing":
            at = end + 1
            yield None
            continue
        at = end + 2 + int(header[2])
        yield answer[end + 1 : at - 1]


def install(requirements: Sequence[str], folder: Path) -> None:
    """What the suites need beside PyTorch, in a folder of its own."""
    marker = folder / "installed.json"
    wanted = json.dumps([*requirements, sys.version])
    if marker.exists() and marker.read_text("utf-8") == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    _output([*pip, "--target", str(folder), *requirements])
    marker.write_text(wanted, "utf-8")


def run(suite: Suite, tree: Path, packages: Path, device: str) -> Outcomes:
    """The suite in ``tree``; on a simulated ``device``, if one is named."""
    report = tree.with_name(f"{tree.name}.xml")
    report.unlink(missing_ok=True)
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts="]
    chosen = ["--simulate-device", device, *suite.device] if device else []
    command = [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", *chosen]
    path = [*(str(tree / folder) for folder in suite.path), str(packages)]
    variables = {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(path)}
    started = time.perf_counter()
    with tree.with_name(f"{tree.name}.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, *suite.tests],
            cwd=tree,
            env={**os.environ, **variables, **suite.variables},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            process.wait(suite.seconds)
        except subprocess.TimeoutExpired:
            raise SuiteError(f"pytest took more than {suite.seconds} seconds in {tree}") from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if not report.exists():
        raise SuiteError(f"pytest left no report: see {log.name}")
    return Outcomes(_read(report), round(time.perf_counter() - started, 1), process.returncode)


def _read(report: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        said = next((_said(part) for part in case if part.tag in _TOLD), PASSED)
        if found.get(name, PASSED) == PASSED:  # the teardown of a test that passed may fail
            found[name] = said
    return found


_TOLD: Final = ("failure", "error", "skipped")


def _said(part: ElementTree.Element) -> str:
    if part.tag == "skipped":
        return "skipped"
    lines = (part.get("message") or part.text or "").strip().splitlines()
    return f"{part.tag}: {lines[0] if lines else ''}"[:_LINE]


def apply(suite: Suite, before: Path, after: Path, paths: Sequence[str]) -> Applied:
    """Rewrite ``after``, which is a copy of ``before``; the difference is written beside it."""
    command = [sys.executable, "-m", "devicefix", "apply", "-j", "1", *paths]
    started = time.perf_counter()
    done = subprocess.run(command, cwd=after, capture_output=True, text=True, check=False)
    seconds = round(time.perf_counter() - started, 1)
    difference = list(_difference(before, after))
    after.with_suffix(".diff").write_text("".join(difference), "utf-8", "replace")
    said = (done.stdout + done.stderr).splitlines()
    after.with_suffix(".apply").write_text("\n".join(said), "utf-8", "replace")
    return Applied(
        sum(line.startswith("+++ ") for line in difference),
        sum(line.startswith("@@ ") for line in difference),
        seconds,
        done.returncode,
        said[-3:],
    )


def _difference(before: Path, after: Path) -> Iterator[str]:
    for path in sorted(after.rglob("*")):
        old = before / path.relative_to(after)
        if path.suffix in (".py", ".ipynb") and path.read_bytes() != old.read_bytes():
            lines = [_text(file).splitlines(keepends=True) for file in (old, path)]
            name = str(path.relative_to(after))
            yield from difflib.unified_diff(lines[0], lines[1], name, name)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _output(command: Sequence[str], given: bytes = b"") -> bytes:
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise SuiteError(f"{' '.join(command[:6])} … failed: {said[-_LINE:]}")
    return done.stdout


def kept(path: Path, digest: str) -> list[Outcomes]:
    """The runs before that are known, if nothing has changed that they depend on."""
    if not path.exists():
        return []
    known: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return [Outcomes(**each) for each in known["runs"]] if known["digest"] == digest else []


def keep(path: Path, digest: str, runs: Sequence[Outcomes]) -> None:
    """For the next time."""
    known = {"digest": digest, "runs": [asdict(each) for each in runs]}
    path.write_text(json.dumps(known, indent=1), "utf-8")
