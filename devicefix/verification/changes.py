"""The files in which two trees differ."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator
from pathlib import Path

from devicefix.verification.listing import Kind, list_tree
from devicefix.verification.trees import Tree


def changed(before: Tree, after: Tree) -> tuple[str, ...]:
    """Paths below the roots, sorted; of trees with one root only the overlays can differ.

    Raises `LaunchError` for a root that cannot be read. A file that cannot be read counts as
    changed.
    """
    if before.root == after.root:
        names = before.overlay.keys() | after.overlay.keys()
    else:
        names = set(_files(before)) | set(_files(after))
    return tuple(name for name in sorted(names) if not _is_same(before, after, name))


def _files(tree: Tree) -> Iterator[str]:
    members = list_tree(tree.root).members.items()
    yield from (path for path, member in members if member.kind is Kind.FILE)
    yield from tree.overlay


def _is_same(before: Tree, after: Tree, name: str) -> bool:
    if name in before.overlay or name in after.overlay:
        return content_of(before, name) == content_of(after, name)
    try:
        return filecmp.cmp(before.root / name, after.root / name, shallow=False)
    except OSError:
        return False


def content_of(tree: Tree, name: str) -> bytes | None:
    """The bytes of a file; None where ``tree`` has none of that name, or it cannot be read."""
    if name in tree.overlay:
        return tree.overlay[name]
    path: Path = tree.root / name
    try:
        return path.read_bytes()
    except OSError:
        return None
