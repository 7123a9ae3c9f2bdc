"""What torch has renamed, replaced or removed since its first releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from devicefix.torch_api.factories import LEGACY_CONSTRUCTORS
from devicefix.torch_api.rows import DOCS, table

_RELEASES: Final = "https://github.com/pytorch/pytorch/releases/tag/"


class Renaming(Struct, frozen=True):
    """A function that has another name since ``since`` and takes and gives the same."""

    name: str
    new: str
    since: str
    source: str
    quiet: tuple[int, int] | None = None
    """A version from which on the old name is as good as the new one: it warns no more."""

    def concerns(self, torch: tuple[int, ...]) -> bool:
        """Whether a program that has to run with ``torch`` and newer ones should know."""
        return self.quiet is None or torch < self.quiet


class Removal(Struct, frozen=True):
    """A function that raises, or is not there, since ``since``; ``instead`` is not the same."""

    name: str
    instead: str
    since: str
    source: str


def _renamed(
    module: str,
    names: str,
    new: str,
    since: str,
    source: str,
    quiet: tuple[int, int] | None = None,
) -> Iterator[Renaming]:
    """``new`` is a pattern in which ``{}`` is the old name."""
    for name in names.split():
        yield Renaming(f"{module}.{name}", new.format(name), since, source, quiet)


def _removed(instead: Mapping[str, str], since: str) -> Iterator[Removal]:
    for name, other in instead.items():
        page = f"{DOCS}generated/{other}.html"
        yield Removal(f"torch.{name}", other, since, page)


RENAMED: Final[Mapping[str, Renaming]] = table(
    _renamed(
        "torch.nn.init",
        "constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform "
        "xavier_normal xavier_uniform",
        "torch.nn.init.{}_",
        "0.4.0",
        DOCS + "nn.init.html",
    ),
    _renamed(
        "torch.nn.utils",
        "clip_grad_norm",
        "torch.nn.utils.{}_",
        "0.4.0",
        DOCS + "generated/torch.nn.utils.clip_grad_norm_.html",
    ),
    _renamed(
        "torch.nn.functional",
        "sigmoid tanh",
        "torch.{}",
        "0.4.1",
        _RELEASES + "v0.4.1",
        # https://github.com/pytorch/pytorch/blob/v2.4.0/torch/nn/functional.py
        quiet=(2, 4),
    ),
    _renamed(
        "torch.nn.functional",
        "upsample",
        "torch.nn.functional.interpolate",
        "0.4.1",
        DOCS + "generated/torch.nn.functional.upsample.html",
    ),
)
"""Old names that still work, most of them with a warning; the new ones are called by them."""

REMOVED: Final[Mapping[str, Removal]] = table(
    _removed(
        {
            "eig": "torch.linalg.eig",
            "lstsq": "torch.linalg.lstsq",
            "matrix_rank": "torch.linalg.matrix_rank",
            "solve": "torch.linalg.solve",
            "symeig": "torch.linalg.eigh",
        },
        "1.13.0",
    ),
    _removed(
        {
            "btrifact": "torch.linalg.lu_factor",
            "btrisolve": "torch.linalg.lu_solve",
            "gels": "torch.linalg.lstsq",
            "gesv": "torch.linalg.solve",
            "ifft": "torch.fft.ifft",
            "irfft": "torch.fft.irfft",
            "potrf": "torch.linalg.cholesky",
            "potri": "torch.cholesky_inverse",
            "potrs": "torch.cholesky_solve",
            "pstrf": "torch.linalg.cholesky",
            "rfft": "torch.fft.rfft",
            "trtrs": "torch.linalg.solve_triangular",
        },
        "1.8.0",
    ),
)
"""Functions whose arguments, results or defaults differ from those of what came instead."""


class Compatible(Struct, frozen=True):
    """A name of ``torch._six`` for what Python 3 itself has: an expression, or an import."""

    name: str
    text: str
    binds: str = ""
    """The name that the import in ``text`` binds; empty where it needs an ``as``."""
    imports: bool = True
    source: str = "https://github.com/pytorch/pytorch/blob/v1.12.1/torch/_six.py"


COMPATIBLE: Final[Mapping[str, Compatible]] = table(
    (
        Compatible("torch._six.container_abcs", "import collections.abc"),
        Compatible("torch._six.inf", "from math import inf", "inf"),
        Compatible("torch._six.int_classes", "int", imports=False),
        Compatible("torch._six.nan", "from math import nan", "nan"),
        Compatible("torch._six.queue", "import queue", "queue"),
        Compatible("torch._six.string_classes", "(str, bytes)", imports=False),
    )
)
"""What ``torch._six``, which torch 2.0 has no more, was imported for."""


def _reductions() -> Iterator[tuple[str, int]]:
    layers = {
        0: "KLDivLoss L1Loss MSELoss MultiLabelMarginLoss SmoothL1Loss SoftMarginLoss",
        1: "BCELoss BCEWithLogitsLoss CosineEmbeddingLoss CrossEntropyLoss HingeEmbeddingLoss "
        "MarginRankingLoss MultiLabelSoftMarginLoss NLLLoss",
        2: "PoissonNLLLoss",
        3: "MultiMarginLoss",
        4: "TripletMarginLoss",
    }
    functions = {
        2: "kl_div l1_loss mse_loss multilabel_margin_loss smooth_l1_loss soft_margin_loss",
        3: "binary_cross_entropy binary_cross_entropy_with_logits cross_entropy "
        "hinge_embedding_loss multilabel_soft_margin_loss nll_loss",
        4: "cosine_embedding_loss margin_ranking_loss poisson_nll_loss",
        5: "multi_margin_loss",
        7: "triplet_margin_loss",
    }
    for module, rows in (("torch.nn", layers), ("torch.nn.functional", functions)):
        for position, names in rows.items():
            yield from ((f"{module}.{name}", position) for name in names.split())


REDUCTIONS: Final[Mapping[str, int]] = MappingProxyType(dict(_reductions()))
"""Losses that still take ``size_average`` and ``reduce``, and the position of the former.

Source: https://docs.pytorch.org/docs/stable/nn.html#loss-functions
"""

OLD_REDUCTION: Final = ("size_average", "reduce")
"""What `reduction` has replaced."""

OLD_NAMES: Final = frozenset(
    {
        "torch.autograd.Function",
        "torch.autograd.Variable",
        *RENAMED,
        *REMOVED,
        *REDUCTIONS,
        *LEGACY_CONSTRUCTORS,
    }
)
"""What old idioms are about."""
