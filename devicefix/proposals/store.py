"""What was decided in a review, kept from one run to the next, in the terminal or on the page.

One file in the folder of devicefix's state for each set of paths that is reviewed; readable by its
owner only. What was said of a group holds as long as no file that it has a finding in has changed.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from devicefix.engine import EngineError, Identity
from devicefix.engine.discovery import reason_of
from devicefix.engine.state import state_folder
from devicefix.engine.writing import digest, write_private
from devicefix.proposals.by_hand import ByHand
from devicefix.proposals.verdicts import Verdicts

REVIEWS_KEPT: Final = 100
_FORMAT: Final = 1
_FOLDER: Final = "reviews"
_ODD: Final = (AttributeError, OverflowError, RecursionError)
"""What reading stumbles over where JSON has something else than it ought to have."""


class ReviewError(EngineError):
    """What was decided cannot be kept, or not be read; the message says where and why."""


class Kept(Struct, frozen=True):
    """What is known of a review; all paths are absolute, links resolved."""

    verdicts: Verdicts = field(default_factory=Verdicts)
    digests: Mapping[str, str] = field(default_factory=dict)
    """Of all files that something was said about, as they were then."""
    by_hand: Mapping[str, ByHand] = field(default_factory=dict)
    """What was made of the results of files."""

    def fresh(self, digest_of: Callable[[str], str | None]) -> Kept:
        """What still holds where a file's digest is now ``digest_of`` its path."""
        same = {path for path, old in self.digests.items() if digest_of(path) == old}
        names = (i for i in self.verdicts.identities if files_of(i) <= same)
        by_hand = {path: edit for path, edit in self.by_hand.items() if path in same}
        return Kept(self.verdicts.about(names), self.digests, by_hand)


class Store:
    """The place where the review of some paths is kept."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = tuple(sorted(os.path.realpath(path) for path in paths))
        name = hashlib.sha256("\0".join(self.paths).encode("utf-8", "surrogateescape")).hexdigest()
        self.location = state_folder(_FOLDER) / f"{name[:32]}.json"

    def load(self) -> Kept:
        """What was kept last; nothing where there is nothing. Raises `ReviewError`."""
        try:
            return _read(json.loads(self.location.read_bytes()))
        except FileNotFoundError:
            return Kept()
        except (OSError, ValueError, KeyError, TypeError, *_ODD) as error:
            why = reason_of(error) if isinstance(error, OSError) else error
            raise ReviewError(
                f"cannot read the earlier decisions: {self.location}: {why} "
                "(--start-over discards them)"
            ) from error

    def keep(self, kept: Kept) -> None:
        """Write it down, at once or not at all. Raises `ReviewError`."""
        if not kept.verdicts.identities and not kept.by_hand:
            self.forget()
            return
        try:
            self.location.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self.location, json.dumps(_written(kept, self.paths)).encode("ascii"))
            _forget_oldest(self.location.parent)
        except OSError as error:
            where = error.filename or self.location
            raise ReviewError(f"cannot save the decisions: {where}: {reason_of(error)}") from error

    def forget(self) -> None:
        """Start over. Raises `ReviewError`."""
        try:
            self.location.unlink(missing_ok=True)
        except NotADirectoryError:
            return  # there is none
        except OSError as error:
            raise ReviewError(
                f"cannot discard the decisions: {self.location}: {reason_of(error)}"
            ) from error


def files_of(identity: Identity) -> frozenset[str]:
    """The files in which a group has members."""
    return frozenset(path for path, _, _ in identity)


def digest_on_disk(path: str) -> str | None:
    """Of what a file holds now; None where it cannot be read."""
    try:
        return digest(Path(path).read_bytes())
    except (OSError, ValueError):
        return None


def _written(kept: Kept, paths: Sequence[str]) -> dict[str, Any]:
    verdicts = kept.verdicts
    files = frozenset(kept.by_hand).union(*map(files_of, verdicts.identities))
    return {
        "format": _FORMAT,
        "paths": list(paths),
        "digests": {path: kept.digests[path] for path in sorted(files & kept.digests.keys())},
        "accepted": [[_members(name), what] for name, what in verdicts.accepted.items()],
        "rejected": [_members(name) for name in verdicts.rejected],
        "by_hand": {
            path: [base64.b64encode(data).decode("ascii") for data in (edit.offered, edit.saved)]
            for path, edit in kept.by_hand.items()
        },
    }


def _members(identity: Identity) -> list[Any]:
    return [list(member) for member in sorted(identity)]


def _read(content: Any) -> Kept:
    if content["format"] != _FORMAT:
        raise ValueError(f"format {content['format']} is not known to this version")
    accepted = {_identity(members): str(what) for members, what in content["accepted"]}
    rejected = frozenset(map(_identity, content["rejected"]))
    digests = {str(path): str(value) for path, value in content["digests"].items()}
    by_hand = {
        str(path): ByHand(base64.b64decode(offered), base64.b64decode(saved))
        for path, (offered, saved) in content["by_hand"].items()
    }
    return Kept(Verdicts(accepted, rejected), digests, by_hand)


def _identity(members: Iterable[Any]) -> Identity:
    return frozenset((str(path), str(code), int(at)) for path, code, at in members)


def _forget_oldest(folder: Path) -> None:
    reviews = list(folder.glob("*.json"))
    if len(reviews) <= REVIEWS_KEPT:
        return
    with contextlib.suppress(OSError):
        reviews.sort(key=lambda location: location.stat().st_mtime_ns)
        for location in reviews[:-REVIEWS_KEPT]:
            location.unlink(missing_ok=True)
