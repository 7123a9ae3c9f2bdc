"""Lowers expressions: operands first, in the order in which Python evaluates them.

https://docs.python.org/3/reference/expressions.html#evaluation-order
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from devicefix.flow.ir.building import Building
from devicefix.flow.ir.names import Names, defaults_of, elements_of, targets_of
from devicefix.flow.ir.ops import Block, Kind, Op


class Expressions(Building):
    """Lowers the expressions of one scope."""

    def __init__(self, scope: ast.AST, names: Names) -> None:
        super().__init__(scope)
        self.own = set(names.own)
        self._renamed: list[dict[str, str]] = []
        """What the targets of the comprehensions around are called in this body."""

    def value(self, tree: ast.expr) -> Op:
        """The result of an expression, computed at the end of the current block."""
        lower = _LOWER.get(type(tree))
        return lower(self, tree) if lower is not None else self._computed(tree)

    def values(self, trees: Sequence[ast.expr | None]) -> list[Op]:
        """The results of several, one after the other."""
        return [self.value(tree) for tree in trees if tree is not None]

    # -- conditions ----------------------------------------------------------------------------

    def condition(self, tree: ast.expr, true: Block, false: Block) -> None:
        """Go on in ``true`` or ``false``, with a branch for each part of ``and`` and ``or``."""
        match tree:
            case ast.Constant(value=known):
                self.value(tree)
                self.jump(tree, true if known else false)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.condition(operand, false, true)
            case ast.BoolOp(op=op, values=parts):
                for part in parts[:-1]:
                    following = self.new_block()
                    ways = (following, false) if isinstance(op, ast.And) else (true, following)
                    self.condition(part, *ways)
                    self.current = following
                self.condition(parts[-1], true, false)
            case _:
                self.branch(tree, self.value(tree), true, false)

    # -- names ---------------------------------------------------------------------------------

    def slot(self, name: str) -> str:
        """What a name is called in this body."""
        return next((names[name] for names in reversed(self._renamed) if name in names), name)

    def _name(self, tree: ast.Name) -> Op:
        name = self.slot(tree.id)
        return self.emit(Kind.LOAD if name in self.own else Kind.OUTER, tree, name=name)

    def bind_name(self, node: ast.AST, name: str, value: Op) -> None:
        """Give a name of this scope, or one that it declares to be of another, its value."""
        name = self.slot(name)
        kind = Kind.STORE if name in self.own else Kind.STORE_OUTER
        self.emit(kind, node, [value], name)

    def bind(self, target: ast.expr, value: Op) -> None:
        """Assign to a target of any form."""
        match target:
            case ast.Name(id=name):
                self.bind_name(target, name, value)
            case ast.Attribute(value=holder, attr=name):
                self.emit(Kind.SET_ATTRIBUTE, target, [self.value(holder), value], name)
            case ast.Subscript(value=holder, slice=key):
                held = self.value(holder)
                self.emit(Kind.SET_ITEM, target, [held, self.value(key), value])
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for number, part in enumerate(parts):
                    self.bind(part, self.emit(Kind.UNPACK, part, [value], str(number)))
            case ast.Starred(value=inner):
                self.bind(inner, value)

    def _walrus(self, tree: ast.NamedExpr) -> Op:
        value = self.value(tree.value)
        self.bind(tree.target, value)
        self.made.setdefault(tree, []).append(value)
        return value

    # -- operations ----------------------------------------------------------------------------

    def _computed(self, tree: ast.expr) -> Op:
        parts = [child for child in ast.iter_child_nodes(tree) if isinstance(child, ast.expr)]
        return self.emit(Kind.COMPUTE, tree, self.values(parts))

    def _constant(self, tree: ast.Constant) -> Op:
        return self.emit(Kind.CONSTANT, tree)

    def _attribute(self, tree: ast.Attribute) -> Op:
        return self.emit(Kind.ATTRIBUTE, tree, [self.value(tree.value)], tree.attr)

    def _item(self, tree: ast.Subscript) -> Op:
        return self.emit(Kind.ITEM, tree, self.values([tree.value, tree.slice]))

    def _slice(self, tree: ast.Slice) -> Op:
        return self.emit(Kind.BUILD, tree, self.values([tree.lower, tree.upper, tree.step]))

    def _call(self, tree: ast.Call) -> Op:
        given = [tree.func, *tree.args, *(k.value for k in tree.keywords)]
        return self.emit(Kind.CALL, tree, self.values(given))

    def _display(self, tree: ast.Tuple | ast.List | ast.Set) -> Op:
        return self.emit(Kind.BUILD, tree, self.values(tree.elts))

    def _dictionary(self, tree: ast.Dict) -> Op:
        pairs = zip(tree.keys, tree.values, strict=True)
        return self.emit(Kind.BUILD, tree, self.values([part for pair in pairs for part in pair]))

    def _starred(self, tree: ast.Starred) -> Op:
        return self.emit(Kind.NEXT, tree, [self.value(tree.value)])

    def _suspension(self, tree: ast.Await | ast.Yield | ast.YieldFrom) -> Op:
        return self.emit(Kind.SUSPEND, tree, self.values([tree.value]))

    def _made(self, tree: ast.Lambda | ast.GeneratorExp) -> Op:
        given = defaults_of(tree) if isinstance(tree, ast.Lambda) else [tree.generators[0].iter]
        return self.emit(Kind.CLOSURE, tree, self.values(given))

    # -- what is evaluated on some ways only ----------------------------------------------------

    def _choice(self, tree: ast.IfExp) -> Op:
        true, false, behind = self.new_block(), self.new_block(), self.new_block()
        self.condition(tree.test, true, false)
        results = []
        for block, part in ((true, tree.body), (false, tree.orelse)):
            self.current = block
            results.append(self.value(part))
            self.jump(tree, behind)
        self.current = behind
        return self.emit(Kind.PHI, tree, results)

    def _either(self, tree: ast.BoolOp) -> Op:
        behind, results = self.new_block(), []
        for part in tree.values[:-1]:
            results.append(self.value(part))
            following = self.new_block()
            first = isinstance(tree.op, ast.And)
            ways = (following, behind) if first else (behind, following)
            self.branch(part, results[-1], *ways)
            self.current = following
        results.append(self.value(tree.values[-1]))
        self.go_on(tree, behind)
        return self.emit(Kind.PHI, tree, results)

    def _comparison(self, tree: ast.Compare) -> Op:
        """``a < b < c``: where ``a < b`` is false, ``c`` is not computed."""
        compared = self.values([tree.left, tree.comparators[0]])
        if len(tree.comparators) == 1:
            return self.emit(Kind.COMPUTE, tree, compared)
        behind = self.new_block()
        results = [self.emit(Kind.COMPUTE, tree, compared)]
        for other in tree.comparators[1:]:
            following = self.new_block()
            self.branch(tree, results[-1], following, behind)
            self.current = following
            compared = [compared[-1], self.value(other)]
            results.append(self.emit(Kind.COMPUTE, tree, compared))
        self.go_on(tree, behind)
        return self.emit(Kind.PHI, tree, results)

    def _comprehension(self, tree: ast.ListComp | ast.SetComp | ast.DictComp) -> Op:
        """A loop in this body, whose targets have names of their own (PEP 709)."""
        first = self.value(tree.generators[0].iter)
        own = {name: f"{name}@{tree.lineno}:{tree.col_offset}" for name in targets_of(tree)}
        self.own.update(own.values())
        self._renamed.append(own)
        around, behind = self.loops, self.new_block()
        headers: list[Block] = []
        for number, generator in enumerate(tree.generators):
            source = first if number == 0 else self.value(generator.iter)
            self.loops = (*self.loops, tree)
            header, body = self.new_block(), self.new_block()
            self.go_on(generator, header)
            item = self.emit(Kind.NEXT, generator, [source])
            rest = headers[-1] if headers else behind
            self.turns[generator] = header.number, rest.number
            self.branch(generator, item, body, rest)
            headers.append(header)
            self.current = body
            self.bind(generator.target, item)
            for test in generator.ifs:
                passed = self.new_block()
                self.condition(test, passed, header)
                self.current = passed
        elements = self.values(elements_of(tree))
        self.jump(tree, headers[-1])
        self.loops, self.current = around, behind
        self._renamed.pop()
        return self.emit(Kind.BUILD, tree, elements)


_LOWER: Final[dict[type[ast.expr], Callable[[Expressions, Any], Op]]] = {
    ast.Attribute: Expressions._attribute,
    ast.Await: Expressions._suspension,
    ast.BoolOp: Expressions._either,
    ast.Call: Expressions._call,
    ast.Compare: Expressions._comparison,
    ast.Constant: Expressions._constant,
    ast.Dict: Expressions._dictionary,
    ast.DictComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._made,
    ast.IfExp: Expressions._choice,
    ast.Lambda: Expressions._made,
    ast.List: Expressions._display,
    ast.ListComp: Expressions._comprehension,
    ast.Name: Expressions._name,
    ast.NamedExpr: Expressions._walrus,
    ast.Set: Expressions._display,
    ast.SetComp: Expressions._comprehension,
    ast.Slice: Expressions._slice,
    ast.Starred: Expressions._starred,
    ast.Subscript: Expressions._item,
    ast.Tuple: Expressions._display,
    ast.Yield: Expressions._suspension,
    ast.YieldFrom: Expressions._suspension,
}
