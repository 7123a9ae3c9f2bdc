"""The order of virtual functions of a C++ class, read from the headers that come with torch.

torch exports neither the methods of its device guard nor those of its hooks, so their places in the
virtual table have to be counted. They move from release to release; the headers in the wheel are
those it was compiled with.
"""

from __future__ import annotations

import re
from pathlib import Path

from devicefix.simulator.errors import Refused


def virtual_functions(header: Path, name: str) -> list[str]:
    """The names of the virtual functions that class ``name`` adds to its bases, a slot each.

    A destructor takes two slots (Itanium C++ ABI, 2.5.2). Overloads come with the same name, in
    order. Raises `Refused`.
    """
    try:
        text = header.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(
            f"this torch has no readable header {header.name}: {error.strerror}"
        ) from error
    body = _body(_without_comments(text), name)
    if body is None:
        raise Refused(f"this torch's {header.name} does not define {name}")
    slots: list[str] = []
    for match in re.finditer(r"\bvirtual\b([^{;]*)[{;]", body):
        declaration = match.group(1)
        if re.search(r"\boverride\b", declaration):
            continue
        function = _function(declaration)
        slots += [function] * (2 if function.startswith("~") else 1)
    return slots


def base_classes(header: Path, name: str) -> str:
    """What follows the colon in the definition of class ``name``; empty without a base."""
    text = _without_comments(header.read_text(encoding="utf-8"))
    match = re.search(_definition(name), text)
    return match.group("bases") or "" if match else ""


def _definition(name: str) -> str:
    return rf"\b(?:struct|class)\s+(?:\w+\s+)?{name}\b\s*(?:final\s*)?(?::(?P<bases>[^{{;]*))?\{{"


def _body(text: str, name: str) -> str | None:
    match = re.search(_definition(name), text)
    if match is None:
        return None
    depth, end = 1, match.end()
    while depth and end < len(text):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return text[match.end() : end]


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", re.sub(r"//[^\n]*", "", text), flags=re.DOTALL)


def _function(declaration: str) -> str:
    """``int f(int) const`` is called ``f``; macros in front of it have parentheses, too."""
    plain = re.sub(r"\bC10_\w+\([^)]*\)|\[\[.*?\]\]", "", declaration)
    match = re.search(r"(~?\w+)\s*\(", plain)
    if match is None:
        raise Refused(f"cannot read the declaration {declaration.strip()!r} in torch's headers")
    return match.group(1)
