"""Loading codemods through the entry-point group ``devicefix.codemods``.

A scanned repository may hold a folder of the same name as a codemod package. So a package is
imported only from the place where the distribution that declares it was installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from types import GenericAlias, ModuleType
from typing import Final

from devicefix.codemod import Codemod
from devicefix.engine.errors import RegistryError

GROUP: Final = "devicefix.codemods"
_CODE: Final = re.compile(r"[A-Z]+[0-9]+")


def load_codemods() -> tuple[type[Codemod], ...]:
    """All installed codemods, by code.

    Raises `RegistryError` where there are none, a package is not the installed one or fails to
    import, or two codemods claim one code.
    """
    found: dict[str, type[Codemod]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.value):
        for codemod in _codemods_of(_load(entry)):
            _register(codemod, found)
    if not found:
        raise RegistryError("no codemods found: is devicefix installed (pip install devicefix)?")
    return tuple(found[code] for code in sorted(found))


def _register(codemod: type[Codemod], found: dict[str, type[Codemod]]) -> None:
    code = getattr(codemod, "code", "")
    if not _CODE.fullmatch(code) or not getattr(codemod, "name", ""):
        raise RegistryError(f"{_place(codemod)} needs a code such as DFX103, and a name")
    other = found.setdefault(code, codemod)
    if other is not codemod:
        raise RegistryError(f"{code} is defined by both {_place(other)} and {_place(codemod)}")


def _place(codemod: type[Codemod]) -> str:
    return f"{codemod.__module__}.{codemod.__qualname__}"


def _load(entry: EntryPoint) -> ModuleType:
    """The package that ``entry`` names, from the distribution that declares it."""
    top = entry.module.partition(".")[0]
    spec = _own_spec(top, entry)
    try:
        if top not in sys.modules:
            _execute(spec)
        return importlib.import_module(entry.module)
    except Exception as error:  # a codemod package may fail in any way
        raise RegistryError(_failed(entry.module, error)) from error


def _failed(module: str, error: Exception) -> str:
    return f"{module} cannot be imported: {type(error).__name__}: {error}"


def _execute(spec: ModuleSpec) -> None:
    if spec.loader is None:
        raise ImportError(f"{spec.name} has no __init__.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[spec.name]
        raise


def _own_spec(package: str, entry: EntryPoint) -> ModuleSpec:
    """Where ``package`` is installed, though another folder may come earlier on ``sys.path``."""
    places = []
    for spec in _specs(package):
        place = os.path.realpath(spec.origin or "")
        if entry.dist is not None and _belongs(place, entry.dist):
            return spec
        places.append(spec.origin or "a folder without __init__.py")
    owner = entry.dist.metadata["Name"] if entry.dist is not None else "an unknown distribution"
    seen = ", ".join(dict.fromkeys(places)) or "nowhere"
    raise RegistryError(
        f"{package!r}, a codemod package of {owner}, is not where it was expected: {seen}"
    )


def _specs(package: str) -> Iterator[ModuleSpec]:
    """What an import would find first, then what it would find further along the path."""
    first = importlib.util.find_spec(package)
    if first is not None:
        yield first
    if package in sys.modules:
        return  # too late for another one
    for folder in sys.path:
        spec = PathFinder.find_spec(package, [folder])
        if spec is not None:
            yield spec


def _belongs(place: str, owner: Distribution) -> bool:
    files = owner.files or ()
    if any(place == os.path.realpath(str(owner.locate_file(file))) for file in files):
        return True
    above = str(Path(place).parent.parent)
    return above in (os.path.realpath(folder) for folder in _editable_folders(owner))


def _editable_folders(owner: Distribution) -> Iterator[str]:
    """The folders that an editable install of ``owner`` puts on the path (PEP 610, PEP 660)."""
    origin = json.loads(owner.read_text("direct_url.json") or "{}")
    if not origin.get("dir_info", {}).get("editable"):
        return
    from urllib.parse import urlparse  # with the client for HTTP and TLS: 30 ms
    from urllib.request import url2pathname

    project = url2pathname(urlparse(origin["url"]).path)
    links = [line for line in _path_lines(owner) if not line.startswith("import ")]
    yield from links or (project, str(Path(project, "src")))


def _path_lines(owner: Distribution) -> Iterator[str]:
    for file in owner.files or ():
        if file.suffix == ".pth":
            yield from filter(None, map(str.strip, file.read_text().splitlines()))


def _codemods_of(package: ModuleType) -> Iterator[type[Codemod]]:
    for module in _modules(package):
        for value in vars(module).values():
            if _is_codemod(value) and value.__module__ == module.__name__:
                yield value


def _is_codemod(value: object) -> bool:
    # In Python 3.10 `tuple[int, ...]` says that it is a class: https://github.com/python/cpython/issues/89828
    if not isinstance(value, type) or isinstance(value, GenericAlias):
        return False
    return issubclass(value, Codemod) and not inspect.isabstract(value)


def _modules(package: ModuleType) -> Iterable[ModuleType]:
    yield package
    for found in pkgutil.iter_modules(getattr(package, "__path__", ()), package.__name__ + "."):
        try:
            module = importlib.import_module(found.name)
        except Exception as error:  # as above
            raise RegistryError(_failed(found.name, error)) from error
        yield from _modules(module)
