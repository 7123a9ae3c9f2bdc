"""Text and tree of one file: encodings, line ends, positions, imports and suppressions.

What is around it: the modules of its project, and the program that it is part of.
"""

from __future__ import annotations

from devicefix.source.decoding import signature_of
from devicefix.source.errors import NotPythonError, SourceError, TooDeepError
from devicefix.source.imports import bound_names
from devicefix.source.modules import ModuleIndex
from devicefix.source.parsing import annotated_targets, annotation_of
from devicefix.source.program import Program
from devicefix.source.suppressions import Ignore, Suppressions, find_ignore
from devicefix.source.text import NOTEBOOK, Source

__all__ = [
    "NOTEBOOK",
    "Ignore",
    "ModuleIndex",
    "NotPythonError",
    "Program",
    "Source",
    "SourceError",
    "Suppressions",
    "TooDeepError",
    "annotated_targets",
    "annotation_of",
    "bound_names",
    "find_ignore",
    "signature_of",
]
