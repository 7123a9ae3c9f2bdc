"""What is compiled for CUDA, or raises without it, and what has another way where there is none."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from pathlib import PurePath
from typing import Final

from devicefix.flow.analysis import Analysis
from devicefix.flow.cuda_guards import Guards, catches
from devicefix.flow.imported import dotted, origins
from devicefix.flow.scripts import is_main_guard
from devicefix.flow.values import FileRecord
from devicefix.source import Program, Source
from devicefix.source.program import WHOLE
from devicefix.source.walking import walk
from devicefix.torch_api import CUDA_LIBRARIES, canonical

_COMPILERS: Final = frozenset(
    f"torch.utils.cpp_extension.{name}" for name in ("CUDAExtension", "load", "load_inline")
)
_LIBRARIES: Final = CUDA_LIBRARIES | {"apex"}
_STARTS_CUDA: Final = frozenset({"pynvml.nvmlInit"})
"""Calls of libraries that raise where there is no driver."""
_EXTENSIONS: Final = "torch.utils.cpp_extension.CUDAExtension"
_SETUP: Final = "setup"


def kernel_in(analysis: Analysis, file: FileRecord) -> tuple[ast.AST, str] | None:
    """Where a file uses what is compiled for CUDA whatever is decided, and what that is."""
    known = dict(file.source.once(origins))
    if not any(map(_library_of, known.values())) and "cpp_extension" not in file.source.text:
        return None
    guards = Guards(analysis, file.source)
    for node in file.source.imports:
        for alias in node.names if _has_another_way(analysis, guards, node) else ():
            known.pop(alias.asname or alias.name.partition(".")[0], None)
    for tree in file.source.of_type(ast.Attribute, ast.Name):
        if isinstance(tree, (ast.Attribute, ast.Name)) and not _is_part(analysis, tree):
            name = canonical(dotted(tree, known))
            if (library := _library_of(name)) and not _has_another_way(analysis, guards, tree):
                return tree, _sentence(name, library)
    return None


def raises_without_cuda(call: ast.Call, names: Collection[str]) -> str:
    """Why a call of one of ``names`` fails without CUDA, and no rule helps; empty: it may not."""
    for name in map(canonical, names):
        if name in _STARTS_CUDA:
            return f"`{name}` raises an error without CUDA"
        if name in _COMPILERS:
            return _sentence(name, name) if _has_cuda_sources(call) else ""
        if library := _library_of(name):
            return _sentence(name, library)
        if name.startswith("transformers.") and _maps_to_gpu(call):
            return "a model is loaded onto a CUDA device"
        if name == "rwkv.model.RWKV" and any(_names_cuda(k.value) for k in call.keywords):
            return "a model is loaded onto a CUDA device"
    return ""


def compiles_for_cuda(call: ast.Call, name: str) -> bool:
    """Whether a call of ``name`` builds an extension with kernels of CUDA."""
    return name == _EXTENSIONS or (name in _COMPILERS and _has_cuda_sources(call))


def _has_cuda_sources(call: ast.Call) -> bool:
    texts = [n.value for n in walk(call) if isinstance(n, ast.Constant)]
    named = any(isinstance(text, str) and text.endswith(".cu") for text in texts)
    return named or any(k.arg == "cuda_sources" for k in call.keywords)


def _maps_to_gpu(call: ast.Call) -> bool:
    """``device_map="cuda:0"``, ``device_map={"": 0}``."""
    given = next((k.value for k in call.keywords if k.arg == "device_map"), None)
    parts = given.values if isinstance(given, ast.Dict) else [given]
    return any(is_gpu(part) or _names_cuda(part) for part in parts)


def is_gpu(tree: ast.expr | None) -> bool:
    number = tree.value if isinstance(tree, ast.Constant) else None
    return type(number) is int and number >= 0


def _names_cuda(tree: ast.expr | None) -> bool:
    """``"cuda:0"``, ``"cuda fp16"``."""
    text = tree.value if isinstance(tree, ast.Constant) else None
    return isinstance(text, str) and re.match(r"cuda\b", text) is not None


def extension_built(
    program: Program, importer: str, tree: ast.Import | ast.ImportFrom
) -> str | None:
    """The module that ``tree`` imports and a ``setup.py``, or a ``setup_kernels.py``, builds for
    CUDA.

    Above the file that imports it, a relative import names the last parts of it, and what is built
    in place lies beside its script. What other folders install has the name that they give it.
    """
    level = tree.level if isinstance(tree, ast.ImportFrom) else 0
    asked = [alias.name for alias in tree.names]
    if isinstance(tree, ast.ImportFrom):
        base = tree.module or ""
        asked = [base, *(f"{base}.{name}".removeprefix(".") for name in asked)]
    missing = [m for m in asked if m and program.modules.find(importer, m, level) is None]
    built: set[str] = set()
    above = program.modules.above(importer, _SETUP) if missing else []
    for path in above:
        found = _built_by(program, path)
        folder = ".".join(PurePath(path).parent.parts)
        built |= found
        built.update(m for m in missing for b in found if _ends(f"{folder}.{b}", m))
    names = [n for n in missing if n in built or (level and any(_ends(b, n) for b in built))]
    if names or level:
        return next(iter(names), None)
    others = (p for p in program.modules.starting(_SETUP) if missing and p not in above)
    return next((n for p in others for n in missing if n in _built_by(program, p)), None)


def _built_by(program: Program, path: str) -> frozenset[str]:
    program.noted(path, WHOLE)
    setup = program.sources.get(path) or program.neighbour(path)
    return setup.once(_extensions) if setup is not None else frozenset[str]()


def _ends(name: str, part: str) -> bool:
    return f".{name}".endswith(f".{part}")


def _extensions(source: Source) -> frozenset[str]:
    """The modules that a script of setuptools builds for CUDA whatever is decided."""
    known = source.once(origins)
    calls = (n for n in source.of_type(ast.Call) if isinstance(n, ast.Call))
    chosen = _chosen(source)
    built = [
        call
        for call in calls
        if dotted(call.func, known) == _EXTENSIONS or getattr(call.func, "id", "") in chosen
    ]
    names = [k.value for c in built for k in c.keywords if k.arg == "name"]
    first = [*(c.args[0] for c in built if c.args), *names]
    return frozenset(str(n.value) for n in first if isinstance(n, ast.Constant))


def _chosen(source: Source) -> frozenset[str]:
    """``extension`` of ``if cuda: extension = CUDAExtension`` with ``else: raise``."""
    known, found = source.once(origins), set[str]()
    for branch in source.of_type(ast.If):
        if not (branch.orelse and isinstance(branch.orelse[-1], ast.Raise)):
            continue
        for statement in branch.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    found.update([name] if dotted(value, known) == _EXTENSIONS else [])
    return frozenset(found)


def _library_of(name: str) -> str:
    """The library for CUDA, or the compiler, that a dotted name is of."""
    if name in _COMPILERS:
        return name
    return next((lib for lib in _LIBRARIES if name == lib or name.startswith(f"{lib}.")), "")


def _is_part(analysis: Analysis, tree: ast.AST) -> bool:
    return isinstance(analysis.parents.get(tree), ast.Attribute)


def _sentence(name: str, library: str) -> str:
    compiles = name in _COMPILERS
    return f"{name} compiles code for CUDA" if compiles else f"`{library}` is a library for CUDA"


def _has_another_way(analysis: Analysis, guards: Guards, tree: ast.AST) -> bool:
    """Whether a condition decides about ``tree``, or its failure is caught."""
    if guards.are_around(tree):
        return True
    child, parent = tree, analysis.parents.get(tree)
    while parent is not None:
        if _decides(parent, child):
            return True
        child, parent = parent, analysis.parents.get(parent)
    return False


def _decides(parent: ast.AST, child: ast.AST) -> bool:
    match parent:
        case ast.If(test=test) | ast.IfExp(test=test):
            return child is not test and not is_main_guard(parent)
        case ast.BoolOp(values=[first, *_]):
            return child is not first
        case ast.Try(handlers=handlers):
            return any(map(catches, handlers))
    return False
