from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devicefix.engine import RegistryError
from devicefix.engine import registry as registry_module
from devicefix.engine.registry import load_codemods

RULE = '''
"""A name is old."""
from devicefix.codemod import Codemod

class {name}(Codemod):
    code = "{code}"
    name = "{name}"
    def check(self, context):
        yield from ()
'''
BASE = "class Base(Codemod):\n    pass\n"
PACKAGE = "dfx_test_rules"

Plant = Callable[..., Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """Installs a distribution with a package of codemods, in a folder of its own on the path."""

    def plant(files: dict[str, str], folder: str = "site", listed: bool = True) -> Path:
        site = tmp_path / folder
        write(site, files)
        record = "\n".join(f"{name},," for name in files) if listed else ""
        info = {
            "METADATA": "Metadata-Version: 2.1\nName: acme\nVersion: 1\n",
            "RECORD": record,
            "entry_points.txt": f"[dfx.test]\nacme = {PACKAGE}\n",
        }
        write(site / "acme-1.dist-info", info)
        monkeypatch.syspath_prepend(str(site))
        return site

    monkeypatch.setattr(registry_module, "GROUP", "dfx.test")
    yield plant
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def package(*codes: str) -> dict[str, str]:
    files = {f"{PACKAGE}/__init__.py": "", f"{PACKAGE}/sub/__init__.py": ""}
    for code in codes:
        files[f"{PACKAGE}/sub/{code.lower()}.py"] = RULE.format(code=code, name=code.title())
    return files


def codes() -> list[str]:
    return [codemod.code for codemod in load_codemods()]


def test_walks_the_package_and_sorts_by_code(install: Plant) -> None:
    files = package("DFX2", "DFX1")
    files[f"{PACKAGE}/other.py"] = (
        f"from {PACKAGE}.sub.dfx1 import Dfx1\nfrom devicefix.codemod import Codemod\n{BASE}"
    )
    install(files)
    assert codes() == ["DFX1", "DFX2"]


def test_an_alias_of_a_type_is_no_rule(install: Plant) -> None:
    """Python 3.10 takes it for a class."""
    install({**package("DFX1"), f"{PACKAGE}/other.py": "Pair = tuple[int, ...]\n"})
    assert codes() == ["DFX1"]


def test_two_rules_may_not_share_a_code(install: Plant) -> None:
    files = package("DFX1")
    files[f"{PACKAGE}/copy.py"] = RULE.format(code="DFX1", name="Copy")
    install(files)
    with pytest.raises(RegistryError, match=r"DFX1 is defined by both .*Copy and .*Dfx1"):
        load_codemods()


def test_a_rule_needs_a_code(install: Plant) -> None:
    files = package()
    files[f"{PACKAGE}/bad.py"] = RULE.format(code="bad", name="Bad")
    install(files)
    with pytest.raises(RegistryError, match=r"bad\.Bad needs a code such as DFX103"):
        load_codemods()


def test_a_package_that_fails_is_named(install: Plant) -> None:
    files = package("DFX1")
    files[f"{PACKAGE}/broken.py"] = "1 / 0\n"
    install(files)
    with pytest.raises(RegistryError, match=r"broken cannot be imported: ZeroDivisionError"):
        load_codemods()


@pytest.mark.usefixtures("install")
def test_no_codemods_at_all_is_an_error() -> None:
    with pytest.raises(RegistryError, match="no codemods found"):
        load_codemods()


HOSTILE = {f"{PACKAGE}/__init__.py": "raise SystemExit('hostile code ran')\n"}


def test_a_folder_of_that_name_earlier_on_the_path_is_never_imported(
    install: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(package("DFX1"))
    write(tmp_path / "scanned", HOSTILE)
    monkeypatch.chdir(tmp_path / "scanned")
    monkeypatch.syspath_prepend(str(tmp_path / "scanned"))
    assert codes() == ["DFX1"]
    assert sys.modules[PACKAGE].__file__ == str(tmp_path / f"site/{PACKAGE}/__init__.py")


def test_a_package_that_is_not_the_distributions_is_refused(
    install: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install({}, listed=True)
    write(tmp_path / "scanned", HOSTILE)
    monkeypatch.syspath_prepend(str(tmp_path / "scanned"))
    with pytest.raises(
        RegistryError, match=rf"{PACKAGE}.*of acme, is not where it was expected: .*scanned"
    ):
        load_codemods()


@pytest.mark.parametrize("source", ["pth", "url", "src"])
def test_editable_installs(
    install: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    project = tmp_path / "project"
    code = project / "src" if source == "src" else project
    write(code, package("DFX1"))
    links = {"_acme.pth": f"{code}\n"} if source == "pth" else {}
    site = install(links)
    url = {"url": project.as_uri(), "dir_info": {"editable": True}}
    (site / "acme-1.dist-info/direct_url.json").write_text(json.dumps(url))
    monkeypatch.syspath_prepend(str(code))
    write(project / "tests/data", HOSTILE)
    monkeypatch.syspath_prepend(str(project / "tests/data"))
    assert codes() == ["DFX1"]


def test_an_install_from_a_folder_that_is_not_editable_trusts_its_own_copy_only(
    install: Plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    write(project, HOSTILE)
    site = install(package("DFX1"))
    url = {"url": project.as_uri(), "dir_info": {}}
    (site / "acme-1.dist-info/direct_url.json").write_text(json.dumps(url))
    monkeypatch.syspath_prepend(str(project))
    assert codes() == ["DFX1"]
