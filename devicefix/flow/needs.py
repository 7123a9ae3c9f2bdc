"""Which files need CUDA whatever is rewritten in them, and where that is said.

A program needs it if it ends without CUDA, talks over NCCL or runs code that is compiled for CUDA,
and nothing decides about that but who starts it. What stands below a condition, in a ``try`` that
goes on, or behind an import that may fail is no need: there the program has another way.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from devicefix.findings import Reason
from devicefix.flow.analysis import Analysis
from devicefix.flow.command_line import is_option
from devicefix.flow.cuda_guards import Guards, catches
from devicefix.flow.deciders import ASKS, decider
from devicefix.flow.facts import FileFacts, Need
from devicefix.flow.imported import dotted, origins
from devicefix.flow.kernels import kernel_in
from devicefix.flow.scopes import COMPREHENSIONS, FUNCTIONS
from devicefix.flow.scripts import is_main_guard, is_script
from devicefix.flow.values import FileRecord
from devicefix.source import Source
from devicefix.source.imports import bindings

_LOADED: Final = frozenset({"flash_attn", "pycuda"})
"""Libraries that load CUDA when they are imported."""
_STARTS: Final = frozenset({
    "multiprocessing.Process", "torch.multiprocessing.Process", "torch.multiprocessing.spawn",
})  # fmt: skip
_EXITS: Final = frozenset({"exit", "os._exit", "quit", "sys.exit"})
_LEAVES: Final = (ast.Return, ast.Break, ast.Continue)
_LATER: Final = (*FUNCTIONS, ast.ClassDef, ast.Lambda, *COMPREHENSIONS)


def needs(analysis: Analysis) -> dict[FileRecord, Need]:
    """The files that need CUDA, and those that nothing but such files imports."""
    search = _Search(analysis)
    found = {file: need for file in analysis.owned if (need := search.of_file(file)) is not None}
    return {**_parts(analysis, found), **found} if found else {}


def told(analysis: Analysis, need: Need, file: FileRecord) -> str:
    """The reason and its line, as it is said of ``file``."""
    line, home = getattr(need.tree, "lineno", 1), analysis.home(need.tree)
    place = f"line {line}" if home is file else f"{home.path}:{line}"
    return f"{place}: {need.reason}"


def left_with_cuda(
    analysis: Analysis, facts: Mapping[str, FileFacts], found: Mapping[FileRecord, Need]
) -> dict[str, FileFacts]:
    """``facts`` without placements that rest on a new device of a file that needs CUDA.

    Where something that names CUDA stays for it, the file that shows the need says so.
    """
    moves = [t for f in facts.values() if f.needs_cuda for t in f.transfers]
    groups = {
        t.group for t in moves if t.device is not None and (t.device.preamble or t.device.passed)
    }
    shown = [need for file, need in found.items() if groups or _stays(file, facts[file.path])]
    kept = {}
    for path, known in facts.items():
        transfers = tuple(t for t in known.transfers if t.group not in groups)
        own = (n for n in dict.fromkeys(shown) if analysis.home(n.tree).path == path)
        kept[path] = replace(known, transfers=transfers, needs=tuple(own))
    return kept


def _stays(file: FileRecord, facts: FileFacts) -> bool:
    """Whether something in a file is left for the need that rules would free of CUDA."""
    if facts.literals or facts.guards or facts.numbers or any(map(_is_cuda, facts.calls)):
        return True
    imports = {file.source.span(node).start for node in file.source.imports}
    needed = (use for use in facts.uses if use.reason is Reason.NEEDED)
    return any(use.span.start not in imports for use in needed)


def _is_cuda(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "cuda"


def _parts(analysis: Analysis, found: dict[FileRecord, Need]) -> dict[FileRecord, Need]:
    """The files that only those in ``found`` import, directly or through each other."""
    links = {file: set(_imported(analysis, file, file.source.imports)) for file in analysis.owned}
    parts, waiting = {}, list(found)
    needed = dict(found)
    for file in waiting:  # it grows meanwhile
        for part in sorted(links[file] - needed.keys(), key=lambda record: record.path):
            if not _is_for_others(analysis, part):
                parts[part] = needed[part] = needed[file]
                waiting.append(part)
    while outside := [p for p in parts if _importers(links, p) - parts.keys() - found.keys()]:
        for part in outside:
            del parts[part]
    return parts


def _importers(links: dict[FileRecord, set[FileRecord]], part: FileRecord) -> set[FileRecord]:
    return {file for file, imported in links.items() if part in imported}


def _is_for_others(analysis: Analysis, file: FileRecord) -> bool:
    return is_script(file.source.tree) or file.path in analysis.program.imported_elsewhere


def _imported(
    analysis: Analysis, file: FileRecord, nodes: Iterable[ast.Import | ast.ImportFrom]
) -> Iterator[FileRecord]:
    """The files of the program that import statements of ``file`` read."""
    for node in nodes:
        asked = [(alias.name, 0) for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            base = f"{node.module}." if node.module else ""
            inner = [f"{base}{alias.name}" for alias in node.names]
            asked = [(name, node.level) for name in (node.module or "", *inner)]
        for name, level in asked:
            path = analysis.program.modules.find(file.path, name, level)
            record = analysis.files.get(path) if path is not None else None
            if record is not None and record.owned and record is not file:
                yield record


class _Search:
    """What runs whenever a program runs, statement by statement; each function is read once."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._known: dict[ast.AST, Need | None] = {}

    def of_file(self, file: FileRecord) -> Need | None:
        """Of the kernels in a file, of what importing it does, or of its main block."""
        if (kernel := kernel_in(self._analysis, file)) is not None:
            return Need(*kernel)
        mains = [s.body for s in file.source.tree.body if is_main_guard(s)]
        own = self._of(file.source.tree)
        return own or next((n for body in mains if (n := self._block(body)) is not None), None)

    def _of(self, scope: ast.AST) -> Need | None:
        """Of what a function does whenever it is called, or a module when it is imported."""
        if scope not in self._known:
            self._known[scope] = None  # what calls itself is being read
            own = self._expression(scope.body) if isinstance(scope, ast.Lambda) else None
            lines = () if isinstance(scope, ast.Lambda) else getattr(scope, "body", ())
            self._known[scope] = own or self._block(lines)
        return self._known[scope]

    def _block(self, statements: Sequence[ast.stmt]) -> Need | None:
        for statement in statements:
            if (need := self._statement(statement)) is not None:
                return need
            if self._may_leave(statement):
                return None
        return None

    def _may_leave(self, statement: ast.stmt) -> bool:
        """Whether it decides if the next one runs at all; where it raises, the program fails."""
        inside = ast.walk(statement) if isinstance(statement, ast.If) else (statement,)
        return any(isinstance(node, _LEAVES) or self._exits(node) for node in inside)

    def _exits(self, tree: ast.AST) -> bool:
        return isinstance(tree, ast.Call) and not self._names(tree).isdisjoint(_EXITS)

    def _names(self, call: ast.Call) -> set[str]:
        """What is called, by evaluation or else by the imports."""
        known = self._analysis.home(call).source.once(origins)
        name = dotted(call.func, known) or getattr(call.func, "id", "")
        return {*self._analysis.seen.calls.get(call, ()), name}

    def _statement(self, tree: ast.stmt) -> Need | None:
        match tree:
            case ast.Assert(test=test) if self._means_cuda(test) is True:
                return Need(tree, f"`{ast.unparse(test)}` is asserted")
            case ast.If(test=test):
                ends = self._ends_without_cuda(tree)
                reason = "the program ends here where there is no CUDA"
                return Need(tree, reason) if ends else self._expression(test)
            case ast.Try(body=body, handlers=handlers):
                return None if any(map(catches, handlers)) else self._block(body)
            case ast.Import() | ast.ImportFrom():
                return self._import(tree)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return None
        parts = [c for c in ast.iter_child_nodes(tree) if isinstance(c, (ast.expr, ast.withitem))]
        return self._first(parts) or self._block(getattr(tree, "body", ()))

    def _means_cuda(self, test: ast.expr) -> bool | None:
        """Which answer there is with CUDA, where the other one means that there is none."""
        asked = decider(self._analysis, test, None)
        if asked is not None and asked.question in (ASKS, f"Not({ASKS})"):
            return asked.question == ASKS
        return Guards(self._analysis, self._analysis.home(test).source).holds(test)

    def _ends_without_cuda(self, tree: ast.If) -> bool:
        meant = self._means_cuda(tree.test)
        block = tree.orelse if meant else tree.body
        last = block[-1] if block and meant is not None else None
        ended = isinstance(last, ast.Expr) and self._exits(last.value)
        return ended or isinstance(last, ast.Raise)

    def _import(self, tree: ast.Import | ast.ImportFrom) -> Need | None:
        modules = [alias.name for alias in tree.names]
        if isinstance(tree, ast.ImportFrom):
            modules = [tree.module or ""] if not tree.level else []
        loaded = [module for module in modules if module.partition(".")[0] in _LOADED]
        if loaded:
            return Need(tree, f"`{loaded[0]}` loads CUDA")
        files = _imported(self._analysis, self._analysis.home(tree), [tree])
        return next((n for file in files if (n := self._of(file.source.tree)) is not None), None)

    # -- expressions -----------------------------------------------------------------------------

    def _first(self, parts: Iterable[ast.AST]) -> Need | None:
        return next((n for part in parts if (n := self._expression(part)) is not None), None)

    def _expression(self, tree: ast.AST) -> Need | None:
        if isinstance(tree, _LATER):
            return None
        own = self._call(tree) if isinstance(tree, ast.Call) else None
        return own or self._first(_evaluated(tree))

    def _call(self, call: ast.Call) -> Need | None:
        names = self._names(call)
        if "torch.distributed.init_process_group" in names and self._takes_nccl(call):
            return Need(call, "NCCL connects CUDA devices")
        if any(name.startswith("torch.cuda.nccl.") for name in names):
            return Need(call, "NCCL connects CUDA devices")
        called = self._called(call, names)
        return next((n for function in called if (n := self._of(function)) is not None), None)

    def _called(self, call: ast.Call, names: set[str]) -> Iterator[ast.AST]:
        """The functions of the program that run; a module that is made is called, too."""
        for function in self._analysis.seen.callees.get(call, ()):
            if function is None or not self._analysis.home(function).owned:
                continue
            yield function
            owner = self._analysis.parents.get(function)
            if isinstance(owner, ast.ClassDef) and getattr(function, "name", "") == "__init__":
                yield from (s for s in owner.body if getattr(s, "name", "") == "forward")
        handed = [*call.args, *(k.value for k in call.keywords)] if names & _STARTS else []
        own = self._analysis.home(call).source.once(_functions)
        named = [n.id for n in (call.func, *handed) if isinstance(n, ast.Name)]
        yield from (own[name] for name in named if name in own)

    def _takes_nccl(self, call: ast.Call) -> bool:
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "backend")]
        return any("nccl" in map(_text, self._meant(tree)) for tree in given)

    def _meant(self, tree: ast.expr) -> list[ast.expr]:
        """An expression; a name that is bound once, or an option, is what it was set to."""
        match tree:
            case ast.Name(id=name):
                source = self._analysis.home(tree).source
                alone = source.once(bindings)[name] == 1
                assigned = [n for n in source.of_type(ast.Assign) if isinstance(n, ast.Assign)]
                found = [a.value for a in assigned if alone and _binds(a, name)]
                return [part for value in found for part in self._meant(value)]
            case ast.Attribute(attr=name):
                calls = [n for f in self._analysis.owned for n in f.source.of_type(ast.Call)]
                options = [c for c in calls if isinstance(c, ast.Call) and is_option(c, name)]
                return [k.value for c in options for k in c.keywords if k.arg == "default"]
        return [tree]


def _evaluated(tree: ast.AST) -> Iterable[ast.AST]:
    """The parts of an expression that are evaluated whatever the others are."""
    match tree:
        case ast.IfExp(test=test):
            return [test]
        case ast.BoolOp(values=values):
            return values[:1]
    return ast.iter_child_nodes(tree)


def _binds(tree: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in tree.targets)


def _text(tree: ast.expr) -> object:
    return tree.value if isinstance(tree, ast.Constant) else None


def _functions(source: Source) -> dict[str, ast.stmt]:
    """The functions at the top of a file, by name."""
    return {s.name: s for s in source.tree.body if isinstance(s, FUNCTIONS)}
