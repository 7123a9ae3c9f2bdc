"""What `gpu_evidence.py` found, for people to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

TITLES: Final = {
    "probes": "Probes of placement behaviour",
    "loops": "Seeded training loops",
    "examples": "Examples before and after apply",
    "verify": "Verdicts on the examples",
}
_MOST: Final = 300
"""Characters of a message that are shown; the JSON has all."""


def summary(part: Mapping[str, Any]) -> str:
    """One part in one line."""
    kinds = Counter(difference["kind"] for difference in part["differences"])
    found = ", ".join(f"{count} of {kind}" for kind, count in kinds.items()) or "none"
    words = f"{part['compared']} compared, differences: {found}"
    if part["missing"]:
        words += f", {len(part['missing'])} not run"
    return (f"{part['failed']}; {words}" if part["failed"] else words) + f" ({part['seconds']} s)"


def page(evidence: Mapping[str, Any]) -> str:
    """The page as Markdown."""
    return "\n".join(_lines(evidence)) + "\n"


def _lines(evidence: Mapping[str, Any]) -> Iterator[str]:
    is_real = not evidence["device"].startswith("sim:")
    yield (
        "# A real GPU and the simulated one, side by side"
        if is_real
        else ("# The simulator against itself: a trial of the script, no evidence")
    )
    yield ""
    yield f"{evidence['device']} against {evidence['against']}. The rules are in README.md."
    yield ""
    yield "| part | compared | message | placement | value | not run | seconds | date | torch |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, part in evidence["parts"].items():
        kinds = Counter(difference["kind"] for difference in part["differences"])
        counts = " | ".join(str(kinds[kind]) for kind in ("message", "placement", "value"))
        missing, seconds, known = len(part["missing"]), part["seconds"], part["measured"]
        when = f"{known['date'][:10]} | {known['torch']}"
        yield f"| {name} | {part['compared']} | {counts} | {missing} | {seconds} | {when} |"
    for name, part in evidence["parts"].items():
        yield from _part(TITLES[name], part)


def _circumstances(known: Mapping[str, Any]) -> str:
    only = f", only {', '.join(known['only'])}" if known["only"] else ""
    return (
        f"{known['date']}{only}: {known['card'] or 'no card'}, driver {known['driver']}, "
        f"{known['cores']} cores; torch {known['torch']}, CUDA {known['cuda']}, "
        f"cuDNN {known['cudnn']}, Python {known['python']}."
    )


def _part(title: str, part: Mapping[str, Any]) -> Iterator[str]:
    yield from ("", f"## {title}", "", _circumstances(part["measured"]), "")
    if part["failed"]:
        yield f"**Failed:** {_cell(part['failed'])}"
        yield ""
    if part["differences"]:
        yield "| where | kind | on the card | on the simulator |"
        yield "|---|---|---|---|"
        for found in part["differences"]:
            cells = (found["what"], found["kind"], _cell(found["here"]), _cell(found["there"]))
            yield f"| {' | '.join(cells)} |"
    elif part["compared"]:
        yield "No difference."
    deviations = [row["deviation"] for row in part["rows"] if row.get("deviation") is not None]
    if deviations:
        yield ""
        yield f"Largest relative deviation of a value: {max(deviations):.1e}."
    yield from _sensitivities([row for row in part["rows"] if "sensitivity" in row])
    yield from _listed([*part["notes"], *(f"not run: {line}" for line in part["missing"])])


def _sensitivities(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How far each loop is off, and how far rounding alone carries it."""
    if not rows:
        return
    yield from ("", "| loop | off by | sensitivity | off by / sensitivity |", "|---|---|---|---|")
    for row in sorted(rows, key=lambda row: -row["deviation"]):
        off, sensitivity = row["deviation"], row["sensitivity"]
        share = f"{off / sensitivity:.1f}" if sensitivity else "-"
        yield f"| {row['name']} | {off:.1e} | {sensitivity:.1e} | {share} |"


def _listed(lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield ""
    yield from (f"- {_cell(line)}" for line in lines)


def _cell(text: str) -> str:
    flat = " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;")
    return flat if len(flat) <= _MOST else flat[: _MOST - 1] + "…"
