"""Which trees a verification compares, and where in them the program lies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from devicefix.verification.applied import last_apply
from devicefix.verification.entries import find_entry
from devicefix.verification.errors import LaunchError
from devicefix.verification.listing import Kind, list_tree
from devicefix.verification.trees import Tree

_FILES: Final = frozenset({".py", ".pyw", ".pyc", ".pyz", ".ipynb"})
_STDIN: Final = "-"


@dataclass(frozen=True, slots=True)
class Target:
    """Two states of a program."""

    before: Tree
    after: Tree
    name: str
    """The entry, as seen from ``folder``."""
    folder: PurePosixPath
    """The working directory, below the root of both trees."""
    python: str
    """The interpreter that will run it, as far as that can be seen from here."""
    notes: tuple[str, ...] = ()


def find_target(
    name: str, is_module: bool, python: str, before: Path | None, after: Path | None
) -> Target:
    """What the user means who names these trees, or none, in the current folder.

    One tree alone is compared with the current folder; without any, the last `apply` is looked
    at. Raises `LaunchError` where the folders do not match, or the entry is not in both of them.
    """
    _check_repeatable(name)
    here = Path(os.path.realpath(Path.cwd()))
    if before is None and after is None:
        applied = last_apply(here)
        states, notes = (applied.before, applied.after), applied.notes
    else:
        states, notes = (_tree(before or here), _tree(after or here)), ()
        _check_related(*states)
    target = replace(_located(name, is_module, here, *states, notes), python=python)
    # Where a module is, only the program's interpreter knows.
    return target if is_module else _with_entry(target)


def find_program(name: str, is_module: bool, python: str, root: Path) -> Target:
    """The program in ``root``, above the current folder, before any change of it.

    Raises `LaunchError` where there is none.
    """
    _check_repeatable(name)
    tree, here = Tree(root), Path(os.path.realpath(Path.cwd()))
    target = replace(_located(name, is_module, here, tree, tree, ()), python=python)
    return target if is_module else _with_entry(target)


def _check_repeatable(name: str) -> None:
    if name == _STDIN:
        raise LaunchError("a program on standard input cannot be verified: it is run several times")


def _tree(path: Path) -> Tree:
    if not path.is_dir():
        raise LaunchError(f"{path}: {'not a folder' if path.exists() else 'no such folder'}")
    return Tree(Path(os.path.realpath(path)))


def _check_related(before: Tree, after: Tree) -> None:
    """Raises `LaunchError` unless the trees are two states of something."""
    if not _files(before.root) & _files(after.root):
        raise LaunchError(
            f"the folders do not match: no file is in both {before.root} and {after.root}"
        )


def _files(root: Path) -> set[str]:
    members = list_tree(root).members
    return {path for path, member in members.items() if member.kind is Kind.FILE}


def _located(
    name: str, is_module: bool, here: Path, before: Tree, after: Tree, notes: tuple[str, ...]
) -> Target:
    """The working directory is ours, if we are in one of the trees, else their root."""
    both = dict.fromkeys((after.root, before.root))
    roots = sorted(both, key=lambda root: len(root.parts), reverse=True)
    inside = next((root for root in roots if here.is_relative_to(root)), None)
    folder = here.relative_to(inside) if inside is not None else Path()
    if not is_module and (os.sep in name or Path(name).suffix in _FILES):
        name = _placed(name, here, folder, roots, inside)
    return Target(before, after, name, PurePosixPath(folder), "", notes)


def _placed(name: str, here: Path, folder: Path, roots: Sequence[Path], inside: Path | None) -> str:
    """The entry as seen from ``folder`` in any of the trees."""
    place = Path(os.path.normpath(here / name))
    root = next((root for root in roots if place.is_relative_to(root)), None)
    if root is None:
        if inside is None and not Path(name).is_absolute():
            return name  # as seen from the root of the trees
        raise LaunchError(f"{name} is not in {' or '.join(map(str, roots))}")
    if root == inside and not Path(name).is_absolute():
        return name
    return os.path.join(os.curdir, os.path.relpath(place, root / folder))  # noqa: PTH118


def _with_entry(target: Target) -> Target:
    """``target`` with the interpreter of its entry.

    Raises `LaunchError` unless the entry is in both trees.
    """
    missing: dict[Path, str] = {}
    for tree in (target.before, target.after):
        try:
            target = replace(target, python=_interpreter(target, tree))
        except LaunchError as error:
            missing[tree.root] = str(error)
    same_root = target.before.root == target.after.root
    if len(missing) == 1 and not same_root:
        (root,) = missing
        raise LaunchError(f"the folders do not match: {missing[root]} in {root}")
    if missing:
        raise LaunchError(next(iter(missing.values())))
    return target


def _interpreter(target: Target, tree: Tree) -> str:
    """What runs the entry from ``tree``. Raises `LaunchError` where it cannot be started."""
    place = os.path.normpath(target.folder / target.name)
    if place in tree.overlay:
        if tree.overlay[place] is None:
            raise LaunchError(f"{target.name}: no such file")
        return target.python
    folder = tree.root / target.folder
    return find_entry(target.name, (), target.python, False, folder).python
