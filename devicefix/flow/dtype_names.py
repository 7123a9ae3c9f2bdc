"""Names of dtypes, and what is written with them."""

from __future__ import annotations

import ast

DTYPES = {
    "float": "float32", "float32": "float32", "double": "float64", "float64": "float64",
    "half": "float16", "float16": "float16", "bfloat16": "bfloat16", "long": "int64",
    "int64": "int64", "int": "int32", "int32": "int32", "short": "int16", "int16": "int16",
    "int8": "int8", "uint8": "uint8", "bool": "bool", "bool_": "bool", "longlong": "int64",
    "single": "float32", "float_": "float64", "intp": "int64",
}  # fmt: skip
"""Attributes of torch and NumPy that are dtypes, by their torch names."""


def only_casts(call: ast.Call) -> bool:
    """``.to(torch.float32)``, ``.to(x.dtype)``: a dtype and nothing else."""
    given = [*call.args, *(k.value for k in call.keywords if k.arg != "dtype")]
    return all(isinstance(a, ast.Attribute) and a.attr in (*DTYPES, "dtype") for a in given)
