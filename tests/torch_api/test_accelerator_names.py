"""The script that reads the names of `torch.accelerator` from wheels."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from devicefix.torch_api import ACCELERATOR_NAMES
from scripts import accelerator_names


def wheel(folder: Path, version: str, names: set[str], modules: tuple[str, ...] = ()) -> Path:
    path = folder / f"torch-{version}-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("torch/version.py", f"__version__ = '{version}+cpu'\n")
        file.writestr("torch/accelerator/__init__.py", f"__all__ = {sorted(names)!r}\n")
        for module in ("_utils", *modules):
            file.writestr(f"torch/accelerator/{module}.py", "")
    return path


def known(version: tuple[int, int]) -> set[str]:
    return {name for name, since in ACCELERATOR_NAMES.items() if since <= version}


def test_each_name_with_its_oldest_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = wheel(tmp_path, "2.6.0", {"synchronize"})
    new = wheel(tmp_path, "2.9.1", {"synchronize", "empty_cache"}, ("memory",))
    assert accelerator_names.main([str(new), str(old)]) == 0
    assert capsys.readouterr().out == "2.6   synchronize\n2.9   empty_cache\n2.9   memory\n"


def test_the_table_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fine = wheel(tmp_path, "2.9.0", known((2, 9)))
    assert accelerator_names.main(["--check", str(fine)]) == 0
    names = (known((2, 6)) - {"set_stream"}) | {"empty_cache", "manual_seed_all"}
    wrong = wheel(tmp_path, "2.6.1", names)
    assert accelerator_names.main(["--check", str(fine), str(wrong)]) == 1
    said = capsys.readouterr().out.replace(f"{wrong}: ", "")
    assert "manual_seed_all is not in the table\n" in said
    assert "empty_cache is there, since 2.9 says the table\n" in said
    assert "set_stream is not there, since 2.6 says the table\n" in said


def test_what_is_no_torch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        accelerator_names.main([str(tmp_path)])
    assert "no torch in it" in capsys.readouterr().err


def test_the_installed_torch() -> None:
    torch = pytest.importorskip("torch")
    folder = Path(torch.__file__).parent.parent
    assert accelerator_names.main(["--check", str(folder)]) == 0
