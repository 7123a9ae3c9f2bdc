"""What only a process of its own shows: imports, time, and what the working directory may do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
LOADED = """
import json, sys
from devicefix.cli import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted({".".join(name.split(".")[:2]) for name in sys.modules})]))
"""
SCRIPT = """
import sys
from devicefix.cli import main
if __name__ == "__main__":
    sys.exit(main())
"""
RUNS = {"devicefix.records", "devicefix.verification"}
"""What only a command needs that runs programs."""
HEAVY = {"torch", "numpy", "libcst", "rich", "pyflakes", "fissix", "codemods", "ray", *RUNS}


def environment(*path: Path, **more: str) -> dict[str, str]:
    python_path = os.pathsep.join(map(str, (ROOT, *path)))
    return {**os.environ, "PYTHONPATH": python_path, **more}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    for number in range(100):
        (folder / f"m{number}.py").write_text("x = 1\n" * 50)
    return folder


def test_a_folder_without_torch_loads_nothing_heavy(project: Path) -> None:
    command = [sys.executable, "-c", LOADED, "check", str(project)]
    done = subprocess.run(command, env=environment(), capture_output=True, check=True)
    said, loaded = done.stdout.decode().splitlines()
    assert said == "Nothing found in 100 files."
    status, modules = json.loads(loaded)
    assert status == 0
    assert not HEAVY & set(modules)


@pytest.mark.parametrize(("given", "passed_over"), [("", True), ("sys.argv[1:]", False)])
def test_what_is_left_at_the_end_of_a_command_is_not_looked_through(
    given: str, passed_over: bool
) -> None:
    """Of the process that is the command; one that calls it goes on."""
    said = "lambda: print('passed over' if gc.get_freeze_count() else 'looked through')"
    program = (
        f"import atexit, gc, sys\natexit.register({said})\n"
        f"from devicefix.cli import main\nsys.exit(main({given}))\n"
    )
    command = [sys.executable, "-c", program, "rules"]
    done = subprocess.run(command, env=environment(), capture_output=True, check=True, text=True)
    assert done.stdout.splitlines()[-1] == ("passed over" if passed_over else "looked through")


def test_finding_something_needs_neither_torch_nor_libcst(site: Path, project: Path) -> None:
    (project / "bad.py").write_text("import torch\nx = (\n")
    command = [sys.executable, "-c", LOADED, "check", str(project), "--select", "TST101"]
    done = subprocess.run(command, env=environment(site), capture_output=True, check=True)
    status, modules = json.loads(done.stdout.decode().splitlines()[-1])
    assert status == 2
    assert not {"torch", "libcst", *RUNS} & set(modules)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder to be scanned that holds what could pass for our own code and our libraries."""
    folder = tmp_path / "hostile"
    for name in ("codemods", "dfx_cli_rules", "rich", "click", "pathspec", "pyflakes"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("raise SystemExit('HOSTILE CODE RAN')\n")
    (folder / "json.py").write_text("raise SystemExit('HOSTILE CODE RAN')\n")
    (folder / "main.py").write_text("import torch\nold = print('HOSTILE CODE RAN')\n")
    (folder / "evil.egg-info").mkdir()
    points = "[devicefix.codemods]\nevil = rich\n"
    (folder / "evil.egg-info/entry_points.txt").write_text(points)
    (folder / "evil.egg-info/PKG-INFO").write_text("Metadata-Version: 2.1\nName: evil\n")
    return folder


def test_run_as_a_module_the_working_directory_is_not_first(site: Path, hostile: Path) -> None:
    command = [sys.executable, "-m", "devicefix", "rules"]
    done = subprocess.run(
        command, cwd=hostile, env=environment(site), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "TST101" in done.stdout


def test_run_as_a_script_nothing_that_is_scanned_is_imported(
    site: Path, hostile: Path, tmp_path: Path
) -> None:
    (hostile / "devicefix").mkdir()
    (hostile / "devicefix/__init__.py").write_text("raise SystemExit('HOSTILE CODE RAN')\n")
    script = tmp_path / "bin/devicefix"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    env = environment(site, DEVICEFIX_STATE_DIR=str(tmp_path / "state"))
    for command in (["rules"], ["check", "."], ["apply", "."]):
        done = subprocess.run(
            [sys.executable, str(script), *command],
            cwd=hostile,
            env=env,
            capture_output=True,
            text=True,
        )
        assert "TST101" in done.stdout, done.stderr
        assert "HOSTILE" not in done.stdout + done.stderr
    assert (hostile / "main.py").read_text().startswith("import torch\nnew = ")


def test_a_reader_that_leaves_early_gets_no_traceback(site: Path) -> None:
    command = f"'{sys.executable}' -m devicefix rules | true"
    done = subprocess.run(
        command, shell=True, env=environment(site), capture_output=True, text=True
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_output_fits_any_terminal_encoding(site: Path, tmp_path: Path) -> None:
    (tmp_path / "naïve_→.py").write_text("import torch\nx = (\n", encoding="utf-8")
    env = environment(site, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    command = [sys.executable, "-m", "devicefix", "check", "."]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 2
    assert "na\\xefve_\\u2192.py:2: error: " in done.stderr
