"""Leave each tensor that an operator or a layer is given on the host, and say what accepts that.

    PYTHONPATH=. python scripts/misplaced_arguments.py [--device sim:cuda] [NAME...]

The samples are those of ``op_db`` and ``module_db`` in ``torch.testing``. All tensors of a sample
go to the device but one, each in turn; parameters and buffers of layers, too. Tensors without
dimensions are left out, for operations on elements take those of the host, and so are samples
without elements, with which nothing is computed. It needs torch, numpy and expecttest, and nothing
of devicefix beside the simulator.

One line for each tensor that may stay behind and is not known to (`ALLOWED`), and a line with the
numbers. The exit status is 1 if there is one.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Final

import torch
from op_database import DTYPES, _mover
from torch.utils import _pytree as pytree

from devicefix.simulator import install

ALLOWED: Final = {
    "sizes are read, of tensors anywhere": (
        "broadcast_tensors", "expand_as", "reshape_as", "view_as", "resize_as_", "to",
        "atleast_1d", "atleast_2d", "atleast_3d",
    ),
    "what is copied may come from anywhere": (
        "as_strided_scatter", "diagonal_scatter", "select_scatter", "slice_scatter",
        "nn.functional.ctc_loss", "nn.CTCLoss",
    ),
    "indices may be on the host": (
        "__getitem__", "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate", "index_put",
        "narrow",
    ),
    "some samples ask for nothing": ("diff", "linalg.pinv"),
}  # fmt: skip
"""What a real GPU accepts, too, in torch's own composition of these operators."""

SAMPLES: Final = 60
ALIKE: Final = 1
"""So many samples are tried whose tensors have the same places and numbers of dimensions."""

Attempt = tuple[str, Callable[[], object]]


def main() -> int:
    """Run the attempts, print what is accepted."""
    options = _options()
    warnings.simplefilter("ignore")
    device = install(options.device).name
    known = set(itertools.chain(*ALLOWED.values()))
    tried, found = 0, set()
    for name, attempts in itertools.chain(_operators(device), _layers(device)):
        if options.names and name not in options.names:
            continue
        for what, attempt in attempts:
            tried += 1
            if _accepted(attempt) and name not in known and (name, what) not in found:
                found.add((name, what))
                print(f"{name}: {what} may stay on the host", flush=True)
    print(f"torch {torch.__version__}, {options.device}: {tried} tried, {len(found)} accepted")
    return 1 if found else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="as in op_db and module_db; all if there are none")
    parser.add_argument("--device", default="sim:cuda")
    return parser.parse_args()


def _accepted(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except Exception:
        return False
    return True


def _operators(device: str) -> Iterator[tuple[str, Iterator[Attempt]]]:
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        dtype = next((dtype for dtype in DTYPES if dtype in op.dtypes), None)
        if dtype is not None:
            yield op.name, _of_operator(op, dtype, device)


def _of_operator(op: Any, dtype: torch.dtype, device: str) -> Iterator[Attempt]:
    def call(values: Any) -> object:
        data, arguments, keywords = values
        return op(data, *arguments, **keywords)

    samples = _caught(lambda: op.sample_inputs("cpu", dtype, requires_grad=False))
    values = ((one.input, tuple(one.args), dict(one.kwargs)) for one in samples)
    for sample in _unlike(values):
        yield from _each_left_behind(call, sample, device)


def _layers(device: str) -> Iterator[tuple[str, Iterator[Attempt]]]:
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        for training in (True, False):
            yield info.name, _of_layer(info, training, device)


def _of_layer(info: Any, training: bool, device: str) -> Iterator[Attempt]:
    settings = {"dtype": torch.float32, "requires_grad": False, "training": training}
    inputs = _caught(lambda: info.module_inputs_func(info, device="cpu", **settings))
    for one in itertools.islice(inputs, SAMPLES):
        made = [*_caught(lambda one=one: [_layer(info, one, training)])]
        if not made or one.forward_input is None:
            continue
        layer, values = made[0].to(device), (one.forward_input.args, one.forward_input.kwargs)

        def call(values: Any, layer: Any = layer) -> object:
            return layer(*values[0], **values[1])

        if len(_tensors(values)) > 1:
            yield from _each_left_behind(call, values, device)
        yield from _state_left_behind(call, layer, pytree.tree_map(_mover(device), values))


def _layer(info: Any, one: Any, training: bool) -> Any:
    made = info.module_cls(*one.constructor_input.args, **one.constructor_input.kwargs)
    return made.train(training)


def _caught(make: Callable[[], Any]) -> Iterator[Any]:
    """What torch cannot make, nothing is tried with."""
    try:
        yield from make()
    except Exception:
        return


def _unlike(samples: Iterator[Any]) -> Iterator[Any]:
    """Samples with two tensors or more, a few of each kind."""
    seen: dict[Any, int] = {}
    for sample in itertools.islice(samples, SAMPLES):
        leaves, structure = pytree.tree_flatten(sample)
        kind = (str(structure), *(leaf.dim() if torch.is_tensor(leaf) else -1 for leaf in leaves))
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] <= ALIKE and len(_tensors(sample)) > 1:
            yield sample


def _tensors(values: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(values) if torch.is_tensor(leaf)]


def _each_left_behind(call: Callable[[Any], object], values: Any, device: str) -> Iterator[Attempt]:
    """Nothing where the call fails with everything in its place."""
    paths = [pytree.keystr(path) for path, _ in pytree.tree_flatten_with_path(values)[0]]
    leaves, structure = pytree.tree_flatten(values)
    if not all(tensor.numel() for tensor in _tensors(values)):
        return
    if not _accepted(lambda: call(pytree.tree_map(_mover(device), values))):
        return
    for place, leaf in enumerate(leaves):
        if not torch.is_tensor(leaf) or not leaf.dim():
            continue
        moved = [one if n == place else _mover(device)(one) for n, one in enumerate(leaves)]
        yield paths[place], lambda moved=moved: call(pytree.tree_unflatten(moved, structure))


def _state_left_behind(call: Callable[[Any], object], layer: Any, values: Any) -> Iterator[Attempt]:
    """The same for parameters and buffers."""
    if not all(tensor.numel() for tensor in _tensors(values)) or not _accepted(
        lambda: call(values)
    ):
        return
    for name, tensor in itertools.chain(layer.named_parameters(), layer.named_buffers()):
        if tensor.dim():
            yield name, lambda tensor=tensor: _with_one_behind(call, values, tensor)


def _with_one_behind(call: Callable[[Any], object], values: Any, tensor: torch.Tensor) -> object:
    there = tensor.data
    tensor.data = there.cpu()
    try:
        return call(values)
    finally:
        tensor.data = there


if __name__ == "__main__":
    sys.exit(main())
