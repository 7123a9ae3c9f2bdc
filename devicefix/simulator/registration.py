"""Which kernel each operator gets on the simulated device.

The rule follows torch's own list: what has a CUDA kernel there gets one here; everything else is
put together from those by torch itself, exactly as on a GPU, so that errors name the operator that
a GPU would name. On a CUDA wheel every native kernel is covered, for none could run.
"""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn

import torch

from devicefix.simulator import foreign, metal, nested, permutations, sparse
from devicefix.simulator.catalogue import Entry, read_catalogue
from devicefix.simulator.checks import are_apart, check_of
from devicefix.simulator.determinism import alerting
from devicefix.simulator.handwritten import HANDWRITTEN
from devicefix.simulator.kernels import Kernel, Workshop, computing, refusing, viewing
from devicefix.simulator.limits import limited
from devicefix.simulator.signatures import Op, find, signature_of
from devicefix.simulator.whole import WHOLE, WholeCheck, as_a_whole

COMPOSED_ON_THE_HOST = frozenset(
    {
        "convolution",
        "convolution_backward",
        "convolution_overrideable",
        "convolution_backward_overrideable",
        "empty_like",
        "full_like",
        "ones_like",
        "zeros_like",
    }
)
"""Composite operators that are one of the CPU's as a whole: some pick a backend by device, and the
CPU's own pick gives the CPU's numbers; others would be several kernels for what is one.
"""

_METADATA = frozenset({
    "set_.source_Storage", "set_.source_Storage_storage_offset", "set_.source_Tensor",
    "as_strided_", "_reshape_alias", "view", "view.dtype", "_coalesced_",
})  # fmt: skip
"""They change sizes, strides or storage of the tensor itself."""

_HOST_KEYS = ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd")
_ASKED_OF_CUDA = (
    *(*_HOST_KEYS, "CUDA", "SparseCPU", "SparseCUDA"),
    *(f"{nested.KEY}CPU", "SparseCsrCUDA", "QuantizedCUDA"),
)
"""The keys of which a simulation of CUDA asks which operators have kernels."""

_library: Callable[..., Any] = torch.library.Library

_KEEP: list[Any] = []
"""Libraries, whose kernels go when they are collected."""


def read_ahead() -> None:
    """Read what `register` needs to know of torch, for processes that are forked off this one."""
    catalogue = read_catalogue()
    for name in _operators():
        op = find(name) if _has_cuda_kernel(name, catalogue.get(name)) else None
        if op is not None:
            signature_of(op)
    for key in filter(_is_known, _ASKED_OF_CUDA):
        _have(key)


def register(shop: Workshop) -> int:
    """Register all kernels; returns how many operators got one. Raises `Refused`."""
    key = shop.accelerator.kind.key
    catalogue = read_catalogue()
    native = _have(key)
    library = _library("aten", "IMPL")
    _KEEP.append(library)
    with _quietly(), _uncollected():
        kernels = dict(_kernels(catalogue, native, key, shop))
        for name, kernel in kernels.items():
            library.m.impl(name, key, kernel)
        for name, check in WHOLE.items():
            _register_whole(
                library, name, check or _by_wrapper(catalogue.get(name), key), key, shop
            )
        if key == metal.KEY:
            metal.register_linear(library)
        _register_permutations(library, shop)
        _register_sparse(library, catalogue, f"Sparse{key}", shop)
        if _is_known(nested.KEY + key):
            _register_nested(library, key, shop)
        _refuse_layouts(library, key)
        _register_fallback(catalogue, key, shop)
        foreign.install(shop, _quietly)
    return len(kernels)


def _kernels(
    catalogue: Mapping[str, Entry], native: frozenset[str], key: str, shop: Workshop
) -> Iterator[tuple[str, Kernel]]:
    for name in _operators():
        if name in WHOLE:
            continue
        entry = catalogue.get(name)
        if not (name in native or _has_cuda_kernel(name, entry)):
            continue
        op = find(name)
        if op is not None:
            yield name, _kernel(op, name, entry, key, shop)


def _has_cuda_kernel(name: str, entry: Entry | None) -> bool:
    if name in HANDWRITTEN or name in _METADATA or name in COMPOSED_ON_THE_HOST:
        return True
    return entry is not None and "CUDA" in entry.keys


def _kernel(op: Op, name: str, entry: Entry | None, key: str, shop: Workshop) -> Kernel:
    if name in HANDWRITTEN:
        return HANDWRITTEN[name](op, shop)  # type: ignore[no-any-return]
    if name in _METADATA:
        return viewing(op)
    if not _runs_on_the_host(op):
        return refusing(f"the operator {op._name}", check_of(op, entry, key))
    if key == metal.KEY and name == "as_strided" and metal.REFUSES_STRIDES:
        return metal.striding(shop)
    if signature_of(op).is_view:
        return viewing(op)
    kernel = limited(name, computing(op, check_of(op, entry, key), shop), key)
    if key == "CUDA":
        return alerting(name, kernel)
    if key == metal.KEY and entry is not None and name not in COMPOSED_ON_THE_HOST:
        return metal.lacking(name, entry, kernel) if metal.lacks(name, entry) else kernel
    return kernel


def _runs_on_the_host(op: Op) -> bool:
    name = str(op._name).removeprefix("aten::")
    return any(name in _have(key) for key in _HOST_KEYS)


def _by_wrapper(entry: Entry | None, key: str) -> WholeCheck:
    """The check of an operator that has a CUDA kernel."""

    def check(op: Op, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> None:
        if are_apart(arguments, keywords):
            check_of(op, entry, key)(arguments, keywords)

    return check


def _register_whole(library: Any, name: str, check: WholeCheck, key: str, shop: Workshop) -> None:
    op = find(name)
    if op is None:
        return
    kernel, without_grad = as_a_whole(op, check, shop)
    library.m.impl(name, f"Autograd{key}", kernel)
    library.m.impl(name, key, without_grad)


def _register_permutations(library: Any, shop: Workshop) -> None:
    op = find(permutations.OPERATOR)
    if op is not None:
        kernel = permutations.permuting(op, shop)
        library.m.impl(permutations.OPERATOR, permutations.KEY, kernel)


def _register_sparse(
    library: Any, catalogue: Mapping[str, Entry], key: str, shop: Workshop
) -> None:
    """The operators for sparse tensors: torch's list, and what this wheel has besides."""
    if not _is_known(key):
        return
    for name in _operators():
        entry = catalogue.get(name)
        listed = entry is not None and "SparseCUDA" in entry.keys
        op = find(name) if listed or name in _have(key) else None
        if op is None:
            continue
        if name in _have("SparseCPU") or _runs_on_the_host(op):
            library.m.impl(name, key, sparse.kernel_of(op, name, check_of(op, entry, key), shop))


def _register_nested(library: Any, key: str, shop: Workshop) -> None:
    """What the host has for nested tensors."""
    for name in _operators():
        op = find(name) if name in _have(f"{nested.KEY}CPU") else None
        if op is None:
            continue
        if name in HANDWRITTEN:
            kernel = HANDWRITTEN[name](op, shop)
        elif name in nested.METADATA or signature_of(op).is_view:
            kernel = nested.viewing(op)
        else:
            kernel = computing(op, check_of(op, None, key), shop)
        library.m.impl(name, nested.KEY + key, kernel)


_LAYOUTS = {
    "SparseCsr": "compressed sparse tensors (such as CSR)",
    "Quantized": "quantized tensors",
}
"""Kinds of tensors whose kernels are not simulated, by the beginning of their dispatch keys."""


def _refuse_layouts(library: Any, key: str) -> None:
    """On a CUDA wheel they have kernels, which would look for a driver."""
    for layout, what in _LAYOUTS.items():
        if not _is_known(layout + key):
            continue
        refuse = refusing(what)
        for name in _operators():
            if name in _have(layout + key):
                library.m.impl(name, layout + key, refuse)
        _fall_back(lambda op, *arguments, refuse=refuse, **keywords: refuse(), layout + key)


def _register_fallback(catalogue: Mapping[str, Entry], key: str, shop: Workshop) -> None:
    """An operator of another library runs on the CPU; of torch's own, CUDA has none either."""
    made: dict[Op, Kernel] = {}

    def fallback(op: Op, *arguments: Any, **keywords: Any) -> Any:
        if op.namespace == "aten":
            _missing(op, catalogue, key)
        if op not in made:
            made[op] = computing(op, check_of(op, None, key), shop)
        return made[op](*arguments, **keywords)

    _fall_back(fallback, key)


def _fall_back(kernel: Kernel, key: str) -> None:
    """What an operator without a kernel of its own gets; torch 2.4 has only its own answer."""
    library = _library("_", "IMPL")
    _KEEP.append(library)
    if hasattr(library, "fallback"):
        library.fallback(kernel, key)


def _missing(op: Op, catalogue: Mapping[str, Entry], key: str) -> NoReturn:
    """What the dispatcher says (aten/src/ATen/core/dispatch/OperatorEntry.cpp), or that it is our
    lack.
    """
    entry = catalogue.get(op._name.removeprefix("aten::"))
    if entry is None or "CUDA" in entry.keys:
        refusing(f"the operator {op._name}")()
    raise NotImplementedError(
        f"Could not run '{op._name}' with arguments from the '{key}' backend. This could be "
        "because the operator doesn't exist for this backend, or was omitted during the "
        "selective/custom build process (if using custom build)."
    )


def _is_known(key: str) -> bool:
    """Some dispatch keys are in the enumeration and not in the parser, those of MPS for one."""
    try:
        torch._C._dispatch_key_parse(key)
    except RuntimeError:
        return False
    return True


@cache
def _operators() -> tuple[str, ...]:
    """torch's own operators, with their overloads."""
    names = (name.partition("::") for name in torch._C._dispatch_get_all_op_names())
    return tuple(name for namespace, _, name in names if namespace == "aten")


@cache
def _have(key: str) -> frozenset[str]:
    """Those of them that have a kernel for a dispatch key when that is asked first: before any of
    ours is registered for it."""
    names = torch._C._dispatch_get_registrations_for_dispatch_key(key)
    return frozenset(name[6:] for name in names if name.startswith("aten::"))


@contextmanager
def _quietly() -> Iterator[None]:
    """Overriding a kernel makes torch's C++ warn, on the file descriptor itself."""
    saved, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Thousands of functions are made, and all of them stay: searching them for garbage would take
    as long as making them.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
