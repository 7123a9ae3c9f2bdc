"""What torch's own list of operators says about each: has it a CUDA kernel, and what does that
check.

``native_functions.yaml`` travels with torch (in the package torchgen). Its entries are regular
enough to be read line by line, in a few milliseconds and without a YAML library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from devicefix.simulator.errors import Refused

_YAML = "packaged/ATen/native/native_functions.yaml"


@dataclass(frozen=True)
class Entry:
    """One operator with its overload, such as ``add.Tensor``."""

    keys: frozenset[str]
    """The dispatch keys for which it has kernels of its own."""
    structured: bool
    """Its kernels are made by the code generator from one structured kernel."""
    checked: bool
    """Its CUDA kernel begins with a check that all tensors are on one device (``device_check``)."""
    delegate: str = ""
    """The structured operator that its kernels are made from; empty if it is one itself, or none.
    """


@cache
def read_catalogue() -> Mapping[str, Entry]:
    """All operators of this torch by name and overload. Raises `Refused`."""
    try:
        raw = dict(_raw_entries(_path().read_text(encoding="utf-8")))
    except OSError as error:
        raise Refused(f"this torch has no readable list of operators: {error}") from error
    return {name: _entry(name, raw) for name in raw}


def _path() -> Path:
    spec = find_spec("torchgen")
    if spec is None or spec.origin is None:
        raise Refused("this torch has no list of operators: the package torchgen is missing")
    return Path(spec.origin).parent / _YAML


_Raw = dict[str, str]


def _raw_entries(text: str) -> Iterator[tuple[str, _Raw]]:
    for block in re.split(r"^- func: ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = block.partition("(")
        yield name, dict(re.findall(r"^  +([\w, ]+):[ ]*([^#\n]*)", rest, flags=re.MULTILINE))


def _entry(name: str, raw: Mapping[str, _Raw]) -> Entry:
    fields = raw[name]
    delegate = fields.get("structured_delegate", "").strip()
    keys = _keys(fields) | (_keys(raw[delegate]) & _DENSE if delegate in raw else frozenset())
    structured = bool(delegate) or fields.get("structured", "").strip() == "True"
    checked = fields.get("device_check", "").strip() != "NoCheck"
    return Entry(keys, structured, checked, delegate)


_DENSE = frozenset({"CPU", "CUDA", "MPS"})
"""A structured operator hands these on to its out variant."""


def _keys(fields: _Raw) -> frozenset[str]:
    keys = {key.strip() for field in fields for key in field.split(",")}
    if "ufunc_inner_loop" in fields:  # kernels for both are generated (torchgen/dest/ufunc.py)
        keys |= {"CPU", "CUDA"}
    return frozenset(keys)
