"""Files and places in SARIF."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from devicefix.reporting.file_places import FilePlace, Region

ROOT: Final = "%SRCROOT%"
"""The folder in which ``.git`` is: GitHub takes relative URIs to be relative to that."""


def artifact(path: str) -> dict[str, Any]:
    """The location of a file; relative to the root of the repository where ``path`` is."""
    name = quote(os.fsencode(path))
    if Path(path).is_absolute():
        return {"uri": f"file:///{name.lstrip('/')}"}
    return {"uri": name, "uriBaseId": ROOT}


def location(place: FilePlace) -> dict[str, Any]:
    """A place; of a notebook also the cell, which is none of the file's lines."""
    physical: dict[str, Any] = {"artifactLocation": artifact(place.path)}
    if place.region is not None:
        physical["region"] = region_of(place.region)
    elif place.line is not None:
        physical["region"] = {"startLine": place.line}
    if not place.cell:
        return {"physicalLocation": physical}
    return {"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": place.cell}]}


def region_of(region: Region) -> dict[str, int]:
    """A range of a text."""
    return {
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }
