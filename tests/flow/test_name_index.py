"""Classes by the names of their bases, also those of files that were only read."""

from __future__ import annotations

import ast

from devicefix.flow.name_index import NameIndex
from devicefix.source import ModuleIndex, Program, Source

OWN = "class Base:\n    pass\n\n\nclass Heir(Base):\n    pass\n"
BESIDE = "from own import Heir\n\n\nclass Last(Heir):\n    pass\n"


def classes(text: str) -> dict[str, ast.ClassDef]:
    source = Source.from_text(text, "file.py")
    return {tree.name: tree for tree in source.of_type(ast.ClassDef)}


def test_a_class_of_a_file_beside_the_program_has_relatives_in_it() -> None:
    sources = {"own.py": Source.from_text(OWN, "own.py")}
    program = Program(sources, ModuleIndex(tuple(sources)), lambda _: None)
    found = NameIndex(program).relatives(classes(BESIDE)["Last"])
    assert [cls.name for cls in found] == ["Last", "Heir", "Base"]
