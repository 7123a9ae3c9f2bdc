"""What runs have seen, from ``run --record`` to ``check --evidence``, as a user runs it.

The library of the guide is there as bytecode alone, so that no analysis sees it.
"""

from __future__ import annotations

import json
import os
import py_compile
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
from referencing import Registry, Resource

from devicefix.verification import verifying
from tests.cli.conftest import Devicefix
from tests.forking import Borrowed

DOCS: Final = Path(__file__).parents[2] / "docs"
GUIDE: Final = DOCS / "evidence.md"
_FENCE: Final = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)
_COMMAND: Final = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)

Run = Callable[..., subprocess.CompletedProcess[str]]

pytestmark = pytest.mark.slow


def blocks(kind: str) -> list[tuple[str, str]]:
    """Title and text of the blocks in one language, in the example of the guide."""
    example, _ = GUIDE.read_text(encoding="utf-8").split("\n## What a run records\n")
    found = _FENCE.findall(example)
    return [(title, text) for language, title, text in found if language == kind]


def steps() -> Iterator[tuple[str, str]]:
    """The commands of the guide behind its summary, and what each prints."""
    for _, text in blocks("console")[1:]:
        yield from _COMMAND.findall(text)


def validate(content: Any, name: str) -> None:
    resources = {
        path.name: Resource.from_contents(json.loads(path.read_text(encoding="utf-8")))
        for path in DOCS.glob("*.schema.json")
    }
    registry: Registry[Any] = Registry().with_resources(resources.items())
    jsonschema.Draft202012Validator(resources[name].contents, registry=registry).validate(content)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The program of the guide, and its library as bytecode."""
    folder = tmp_path / "project"
    folder.mkdir()
    files = {title: text for title, text in blocks("python") if title}
    (folder / "train.py").write_text(files["train.py"])
    library = tmp_path / "zoo.py"
    library.write_text(files["zoo.py"])
    compiled = str(folder / "zoo.pyc")
    py_compile.compile(str(library), cfile=compiled, dfile="/opt/lib/site-packages/zoo.py")
    return folder


@pytest.fixture
def run(answer: Devicefix, own_state: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in the folder of the program, with errors behind what it prints.

    The command is our own process; what it verifies is forked off a Python that has torch. What is
    recorded is watched from its first import on, so it starts from nothing.
    """
    monkeypatch.setenv("DEVICEFIX_STATE_DIR", str(own_state))
    monkeypatch.setattr(verifying, "ForkServer", Borrowed)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        status, out, err = answer(project, *arguments)
        return subprocess.CompletedProcess(arguments, status, out + err)

    return run


@pytest.fixture(scope="module")
def kept() -> dict[str, bytes]:
    """What a run of the program has recorded."""
    return {}


@pytest.fixture
def recorded(run: Run, project: Path, kept: dict[str, bytes]) -> Path:
    """The evidence of one run of the program, which is the same for all tests."""
    file = project / "evidence.json"
    if not kept:
        assert run("run", "--record", file.name, "train.py").returncode == 0
        kept[file.name] = file.read_bytes()
    file.write_bytes(kept[file.name])
    return file


