"""Torch's compiler is imported when somebody wants something of it, and not before.

Each optimizer imports `torch._dynamo` when it is made, and again at each step: to be left alone by
it (`torch/_compile.py`, `_disable_dynamo`) and to break its graph (`torch/optim/optimizer.py`,
`_use_grad_for_differentiable`). In a program that compiles nothing both come to nothing, and the
import, which brings sympy, takes as long as all the rest of torch. So a module stands in for it
that can do these two things; whatever else is asked of it, or of a module below it, comes from the
compiler itself, which is imported then.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Final

_NAME: Final = "torch._dynamo"
_WRAPPER: Final = "torch._compile"
"""The module of torch that wraps what the compiler is to leave alone, without importing it."""
_KEPT: Final = "__dynamo_disable"
"""Where it keeps the function that the compiler leaves alone, from its first call on."""


class _StandIn(ModuleType):
    """What ``import torch._dynamo`` gives; what it does not know, the compiler does."""

    _compiler: _Compiler | None = None
    """None as long as the module is being imported."""

    def stand_in_for(self, compiler: _Compiler) -> None:
        """Know what an optimizer wants."""
        self.__dict__.update(
            _compiler=compiler, graph_break=compiler.graph_break, disable=compiler.disable
        )

    def know_nothing(self) -> None:
        """From now on the compiler answers for all."""
        self.__dict__.pop("graph_break", None)
        self.__dict__.pop("disable", None)

    def __getattr__(self, name: str) -> Any:
        if self._compiler is None:
            raise AttributeError(name)
        return getattr(self._compiler.load(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        target = self if self._compiler is None else self._compiler.load()
        target.__dict__[name] = value

    def __dir__(self) -> list[str]:
        return [*self.__dict__] if self._compiler is None else dir(self._compiler.load())


class _Compiler(MetaPathFinder, Loader):
    """The compiler before it is imported: it answers the first import of it, or below it."""

    def __init__(self) -> None:
        self._stand_in: _StandIn | None = None
        self._wanted = False
        self._left_alone: list[Any] = []

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module that stands in; of one below it, the one that came with the compiler."""
        if self._wanted or not f"{fullname}.".startswith(f"{_NAME}."):
            return None
        if fullname == _NAME:
            return self._own(PathFinder.find_spec(fullname, path))
        self.load()
        came = sys.modules.get(fullname)
        return None if came is None else ModuleSpec(fullname, _Present(came))

    def _own(self, found: ModuleSpec | None) -> ModuleSpec | None:
        if found is None:
            return None
        spec = ModuleSpec(_NAME, self, origin=found.origin)
        spec.submodule_search_locations = found.submodule_search_locations
        spec.has_location = True
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty one."""
        return _StandIn(_NAME)

    def exec_module(self, module: ModuleType) -> None:
        """Have the module stand in from now on."""
        assert isinstance(module, _StandIn)
        self._stand_in = module
        module.stand_in_for(self)

    def graph_break(self, *args: Any, **kwargs: Any) -> None:
        """Nothing is compiled: there is no graph."""

    def disable(self, *args: Any, **kwargs: Any) -> Any:
        """Torch's own wrapper gets its function back: nothing is there yet to leave it alone."""
        if args and sys._getframe(1).f_globals.get("__name__") == _WRAPPER:
            self._left_alone.append(args[0])
            return args[0]
        return self.load().__dict__["disable"](*args, **kwargs)

    def load(self) -> ModuleType:
        """The compiler itself. Torch's wrapper asks it anew about what it is to leave alone.

        Nothing is locked but what an import locks: threads that come here together wait there.
        """
        self._wanted = True
        if sys.modules.get(_NAME) is self._stand_in:
            sys.modules.pop(_NAME, None)
        compiler = importlib.import_module(_NAME)
        if self._stand_in is not None:
            self._stand_in.know_nothing()
        while self._left_alone:
            with suppress(AttributeError):
                delattr(self._left_alone.pop(), _KEPT)
        return compiler


class _Present(Loader):
    """Gives a module that has been imported, as it is."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module."""
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        """It keeps what it says of where it came from."""
        module.__spec__ = self._spec


def defer_compiler() -> None:
    """From now on, unless it has been imported already."""
    if _NAME not in sys.modules:
        sys.meta_path.insert(0, _Compiler())
