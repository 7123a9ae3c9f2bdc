"""The files of a program: how an import statement of one reaches the names of another.

Nothing is imported: a file is evaluated like everything else, once per pass. A file that may not
be edited is evaluated only when a name of it is used, so that a program pulls in no more of a
large project than it needs.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from devicefix.flow.values import (
    Const,
    External,
    File,
    FileRecord,
    Folder,
    Import,
    Listing,
    Tuple,
    Unknown,
    Value,
)
from devicefix.torch_api import canonical, star_names

if TYPE_CHECKING:
    from devicefix.flow.frame import Env, Frame

_MAX_HOPS = 20
"""Re-exports of re-exports that are followed."""


def is_test(path: str, root: Path) -> bool:
    """Whether pytest would collect the file (docs.pytest.org, conventions for test discovery).

    Folders count below ``root``, which holds the whole program, and with its own name.
    """
    file = Path(path).absolute()
    folders = {root.name, *file.relative_to(root).parent.parts}
    tested = file.name.startswith("test_") or file.name.endswith("_test.py")
    return tested or file.name == "conftest.py" or bool({"test", "tests"} & folders)


# -- import statements ---------------------------------------------------------------------------


def import_modules(frame: Frame, tree: ast.Import) -> None:
    """``import a.b`` binds a; ``import a.b as c`` binds the module itself."""
    for alias in tree.names:
        name = alias.name if alias.asname else alias.name.partition(".")[0]
        found = find_module(frame, frame.file.source.path, alias.name)
        if found is not None and name != alias.name:
            found = find_module(frame, frame.file.source.path, name)
        frame.bind(alias.asname or name, found or External(canonical(name)))


def import_names(frame: Frame, tree: ast.ImportFrom) -> None:
    """``from a import b``: a name of the file a, or a file of its own."""
    origin = "." * tree.level + (tree.module or "")
    holder = find_module(frame, frame.file.source.path, tree.module or "", tree.level)
    for alias in tree.names:
        if alias.name == "*":
            _import_all(frame, holder, origin)
            continue
        if holder is not None:
            value = member(frame, holder, alias.name, lazily=True)
        elif tree.level:
            value = Unknown(f"{origin} is code that was not analysed")
        else:
            value = External(canonical(f"{origin}.{alias.name}"))
        frame.bind(alias.asname or alias.name, value)


def _import_all(frame: Frame, holder: File | Folder | None, origin: str) -> None:
    if isinstance(holder, File):
        names = _public(enter(frame, holder.record))
        frame.file.starred.update(names)
        for name in names:
            frame.bind(name, member(frame, holder, name))
    elif holder is None and not origin.startswith("."):
        for name in star_names(origin):
            frame.bind(name, External(canonical(f"{origin}.{name}")))


def _public(env: Env) -> list[str]:
    """What ``from file import *`` binds: ``__all__``, else the names without an underscore."""
    listed = env.get("__all__")
    items: tuple[Value, ...] | None = listed.items if isinstance(listed, Tuple) else None
    if isinstance(listed, Listing) and len(listed.records) == 1:
        items = next(iter(listed.records)).items
    if items is not None:
        return [i.value for i in items if isinstance(i, Const) and isinstance(i.value, str)]
    return [name for name in env if name.isidentifier() and not name.startswith("_")]


# -- modules and their members -------------------------------------------------------------------


def find_module(frame: Frame, importer: str, dotted: str, level: int = 0) -> File | Folder | None:
    """The file or folder of the program that a dotted name means in ``importer``."""
    modules = frame.analysis.program.modules
    path = modules.find(importer, dotted, level)
    if path is not None:
        record = frame.analysis.file(path)
        if record is None:
            return None
        record.imported = record.imported or record is not frame.file
        return File(record)
    if modules.is_package(importer, dotted, level):
        return Folder(importer, dotted, level)
    return None


def member(frame: Frame, holder: File | Folder, name: str, *, lazily: bool = False) -> Value:
    """``holder.name``: a name of the file, else a file below the folder."""
    if isinstance(holder, Folder):
        dotted = f"{holder.dotted}.{name}" if holder.dotted else name
        found = find_module(frame, holder.importer, dotted, holder.level)
        return found or Unknown(f"{dotted} is code that was not analysed")
    record = holder.record
    if lazily and not record.owned and not record.package:
        return Import(record, name)
    value = enter(frame, record).get(name)
    if value is not None:
        return forced(frame, value)
    if record.package:
        below = find_module(frame, record.source.path, name, 1)
        if below is not None:
            return below
    # the file may still be on its way to the name: two files that import each other
    return Import(record, name)


def forced(frame: Frame, value: Value) -> Value:
    """``value``, or what stands behind an import of it."""
    for _ in range(_MAX_HOPS):
        if not isinstance(value, Import):
            return value
        found = enter(frame, value.record).get(value.name)
        if found is None:
            where = value.record.source.path.replace("\\", "/").rpartition("/")[2]
            return Unknown(f"{value.name} of {where} is not defined where it is imported")
        value = found
    return Unknown("imports that lead in a circle")


def enter(frame: Frame, record: FileRecord) -> Env:
    """The names of a file; its top level is evaluated when it is first asked for in a pass."""
    if record.frame is None:
        frame.analysis.semantics.enter(frame.analysis, record)
    assert record.frame is not None
    return record.frame.env or {}
