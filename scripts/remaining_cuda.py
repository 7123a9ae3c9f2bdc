"""Count what is nailed to CUDA after ``devicefix apply``, and what devicefix says about it.

    python scripts/remaining_cuda.py DIR... [--show] [--json FILE]

Every tree is copied to a temporary folder and fixed there. A use is a call of ``.cuda()``, a tensor
type of CUDA, a string that names it, a call of ``torch.cuda`` or a default tensor type. Each counts
under one of

- the rule that reports its line, and why it is left;
- ``asked``: the program asks whether there is CUDA, or compares or chooses by a device's name;
- ``harmless``: the call does nothing, or gives 0, where there is no CUDA;
- ``no reason``: it is left, and nothing is said. ``--show`` prints these lines.
"""

from __future__ import annotations

import argparse
import ast
import collections
import dataclasses
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gauge import apply, devicefix, read_tree, relative_name, text_of

HARMLESS: Final = frozenset(
    (
        "is_available",
        "device_count",
        "manual_seed",
        "manual_seed_all",
        "seed",
        "seed_all",
        "empty_cache",
        "stream",
        "device",
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "memory_cached",
        "max_memory_cached",
        "is_initialized",
        "is_bf16_supported",
        "get_rng_state_all",
        "set_rng_state_all",
        "memory_stats",
        "get_arch_list",
        "device_of",
        "OutOfMemoryError",
    )
)
"""Of ``torch.cuda``: https://docs.pytorch.org/docs/stable/cuda.html, tried without CUDA."""

_QUESTION: Final = re.compile(r"cuda|gpu|avail|device", re.IGNORECASE)
_TYPE: Final = re.compile(r"torch\.cuda\.\w*Tensor")
_DEVICE: Final = re.compile(r"cuda(:.*)?")


@dataclass(frozen=True, slots=True)
class Use:
    """One use of CUDA that is left."""

    tree: str
    path: str
    line: int
    kind: str
    reason: str
    text: str


def uses(tree: ast.Module) -> Iterator[tuple[str, ast.expr, str]]:
    """Kind, node, and why it may stay; the latter is empty where it may not."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        kind = kind_of(node, parents) if isinstance(node, ast.expr) else ""
        if kind and isinstance(node, ast.expr):
            yield kind, node, excuse(kind, node, parents)


def kind_of(node: ast.expr, parents: Mapping[ast.AST, ast.AST]) -> str:
    """What ``node`` does with CUDA; empty for nothing."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "cuda":
            return ".cuda()"
        return "default type" * (node.func.attr == "set_default_tensor_type")
    if isinstance(node, ast.Attribute) and not isinstance(parents.get(node), ast.Attribute):
        name = re.sub(r"^th\.", "torch.", ast.unparse(node))
        if _TYPE.fullmatch(name):
            return "torch.cuda.XTensor"
        return name if re.fullmatch(r"torch\.cuda\.[\w.]+", name) else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if isinstance(parents.get(node), ast.Expr):
            return ""  # a docstring
        found = _DEVICE.fullmatch(node.value) or _TYPE.fullmatch(node.value)
        return "'cuda'" if found else ""
    return ""


def excuse(kind: str, node: ast.AST, parents: Mapping[ast.AST, ast.AST]) -> str:
    """Why a use may stay without a word."""
    if kind.startswith("torch.cuda.") and kind.split(".")[2] in HARMLESS:
        return "harmless"
    above = parents.get(node)
    while above is not None and not isinstance(above, (ast.FunctionDef, ast.ClassDef)):
        if isinstance(above, (ast.Compare, ast.BoolOp, ast.Assert)):
            return "asked"
        if isinstance(above, (ast.If, ast.IfExp)) and _asks(above, node):
            return "asked"
        node, above = above, parents.get(above)
    return ""


def _asks(choice: ast.If | ast.IfExp, part: ast.AST) -> bool:
    """Whether what is chosen depends on CUDA, and ``part`` is chosen."""
    return part is not choice.test and bool(_QUESTION.search(ast.unparse(choice.test)))


def remaining(source: Path) -> Iterator[Use]:
    """What is left in one tree."""
    with tempfile.TemporaryDirectory(prefix="cuda-") as temporary:
        folder = Path(temporary, source.name)
        shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns(".git*"))
        apply(folder, unsafe=False)
        arguments = ["check", folder.name, "--output-format", "json"]
        report = devicefix(arguments, folder.parent).report
        said = by_file(report.get("findings", ()), folder)
        errors = by_file(report.get("errors", ()), folder)
        for path, data in read_tree(folder).items():
            if path.endswith(".py"):
                yield from in_file(source.name, path, text_of(data), said, errors)


def by_file(items: Sequence[Mapping[str, Any]], folder: Path) -> dict[str, list[Mapping[str, Any]]]:
    """Findings or errors by the path in the tree."""
    found: dict[str, list[Mapping[str, Any]]] = collections.defaultdict(list)
    for item in items:
        found[relative_name(item["path"], folder)].append(item)
    return found


def in_file(
    name: str,
    path: str,
    text: str,
    said: Mapping[str, Sequence[Mapping[str, Any]]],
    errors: Mapping[str, Sequence[Mapping[str, Any]]],
) -> Iterator[Use]:
    """What is left in one file."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        for number, line in enumerate(text.split("\n"), 1):
            if re.search(r"\.cuda\(|torch\.cuda\.\w*Tensor", line):
                reason = "the file does not parse, and is named" if path in errors else ""
                yield Use(name, path, number, ".cuda()", reason or "no reason", line.strip())
        return
    lines = text.split("\n")
    for kind, node, reason in uses(tree):
        rule = rule_at(node, said.get(path, ()))
        why = rule or reason or ("the file is in error" if path in errors else "no reason")
        yield Use(name, path, node.lineno, kind, why, lines[node.lineno - 1].strip())


def rule_at(node: ast.expr, findings: Sequence[Mapping[str, Any]]) -> str:
    """The rule that reports a line of ``node``, and what it says."""
    last = node.end_lineno or node.lineno
    for finding in findings:
        if node.lineno <= finding["line"] <= last and finding["code"][:4] != "DFX6":
            advice = finding.get("advice") or finding.get("reason") or ""
            return f"{finding['code']}: {re.sub(r'[0-9]+', 'N', advice)[:80]}"
    return ""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("trees", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="print the lines without a reason")
    parser.add_argument("--json", type=Path, help="write all that is left there")
    options = parser.parse_args()
    found = [use for tree in options.trees for use in remaining(tree.resolve())]
    table = collections.Counter((use.kind, use.reason) for use in found)
    for (kind, reason), number in sorted(table.items()):
        print(f"{number:5}  {kind:34} {reason}")
    silent = [use for use in found if use.reason == "no reason"]
    print(f"{len(found):5}  in all, {len(silent)} of them without a reason")
    for use in silent if options.show else ():
        print(f"{use.tree}/{use.path}:{use.line}: {use.kind}: {use.text}")
    if options.json:
        rows = [dataclasses.asdict(use) for use in found]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
