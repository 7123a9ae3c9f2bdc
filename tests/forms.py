"""Other forms of a program that mean the same: what is found in it must not depend on them.

Each form takes the syntax tree of a program and gives the text of another one, or None where the
program has nothing to be written otherwise.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from typing import Final

Form = Callable[[ast.Module], str | None]

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_LOOKS_AT_NAMES: Final = {"globals", "locals", "exec", "eval", "vars"}


def written(tree: ast.Module) -> str:
    """The text to compare with: all forms lose comments and the original layout."""
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def with_blank_lines(tree: ast.Module) -> str:
    """Blank lines and comments behind each simple statement."""
    text = written(tree)
    simple = (s for s in ast.walk(ast.parse(text)) if isinstance(s, ast.stmt) and not _body(s))
    ends = {s.end_lineno for s in simple}
    lines = [
        line + ("\n\n# a comment\n" if number in ends else "")
        for number, line in enumerate(text.splitlines(), 1)
    ]
    return "\n".join(lines) + "\n"


def with_other_names(tree: ast.Module) -> str | None:
    """Other names for variables and parameters; what others may look up by its name keeps it."""
    if _looks_at_names(tree):
        return None
    nodes = list(ast.walk(tree))
    names = sorted(_variables(nodes) - _kept_names(nodes) - {"self", "cls", "_"})
    new = {name: f"v{number}" for number, name in enumerate(names) if not name.startswith("__")}
    for node in nodes:
        if isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = new.get(node.arg, node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [new.get(name, name) for name in node.names]
    return written(tree) if new else None


def _variables(nodes: list[ast.AST]) -> set[str]:
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for n in nodes if isinstance(n, ast.arg)}


def _kept_names(nodes: list[ast.AST]) -> set[str]:
    kept = set(dir(builtins))
    for node in nodes:
        match node:
            case ast.ExceptHandler(name=str() as name) | ast.keyword(arg=str() as name):
                kept.add(name)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                kept.add(name)
            case ast.alias():
                kept.add((node.asname or node.name).split(".")[0])
            case ast.Constant(value=str() as text):
                kept.add(text)
            case ast.ClassDef(name=name, body=body):
                kept |= {name} | _variables([n for s in body for n in _own(s)])
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                kept.add(name)
    return kept


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement of a class; functions have names of their own."""
    return iter(()) if isinstance(statement, _FUNCTIONS) else ast.walk(statement)


def annotated(tree: ast.Module) -> str | None:
    """``x: object = value`` for ``x = value``."""
    if any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(tree)):
        return None
    return _changed(tree, _Annotated())


class _Annotated(ast.NodeTransformer):
    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """An annotation makes a field of a variable."""
        node.body = [self.visit(s) if isinstance(s, _FUNCTIONS) else s for s in node.body]
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        (target, *others) = node.targets
        if others or not isinstance(target, ast.Name):
            return node
        return ast.AnnAssign(target, ast.Name("object", ast.Load()), node.value, 1)


def below_a_constant(tree: ast.Module) -> str | None:
    """``if True:`` around what the file does, and around the body of each function."""
    before = written(tree)
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            node.body = [*_docstring(node.body), *_wrapped(node.body[len(_docstring(node.body)) :])]
    kept: list[ast.stmt] = []
    run: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, (*_DEFINITIONS, *_IMPORTS)) or _is_main_guard(statement):
            kept += [*_wrapped(run), statement]
            run = []
        else:
            run.append(statement)
    tree.body = [*kept, *_wrapped(run)]
    after = written(tree)
    return after if after != before else None


def _docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body[0]:
        case ast.Expr(value=ast.Constant(value=str())):
            return body[:1]
    return []


def _wrapped(body: list[ast.stmt]) -> list[ast.stmt]:
    declared = any(isinstance(s, (ast.Global, ast.Nonlocal)) for s in body)
    plain = not body or declared or _docstring(body)
    return body if plain else [ast.If(ast.Constant(True), body, [])]


