"""What flow tells codemods about idioms of old torch."""

from __future__ import annotations

import ast
import enum

from msgspec import Struct


class Sort(enum.Enum):
    """What an expression surely is, in every context that reaches it."""

    TENSOR = "a tensor"
    ARRAY = "an array"
    SEQUENCE = "a list or tuple"
    NUMBER = "a number"
    TEXT = "a string"
    DICTIONARY = "a dictionary"
    PLAIN = "no tensor, array or module"
    MODULE = "a module"
    NAME = "a name of the library"
    UNKNOWN = "not known"


class Belief(Struct, frozen=True):
    """What is known of an expression that an old idiom is about."""

    sort: Sort = Sort.UNKNOWN
    name: str = ""
    """The canonical name of what the library has renamed or replaced."""
    dtype: str = ""
    scalar: bool = False
    """A tensor that surely has no dimension. Where it may be something else, a number or what
    was not seen: as a tensor it has none, as far as was seen."""
    flat: bool = False
    """A tensor that surely has one dimension."""
    single: bool = False
    """The same, of length 1."""
    constant: bool = False
    """A tensor that surely has no gradient."""
    leaf: bool = False
    """A tensor that may gather gradients itself."""
    stateless: bool = False
    """A module that surely has no parameters or buffers: a loss."""
    on_device: bool = False
    """A tensor that lives on the device, or will."""
    layer: str = ""
    """The canonical name of the class of torch that a module surely is of, and of no subclass."""


class Wrapping(Struct, frozen=True):
    """A call of ``Variable``."""

    call: ast.Call
    data: ast.expr | None = None
    """What it wraps; None where that cannot be seen."""
    learns: ast.expr | None = None
    """``requires_grad=``, unless that is False."""
    volatile: ast.expr | None = None
    """``volatile=``, unless that is False."""
    constant: bool = False
    """What it wraps surely has no gradient."""
    fresh: bool = False
    """It has none, and nothing else holds it: it may be switched to having one."""
    factory: ast.Call | None = None
    """What it wraps, where that is a call that takes ``requires_grad=``."""
    reads: tuple[ast.Name, ...] = ()
    """``y = Variable(x)``: the reads of ``y``, where ``x`` may stand for it in all of them."""
    detached: ast.Call | None = None
    """``Variable(x).detach()``, which is all that ``Variable`` itself does."""

    @property
    def whole(self) -> ast.Call:
        """What gives way to ``data``."""
        return self.detached or self.call


class Ungraded(Struct, frozen=True):
    """What a function computes of values that were volatile before torch 0.4."""

    wrappings: tuple[Wrapping, ...]
    """The calls that make them."""
    flag: ast.expr
    """What ``volatile=`` is given."""
    runs: tuple[tuple[ast.stmt, ...], ...] = ()
    """The statements that have to compute without gradients, those together that follow each other;
    none where nothing learns, or all stands below ``torch.no_grad()`` already."""
    blocked: str = ""
    """Why it is not known which statements these are."""
    callers: tuple[Ungraded, ...] = ()
    """What those compute that call the function and get such a value; they wrap nothing."""
    switch: ast.Assign | None = None
    """``x.volatile = True``, which makes the value so where no call does."""
    detaches: bool = False
    """``switch`` is ``x.volatile = False``, of what was computed: it had no gradient then."""


class OldImport(Struct, frozen=True):
    """``from torch.nn.init import constant``: an import of what has been renamed or replaced, or of
    a module that has such names."""

    statement: ast.Import | ast.ImportFrom
    alias: ast.alias
    name: str
    """Its canonical name."""
    reads: tuple[ast.Name, ...]
    sole: bool
    """Nothing else binds the local name, no other file takes it, and the import is not tried."""
