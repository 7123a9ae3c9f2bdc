"""The page of docs/verification, made of what `benchmarks/verification.py` measured."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def versions() -> dict[str, str]:
    """Where it was measured."""
    return {
        "torch": version("torch"),
        "numpy": version("numpy"),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
    }


def is_wrong(row: Row) -> bool:
    """Whether a row of the defects is not as it should be."""
    if not row["defect"]:
        return bool(row["verdict"] != "pass")
    return not row["caught"] or row["right_line"] is False


def named(row: Row) -> str:
    """What a row of the defects is about: a defect, a harmless form, or the program itself."""
    return str(row["defect"] or row.get("harmless") or "as it should be")


def is_faulty(folder: Path) -> bool:
    """Whether something was missed, misplaced, or accused."""
    alarms = _rows(folder, "false_alarms")
    wrong = any(map(is_wrong, _rows(folder, "defects")))
    return wrong or any(row["verdict"] != "pass" for row in alarms)


def write(folder: Path) -> None:
    """``README.md`` in ``folder``, from the JSON beside it."""
    (folder / "README.md").write_text("\n".join(_page(folder)) + "\n", encoding="utf-8")


def _page(folder: Path) -> Iterator[str]:
    yield "# How far a verification can be trusted"
    yield ""
    yield "Made by `python benchmarks/verification.py`; the figures are in the JSON files beside"
    yield "this page. The programs are in `tests/verification/defects`."
    yield from _section(folder, "defects", "Planted defects", _defects)
    yield from _section(folder, "defects", "Harmless changes", _harmless)
    yield from _section(folder, "false_alarms", "False alarms", _alarms)
    yield from _section(folder, "overhead", "What watching costs", _overhead)


def _section(folder: Path, part: str, title: str, body: Any) -> Iterator[str]:
    file = folder / f"{part}.json"
    yield from ("", f"## {title}", "")
    if not file.exists():
        yield "Not measured yet."
        return
    content = json.loads(file.read_text())
    yield from body(content["rows"])
    yield ""
    yield (
        f"{content['date'].replace('T', ' ')} · torch {content['torch']} · numpy "
        f"{content['numpy']} · Python {content['python']} · {content['machine']}"
    )


def _defects(rows: Sequence[Row]) -> Iterator[str]:
    planted = [row for row in rows if row["defect"]]
    right = [row for row in rows if named(row) == "as it should be"]
    caught = [row for row in planted if row["caught"]]
    lines = [row for row in planted if row["right_line"] is not None]
    passed = sum(row["verdict"] == "pass" for row in right)
    yield f"- {len(caught)} of {len(planted)} defects in {len(right)} programs are found"
    verdicts = Counter(row["verdict"] for row in caught).most_common()
    yield f"  ({', '.join(f'{count} `{verdict}`' for verdict, count in verdicts)})."
    yield f"- The first difference is shown on a right line in {_count(lines)} of {len(lines)}."
    yield f"- {len([row for row in planted if _is_hidden(row)])} of them do not show on the CPU."
    yield f"- {passed} of {len(right)} programs as they should be pass."
    yield ""
    yield "A defect that the CPU shows is looked for on the CPU alone, others on `sim:cuda`, too."
    yield "The right lines are those that `defects.toml` of each program names."
    yield ""
    yield from _by_class(planted)
    yield ""
    yield "| program | defect | class | verdict | on | first difference | line | seconds |"
    yield "|---|---|---|---|---|---|---|---|"
    yield from (_line(row) for row in rows if not row.get("harmless"))


def _harmless(rows: Sequence[Row]) -> Iterator[str]:
    forms = [row for row in rows if row.get("harmless")]
    passed = sum(row["verdict"] == "pass" for row in forms)
    programs = {row["program"] for row in forms}
    yield f"{passed} of {len(forms)} harmless changes in {len(programs)} programs pass. Each is a"
    yield "form of the program after the change that means the same on every device."
    yield ""
    yield "| program | harmless change | verdict | on | first difference | line | seconds |"
    yield "|---|---|---|---|---|---|---|"
    for row in forms:
        accused = row["verdict"] != "pass"
        shown = f"{row['what']}: {row['before']} → {row['after']}" if row["what"] else row["reason"]
        cells = (
            row["program"], row["harmless"],
            f"**{row['verdict']}**" if accused else row["verdict"], row["found_on"],
            _cell(shown) if accused else "", row["place"], f"{row['seconds']:.0f}",
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"


def _is_hidden(row: Row) -> bool:
    """Whether nothing is wrong on the CPU: a line fails on the device, or not enough is there."""
    return row["expected_on"] == "device" or not row["what"]


def _count(rows: Sequence[Row]) -> int:
    return sum(bool(row["right_line"]) for row in rows)


def _by_class(planted: Sequence[Row]) -> Iterator[str]:
    yield "| class | defects | programs | found | right line |"
    yield "|---|---|---|---|---|"
    for kind in dict.fromkeys(row["kind"] for row in planted):
        rows = [row for row in planted if row["kind"] == kind]
        lines = [row for row in rows if row["right_line"] is not None]
        programs, found = {row["program"] for row in rows}, sum(row["caught"] for row in rows)
        where = f"{_count(lines)} of {len(lines)}" if lines else "-"
        yield f"| {kind} | {len(rows)} | {len(programs)} | {found} | {where} |"


def _line(row: Row) -> str:
    share = row["coverage"]
    shown = f"{row['what']}: {row['before']} → {row['after']}" if row["what"] else ""
    if not shown and row["defect"] and share is not None:
        shown = f"{share:.0%} of the arithmetic on the accelerator"
    where = {True: "right", False: "**wrong**", None: "-"}[row["right_line"]]
    missed = row["defect"] and not row["caught"]
    verdict = f"**{row['verdict']}**" if missed else row["verdict"]
    cells = (
        row["program"], row["defect"] or "*as it should be*", row["kind"], verdict,
        row["found_on"], _cell(shown), f"{row['place']} {where}".strip(), f"{row['seconds']:.0f}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _cell(text: str, most: int = 70) -> str:
    flat = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def _alarms(rows: Sequence[Row]) -> Iterator[str]:
    alarms = [row for row in rows if row["verdict"] != "pass"]
    programs = dict.fromkeys(row["program"] for row in rows)
    yield f"{len(alarms)} false alarms in {len(rows)} verifications of {len(programs)} programs"
    yield "that nobody changed. Each has a baseline of its own."
    yield ""
    yield "| program | verifications | false alarms | compared | masked |"
    yield "|---|---|---|---|---|"
    for name in programs:
        mine = [row for row in rows if row["program"] == name]
        wrong = sum(row["verdict"] != "pass" for row in mine)
        figures = (_span(row.get(key, 0) for row in mine) for key in ("compared", "masked"))
        yield f"| {name} | {len(mine)} | {wrong} | {' | '.join(figures)} |"


def _span(numbers: Iterable[int]) -> str:
    known = sorted(numbers)
    return str(known[0]) if known[0] == known[-1] else f"{known[0]}-{known[-1]}"


def _overhead(rows: Sequence[Row]) -> Iterator[str]:
    yield "A step of training without and with observation; each figure is the median over pairs of"
    yield "runs that took turns, the ratio the median of the pairs' own."
    yield ""
    yield "| program | runs | ms without | ms with | ratio | ratio in CPU time | pairs |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        wall, cpu = row["wall"], row["cpu"]
        yield (
            f"| {row['program']} | {row['what']} | {wall['without_ms']:.1f} | "
            f"{wall['with_ms']:.1f} | {wall['ratio']:.2f} | {cpu['ratio']:.2f} | {row['rounds']} |"
        )


def _rows(folder: Path, part: str) -> list[Row]:
    file = folder / f"{part}.json"
    return list(json.loads(file.read_text())["rows"]) if file.exists() else []
