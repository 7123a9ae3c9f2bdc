"""Where a repository lives: for git, and for those who speak of it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, unquote, urlsplit

_SCHEMES: Final = ("https", "http", "ssh")
_PORTS: Final = {"https": 443, "http": 80, "ssh": 22}
_PASSWORD: Final = re.compile(r"[^/@\s]*:[^/@\s]*@|(?<=//)[^/@\s]+@")
_SCP: Final = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w.-]+):(?P<path>[^/:\\][^:]*)")
"""``git@github.com:owner/name.git``; not ``C:\\``, and not ``ext::command``."""
_FORGE_NAME: Final = re.compile(r"[\w.-]+/[\w.-]+")


class AddressError(ValueError):
    """Nothing that would be given to git; ``str()`` says why."""


@dataclass(frozen=True, slots=True)
class Address:
    """A repository, as git is told of it."""

    url: str
    host: str
    """With its port; empty for a folder of this machine."""
    path: str
    """On the host, without slashes around it and without ``.git``."""

    @property
    def key(self) -> str:
        """The same for all ways to write it."""
        return f"{self.host}/{self.path}".lower() if self.host else self.path

    @property
    def name(self) -> str:
        """For people: ``owner/name``, or the name of the folder."""
        return self.path if self.host else Path(self.path).name

    def forge_name(self, api: str) -> str:
        """``owner/name`` on the server whose API is ``api``; empty where it lives elsewhere."""
        own = _without_user(urlsplit(api).netloc).removeprefix("api.")
        return self.path if self.host == own and _FORGE_NAME.fullmatch(self.path) else ""

    def takes_token(self, api: str) -> bool:
        """Whether the token for ``api`` may be sent to it: the same host, and as well hidden."""
        return bool(self.forge_name(api)) and urlsplit(self.url).scheme == urlsplit(api).scheme


def address_of(text: str) -> Address:
    """Raises `AddressError`: only what is surely an address, no option and no command."""
    odd = not text.isprintable() or " " in text or text.startswith("-") or "::" in text
    parts = None if odd else _split(text)
    if parts is None:
        raise AddressError(f"not the address of a repository: {_shown(text)!r}")
    if parts.scheme in _SCHEMES and parts.netloc:
        if parts.password is not None or (parts.username and parts.scheme != "ssh"):
            raise AddressError("an address with a password or token in it; see token-variable")
        if parts.query or parts.fragment:
            raise AddressError("the address of a repository cannot contain ? or #")
        return _address(text, _place(parts), unquote(parts.path))
    short = _SCP.fullmatch(text)
    if short is not None:
        return _address(text, short["host"], short["path"])
    raise AddressError(
        f"not the address of a repository: {_shown(text)!r}; it begins with https:// or "
        "ssh://, or has the form git@host:owner/name (for a local folder use path, not url)"
    )


def folder_of(text: str, start: Path) -> Address:
    """A repository on this machine; a relative path counts from ``start``."""
    if not text or not text.isprintable():
        raise AddressError(f"not the path of a repository: {text!r}")
    path = (start / os.path.expanduser(text)).resolve()  # noqa: PTH111 - ~nobody stays as it is
    if not path.is_dir():
        raise AddressError(f"there is no folder {path}")
    return Address(str(path), "", path.as_posix())


def _address(url: str, place: str, path: str) -> Address:
    names = [part for part in path.removesuffix("/").removesuffix(".git").split("/") if part != "."]
    trimmed = "/".join(filter(None, names))
    host = _without_user(place)
    if not host or not trimmed.isprintable() or not trimmed or ".." in names:
        raise AddressError(f"not the address of a repository: {_shown(url)!r}")
    return Address(url, host, trimmed)


def _split(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        return parts if parts.port != 0 else None
    except ValueError:  # of a port, or of brackets
        return None


def _place(parts: SplitResult) -> str:
    """The host, with its port where that is not the one that everybody takes."""
    host = parts.netloc.rpartition("@")[2]
    usual = _PORTS.get(parts.scheme)
    return host.rpartition(":")[0] if parts.port is not None and parts.port == usual else host


def _shown(text: str) -> str:
    """``text`` without a password, if there seems to be one in it."""
    return _PASSWORD.sub("***@", text)


def _without_user(place: str) -> str:
    return place.rpartition("@")[2].lower()
