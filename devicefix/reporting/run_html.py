"""A run as one page: no script, nothing from the network, everything escaped."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from devicefix.engine import Remedy
from devicefix.records import Failure, Operand, Place, Placement, Record, Run, Work, placement_of
from devicefix.records.placement import HOST
from devicefix.reporting.placement_error import promised
from devicefix.reporting.placement_summary import command_of, ending_of, is_unused, nothing_seen
from devicefix.reporting.places import amount, bytes_of, near, percent, shape_of, where
from devicefix.reporting.static_page import escaped as _text
from devicefix.reporting.static_page import static_page

_MOST: Final = 200
"""Rows of a table; the JSON has them all."""


def render(run: Run, remedy: Remedy | None) -> str:
    """The page, as a text in UTF-8."""
    placement = placement_of(run.records)
    parts = (
        _head(run),
        _error(run.failure, remedy),
        _work(placement) if run.records else f"<p>{nothing_seen(run)}</p>",
        _host_lines(placement),
        _transfers(placement),
        _modules(placement),
        _tensors(placement),
        _notes((*placement.notes, *run.notes)),
        _processes(run.records),
    )
    title = f"{command_of(run)} on {run.device}"
    return static_page(title, filter(None, parts))


def _code(text: str) -> str:
    return f'<span class="code">{_text(text)}</span>'


def _device(name: str) -> str:
    return f'<span class="{_class(name)}">{_text(name)}</span>'


def _class(device: str) -> str:
    return "host" if device == HOST else "device"


def _head(run: Run) -> str:
    torch = next(
        (record.torch for record in run.records if record.torch is not None), "not recorded"
    )
    python = next((record.python for record in run.records), "not recorded")
    facts = {
        "device": run.device,
        "ended": ending_of(run),
        "torch": torch,
        "Python": python,
        "processes": len(run.records),
        "interpreter": run.python,
    }
    rows = "".join(f"<div><dt>{k}</dt><dd>{_text(v)}</dd></div>" for k, v in facts.items())
    return (
        f'<h1>Where it ran</h1>\n<pre class="wrap">{_text(command_of(run))}</pre>\n'
        f'<dl class="facts">{rows}</dl>'
    )


# -- the error -----------------------------------------------------------------------------------


def _error(failure: Failure | None, remedy: Remedy | None) -> str:
    if failure is None:
        return ""
    title = "The device error" if failure.placement else "The error"
    parts = [
        f'<section class="error"><h2>{title}</h2>',
        f'<pre class="wrap">{_text(failure.type)}: {_text(failure.message)}</pre>',
        _operands(failure.operands),
    ]
    if failure.at is not None:
        parts.append(f"<p>It happened at {_place(failure.at)}</p>")
    if failure.advice and (remedy is None or remedy.left is not None):
        parts.append(f"<p>{_text(failure.advice)}</p>")
    parts += [_remedy(remedy), _traceback(failure), "</section>"]
    return "\n".join(filter(None, parts))


def _operands(operands: Sequence[Operand]) -> str:
    rows = (
        (
            _code(operand.variable or operand.name),
            _device(operand.device),
            _text(f"{operand.dtype} {shape_of(operand.shape)}"),
            _code(operand.module or ""),
            _place(operand.created),
            _moved(operand),
        )
        for operand in operands
    )
    heads = ("operand", "device", "tensor", "parameter", "created", "last moved")
    return _table(heads, rows, "llllww")


def _moved(operand: Operand) -> str:
    if operand.moved is None:
        return "never" if operand.created is not None else _place(None)
    if operand.moved == operand.created and operand.moved_by:
        return f"on the same line, by<br>{_code(operand.moved_by)}"
    return _place(operand.moved)


def _remedy(remedy: Remedy | None) -> str:
    if remedy is None:
        return ""
    codes = _text(", ".join(remedy.codes))
    if remedy.left is not None:
        return f"<p>devicefix finds {codes} here: {_text(remedy.left)}.</p>"
    command = f"devicefix apply {shlex.join(map(near, remedy.paths))}"
    lines = (
        f"<{tag}>{sign} {_text(line)}</{tag}>"
        for change in remedy.changes
        for tag, sign, part in (("del", "-", change.before), ("ins", "+", change.after))
        for line in part
    )
    said = f"{promised(remedy)} ({codes})"
    return f"<p><code>{_text(command)}</code> {said}:</p><pre>{''.join(lines)}</pre>"


def _traceback(failure: Failure) -> str:
    if not failure.traceback:
        return ""
    lines = _text(
        "\n".join(
            f"{near(frame.file)}:{frame.line} in {frame.function}\n    {frame.text}"
            for frame in failure.traceback
        )
    )
    return f"<details><summary>Traceback</summary><pre>{lines}</pre></details>"


# -- where it computed ---------------------------------------------------------------------------


def _work(placement: Placement) -> str:
    total = sum(placement.work.values())
    if not total:
        return "<h2>Arithmetic</h2><p>None was recorded.</p>"
    devices = sorted(placement.work, key=lambda device: (device == HOST, device))
    bar = "".join(
        f'<i class="{_class(d)}" style="flex:{placement.work[d] / total:.6f}"></i>' for d in devices
    )
    key = "".join(
        f"<span>{_device(d)} {percent(placement.work[d], total)}"
        f' <span class="soft">{amount(placement.work[d])} operations</span></span>'
        for d in devices
    )
    unused = (
        "<p><strong>The accelerator computed nothing.</strong></p>" if is_unused(placement) else ""
    )
    return (
        f'<h2>Arithmetic</h2>\n<div class="bar">{bar}</div>\n<div class="key">{key}</div>{unused}'
    )


def _host_lines(placement: Placement) -> str:
    total = sum(placement.work.values())
    rows = (
        (percent(line.work[HOST], total), amount(line.work[HOST]), _place(line.at))
        for line in placement.host_lines
    )
    return _section("Lines that computed on the CPU", ("of all", "operations", "line"), rows, "nnw")


def _transfers(placement: Placement) -> str:
    rows = (
        (
            _text(c.count),
            _text(bytes_of(c.bytes)),
            f"{_device(c.source)} → {_device(c.target)}",
            _code(c.how),
            _place(c.at),
        )
        for c in placement.transfers
    )
    heads = ("copies", "bytes", "way", "by", "line")
    return _section("Copies between devices", heads, rows, "nnllw")


def _modules(placement: Placement) -> str:
    total = sum(placement.work.values())
    rows = (
        (
            _code(module.name or "(the model)"),
            _text(module.type),
            _device(module.device),
            f"{module.parameters:,}" if module.parameters else "",
            bytes_of(module.bytes) if module.bytes else "",
            _shares(module.work, total),
        )
        for module in placement.modules
    )
    heads = ("module", "type", "device", "parameters", "bytes", "of all arithmetic")
    return _section("Modules", heads, rows, "lllnnw")


def _shares(work: Work, total: int) -> str:
    devices = sorted(work, key=lambda device: (device == HOST, device))
    return ", ".join(f"{percent(work[d], total)} on {_device(d)}" for d in devices)


def _tensors(placement: Placement) -> str:
    rows = (
        (
            _text(bytes_of(tensor.bytes)),
            _device(tensor.device),
            _text(f"{tensor.dtype} {shape_of(tensor.shape)}"),
            _place(tensor.created),
            _place(tensor.moved) if tensor.moved is not None else "",
        )
        for tensor in placement.tensors
    )
    heads = ("bytes", "device", "tensor", "created", "last moved")
    return _section("Largest tensors", heads, rows, "nllww")


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    return f"<h2>Notes</h2><ul>{''.join(f'<li>{_text(note)}</li>' for note in notes)}</ul>"


def _processes(records: Sequence[Record]) -> str:
    if len(records) < 2:
        return ""
    rows = (
        (
            _text(record.pid),
            _text(record.status),
            _text(amount(sum(record.work.values()))),
            _code(shlex.join(record.argv)),
        )
        for record in records
    )
    return _section("Processes", ("number", "status", "operations", "command"), rows, "nlnw")


# -- tables --------------------------------------------------------------------------------------


def _place(place: Place | None) -> str:
    if place is None:
        return '<span class="soft">not recorded</span>'
    at = f'<span class="soft code" title="{_text(place.file)}">{_text(where(place))}</span>'
    return f"{at}<br>{_code(place.text)}"


def _section(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], columns: str) -> str:
    table = _table(heads, rows, columns)
    return f"<h2>{title}</h2>\n{table}" if table else ""


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], columns: str) -> str:
    """A table; ``columns`` says of each whether it holds numbers (n), text (l) or wide text (w)."""
    found = list(rows)
    if not found:
        return ""
    head = "".join(_cells("th", heads, columns))
    body = "\n".join(f"<tr>{''.join(_cells('td', row, columns))}</tr>" for row in found[:_MOST])
    more = len(found) - _MOST
    rest = f'<p class="soft">and {more} more</p>' if more > 0 else ""
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>{rest}"
    )


def _cells(tag: str, cells: Sequence[str], columns: str) -> Iterator[str]:
    for cell, kind in zip(cells, columns, strict=True):
        yield f'<{tag} class="{kind}">{cell}</{tag}>'
