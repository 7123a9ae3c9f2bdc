"""What is believed of the place under the cursor, in Markdown or plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from devicefix.codemod import documentation
from devicefix.engine import Explained
from devicefix.findings import Finding, place_text
from devicefix.lsp.rules import rules
from devicefix.reporting.markup import code, plain, sentence
from devicefix.reporting.places import near

if TYPE_CHECKING:
    from devicefix.flow.explanation import Belief, Spot

_PLACES: Final = {"CPU": "on the CPU", "device": "on the device", "unknown": "on an unknown device"}
_MOST: Final = 4
"""Places that are told of one kind."""


def believed(explained: Explained) -> str:
    """Kind, dtype, place today and after the fix, and origin; empty where there is nothing."""
    beliefs = explained.explanation.beliefs if explained.explanation is not None else ()
    return "\n\n".join("\n".join(_belief(belief)) for belief in beliefs)


def _belief(belief: Belief) -> Iterator[str]:
    kind = ", ".join(filter(None, (belief.kind, belief.dtype)))
    yield f"{code(belief.text)}: {plain(kind)}, {_lives(belief)}"
    yield ""
    if belief.ways:
        for way in belief.ways:
            yield from _spots("from", way[:1])
    yield from _spots("used", belief.meets)
    yield from _spots("moved", belief.moves)
    for note in belief.notes:
        yield f"- because {sentence(note)}"


def _lives(belief: Belief) -> str:
    today, after = (_PLACES.get(place, place) for place in (belief.today, belief.after))
    if belief.kind == "device":
        return f"names the {belief.today}"
    return today if today == after else f"{today} now, **{after}** after the fix"


def _spots(label: str, spots: Iterable[Spot]) -> Iterator[str]:
    for spot in list(spots)[:_MOST]:
        where = plain(place_text(near(spot.path), spot.line, cell=spot.cell))
        place = f", {_PLACES.get(spot.place, spot.place)}" if spot.place else ""
        yield f"- {label} {where}: {sentence(spot.what)}{place}, {code(spot.text)}"


def of_rules(findings: Iterable[Finding]) -> str:
    """What the rules are that found something here."""
    codes = dict.fromkeys(finding.code for finding in findings)
    known = rules()
    parts = []
    for found in codes:
        if found in known:
            docs = documentation(known[found])
            why = dict(docs.sections).get("Fix safety", "")
            parts.append(f"**{found}** {code(known[found].name)}: {docs.summary}\n\n{why}".strip())
    return "\n\n".join(parts)
