"""Names of Python 2, torch and NumPy by what kind of number they give."""

from __future__ import annotations

import ast
from typing import Final

INTEGERS: Final = frozenset({"len", "int", "long", "ord", "hash", "id"})
POSITIONS: Final = frozenset({"argmax", "argmin", "argsort", "searchsorted"})
"""What NumPy and torch have as functions and as methods, of one number or of several."""
METHODS_INTEGER: Final = POSITIONS | {
    *("dim", "numel", "nelement", "ndimension", "count", "index", "find", "rfind", "fileno")
}
METHODS_FLOAT: Final = frozenset(
    [
        "mean",
        "std",
        "var",
        "norm",
        "sqrt",
        "exp",
        "log",
        "log_softmax",
        "softmax",
        "sigmoid",
        "tanh",
        "float",
        "double",
        "half",
    ]
)
FUNCTIONS_FLOAT: Final = frozenset(
    [
        "sqrt",
        "exp",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "arctan",
        "atan",
        "atan2",
        "tanh",
        "pow",
        "fabs",
        "mean",
        "std",
        "var",
        "time",
        "clock",
        "perf_counter",
        "linspace",
        "rand",
        "randn",
        "sigmoid",
        "softmax",
        "floor",
        "ceil",
        "hypot",
    ]
)
COMPARISONS: Final = frozenset({"eq", "ne", "gt", "lt", "ge", "le"})
MASK_STAYS: Final = frozenset({"cpu", "cuda", "view", "long", "int", "squeeze", "contiguous"})
KEEP: Final = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Div)
BITS: Final = (ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor)
ITERATORS: Final = frozenset({"iter", "enumerate", "reversed"})
SAME_ELEMENTS: Final = frozenset(
    {"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"}
)