@pytest.fixture
def run_afresh(own_state: Path, project: Path) -> Run:
    """The same as users have it: processes from nothing, with errors among what is printed."""
    environment = {**os.environ, "DEVICEFIX_STATE_DIR": str(own_state), "COLUMNS": "100"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "devicefix", *arguments]
        return subprocess.run(
            command,
            cwd=project,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    return run


def test_the_session_of_the_guide(run_afresh: Run) -> None:
    for command, printed in steps():
        done = run_afresh(*shlex.split(command)[1:])
        assert done.stdout == printed, command


def test_what_is_written_keeps_to_the_schemas(run: Run, recorded: Path) -> None:
    evidence = json.loads(recorded.read_text())
    validate(evidence, "evidence.schema.json")
    assert list(evidence["files"]) == ["train.py"]
    asked = ("--evidence", "evidence.json", "--output-format", "json")
    explained = json.loads(run("explain", *asked, "train.py:8").stdout)
    validate(explained, "explain.schema.json")
    assert [value["basis"] for value in explained["values"]] == ["seen", "seen", "unknown"]
    checked = run("check", *asked, "train.py")
    report = json.loads(checked.stdout)
    validate(report, "report.schema.json")
    assert checked.returncode == 1
    assert {f["applicability"] for f in report["findings"]} == {"unsafe"}
    assert all(f["seen"] and "seen in a run" in f["reason"] for f in report["findings"])


def test_a_failed_operation_is_recorded_and_a_second_run_is_added(
    run: Run, recorded: Path, project: Path
) -> None:
    program = (project / "train.py").read_text()
    (project / "other.py").write_text(program.replace('"mlp")', '"mlp").cuda()'))
    done = run("run", "--no-try", "--record", recorded.name, "other.py")
    assert done.returncode == 1
    files = json.loads(recorded.read_text())["files"]
    assert list(files) == ["other.py", "train.py"]
    failed = [e for e in files["other.py"]["expressions"] if e.get("demand", {}).get("failed")]
    assert [e["place"] for e in failed] == [[9, 46, 9, 54]]
    (failure,) = failed[0]["demand"]["failed"]
    assert failure["message"].startswith("Expected all tensors to be on the same device")
    assert ["mat1", "cpu"] in failure["operands"]


def test_evidence_is_void_where_the_line_has_changed(
    run: Run, recorded: Path, project: Path
) -> None:
    program = (project / "train.py").read_text()
    (project / "train.py").write_text(program.replace('build("mlp")', 'build("own")'))
    assert "DFX101" not in run("check", "--evidence", "evidence.json", "train.py").stdout
    (project / "train.py").write_text(f"# new\n{program}")
    assert "DFX101" in run("check", "--evidence", "evidence.json", "train.py").stdout
    recorded.write_text('{"version": 1, "files": {}}')
    assert "DFX101" not in run("check", "--evidence", "evidence.json", "train.py").stdout


def test_a_run_may_prove_what_rests_on_another(run: Run, recorded: Path, project: Path) -> None:
    done = run("apply", "--evidence", recorded.name, "--verify", "python train.py", "train.py")
    assert done.returncode == 0, done.stdout
    assert "Unsafe, verified by the run:\n  DFX101 DFX102" in done.stdout
    assert '= zoo.build("mlp").to(device)\n' in (project / "train.py").read_text()
    assert run("check", "--evidence", recorded.name, "train.py").returncode == 0


def test_a_program_ends_as_it_would(run_afresh: Run, project: Path) -> None:
    (project / "ends.py").write_text(
        "import sys\nimport threading\n\nx = [1]\n"
        "threading.Timer(0.2, print, ['later']).start()\n"
        "if sys.argv[1:] == ['raise']:\n    x[5]\nsys.exit(7)\n"
    )
    done = run_afresh("run", "--record", "evidence.json", "ends.py")
    assert (done.returncode, done.stdout.splitlines()[0]) == (7, "later")
    done = run_afresh("run", "--record", "evidence.json", "ends.py", "raise")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1].endswith('ends.py", line 7, in <module>')
    assert "later" in lines


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("check", "--evidence", "no.json", "train.py"), "Error: no.json: "),
        (("check", "--evidence", "train.py", "train.py"), "Error: train.py: not a file of"),
        (("explain", "--evidence", "no.json", "train.py:5"), "Error: no.json: "),
        (("explain", "--evidence", "no.json", "DFX101"), "--evidence can be given with FILE:LINE"),
        (("run", "--record", "train.py", "train.py"), "Error: train.py: not a file of"),
        (("run", "--record", "no/e.json", "train.py"), "cannot be written"),
    ],
)
def test_what_is_no_evidence(run: Run, arguments: tuple[str, ...], complaint: str) -> None:
    done = run(*arguments)
    assert done.returncode in (1, 2)
    assert complaint in done.stdout
