"""Statements that do nothing but move: what an ``if`` around them decides, by its text alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

from devicefix.source import Source
from devicefix.source.walking import once, walk


def move_questions(source: Source) -> frozenset[str]:
    """The options, as they are written, that decide whether something is moved, and nothing else.

    Wherever the file asks the same, one branch is for the run with the accelerator.
    """
    return _texts(
        tree.test
        for tree in source.of_type(ast.If)
        if is_option(tree.test) and not tree.orelse and _brings_to_device(tree.body)
    )


def device_questions(source: Source) -> frozenset[str]:
    """The same for those that a device is made of:
    ``"cuda" if self.gpu and torch.cuda.is_available() else "cpu"``.
    """
    found: list[ast.expr] = []
    for tree in source.of_type(ast.IfExp):
        match tree:
            case ast.IfExp(test, ast.Constant("cuda" | "cuda:0"), ast.Constant("cpu")):
                together = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
                parts = test.values if isinstance(test, ast.BoolOp) and together else [test]
                found += filter(is_option, parts)
    return _texts(found)


def _texts(trees: Iterable[ast.expr]) -> frozenset[str]:
    return frozenset(map(ast.unparse, trees))


def is_option(test: ast.expr) -> bool:
    """``args.cuda``, ``self.gpu >= 0``; a question about a value is none."""
    if isinstance(test, ast.Compare):
        number = all(isinstance(c, ast.Constant) and c.value is not None for c in test.comparators)
        return number and is_option(test.left)
    while isinstance(test, ast.Attribute):
        test = test.value
    return isinstance(test, ast.Name)


def option_text(test: ast.expr) -> str:
    """An option as it is written; empty for anything else."""
    return once(test, _option_text)


def _option_text(test: ast.expr) -> str:
    return ast.unparse(test) if is_option(test) else ""


def _brings_to_device(body: Sequence[ast.stmt]) -> bool:
    moves = on_gpu(body)
    names = [ast.unparse(statement) for statement in moves]
    return all(map(is_move_statement, moves)) and all("cuda" in n or "device" in n for n in names)


def only_moves(tree: ast.If) -> bool:
    """Whether the body does nothing but ``x = x.cuda()`` and ``model.cuda()``."""
    return all(is_move_statement(statement) for statement in tree.body)


def otherwise(tree: ast.If, above: ast.AST | None) -> Sequence[ast.stmt]:
    """What runs where the condition is false, and there alone: what stands below ``else:``, or the
    ``return`` behind a condition whose statements return; ``above`` holds it."""
    if tree.orelse or not isinstance(tree.body[-1], ast.Return):
        return tree.orelse
    blocks = (getattr(above, name, None) for name in ("body", "orelse", "finalbody"))
    block = next((b for b in blocks if isinstance(b, list) and tree in b), [tree])
    following = block[block.index(tree) + 1 :][:1]
    return [s for s in following if isinstance(s, ast.Return)]


def are_twins(tree: ast.If, otherwise: Sequence[ast.stmt]) -> bool:
    """``if gpu: x = f(y.cuda())``, and else the same without the move, or to the CPU."""
    others = [s for s in reversed(otherwise) if not _does_nothing(s)]
    for statement in tree.body:
        if others and _are_alike(statement, others[-1]):
            others.pop()
        elif not is_move_statement(statement):
            return False
    return bool(otherwise) and not others


def _does_nothing(statement: ast.stmt) -> bool:
    """``pass``, ``x = x``."""
    if not isinstance(statement, ast.Assign):
        return isinstance(statement, ast.Pass)
    return all(_same_text(target, statement.value) for target in statement.targets)


def _are_alike(one: object, other: object) -> bool:
    """Whether two trees are of the same form but for ``.cuda()`` in the first, and ``.cpu()`` in
    the other one."""
    while isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "cuda":
        one = one.func.value  # type: ignore[attr-defined]
    while isinstance(other, ast.Call) and getattr(other.func, "attr", "") == "cpu":
        other = other.func.value  # type: ignore[attr-defined]
    if isinstance(one, ast.ListComp) and not isinstance(other, ast.ListComp):
        return moves_each(one) and _are_alike(one.generators[0].iter, other)
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_are_alike(*pair) for pair in pairs)
    if not isinstance(one, ast.AST) or not isinstance(other, ast.AST):
        return type(one) is type(other) and bool(one == other)
    fields = zip(ast.iter_fields(one), ast.iter_fields(other), strict=False)
    return type(one) is type(other) and all(_are_alike(a, b) for (_, a), (_, b) in fields)


def moves_each(tree: ast.ListComp) -> bool:
    """``[x.cuda() for x in xs]``: as ``xs``, but for the places."""
    match tree:
        case ast.ListComp(
            ast.Call(ast.Attribute(ast.Name(moved), "cuda")),
            [ast.comprehension(ast.Name(named), _, [], 0)],
        ):
            return moved == named
    return False


def chooses_places(tree: ast.If) -> bool:
    """``if args.cuda: x = Variable(x.cuda())``, and below ``else:`` the same without a move."""
    return once(tree, _chooses_places)


def _chooses_places(tree: ast.If) -> bool:
    if not all(isinstance(s, (ast.Assign, ast.With)) for s in tree.body):
        return False
    body = on_gpu(tree.body)
    if not all(isinstance(s, ast.Assign) for s in (*body, *tree.orelse)):
        return False
    if not all(_moves(s) or _is_made_there(s, tree.orelse) for s in body):
        return False
    if any(map(_moves, tree.orelse)):
        return False
    bound = list(map(_bound_by, body))
    return all(_bound_by(statement) in bound for statement in tree.orelse)


def on_gpu(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a block; ``with torch.cuda.device(index):`` only says on which GPU."""
    found: list[ast.stmt] = []
    for statement in body:
        inside = statement.body if isinstance(statement, ast.With) else []
        gpus = inside and all(map(_is_gpu, statement.items))  # type: ignore[attr-defined]
        found += on_gpu(inside) if gpus else [statement]
    return found


