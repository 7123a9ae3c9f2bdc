"""What a file of Python 2 has to be told of the program around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from devicefix.dialect.draft import Draft, Surroundings
from devicefix.dialect.leftovers import is_newer
from devicefix.source import Program, Source, SourceError
from devicefix.source.program import WHOLE

_IMPORT: Final = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([^\n#;]+))", re.MULTILINE
)
_STATEMENT: Final = (
    r"(?:from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]*)|import[ \t]+([^\n#;]+))"
)
_FROM: Final = re.compile(r"^[ \t]*" + _STATEMENT, re.MULTILINE)
_FROM_AT_TOP: Final = re.compile(r"^" + _STATEMENT, re.MULTILINE)
_METHOD: Final = re.compile(r"^[ \t]+def[ \t]+(\w+)[ \t]*\(", re.MULTILINE)
_OLD_METHOD: Final = re.compile(r"\.(?:(?:iter|view)(?:items|keys|values)|has_key|next)\s*\(")
"""What dicts and iterators had in Python 2, and classes of a program may have still."""
_DOES: Final = re.compile(
    r"^(?!(?:import|from|def|class|if|else|elif|try|except|finally|with|@|#|\)|\]|\}|'|\"|__all__)\b)"
    r"(?:for|while|print)\b|^if[ \t]+__name__[ \t]*=="
    r"|^(?!#|def\b|class\b)\S.*(?:\bsys\.argv\b|\.parse_args\()",
    re.MULTILINE,
)
"""What only a program does at the top of a file: it does not parse, so this is a guess by lines."""


def surroundings(source: Source, program: Program) -> Surroundings:
    """What is around ``source`` in its program; nothing there needs to parse."""
    local = frozenset(_local(source, program))
    seen = [*program.sources.values(), *_classes_around(source, program)]
    methods = frozenset[str]().union(*(other.once(_methods) for other in seen))
    siblings = frozenset(n for n in local if _is_beside(source.path, n, program))
    imported = any(_imports(program, o, source.path) for o in program.sources if o != source.path)
    return Surroundings(local, siblings, "next" in methods, imported, methods)


def _classes_around(source: Source, program: Program) -> Iterator[Source]:
    """The files outside of the program that the file imports, where it calls what dicts had."""
    for path in _files(source, program, _FROM) if _OLD_METHOD.search(source.text) else ():
        if path not in program.sources:
            program.noted(path, WHOLE)
            neighbour = program.neighbour(path)
            if neighbour is not None:
                yield neighbour


def _methods(source: Source) -> frozenset[str]:
    return frozenset(_METHOD.findall(source.text))


def _local(source: Source, program: Program) -> Iterator[str]:
    for module in source.once(_modules):
        first = module.partition(".")[0]
        if first and _is_file(program, source.path, first, 0):
            yield first


def _modules(source: Source) -> tuple[str, ...]:
    """What a text imports, as it is written, each once; relative imports begin with dots."""
    found: dict[str, None] = {}
    for module, several in _IMPORT.findall(source.text):
        if module:
            found[module] = None
        for piece in several.split(",") if several else ():
            found[piece.split(" as ")[0].strip()] = None
    return tuple(found)


def _is_file(program: Program, path: str, module: str, level: int) -> bool:
    modules = program.modules
    return modules.find(path, module, level) is not None or modules.is_package(path, module, level)


def _is_beside(path: str, name: str, program: Program) -> bool:
    """Whether Python 2 finds ``name`` in the package of this file, and Python 3 would not.

    A file that is run as a program, or that one beside it imports that is, is in no package then.
    """
    modules = program.modules
    in_package = modules.find(path, "", 1) is not None
    if not in_package or not _is_file(program, path, name, 1):
        return False
    return not _is_program(path, program) and _is_imported_from_outside(path, program)


def _is_program(path: str, program: Program) -> bool:
    return _DOES.search(program.sources[path].text) is not None and not any(
        _imports(program, other, path) for other in program.sources if other != path
    )


def _imports(program: Program, importer: str, path: str) -> bool:
    name = _module_name(path)
    return any(
        module.rpartition(".")[2] in (name, "")
        and program.modules.find(importer, module.lstrip("."), _level(module)) == path
        for module in program.sources[importer].once(_modules)
    )


def _module_name(path: str) -> str:
    """What a file is called where it is imported, without the packages that it is in."""
    file = Path(path).absolute()
    return file.parent.name if file.stem == "__init__" else file.stem


def _level(module: str) -> int:
    return len(module) - len(module.lstrip("."))


def _is_imported_from_outside(path: str, program: Program) -> bool:
    """Whether the package of this file is imported as one by a file that is not in it.

    Where nobody does, nobody is seen who runs the files in it as programs, either.
    """
    package = program.modules.find(path, "", 1)
    mates = {other for other in program.sources if program.modules.find(other, "", 1) == package}
    outside = [
        other
        for other in program.sources
        if other not in mates
        for module in program.sources[other].once(_modules)
        if program.modules.find(other, module.lstrip("."), _level(module)) in (mates | {package})
    ]
    if outside:
        return True
    return not any(_is_program(mate, program) for mate in mates)


def companions(program: Program, old: frozenset[str]) -> tuple[str, ...]:
    """The files of ``program`` that parse, and that nothing but Python 2 has run.

    Those that import one of ``old`` at their top, whatever they do; those that only such files
    import, and no file that is not in the program. None where Python 2 cannot read a file of the
    program: that runs on Python 3, and what does not parse there is a slip.
    """
    if any(_is_newer(program.sources[path]) for path in program.sources.keys() - old):
        return ()
    all_of, first_of = _links(program, _FROM), _links(program, _FROM_AT_TOP)
    importers = {path: {p for p in all_of if path in all_of[p]} for path in program.sources}
    found = set(old)
    while True:
        more = {
            path
            for path, theirs in importers.items()
            if first_of[path] & found
            or (theirs and theirs <= found and path not in program.imported_elsewhere)
        } - found
        if not more:
            return tuple(path for path in program.sources if path in found - old)
        found |= more


def _is_newer(source: Source) -> bool:
    try:
        return is_newer(Draft(source, Surroundings(), is_python2=False))
    except SourceError:
        return False


def _links(program: Program, pattern: re.Pattern[str]) -> dict[str, set[str]]:
    """By file, those of the program that it imports, and the packages that they are in."""
    found: dict[str, set[str]] = {path: set() for path in program.sources}
    for path, source in program.sources.items():
        found[path].update(f for f in _files(source, program, pattern) if f in found)
    return found


def _files(source: Source, program: Program, pattern: re.Pattern[str]) -> list[str]:
    """The files of the project that a file imports, each once, and the packages they are in."""
    found: dict[str, None] = {}
    for module, names in _imported(source.text, pattern):
        level, bare = _level(module), module.lstrip(".")
        for name in (bare, *(f"{bare}.{n}".lstrip(".") for n in names), *_above(bare)):
            file = program.modules.find(source.path, name, level)
            if file is not None and file != source.path:
                found[file] = None
    return list(found)


def _above(module: str) -> Iterator[str]:
    """The packages that a dotted module is in: they are imported, too."""
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


def _imported(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Modules, and what is taken of them, which may be modules as well."""
    for module, names, several in pattern.findall(text):
        pieces = (piece.split(" as ")[0].strip() for piece in names.strip("()").split(","))
        if module:
            yield module, tuple(p for p in pieces if p.isidentifier())
        for piece in several.split(",") if several else ():
            yield piece.split(" as ")[0].strip(), ()
