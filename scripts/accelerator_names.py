"""Which names ``torch.accelerator`` has since when, read from wheels and installed packages.

    python scripts/accelerator_names.py torch-2.6.0-*.whl torch-2.9.1-*.whl site-packages
    python scripts/accelerator_names.py --check torch-*.whl

Nothing of torch is imported. A wheel is a file, an installed torch the folder that holds ``torch``.
The first form prints each name with the oldest of the given versions that has it. With ``--check``
the table of devicefix (`ACCELERATOR_NAMES` in ``devicefix/torch_api/generic.py``) is held against
each of them: the exit status is 1 if a name is there that the table lacks or has for newer versions
only, or is not there although the table has it.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from devicefix.torch_api import ACCELERATOR_NAMES

_PACKAGE: Final = "torch/accelerator/"
_VERSION: Final = re.compile(r"__version__\s*=\s*['\"](\d+)\.(\d+)")
Version = tuple[int, int]


@dataclass(frozen=True)
class Torch:
    """One release of torch."""

    origin: str
    version: Version
    names: frozenset[str]
    """All that `torch.accelerator` has."""


def read(path: Path) -> Torch:
    """The torch in a wheel or a folder. Raises `ValueError` where there is none."""
    files = _from_wheel(path) if path.is_file() else _from_folder(path)
    version = _VERSION.search(files.get("torch/version.py", ""))
    if version is None:
        raise ValueError(f"{path}: no torch in it")
    return Torch(str(path), (int(version[1]), int(version[2])), frozenset(_names(files)))


def _from_wheel(path: Path) -> Mapping[str, str]:
    with zipfile.ZipFile(path) as wheel:
        wanted = [name for name in wheel.namelist() if _is_wanted(name)]
        return {name: wheel.read(name).decode() for name in wanted}


def _from_folder(path: Path) -> Mapping[str, str]:
    files = [path / "torch" / "version.py", *(path / _PACKAGE).glob("*.py")]
    return {f.relative_to(path).as_posix(): f.read_text() for f in files if f.is_file()}


def _is_wanted(name: str) -> bool:
    module = name.removeprefix(_PACKAGE)
    return name == "torch/version.py" or (
        module != name and re.fullmatch(r"\w+\.py", module) is not None
    )


def _names(files: Mapping[str, str]) -> Iterator[str]:
    """What the package says that it has, and its modules."""
    for name, text in files.items():
        module = name.removeprefix(_PACKAGE).removesuffix(".py")
        if name == f"{_PACKAGE}__init__.py":
            yield from _public(ast.parse(text))
        elif name.startswith(_PACKAGE) and not module.startswith("_"):
            yield module


def _public(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                yield from ast.literal_eval(value)


def since(found: Iterable[Torch]) -> Mapping[str, Version]:
    """The oldest of the versions that has each name."""
    oldest: dict[str, Version] = {}
    for torch in sorted(found, key=lambda torch: torch.version, reverse=True):
        oldest.update(dict.fromkeys(torch.names, torch.version))
    return oldest


def differences(torch: Torch, table: Mapping[str, Version] = ACCELERATOR_NAMES) -> Iterator[str]:
    """Where ``table`` says something else than a release has."""
    for name in sorted(torch.names):
        if name not in table:
            yield f"{torch.origin}: {name} is not in the table"
        elif table[name] > torch.version:
            yield f"{torch.origin}: {name} is there, since {_said(table[name])} says the table"
    for name in sorted(table.keys() - torch.names):
        if table[name] <= torch.version:
            yield f"{torch.origin}: {name} is not there, since {_said(table[name])} says the table"


def _said(version: Version) -> str:
    return ".".join(map(str, version))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="compare with the table of devicefix")
    parser.add_argument("torch", nargs="+", type=Path, help="a wheel, or a site-packages folder")
    given = parser.parse_args(arguments)
    try:
        found = [read(path) for path in given.torch]
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        parser.error(str(error))
    if not given.check:
        for name, version in sorted(since(found).items(), key=lambda item: (item[1], item[0])):
            print(f"{_said(version):5} {name}")
        return 0
    wrong = [line for torch in found for line in differences(torch)]
    print("\n".join(wrong or ["nothing differs from the table"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
