"""One text on its way to Python 3: what is known of it, and what is to be changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from msgspec import Struct, field

from devicefix.dialect.kinds import Kinds
from devicefix.dialect.needs import needed
from devicefix.dialect.scopes import Scopes
from devicefix.findings import Edit, Span
from devicefix.source import Source
from devicefix.source.lexing import tokens
from devicefix.source.parsing import Parents

_VERSIONS: Final = frozenset({
    "PY2", "PY3", "__version__", "hexversion", "python_version", "python_version_tuple", "version",
    "version_info",
})  # fmt: skip
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)


class Surroundings(Struct, frozen=True):
    """What is around a file, as far as its imports and calls depend on it."""

    local: frozenset[str] = frozenset()
    """The first parts of modules it imports that are files of the project."""
    siblings: frozenset[str] = frozenset()
    """Those of them that Python 2 finds beside the file, within its package."""
    own_next: bool = False
    """Whether a class of the program has a method ``next`` of its own."""
    is_imported: bool = True
    """Whether another file may call what this one defines."""
    own_methods: frozenset[str] = frozenset()
    """The names of all methods that classes of the program define."""


class Note(Struct, frozen=True):
    """Something that may mean something else in Python 3, and that nothing was made of."""

    span: Span
    message: str
    advice: str


class Change(Struct, eq=False):
    """One thing that is said otherwise in Python 3, and the edits that say it."""

    span: Span
    what: str
    """What all changes of one kind have in common; they go together."""
    edits: list[Edit] = field(default_factory=list)
    imports: list[str] = field(default_factory=list)
    """Statements that the new text needs at its top."""


class Draft(Struct, eq=False, dict=True):
    """A text that parses as Python 3, and the edits that are still to be made."""

    source: Source
    around: Surroundings
    is_python2: bool = True
    """Whether it surely is Python 2; else only what Python 3 could not run is changed."""
    changes: list[Change] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    _rank: int = 0

    @cached_property
    def tree(self) -> ast.Module:
        return self.source.tree

    @cached_property
    def scopes(self) -> Scopes:
        return Scopes(self.tree)

    @cached_property
    def needed(self) -> frozenset[ast.expr]:
        """What stands where a float is an error."""
        return needed(self.source.nodes, self.scopes)

    @cached_property
    def kinds(self) -> Kinds:
        around, nodes = self.around, self.source.nodes
        closed = not around.is_imported
        return Kinds(nodes, self.scopes, self.needed, around.own_methods, closed=closed)

    @cached_property
    def _order(self) -> dict[ast.AST, int]:
        """The number of each node; those of outer nodes are smaller."""
        return {node: number for number, node in enumerate(self.source.nodes, 1)}

    @cached_property
    def features(self) -> frozenset[str]:
        """What comes ``from __future__``."""
        return frozenset(
            alias.name
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom) and node.module == "__future__"
            for alias in node.names
        )

    def walk(self) -> Iterator[ast.AST]:
        """All nodes, outer ones first."""
        return iter(self.source.nodes)

    def parent(self, node: ast.AST) -> ast.AST:
        return Parents()[node]

    def parents(self, node: ast.AST) -> Iterator[ast.AST]:
        """What holds ``node``, from the inside out."""
        at = Parents().get(node)
        while at is not None:
            yield at
            at = Parents().get(at)

    # -- changes -----------------------------------------------------------------------------------

    def change(self, where: ast.AST | Span, what: str) -> Change:
        """Begin a change; its edits are still to be given."""
        self.changes.append(Change(self._span(where), what))
        return self.changes[-1]

    def replace(
        self, where: ast.AST | Span, text: str, what: str, change: Change | None = None
    ) -> Change:
        """Put ``text`` in the place of a node or a range; ``what`` names the change."""
        span = self._span(where)
        change = change or self.change(span, what)
        change.edits.append(Edit(span.start, span.end, 0, text))
        return change

    def insert(self, at: int, text: str, change: Change) -> None:
        """Put ``text`` at a place, behind what was put there before."""
        self._rank += 1
        change.edits.append(Edit(at, at, self._rank, text))

    def wrap(self, node: ast.AST, before: str, after: str, what: str) -> Change:
        """Put a node between two texts; the wrappings of outer nodes are outside."""
        change = self.change(node, what)
        self.insert_before(node, before, change)
        self.insert_behind(node, after, change, change.span.end)
        return change

    def insert_before(
        self, node: ast.AST, text: str, change: Change, at: int | None = None
    ) -> None:
        """Put ``text`` before a node; what goes before outer nodes is further out.

        ``at`` is a place within the node, before one of its parts.
        """
        start = self.source.span(node).start if at is None else at
        change.edits.append(Edit(start, start, self._order[node], text))

    def insert_behind(self, node: ast.AST, text: str, change: Change, at: int) -> None:
        """Put ``text`` at a place in a node, behind what its parts get there."""
        change.edits.append(Edit(at, at, -self._order[node], text))

    def note(self, where: ast.AST, message: str, advice: str) -> None:
        """Report a place, and leave it as it is."""
        self.notes.append(Note(self.source.span(where), message, advice))

    def need(self, statement: str, change: Change) -> None:
        """Have an import at the top of the file, unless it is there."""
        module, _, name = (
            statement.removeprefix("import ").removeprefix("from ").partition(" import ")
        )
        if not any(self._has(node, module, name) for node in self.tree.body):
            change.imports.append(statement)

    def edits(self, change: Change) -> tuple[Edit, ...]:
        """All edits of a change, those at the top of the file included."""
        return (*change.edits, *map(self._imported, change.imports))

    def _imported(self, statement: str) -> Edit:
        """``import a.b`` in the place of ``import a``, which it is as well, or else at the top."""
        package, _, module = statement.removeprefix("import ").partition(".")
        for node in self.tree.body:
            for alias in node.names if isinstance(node, ast.Import) and module else ():
                if alias.name == package and alias.asname is None:
                    end = self.source.span(alias).end
                    return Edit(end, end, 0, f".{module}")
        top = self._top()
        return Edit(top, top, -1_000_000, statement + self.source.newline)

    def finished(self) -> Source:
        """The text with all edits."""
        edits = [edit for change in self.changes for edit in self.edits(change)]
        text = self.source.apply(edits) if edits else self.source.text
        return Source.from_text(text, self.source.path)

    def _span(self, where: ast.AST | Span) -> Span:
        return where if isinstance(where, Span) else self.source.span(where)

    def _has(self, node: ast.stmt, module: str, name: str) -> bool:
        if isinstance(node, ast.ImportFrom) and name:
            return node.module == module and any(
                a.name == name and not a.asname for a in node.names
            )
        if isinstance(node, ast.Import) and not name:
            return any(a.name == module and not a.asname for a in node.names)
        return False

    def _top(self) -> int:
        """Where imports begin: behind the docstring and ``__future__``."""
        start = 0
        for number, node in enumerate(self.tree.body):
            start = self.source.line_start(self.source.statement_span(node).start)
            docstring = number == 0 and isinstance(node, ast.Expr)
            docstring = docstring and isinstance(getattr(node, "value", None), ast.Constant)
            future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            if not docstring and not future:
                return start
            start = self.source.next_line(self.source.span(node).end)
        return start

    # -- places in the text ------------------------------------------------------------------------

    def operator(self, left: ast.AST, right: ast.AST, text: str) -> Span:
        """Where the operator between two operands is."""
        start, end = self.source.span(left).end, self.source.span(right).start
        for token in tokens(self.source.text[start:end]):
            if token.kind == "op" and token.text == text:
                return Span(start + token.span.start, start + token.span.end)
        raise ValueError(f"no {text} between the operands")

    def attribute(self, node: ast.Attribute) -> Span:
        """Where the name behind the dot is."""
        end = self.source.span(node).end
        return Span(end - len(node.attr), end)

    def dot(self, node: ast.Attribute) -> int:
        """Where the dot of an attribute is."""
        return self.source.text.rindex(
            ".", self.source.span(node.value).end, self.attribute(node).start
        )

    def definition(self, node: ast.FunctionDef | ast.ClassDef) -> Span:
        """Where the name behind ``def`` or ``class`` is."""
        start = self.source.span(node).start
        for token in tokens(self.source.text[start : self.source.span(node).end]):
            if token.kind == "name" and token.text == node.name:
                return Span(start + token.span.start, start + token.span.end)
        raise ValueError("no name")

    def is_module(self, node: ast.expr) -> bool:
        """Whether ``node`` is a name that nothing but imports bind."""
        if not isinstance(node, ast.Name):
            return False
        bindings = self.scopes.bindings(node)
        return bool(bindings) and all(b.how == "import" for b in bindings)

    def is_guarded(self, node: ast.AST) -> bool:
        """Whether the code around says what is to happen if this fails, or asks for the version."""
        inner = node
        for holder in self.parents(node):
            if isinstance(holder, ast.Try) and inner in holder.body and self._is_guard(holder):
                return True
            if isinstance(holder, ast.Try) and inner in holder.handlers and _only_probes(holder):
                return True  # `except ImportError: import __builtin__ as builtins`
            inner = holder
            if isinstance(holder, (ast.If, ast.IfExp)) and self._asks_for_version(holder.test):
                return True
        return False

    def _asks_for_version(self, test: ast.expr) -> bool:
        """``sys.version_info[0] == 2``, ``six.PY2``, or a name for such a thing."""
        waiting, met = list[ast.expr]([test]), set[str]()
        while waiting:
            for node in ast.walk(waiting.pop()):
                name = getattr(node, "attr", getattr(node, "id", ""))
                if name in _VERSIONS:
                    return True
                if isinstance(node, ast.Name) and name not in met:
                    met.add(name)
                    bound = self.scopes.bindings(node)
                    waiting += [b.value for b in bound if b.how == "value" and b.value is not None]
        return False

    def _is_guard(self, holder: ast.Try) -> bool:
        """Whether a ``try`` asks what there is; one that catches all may be for anything.

        Around one statement of a file that Python 3 can read it is an answer there, too.
        """
        names = {
            n.id
            for handler in holder.handlers
            for n in (ast.walk(handler.type) if handler.type else ())
            if isinstance(n, ast.Name)
        }
        if names & {"ImportError", "ModuleNotFoundError", "NameError", "AttributeError"}:
            return True
        catches_all = "Exception" in names or any(h.type is None for h in holder.handlers)
        simple = len(holder.body) == 1 and isinstance(holder.body[0], _SIMPLE)
        return catches_all and (all(map(_probes, holder.body)) or (simple and not self.is_python2))


def _only_probes(holder: ast.Try) -> bool:
    """Whether a ``try`` does nothing but ask for modules and names: its handlers are the answer."""
    return all(map(_probes, holder.body))


def _probes(statement: ast.stmt) -> bool:
    """Whether a statement does no more than ask for a module or a name."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.Assign(value=value) | ast.Expr(value=value):
            return isinstance(value, (ast.Name, ast.Attribute))
    return False
