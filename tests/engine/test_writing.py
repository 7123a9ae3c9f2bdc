from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys
from pathlib import Path
from typing import Final

import pytest

from devicefix.engine import writing
from devicefix.engine.exchanging import exchange
from devicefix.engine.writing import (
    Replacement,
    WriteRefusedError,
    digest,
    replace_file,
    replace_together,
)


def test_keeps_mode_bits_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"old")
    path.chmod(0o754)
    replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o754
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")
def test_editors_that_watch_the_folder_hear_of_it(tmp_path: Path) -> None:
    """A watcher such as VS Code's takes a file that came and went for nothing."""
    path = tmp_path / "x.py"
    path.write_bytes(b"old")
    library = ctypes.CDLL(None, use_errno=True)
    watcher = library.inotify_init1(os.O_NONBLOCK)
    assert library.inotify_add_watch(watcher, os.fsencode(tmp_path), GOES | COMES | CHANGES) > 0
    replace_file(path, b"new", digest(b"old"))
    events = os.read(watcher, 10_000)
    os.close(watcher)
    heard = []
    while events:
        _, kind, _, length = struct.unpack_from("iIII", events)
        if events[16 : 16 + length].rstrip(b"\0") == b"x.py":
            heard.append(kind)
        events = events[16 + length :]
    assert heard
    assert heard[-1] not in {GOES, COMES} or GOES not in heard


GOES: Final = 0x40
COMES: Final = 0x80
CHANGES: Final = 0x6
"""Moved from, moved to; modified, or its attributes were (inotify(7))."""


def _acl(*entries: tuple[int, int, int]) -> bytes:
    """As the kernel writes it (linux/posix_acl_xattr.h): tag, permissions, user."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


NOBODY: Final = 2**32 - 1
ACL: Final = _acl(*((1, 6, NOBODY), (2, 6, 1234), (4, 4, NOBODY), (16, 6, NOBODY), (32, 0, NOBODY)))
"""The owner and user 1234 may write, the owning group may read; the mode says 660."""


def _set(path: Path, name: str, value: bytes) -> None:
    if not hasattr(os, "setxattr"):
        pytest.skip("extended attributes are known on Linux only")
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"this file system has none of these: {error}")


def test_keeps_acls_and_extended_attributes(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    _set(path, "user.origin", b"mine")
    _set(path, "system.posix_acl_access", ACL)
    replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"new"
    assert os.getxattr(path, "user.origin") == b"mine"
    assert os.getxattr(path, "system.posix_acl_access") == ACL
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_a_file_gets_no_acl_from_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o600)
    _set(tmp_path, "system.posix_acl_default", ACL)
    replace_file(path, b"new", digest(b"old"))
    assert os.listxattr(path) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_without_its_acl_does_not_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    _set(path, "system.posix_acl_access", ACL)

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refused)
    with pytest.raises(OSError, match="not permitted"):
        replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"old"


def test_hard_links_are_named_and_stay(tmp_path: Path) -> None:
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_bytes(b"old")
    os.link(path, other)
    with pytest.raises(WriteRefusedError, match="it has 2 hard links"):
        replace_file(path, b"new", digest(b"old"))
    assert path.samefile(other)
    assert path.read_bytes() == b"old"


def test_rewrites_the_target_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real/x.py"
    target.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to("real/x.py")
    replace_file(link, b"new", digest(b"old"))
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_refuses_a_file_that_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"theirs")
    with pytest.raises(WriteRefusedError, match="changed in the meantime"):
        replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_refuses_what_is_gone_or_read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WriteRefusedError, match="no longer exists"):
        replace_file(tmp_path / "gone.py", b"new", digest(b"old"))
    path = tmp_path / "x.py"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anything
    with pytest.raises(WriteRefusedError, match="read-only"):
        replace_file(path, b"new", digest(b"old"))


def test_a_failure_leaves_the_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.py"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"new", digest(b"old"))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def three(folder: Path) -> tuple[list[Path], list[Replacement]]:
    paths = [folder / name for name in ("a.py", "b.py", "c.py")]
    for path in paths:
        path.write_bytes(b"old")
    return paths, [Replacement(str(path), b"new", digest(b"old")) for path in paths]


def test_several_files_are_replaced_all_or_none(tmp_path: Path) -> None:
    paths, new = three(tmp_path)
    assert replace_together(new) == {}
    assert [path.read_bytes() for path in paths] == [b"new"] * 3
    paths, new = three(tmp_path)
    paths[1].write_bytes(b"theirs")
    shared = f"{paths[1]}, which shares a fix with it, could not be"
    assert replace_together(new) == {
        str(paths[0]): shared,
        str(paths[1]): "it was changed in the meantime",
        str(paths[2]): shared,
    }
    assert [path.read_bytes() for path in paths] == [b"old", b"theirs", b"old"]
    paths[1].unlink()
    assert replace_together(new)[str(paths[1])] == "it no longer exists"


def test_what_cannot_be_taken_back_counts_as_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, new = three(tmp_path)
    calls: list[Path] = []

    def once(new: Path, target: Path) -> bool:
        calls.append(target)
        if len(calls) > 1:
            raise OSError(30, "Read-only file system")
        return exchange(new, target)

    monkeypatch.setattr(writing, "exchange", once)
    reasons = replace_together(new)
    assert sorted(reasons) == [str(paths[1]), str(paths[2])]
    assert reasons[str(paths[1])] == (
        f"read-only file system; {paths[0]} could not be reverted; "
        "the next apply or undo reverts it"
    )
    assert [path.read_bytes() for path in paths] == [b"new", b"old", b"old"]
