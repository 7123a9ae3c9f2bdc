"""The copy of a source tree that a program may do with as it likes.

All runs of a verification take place in one folder, so that the paths they print agree. Before each
it is brought back to what the tree holds; the tree itself is only ever read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType

from devicefix.verification.disk_space import MOST_BYTES, check_disk_space
from devicefix.verification.errors import LaunchError
from devicefix.verification.listing import Kind, Listing, Member, Stamp, list_tree, stamp_of
from devicefix.verification.placing import open_folder, remove, write_file
from devicefix.verification.temporary import own_folder
from devicefix.verification.trees import Tree


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What has to stand at a path of the copy."""

    member: Member
    source: Path | None = None
    content: bytes | None = None
    """Of a file that the tree's overlay has."""

    @property
    def identity(self) -> str:
        """The same for the same content, as long as nobody changes the tree."""
        if self.content is not None:
            return f"{self.member.mode} {hashlib.sha256(self.content).hexdigest()}"
        return str(self.source)


class Scratch:
    """A folder with a copy; a context manager, which removes it."""

    def __init__(self, tree: Tree, most: int = MOST_BYTES) -> None:
        self.named = tree.root
        """The tree by whose name the copy goes: its last component is the copy's."""
        self._most = most
        self._listings: dict[Path, Listing] = {}
        self._placed: dict[str, tuple[str, Stamp]] = {}
        """Files as we left them."""
        self._taken: dict[Path, tuple[int, int, int]] = {}
        """Files of the trees as they were when they were copied: time, size, inode."""
        self._held: list[str] = []
        """The files that were there after the last `restore`."""
        self._links: dict[str, str] = {}
        """Likewise the links, with where they lead."""
        self._folder: Path | None = None
        self._exits = contextlib.ExitStack()

    def __enter__(self) -> Scratch:
        self._folder = self._exits.enter_context(own_folder("a copy of the tree"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._exits.close()
        self._folder = None

    @property
    def _base(self) -> Path:
        if self._folder is None:
            raise ValueError("the scratch folder is not open")
        return self._folder

    @property
    def root(self) -> Path:
        """The copy; nothing is there before the first `restore`."""
        return self._base / "tree" / (self.named.name or "root")

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be copied of the trees so far."""
        return tuple(note for listing in self._listings.values() for note in listing.notes)

    def restore(self, tree: Tree) -> None:
        """The copy holds exactly what ``tree`` does, whatever has been done to it.

        Raises `LaunchError` where that is too much, or a file changed under our hands.
        """
        try:
            wanted = self._wanted(tree)
            self._clear_surroundings()
            self._sweep(wanted)
            self._fill(wanted)
            self._held = [path for path, one in wanted.items() if one.member.kind is Kind.FILE]
            links = (path for path, one in wanted.items() if one.member.kind is Kind.LINK)
            self._links = {path: wanted[path].member.target for path in links}
        except OSError as error:
            raise LaunchError(f"{tree.root} cannot be copied: {error}") from None

    def written(self, listing: Listing | None = None) -> Iterator[tuple[str, Path]]:
        """The files that a run has made or changed since `restore`, by path below the root.

        ``listing``: what is there now, if that is known.
        """
        listing = listing or self.listing()
        for path, member in sorted(listing.members.items()):
            place = self.root / path
            placed = self._placed.get(path)
            if member.kind is Kind.FILE and (placed is None or placed[1] != _stamp(place)):
                yield path, place

    def listing(self) -> Listing:
        """What is there now."""
        return list_tree(self.root)

    def linked(self, listing: Listing) -> Iterator[tuple[str, str]]:
        """The links that a run has made or changed since `restore`, with where they lead."""
        for path, member in sorted(listing.members.items()):
            if member.kind is Kind.LINK and self._links.get(path) != member.target:
                yield path, member.target

    @property
    def held(self) -> tuple[str, ...]:
        """The files that were there after the last `restore`, by path below the root."""
        return tuple(self._held)

    def removed(self) -> list[str]:
        """Those of them that are not there any more."""
        return sorted(path for path in self._held if not os.path.lexists(self.root / path))

    def _wanted(self, tree: Tree) -> dict[str, _Wanted]:
        """What is to stand where; folders before what is in them."""
        if tree.root not in self._listings:
            self._listings[tree.root] = self._listed(tree.root)
        wanted = {
            path: _Wanted(member, tree.root / path)
            for path, member in self._listings[tree.root].members.items()
            if tree.overlay.get(path, b"") is not None
        }
        for path, content in tree.overlay.items():
            if content is not None:
                _overlay(wanted, path, content)
        return wanted

    def _listed(self, root: Path) -> Listing:
        found = list_tree(root, without=self._base)
        check_disk_space(found, self._base, self._most)
        return found

    def _clear_surroundings(self) -> None:
        """What a program has put beside the copy is removed, and the copy is a folder."""
        around = self.root.parent
        if not _is_folder(around):
            _remove_if_there(around)
            around.mkdir()
        open_folder(around)
        for inside in list(around.iterdir()):
            if inside != self.root or not _is_folder(inside):
                remove(inside)
        self.root.mkdir(exist_ok=True)

    def _sweep(self, wanted: Mapping[str, _Wanted]) -> None:
        """Remove what the tree does not have; folders that stay can be written to."""
        waiting = [("", self.root)]
        while waiting:
            prefix, folder = waiting.pop()
            open_folder(folder)
            for name, kind in _inside(folder):
                path = prefix + name
                if path not in wanted or wanted[path].member.kind is not kind:
                    remove(folder / name)
                elif kind is Kind.FOLDER:
                    waiting.append((f"{path}/", folder / name))

    def _fill(self, wanted: Mapping[str, _Wanted]) -> None:
        """Bring in what is missing or is not as we left it."""
        for path, one in wanted.items():
            place = self.root / path
            if one.member.kind is Kind.FOLDER:
                place.mkdir(exist_ok=True)
            elif one.member.kind is Kind.LINK:
                _link(place, one.member.target)
            elif self._placed.get(path) != (one.identity, _stamp(place)):
                self._place(place, one)
                self._placed[path] = (one.identity, stamp_of(place.lstat()))
        for path, one in reversed(list(wanted.items())):
            if one.member.kind is Kind.FOLDER:
                (self.root / path).chmod(one.member.mode)

    def _place(self, place: Path, one: _Wanted) -> None:
        if one.content is not None:
            write_file(place, one.content, one.member.mode, one.member.mtime_ns or None)
            return
        assert one.source is not None
        with one.source.open("rb") as source:
            known = os.fstat(source.fileno())
            stamp = (known.st_mtime_ns, known.st_size, known.st_ino)
            if self._taken.setdefault(one.source, stamp) != stamp:
                raise LaunchError(f"{one.source} has changed while it was being verified")
            write_file(place, source, one.member.mode, one.member.mtime_ns)


def _overlay(wanted: dict[str, _Wanted], path: str, content: bytes) -> None:
    """A file of the overlay, with the permissions of the one in the tree, and its folders."""
    parts = path.split("/")
    for end in range(1, len(parts)):
        folder = "/".join(parts[:end])
        wanted.setdefault(folder, _Wanted(Member(Kind.FOLDER, 0o755)))
        if wanted[folder].member.kind is not Kind.FOLDER:  # we would write to what it links to
            raise LaunchError(f"{path} leads through {folder}, which is not a folder")
    known = wanted.get(path)
    if known is not None and known.member.kind is Kind.FILE:
        member = replace(known.member, size=len(content))
    else:
        member = Member(Kind.FILE, 0o644, len(content))
    wanted[path] = _Wanted(member, content=content)


def _inside(folder: Path) -> Iterator[tuple[str, Kind | None]]:
    """What is in ``folder``, and of which kind; None for what no tree is copied with."""
    with os.scandir(folder) as entries:
        found = list(entries)
    for entry in found:
        if entry.is_symlink():
            yield entry.name, Kind.LINK
        elif entry.is_dir(follow_symlinks=False):
            yield entry.name, Kind.FOLDER
        else:
            yield entry.name, Kind.FILE if entry.is_file(follow_symlinks=False) else None


def _is_folder(path: Path) -> bool:
    return os.path.lexists(path) and stat.S_ISDIR(path.lstat().st_mode)


def _remove_if_there(path: Path) -> None:
    if os.path.lexists(path):
        remove(path)


def _stamp(path: Path) -> Stamp | None:
    return stamp_of(path.lstat()) if os.path.lexists(path) else None


def _link(path: Path, target: str) -> None:
    if os.path.lexists(path):
        if os.readlink(path) == target:  # noqa: PTH115 - a Path would drop a trailing slash
            return
        path.unlink()
    path.symlink_to(target)