def _is_main_guard(statement: ast.stmt) -> bool:
    match statement:
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
    return False


def with_named_conditions(tree: ast.Module) -> str | None:
    """``chosen = test`` above ``if chosen:``."""
    found = 0
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody") if not isinstance(node, ast.ClassDef) else ():
            block = getattr(node, name, None)
            is_elif = name == "orelse" and isinstance(node, ast.If)
            if not isinstance(block, list) or (is_elif and len(block) == 1):
                continue
            new: list[ast.stmt] = []
            for statement in block:
                if isinstance(statement, ast.If) and not _is_main_guard(statement):
                    chosen = f"chosen_{found}"
                    found += 1
                    new.append(ast.Assign([ast.Name(chosen, ast.Store())], statement.test))
                    statement.test = ast.Name(chosen, ast.Load())
                new.append(statement)
            setattr(node, name, new)
    return written(tree) if found else None


def on_one_line(tree: ast.Module) -> str | None:
    """``x; y``: simple statements that follow each other share a line, two by two."""
    text = written(tree)
    lines = text.splitlines()
    merged = False
    for block in sorted(_blocks(ast.parse(text)), key=lambda block: -block[0].lineno):
        for first, second in reversed(list(zip(block[::2], block[1::2], strict=False))):
            if _can_share(first) and _can_share(second):
                lines[first.lineno - 1] += "; " + lines[second.lineno - 1].strip()
                lines[second.lineno - 1] = ""
                merged = True
    return "\n".join(lines) + "\n" if merged else None


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def _can_share(statement: ast.stmt) -> bool:
    """Whether it is a simple statement on one line; docstrings and imports of the future stay."""
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        return False
    return not _docstring([statement]) and not _body(statement) and _is_one_line(statement)


def _is_one_line(statement: ast.stmt) -> bool:
    simple = not isinstance(statement, (ast.Try, ast.Match))
    return simple and statement.lineno == statement.end_lineno


def in_main(tree: ast.Module) -> str | None:
    """``def main():`` around what the file does, behind its imports and definitions; a call below.

    Not where functions read what only the top of the file binds: those would need ``global``.
    """
    if _looks_at_names(tree) or any(_is_main_guard(s) for s in tree.body):
        return None
    apart = (*_DEFINITIONS, *_IMPORTS)
    head = [s for s in tree.body if isinstance(s, apart) or _docstring([s])]
    done = [s for s in tree.body if s not in head]
    bound = _variables([n for s in done for n in ast.walk(s)])
    read = {n.id for s in head for n in ast.walk(s) if isinstance(n, ast.Name)}
    starred = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(tree))
    if not done or bound & read or starred or _yields(done):
        return None
    main = ast.parse("def main(): pass").body[0]
    assert isinstance(main, ast.FunctionDef)
    main.body = done
    call = ast.Expr(ast.Call(ast.Name("main", ast.Load()), [], []))
    tree.body = [*head, main, call]
    return written(tree)


def _yields(body: list[ast.stmt]) -> bool:
    """Whether something stands there that means another thing in a function, or nothing."""
    kinds = (ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global)
    return any(isinstance(n, kinds) for s in body for n in ast.walk(s))


def _changed(tree: ast.Module, transformer: ast.NodeTransformer) -> str | None:
    before = written(tree)
    after = written(transformer.visit(tree))
    return after if after != before else None


def _body(tree: ast.AST) -> list[ast.stmt]:
    """The statements right in another one."""
    body = getattr(tree, "body", None)
    return body if isinstance(body, list) else []


def _looks_at_names(tree: ast.Module) -> bool:
    calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call))
    return any(isinstance(c.func, ast.Name) and c.func.id in _LOOKS_AT_NAMES for c in calls)


FORMS: Final[dict[str, Form]] = {
    "blank lines": with_blank_lines,
    "other names": with_other_names,
    "annotated": annotated,
    "below a constant": below_a_constant,
    "named conditions": with_named_conditions,
    "one line": on_one_line,
    "main": in_main,
}
