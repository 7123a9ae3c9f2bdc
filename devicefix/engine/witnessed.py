"""Files of what runs have seen: read where the settings name one, and added to by runs."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from devicefix.engine.discovery import reason_of
from devicefix.engine.errors import EvidenceFileError
from devicefix.engine.outputs import put_file
from devicefix.evidence import Evidence, EvidenceError, merged, read_evidence, rendered
from devicefix.settings import Settings


def evidence_of(settings: Settings) -> Evidence:
    """What runs have seen; nothing where the settings name no file. Raises `EvidenceFileError`."""
    if not settings.evidence:
        return Evidence()
    path = Path(settings.evidence)
    try:
        status = path.stat()
    except OSError as error:
        raise EvidenceFileError(f"{path}: {reason_of(error)}") from None
    try:
        return _read(path, status.st_mtime_ns, status.st_size)
    except EvidenceError as error:
        raise EvidenceFileError(str(error)) from None


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> Evidence:
    return read_evidence(path)


def evidence_at(path: Path) -> Evidence:
    """What the file at ``path`` says; nothing where there is none. Raises `EvidenceFileError`."""
    try:
        return read_evidence(path) if path.exists() else Evidence()
    except EvidenceError as error:
        raise EvidenceFileError(str(error)) from None


def add_evidence(path: Path, new: Evidence) -> str:
    """Add ``new`` to the file at ``path``, and say in one sentence what it has by now.

    Raises `EvidenceFileError`; the file is what it was then.
    """
    evidence = merged(evidence_at(path), new)
    try:
        put_file(path, rendered(evidence, path.absolute().parent))
    except OSError as error:
        raise EvidenceFileError(f"{path}: not written: {reason_of(error)}") from error
    told = [len(file.expressions) for file in evidence.files.values() if file.expressions]
    return f"{path} has {_number(sum(told), 'expression')} of {_number(len(told), 'file')}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def state_of(path: str) -> str:
    """A digest of the evidence at ``path``; empty where it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""
