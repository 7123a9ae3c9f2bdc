"""Where a program names a function or a class: may every call of it be changed?

A call that was evaluated says what it calls. All else that could name the function decides against
it: it may be handed on as a value (``defaultdict(Meter)``, ``partial``, a table of functions, the
target of a process), looked up by its name, or called with code that nobody has seen.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Set
from typing import Final

from msgspec import Struct, field

from devicefix.flow.analysis import Analysis
from devicefix.flow.scripts import bound_names, is_script
from devicefix.flow.values import ClassRecord, File, FileRecord, Function
from devicefix.source import Source, annotation_of
from devicefix.source.walking import walk

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOKUPS: Final = frozenset({"globals", "locals", "vars"})
"""Built-in functions by which a file reaches its own names as texts."""


class References(Struct, frozen=True):
    """The references to the program's functions and classes; kept from one cut to the next."""

    analysis: Analysis
    _answers: dict[ast.AST, bool] = field(default_factory=dict)
    _index: dict[str, list[ast.AST]] = field(default_factory=dict)

    def are_calls(self, function: ast.AST, owner: ClassRecord | None) -> bool:
        """Whether all code that can reach ``function`` are calls that were seen."""
        if function not in self._answers:
            self._answers[function] = self._are_calls(function, owner)
        return self._answers[function]

    def are_only_calls(self, function: ast.AST) -> bool:
        """Whether nothing reaches ``function`` but calls that were seen, overridden or not."""
        if not isinstance(function, _FUNCTIONS) or self._is_public(self.analysis.home(function)):
            return False
        owner = self.analysis.parents.get(function)
        made = isinstance(owner, ast.ClassDef) and function.name == "__init__"
        name = owner.name if made and isinstance(owner, ast.ClassDef) else function.name
        return self._are_seen(function, name)

    def is_hidden(self, method: ast.AST, owner: ClassRecord) -> bool:
        """Whether no code of another program calls a method, and no class overrides it."""
        home = self.analysis.home(method)
        if not isinstance(method, _FUNCTIONS) or not home.owned or self._is_public(home):
            return False
        return not self._is_looked_up(home) and self._is_alone(method.name, owner)

    def is_private(self, file: FileRecord, name: str) -> bool:
        """Whether no other code can read what the top level of ``file`` calls ``name``."""
        if self._is_public(file) or self._is_looked_up(file):
            return False
        starred = {self.analysis.home(node) for node in self._mentions("*")}
        return all(
            not isinstance(node, ast.Constant)
            and ((home := self.analysis.home(node)) is file or _is_apart(node, home, starred))
            for node in self._mentions(name)
        )

    def _are_calls(self, function: ast.AST, owner: ClassRecord | None) -> bool:
        if not isinstance(function, _FUNCTIONS) or self._is_public(self.analysis.home(function)):
            return False
        if owner is None:
            return self._are_seen(function, function.name)
        if function.name != "__init__":
            return self._is_alone(function.name, owner) and self._are_seen(function, function.name)
        family = {*owner.ancestry(), *self.analysis.heirs(owner)}
        made_here = [cls for cls in family if self._makes(cls, function)]
        return all(self._are_seen(function, cls.name) for cls in made_here)

    def _is_alone(self, name: str, owner: ClassRecord) -> bool:
        """Whether one class of the family defines it, and no other."""
        family = {*owner.ancestry(), *self.analysis.heirs(owner)}
        return sum(name in cls.attributes for cls in family) == 1

    @staticmethod
    def _makes(cls: ClassRecord, function: ast.AST) -> bool:
        init = cls.lookup("__init__")
        return isinstance(init, Function) and init.tree is function

    # -- mentions ------------------------------------------------------------------------------

    def _are_seen(self, function: ast.AST, name: str) -> bool:
        home = self.analysis.home(function)
        return not self._is_looked_up(home) and all(
            self._is_harmless(node, function, name) for node in self._mentions(name)
        )

    def _mentions(self, name: str) -> list[ast.AST]:
        if not self._index:
            found: dict[str, list[ast.AST]] = defaultdict(list)
            for file in self.analysis.owned:
                for mentioned, node in _mentioned(file.source):
                    found[mentioned].append(node)
            self._index.update(found)
        return self._index.get(name, [])

    def _is_harmless(self, node: ast.AST, function: ast.AST, name: str) -> bool:
        """Whether a mention is a call of ``function`` that was seen, or means something else."""
        if isinstance(node, ast.Constant):
            return False  # `getattr(module, "name")`
        if isinstance(node, ast.alias):
            return node.asname in (None, name)
        parent = self.analysis.parents.get(node)
        if isinstance(parent, ast.Call) and parent.func is node:
            callees = self.analysis.seen.callees.get(parent, set())
            other = isinstance(node, ast.Name) and self._is_local(node)
            return other or (bool(callees) and (callees == {function} or function not in callees))
        if isinstance(node, ast.Name) and self._is_local(node):
            return True
        if isinstance(parent, ast.Assign) and self._is_called_by(parent, function):
            return True
        return isinstance(parent, ast.ClassDef) or self._only_asks(node, parent)

    def _is_called_by(self, assignment: ast.Assign, function: ast.AST) -> bool:
        """Whether ``assignment`` gives it a second name, local, by which it is only called."""
        scope = self._scope(assignment)
        match assignment.targets:
            case [ast.Name(id=second) as bound] if scope is not None:
                pass
            case _:
                return False
        for node in walk(scope):
            if isinstance(node, (ast.Global, ast.Nonlocal)) and second in node.names:
                return False
            if isinstance(node, ast.Name) and node.id == second and node is not bound:
                call = self.analysis.parents.get(node)
                if not isinstance(call, ast.Call) or call.func is not node:
                    return False
                if self.analysis.seen.callees.get(call, set()) != {function}:
                    return False
        return True

    def _scope(self, node: ast.AST) -> ast.AST | None:
        """The function around a statement; None at the top of a file, or of a class."""
        above = self.analysis.parents.get(node)
        while above is not None and not isinstance(above, (*_FUNCTIONS, ast.ClassDef)):
            above = self.analysis.parents.get(above)
        return above if isinstance(above, _FUNCTIONS) else None

    def _is_local(self, node: ast.Name) -> bool:
        """A function around it binds the name itself: it means something else there."""
        above = self.analysis.parents.get(node)
        while above is not None:
            local = isinstance(above, (*_FUNCTIONS, ast.Lambda)) and node.id in bound_names(above)
            if local or (isinstance(above, _COMPREHENSIONS) and node.id in bound_names(above)):
                return True
            above = self.analysis.parents.get(above)
        return False

    def _only_asks(self, node: ast.AST, parent: ast.AST | None) -> bool:
        """``isinstance(x, Meter)``, ``x: Meter``, ``Meter.rate``: nothing is made of it."""
        match parent:
            case ast.Attribute() | ast.arg() | ast.AnnAssign():
                return True
            case ast.Assign():
                return annotation_of(parent) is node
            case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
                return returns is node
            case ast.Tuple():
                return self._only_asks(parent, self.analysis.parents.get(parent))
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, asked]):
                return asked is node
        return False

    # -- whoever may come from elsewhere -------------------------------------------------------

    def _is_public(self, home: FileRecord) -> bool:
        """Whether code that is not in the program is meant to use what a file defines."""
        program = self.analysis.program
        if home.path in program.imported_elsewhere or home.package:
            return True
        if not program.modules.is_in_package(home.path):
            return False
        if program.modules.is_installed(home.path):
            return True
        return not home.imported and not is_script(home.source.tree)

    def _is_looked_up(self, home: FileRecord) -> bool:
        """Whether some file finds what ``home`` defines by names that are computed."""
        return any(found is home for file in self.analysis.owned for found in self._lookups(file))

    def _lookups(self, file: FileRecord) -> Iterator[FileRecord]:
        """The files whose names a file looks up."""
        names = file.frame.env or {} if file.frame is not None else {}
        for name in file.source.once(_looked_up):
            value = names.get(name)
            if isinstance(value, File):
                yield value.record
            elif not name:
                yield file


def _is_apart(node: ast.AST, home: FileRecord, starred: Set[FileRecord]) -> bool:
    """A name that a file means itself: it imports none by a star."""
    return isinstance(node, ast.Name) and home not in starred


def _mentioned(source: Source) -> Iterator[tuple[str, ast.AST]]:
    """All that may name a function or class, with the name."""
    for node in source.nodes:
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
                yield name, node
            case ast.ImportFrom(names=names):
                yield from ((alias.name, alias) for alias in names)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=str(name)), *_]):
                yield name, node.args[1]
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                strings = (n for n in walk(value) if isinstance(n, ast.Constant))
                yield from ((str(string.value), string) for string in strings)


def _looked_up(source: Source) -> frozenset[str]:
    """The names whose attributes are looked up by a computed name; empty: the file's own."""
    found = set()
    for node in source.nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _LOOKUPS and not node.args:
                found.add("")
            case ast.Call(func=ast.Name(id="vars" | "dir"), args=[ast.Name(id=name)]):
                found.add(name)
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=name), asked, *_]):
                if not isinstance(asked, ast.Constant):
                    found.add(name)
            case ast.Attribute(value=ast.Name(id=name), attr="__dict__"):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="sys"), attr="modules"):
                found.add("")
    return frozenset(found)
