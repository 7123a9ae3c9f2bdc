"""Where ``torch.load`` is told to load to, as it is written."""

from __future__ import annotations

import ast


def taken_to_cuda(where: ast.expr | None) -> ast.Call | None:
    """The call in ``lambda storage, location: storage.cuda()``."""
    if not (isinstance(where, ast.Lambda) and isinstance(where.body, ast.Call)):
        return None
    method, storage = where.body.func, next(iter(where.args.args), None)
    if not (isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name)):
        return None
    own = storage is not None and method.value.id == storage.arg and method.attr == "cuda"
    return where.body if own else None


def loses_index(where: ast.expr | None) -> bool:
    """``storage.cuda(1)``: the name of the device would stand for another one."""
    call = taken_to_cuda(where)
    if call is None:
        return False
    given = [*call.args, *(k.value for k in call.keywords)]
    return not all(isinstance(a, ast.Constant) and a.value == 0 for a in given)


def names_host(where: ast.expr) -> bool:
    """``"cpu"``, ``torch.device("cpu")``, ``lambda storage, location: storage``."""
    match where:
        case ast.Call(func=ast.Attribute(attr="device"), args=[ast.Constant(value="cpu")]):
            return True
        case ast.Lambda(args=ast.arguments(args=[first, *_]), body=ast.Name(id=name)):
            return first.arg == name
    return isinstance(where, ast.Constant) and where.value == "cpu"
