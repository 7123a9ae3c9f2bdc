"""Where a file names CUDA: calls, names of the library, strings, imports.

Found in the tree alone, so that code which was not evaluated counts, too.
"""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from devicefix.flow.imported import dotted, is_sole, origins, root_name
from devicefix.source import Source
from devicefix.source.imports import bound_names
from devicefix.source.parsing import Parents
from devicefix.torch_api import CUDA_LIBRARIES, HARMLESS, QUESTIONS, canonical

_WORDS: Final = ("cuda", "CUDA", "gpu", "nccl", *(m for m in CUDA_LIBRARIES if "cuda" not in m))
"""A file without any of them does not name CUDA."""
_TEXT: Final = re.compile(r"cuda(:(\d+|\{\w*\}|%[ds])?)?|nccl|torch\.cuda(\.\w+)*")
_NAMES: Final = {
    name
    for name in QUESTIONS | HARMLESS
    if not name.startswith(("torch.amp.", "torch.accelerator."))
} | {
    "torch.Tensor.cuda",
    "torch.nn.Module.cuda",
    "torch.utils.cpp_extension.CUDAExtension",
    "torch.utils.cpp_extension.load",
    "torch.utils.cpp_extension.load_inline",
}
_NAMESPACES: Final = ("torch.cuda", "torch.backends.cuda")


class Sort(enum.Enum):
    """How a program names CUDA."""

    MOVE = "x.cuda()"
    NAME = "torch.cuda.synchronize"
    TEXT = '"cuda"'
    PLACE = "x.is_cuda"
    LIBRARY = "import cupy"
    NUMBER = "x.to(0)"


class Site(Struct, frozen=True):
    """Where a program names CUDA."""

    tree: ast.expr | ast.stmt
    sort: Sort
    name: str = ""
    """The canonical name of what is named of a library; the text of a string."""


def sites(source: Source) -> tuple[Site, ...]:
    """All of one file, those of each sort in the order of `Source.nodes`."""
    if not any(word in source.text for word in _WORDS):
        return ()
    return (*_moves(source), *_names(source), *_texts(source), *_libraries(source))


def _moves(source: Source) -> Iterator[Site]:
    for call in source.of_type(ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
            yield Site(call, Sort.MOVE)


def _names(source: Source) -> Iterator[Site]:
    """The longest dotted names of something of CUDA, and ``x.is_cuda``."""
    known, parents = source.once(origins), Parents()
    for tree in source.of_type(ast.Attribute):
        above = parents.get(tree)
        if tree.attr == "is_cuda":
            yield Site(tree, Sort.PLACE)
        elif not isinstance(above, ast.Attribute) and not _is_move(tree, above):
            name = canonical(dotted(tree, known)) if root_name(tree) in known else ""
            if _is_of_cuda(name):
                yield Site(tree, Sort.NAME, name)
    own = {local for local, origin in known.items() if _is_of_cuda(canonical(origin))}
    for local in source.of_type(ast.Name) if own else ():
        read = isinstance(local.ctx, ast.Load) and local.id in own
        alone = read and not isinstance(parents.get(local), ast.Attribute)
        if alone and is_sole(local.id, known, source):
            yield Site(local, Sort.NAME, canonical(known[local.id]))


def _is_move(tree: ast.Attribute, above: ast.AST | None) -> bool:
    return tree.attr == "cuda" and isinstance(above, ast.Call) and above.func is tree


def _is_of_cuda(name: str) -> bool:
    inside = any(name == space or name.startswith(f"{space}.") for space in _NAMESPACES)
    return inside or name in _NAMES


def _libraries(source: Source) -> Iterator[Site]:
    """One for each statement that imports from them."""
    for node in source.imports:
        if isinstance(node, ast.ImportFrom) and node.level:
            continue
        modules = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        for name in modules or bound_names(node).values():
            library = next((m for m in CUDA_LIBRARIES if f"{name}.".startswith(f"{m}.")), None)
            if library is not None:
                yield Site(node, Sort.LIBRARY, library)
                break


# -- strings ---------------------------------------------------------------------------------------


def _texts(source: Source) -> Iterator[Site]:
    parents = Parents()
    found: list[tuple[ast.expr, str]] = [
        (constant, constant.value)
        for constant in source.of_type(ast.Constant)
        if type(constant.value) is str and not isinstance(parents.get(constant), ast.JoinedStr)
    ]
    found += ((tree, _skeleton(tree)) for tree in source.of_type(ast.JoinedStr))
    for tree, text in found:
        named = _TEXT.fullmatch(text) or (text == "gpu" and _is_accelerator(tree, parents))
        if named and not _is_about_nothing(tree, parents, source):
            yield Site(tree, Sort.TEXT, text)


def is_compared(tree: ast.AST) -> bool:
    """``x == "cuda"``, whatever stands around the string."""
    parents = Parents()
    above = parents.get(tree)
    while isinstance(above, ast.expr) and not isinstance(above, (ast.Call, ast.Compare)):
        above = parents.get(above)
    return isinstance(above, ast.Compare)


def _skeleton(tree: ast.JoinedStr) -> str:
    """``cuda:{}`` of ``f"cuda:{rank}"``."""
    return "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in tree.values)


def _is_accelerator(tree: ast.expr, parents: Parents) -> bool:
    """``Trainer(accelerator="gpu")``, ``{"accelerator": "gpu"}``, and the default of an option."""
    above = parents.get(tree)
    if isinstance(above, ast.keyword) and above.arg == "default":
        option = parents.get(above)
        words = option.args if isinstance(option, ast.Call) else []
        return any(isinstance(w, ast.Constant) and w.value == "--accelerator" for w in words)
    if isinstance(above, ast.Dict):
        keys = (k for k, v in zip(above.keys, above.values, strict=True) if v is tree)
        return any(isinstance(k, ast.Constant) and k.value == "accelerator" for k in keys)
    return isinstance(above, ast.keyword) and above.arg == "accelerator"


def _is_about_nothing(tree: ast.expr, parents: Parents, source: Source) -> bool:
    """A docstring, a key, the name of an option, something printed: no device is taken there."""
    above = parents.get(tree)
    if isinstance(above, ast.Tuple) and isinstance(parents.get(above), ast.Subscript):
        tree, above = above, parents.get(above)
    match above:
        case ast.Expr():
            return True
        case ast.Assert(msg=said):
            return said is tree
        case ast.Dict(keys=keys):
            return any(key is tree for key in keys)
        case ast.Subscript(slice=key):
            return key is tree
        case ast.Call(func=ast.Attribute(attr="add_argument"), args=words):
            return any(word is tree for word in words)
        case ast.keyword(arg="dest"):
            return True
        case ast.Call(func=func):
            name = dotted(func, source.once(origins))
            printed = isinstance(func, ast.Name) and func.id == "print"
            printed = printed or isinstance(parents.get(above), ast.Raise)
            return printed or name.startswith(("logging.", "warnings."))
        case ast.List() | ast.Tuple():
            return _is_all(parents.get(above))
    return False


def _is_all(statement: ast.AST | None) -> bool:
    """``__all__ = ["cuda"]``."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets)
