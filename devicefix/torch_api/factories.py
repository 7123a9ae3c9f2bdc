"""Every torch callable that creates a tensor from nothing, or from the host's data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from devicefix.torch_api.names import canonical
from devicefix.torch_api.rows import DOCS, table


class Factory(Struct, frozen=True):
    """One creator of tensors.

    ``device_keyword``: it takes ``device=``; only together with one of ``device_with`` (a position
    and a keyword) where that is not empty. ``data``: it reads Python or numpy data.
    ``shares_memory``: the result may share the memory of that data. ``dtype``: ``default`` (the
    default float), ``data`` (follows the data), ``operand`` (follows the tensor given), or a
    dtype's name. ``random``: it draws numbers, and takes a ``generator=``. ``together``: the
    tensors that it is made of have to live together.
    """

    name: str
    device_keyword: bool
    data: bool
    shares_memory: bool
    dtype: str
    random: bool
    source: str
    device_with: tuple[int | str, ...] = ()
    together: bool = False


class LegacyConstructor(Struct, frozen=True):
    """A typed tensor class that is called to make a tensor: ``torch.FloatTensor(3, 4)``.

    It takes sizes, or data, or a tensor. ``device`` is where its tensors live (for ``torch.Tensor``
    only as long as nobody sets another default tensor type).
    """

    name: str
    device: Literal["cpu", "cuda"]
    dtype: str
    source: str


def _makers(
    names: str,
    dtype: str,
    *,
    device_keyword: bool = True,
    data: bool = False,
    shares_memory: bool = False,
    random: bool = False,
    device_with: tuple[int | str, ...] = (),
    together: bool = False,
    page: str = "",
) -> Iterator[Factory]:
    for name in names.split():
        source = DOCS + (page or f"generated/{name}.html")
        yield Factory(
            name,
            device_keyword,
            data,
            shares_memory,
            dtype,
            random,
            source,
            device_with,
            together,
        )


FACTORIES: Final[Mapping[str, Factory]] = table(
    _makers("torch.zeros torch.ones torch.empty torch.eye torch.range", "default"),
    _makers("torch.linspace torch.logspace", "default"),
    _makers("torch.empty_strided torch.empty_permuted", "default"),
    _makers("torch.hann_window torch.hamming_window torch.bartlett_window", "default"),
    _makers("torch.blackman_window torch.kaiser_window", "default"),
    _makers("torch.fft.fftfreq torch.fft.rfftfreq", "default"),
    _makers(
        "torch.signal.windows.bartlett torch.signal.windows.blackman torch.signal.windows.cosine "
        "torch.signal.windows.exponential torch.signal.windows.gaussian "
        "torch.signal.windows.general_cosine torch.signal.windows.general_hamming "
        "torch.signal.windows.hamming torch.signal.windows.hann torch.signal.windows.kaiser "
        "torch.signal.windows.nuttall",
        "default",
    ),
    _makers("torch.rand torch.randn", "default", random=True),
    _makers("torch.normal", "default", random=True, device_with=(2, "size")),
    _makers("torch.randint torch.randperm", "int64", random=True),
    _makers("torch.tril_indices torch.triu_indices", "int64"),
    _makers("torch.arange torch.full", "data"),
    _makers("torch.tensor", "data", data=True),
    _makers("torch.scalar_tensor", "default", data=True, page="torch.html"),
    _makers("torch.as_tensor torch.asarray", "data", data=True, shares_memory=True),
    _makers(
        "torch.from_numpy torch.frombuffer",
        "data",
        device_keyword=False,
        data=True,
        shares_memory=True,
    ),
    _makers("torch.from_file", "default", data=True, shares_memory=True),
    _makers(
        "torch.sparse_coo_tensor torch.sparse_csr_tensor torch.sparse_csc_tensor "
        "torch.sparse_bsr_tensor torch.sparse_bsc_tensor torch.sparse_compressed_tensor",
        "data",
        data=True,
        together=True,
    ),
    _makers("torch.nested.nested_tensor", "data", data=True, page="nested.html"),
    _makers("torch.get_rng_state", "uint8", device_keyword=False),
    _makers(
        "torch.cuda.get_rng_state",
        "uint8",
        device_keyword=False,
        page="generated/torch.cuda.get_rng_state.html",
    ),
)
"""Functions by canonical name; the result lives on the CPU where no device is named.

``torch.arange`` and ``torch.full`` follow the *numbers* given: integers make int64.
"""

LIKE: Final[Mapping[str, Factory]] = table(
    _makers("torch.zeros_like torch.ones_like torch.empty_like torch.full_like", "operand"),
    _makers("torch.rand_like torch.randn_like torch.randint_like", "operand", random=True),
)
"""Functions whose result follows the tensor given: device and dtype."""

_NEW_PAGE: Final = "generated/torch.Tensor.{}.html"

NEW_METHODS: Final[Mapping[str, Factory]] = table(
    *(
        _makers(name, "operand", page=_NEW_PAGE.format(name))
        for name in (
            "new_zeros",
            "new_ones",
            "new_empty",
            "new_full",
            "new_empty_strided",
        )
    ),
    _makers("new_tensor", "operand", data=True, page=_NEW_PAGE.format("new_tensor")),
    _makers("new", "operand", data=True, page="tensors.html"),
)
"""Methods of a tensor that make a tensor of its dtype where it lives."""

_LEGACY_DTYPES: Final[Mapping[str, str]] = {
    "Tensor": "default",
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "ByteTensor": "uint8",
    "CharTensor": "int8",
    "ShortTensor": "int16",
    "IntTensor": "int32",
    "LongTensor": "int64",
    "BoolTensor": "bool",
}


def _legacy() -> Iterator[LegacyConstructor]:
    page = f"{DOCS}tensors.html"
    for short, dtype in _LEGACY_DTYPES.items():
        yield LegacyConstructor(f"torch.{short}", "cpu", dtype, page)
        if short != "Tensor":
            yield LegacyConstructor(f"torch.cuda.{short}", "cuda", dtype, page)


LEGACY_CONSTRUCTORS: Final[Mapping[str, LegacyConstructor]] = table(_legacy())
"""The typed tensor classes by canonical name."""

SPARSE_TYPES: Final[Mapping[str, str]] = {
    row.name.replace("torch.", "torch.sparse."): row.dtype
    for row in LEGACY_CONSTRUCTORS.values()
    if row.device == "cpu" and row.name != "torch.Tensor"
}
"""Classes of sparse tensors on the CPU, with their dtypes; they take indices and values of there.
https://github.com/pytorch/pytorch/blob/v1.0.0/docs/source/sparse.rst
"""

EXACT: Final = frozenset({
    "torch.arange", "torch.empty", "torch.empty_strided", "torch.eye", "torch.full", "torch.ones",
    "torch.tril_indices", "torch.triu_indices", "torch.zeros",
})  # fmt: skip
"""Factories that make the same values on any device."""


def factory(name: str) -> Factory | None:
    """Return the row of a function that creates a tensor from nothing, or ``None``."""
    return FACTORIES.get(canonical(name))
