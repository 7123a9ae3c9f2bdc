"""Text of a plan with names in it: ``devicefix/{base}``. They are filled in, never evaluated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

NAMES: Final = ("name", "base")
_PLACE: Final = re.compile(r"\{([a-z_]+)\}")


def why_no_template(text: str) -> str:
    """What is wrong with it; the empty string where nothing is."""
    for found in _PLACE.finditer(text):
        if found[1] not in NAMES:
            known = " and ".join(f"{{{name}}}" for name in NAMES)
            return f"{found[0]} is not known; there are {known}"
    return ""


def fill(text: str, values: Mapping[str, str]) -> str:
    """``text`` with the values in their places; what a value holds stays as it is."""
    return _PLACE.sub(lambda found: values.get(found[1], found[0]), text)
