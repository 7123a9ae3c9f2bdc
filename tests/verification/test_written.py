"""What a run has written to files, and what is in those that are packed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from devicefix.verification.packed import MOST
from devicefix.verification.relocation import Relocation
from devicefix.verification.scratch import Scratch
from devicefix.verification.trees import Tree
from devicefix.verification.written import Written, read_written

TEXT = b"epoch,loss\n1,0.5\n"
BYTES = b"\0\1\2\3"


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    tree = tmp_path / "project"
    tree.mkdir()
    (tree / "train.py").write_text("x = 1")
    (tree / "stale.bin").write_bytes(BYTES)
    with Scratch(Tree(tree)) as found:
        found.restore(Tree(tree))
        yield found


def read(scratch: Scratch, files: Mapping[str, bytes]) -> Written:
    for name, content in files.items():
        (scratch.root / name).write_bytes(content)
    relocation = Relocation(scratch.named, scratch.root, scratch.named, ())
    return read_written(scratch, relocation)


def zipped(files: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("empty") if hasattr(archive, "mkdir") else None
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_what_is_compressed_is_read(scratch: Scratch, pack: Callable[[bytes], bytes]) -> None:
    found = read(scratch, {"log.csv.z": pack(TEXT), "raw.z": pack(BYTES)})
    assert found.texts == {"log.csv.z": TEXT.decode()}
    (leaf,) = found.stored["raw.z"]
    assert leaf.text.startswith("4 bytes")


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_what_is_in_archives_is_read(
    scratch: Scratch, pack: Callable[[Mapping[str, bytes]], bytes]
) -> None:
    packed = pack({"a/log.csv": TEXT, "raw": BYTES})
    found = read(scratch, {"all.pack": packed, "all.pack.gz": gzip.compress(packed)})
    names = ["all.pack.gz", "all.pack"]
    assert sorted(found.texts) == [f"{name}/a/log.csv" for name in names]
    assert sorted(found.stored) == [f"{name}/raw" for name in names]


def test_what_cannot_be_unpacked_is_compared_as_it_is(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"cut.gz": gzip.compress(TEXT)[:-9], "cut.zip": zipped({"a": TEXT})[:-9]}
    assert len(TEXT) < MOST
    monkeypatch.setattr("devicefix.verification.packed.MOST", len(TEXT) - 1)
    files |= {"large.gz": gzip.compress(TEXT), "large.tar": tarred({"a": TEXT})}
    found = read(scratch, files)
    assert sorted(found.stored) == sorted(files)
    assert not found.texts


def test_a_file_of_the_tree_that_is_gone_is_an_observation(scratch: Scratch) -> None:
    assert not read(scratch, {}).stored
    (scratch.root / "stale.bin").unlink()
    assert [leaf.text for leaf in read(scratch, {}).stored["stale.bin"]] == ["removed"]


def test_a_copy_of_the_source_is_told_as_such(scratch: Scratch) -> None:
    """Many programs keep their own code beside their results: it is what the change changes."""
    source = (scratch.root / "train.py").read_bytes()
    files = {"kept.txt": source, "code.zip": zipped({"src/train.py": source}), "empty.txt": b""}
    found = read(scratch, files)
    for path in ("kept.txt", "code.zip/src/train.py"):
        assert [leaf.text for leaf in found.stored[path]] == ["a copy of train.py"]
    assert found.texts == {"empty.txt": ""}


def test_a_link_is_where_it_leads(scratch: Scratch) -> None:
    (scratch.root / "last.bin").symlink_to("stale.bin")
    (scratch.root / "here.bin").symlink_to(scratch.root / "stale.bin")
    found = {path: leaf.text for path, (leaf,) in read(scratch, {}).stored.items()}
    assert found == {
        "last.bin": "a link to stale.bin",
        "here.bin": "a link to stale.bin",  # trees may be elsewhere
    }
    scratch.restore(Tree(scratch.named))
    assert not read(scratch, {}).stored
