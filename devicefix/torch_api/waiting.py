"""Which calls make the host wait for the device, as far as that can be said of a name.

All that is not told here, and is no row of the tables, may wait.
"""

from __future__ import annotations

from typing import Final

from devicefix.torch_api.functions import Result, function
from devicefix.torch_api.modules import layer
from devicefix.torch_api.rows import words

CLOCKS: Final = words(
    """
    time.time time.time_ns time.monotonic time.monotonic_ns time.perf_counter time.perf_counter_ns
    timeit.default_timer datetime.datetime.now datetime.datetime.utcnow
    """
)
"""Clocks that go on while the host does something else.
https://docs.python.org/3/library/time.html#time.perf_counter
"""

NEEDS_VALUES: Final = words(
    """
    allclose argwhere bincount equal histc histogram is_nonzero item lstsq masked_select multinomial
    nonzero nonzero_static normal one_hot repeat_interleave tensor_split tolist unique
    unique_consecutive __bool__ __complex__ __float__ __format__ __index__ __int__ __repr__ __str__
    cholesky cholesky_solve det eig eigh geqrf inverse lobpcg logdet lu lu_solve matrix_rank
    orgqr ormqr pca_lowrank pinverse qr slogdet solve svd svd_lowrank symeig triangular_solve
    ctc_loss clip_grad_norm
    """
)
"""Operations that look at the values of a tensor before they return.

The operators that torch tags `data_dependent_output` or `dynamic_output_shape`
(https://docs.pytorch.org/docs/stable/torch.html#operator-tags), those that check their arguments'
values, and linear algebra, which looks whether it has succeeded
(https://docs.pytorch.org/docs/stable/generated/torch.linalg.inv_ex.html).
"""

_CONTEXTS: Final = words(
    """
    torch.no_grad torch.enable_grad torch.inference_mode torch.set_grad_enabled torch.autocast
    torch.amp.autocast torch.cuda.amp.autocast torch.is_grad_enabled torch.manual_seed
    torch.cuda.manual_seed torch.cuda.manual_seed_all torch.cuda.is_available
    torch.cuda.device_count torch.device torch.Size torch.set_printoptions torch.cuda.stream
    torch.cuda.device torch.profiler.record_function torch.autograd.profiler.record_function
    builtins.open contextlib.nullcontext contextlib.suppress
    """
)
"""Further calls, and contexts that do not wait where they are entered or left either."""


def model_goes_on(name: str) -> bool:
    """Whether calling what a function or class of a library makes surely does so.

    The layers of torch, and what stands in ``torchvision.models`` itself, which classifies images
    (https://docs.pytorch.org/vision/stable/models.html#classification): those that find objects are
    one level down, and look for them on the host.
    """
    head, _, last = name.rpartition(".")
    return layer(name) is not None or (head == "torchvision.models" and last.isidentifier())


def goes_on(name: str) -> bool:
    """Whether a function surely returns before the device has done what it was given."""
    last = name.rpartition(".")[2]
    if name in _CONTEXTS:
        return True
    row = function(name)
    known = row is not None and row.known and row.result in (Result.TENSOR, Result.NUMBER)
    return known and ".linalg." not in name and last.removesuffix("_") not in NEEDS_VALUES
