"""Attributes that are tensors, of what torch makes besides tensors and modules.

All of them live where the tensors do of which the whole was made.
"""

from __future__ import annotations

from typing import Final

_DISTRIBUTIONS: Final = (
    "alpha concentration concentration0 concentration1 cov_diag cov_factor covariance_matrix df "
    "df1 df2 loc logits mean mode precision_matrix probs rate scale scale_tril stddev temperature "
    "total_count variance"
)
"""https://docs.pytorch.org/docs/stable/distributions.html"""

_RESULTS: Final = (
    "L LD LU P Q R S U V Vh bin_edges eigenvalues eigenvectors exponent hist indices info inverse "
    "logabsdet loss mantissa max min output pivots rank residuals result sign singular_values "
    "solution tau values"
)
"""Fields of ``torch.return_types`` and ``torch.linalg``, and of what layers return
(https://docs.pytorch.org/docs/stable/generated/torch.nn.AdaptiveLogSoftmaxWithLoss.html)."""

PARTS: Final = frozenset(f"{_DISTRIBUTIONS} {_RESULTS}".split())
"""Names of these attributes."""

OBJECTS: Final = frozenset({"base_dist", "component_distribution", "mixture_distribution"})
"""Attributes that are distributions themselves."""

_PLAIN: Final = "arg_constraints batch_shape event_shape has_enumerate_support has_rsample support"
NUMBERS: Final = frozenset(_PLAIN.split())
"""Attributes of distributions that are no tensors and hold none."""

_NORMS: Final = (
    "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d "
    "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d SyncBatchNorm"
)
KEEP_STATISTICS: Final = frozenset(f"torch.nn.{name}" for name in _NORMS.split())
"""Layers whose ``forward`` writes them."""

STATISTICS: Final = frozenset(("num_batches_tracked", "running_mean", "running_var"))
"""Buffers of norms (https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html)."""