def _is_gpu(item: ast.withitem) -> bool:
    call = item.context_expr
    if not isinstance(call, ast.Call) or item.optional_vars is not None:
        return False
    return ast.unparse(call.func) in ("cuda.device", "torch.cuda.device")


def _bound_by(statement: ast.stmt) -> list[str]:
    """What an assignment binds, as it is written."""
    return list(map(ast.unparse, statement.targets)) if isinstance(statement, ast.Assign) else []


def _moves(tree: ast.AST) -> bool:
    """Whether something in it is moved to an accelerator."""
    calls = [n.func for n in walk(tree) if isinstance(n, ast.Call)]
    return any(isinstance(f, ast.Attribute) and f.attr in ("cuda", "to") for f in calls)


def _is_made_there(statement: ast.stmt, others: Sequence[ast.stmt]) -> bool:
    """``x = torch.zeros(3, device=device)``, where one of ``others`` is the same without it."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return False
    rest = [keyword for keyword in value.keywords if keyword.arg != "device"]
    if len(rest) == len(value.keywords):
        return False
    without = ast.unparse(ast.Call(value.func, value.args, rest))
    same = [s for s in others if isinstance(s, ast.Assign) and ast.unparse(s.value) == without]
    return any(_bound_by(s) == _bound_by(statement) for s in same)


def only_brings(tree: ast.If) -> bool:
    """The same, and ``y = y.type_as(x)``: all of it leaves things where they are on the host."""
    return all(
        is_move_statement(s) or (isinstance(s, ast.Assign) and _is_own_call(s, ("type_as",)))
        for s in tree.body
    )


def _is_own_call(statement: ast.Assign, names: Collection[str]) -> bool:
    """``y = y.name(...)``."""
    value = statement.value
    return (
        len(statement.targets) == 1
        and isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in names
        and _same_text(statement.targets[0], value.func.value)
    )


def is_move_statement(statement: ast.stmt) -> bool:
    """``x = x.cuda()``, ``x, y = x.cuda(), y.cuda()`` or ``x.cuda()``, if there is such a thing."""
    if isinstance(statement, ast.If):
        return _asks_for_presence(statement) and all(map(is_move_statement, statement.body))
    if isinstance(statement, ast.Expr):
        return _is_cuda_call(statement.value, None)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return len(target.elts) == len(value.elts) and all(
            _is_cuda_call(v, t) for t, v in zip(target.elts, value.elts, strict=True)
        )
    return _is_cuda_call(_present(value, target), target)


def _present(value: ast.expr, target: ast.expr) -> ast.expr:
    """``x.cuda()`` of ``x = None if x is None else x.cuda()``; other values as they are."""
    test = value.test if isinstance(value, ast.IfExp) else None
    if not (isinstance(test, ast.Compare) and _same_text(test.left, target)):
        return value
    assert isinstance(value, ast.IfExp)
    asked, against = test.ops[0], test.comparators[0]
    if len(test.ops) > 1 or not (isinstance(against, ast.Constant) and against.value is None):
        return value
    there, missing = value.body, value.orelse
    if isinstance(asked, ast.Is):
        there, missing = missing, there
    elif not isinstance(asked, ast.IsNot):
        return value
    nothing = isinstance(missing, ast.Constant) and missing.value is None
    return there if nothing or _same_text(missing, target) else value


def _asks_for_presence(tree: ast.If) -> bool:
    """``if x is not None:``, which says nothing of devices."""
    test = tree.test
    return (
        not tree.orelse
        and isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.IsNot)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    )


def _is_cuda_call(value: ast.expr, target: ast.expr | None) -> bool:
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
        return False
    if value.func.attr not in ("cuda", "to"):
        return False
    return target is None or _same_text(target, value.func.value)


def _same_text(first: ast.expr, second: ast.expr) -> bool:
    return ast.unparse(first) == ast.unparse(second)
