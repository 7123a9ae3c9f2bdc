"""What every torch callable does to kind, placement and dtype: tables, and their lookups.

Nothing here imports torch. Every fact has one row with its source; the tests check the rows against
the installed torch.
"""

from __future__ import annotations

from devicefix.torch_api.factories import (
    EXACT,
    FACTORIES,
    LEGACY_CONSTRUCTORS,
    LIKE,
    NEW_METHODS,
    Factory,
    LegacyConstructor,
    factory,
)
from devicefix.torch_api.functions import FUNCTIONS, LOSS_WEIGHTS, Function, Result, function
from devicefix.torch_api.methods import (
    ATTRIBUTES,
    METHODS,
    ONLY_TENSOR,
    ONLY_TENSOR_BESIDE_PANDAS,
    OTHER_TENSORS,
    Attribute,
    Effect,
    Method,
    method,
)
from devicefix.torch_api.modules import (
    DATA,
    EAGER_OPTIMIZERS,
    LAYERS,
    MODULE_ATTRIBUTES,
    DataKind,
    Layer,
    data_kind,
    is_optimizer,
    is_scheduler,
    layer,
    own_weight,
    recomputes_weights,
)
from devicefix.torch_api.names import canonical, star_names
from devicefix.torch_api.numpy_functions import NumpyFunction, numpy_function
from devicefix.torch_api.renamed import (
    OLD_NAMES,
    REDUCTIONS,
    REMOVED,
    RENAMED,
    Removal,
    Renaming,
)
from devicefix.torch_api.runtime import (
    AMP,
    ASKS_FOR_CUDA,
    CUDA_LIBRARIES,
    HARMLESS,
    MAP_LOCATION,
    NEEDS_CUDA,
    PUBLISHED,
    QUESTIONS,
    SETS_RANDOM_STATE,
    runs_on_cuda,
)
from devicefix.torch_api.since import SINCE, is_there
from devicefix.torch_api.storages import STORAGE_METHODS, STORAGES
from devicefix.torch_api.tensor_arguments import NO_TENSORS, NUMBERS_TOO, TENSOR_POSITIONS
from devicefix.torch_api.worlds import (
    DATASETS,
    MODULE_FACTORIES,
    World,
    makes_dataset,
    makes_module,
    makes_objects,
    world,
)

__all__ = [
    "AMP",
    "ASKS_FOR_CUDA",
    "ATTRIBUTES",
    "CUDA_LIBRARIES",
    "DATA",
    "DATASETS",
    "EAGER_OPTIMIZERS",
    "EXACT",
    "FACTORIES",
    "FUNCTIONS",
    "HARMLESS",
    "LAYERS",
    "LEGACY_CONSTRUCTORS",
    "LIKE",
    "LOSS_WEIGHTS",
    "MAP_LOCATION",
    "METHODS",
    "MODULE_ATTRIBUTES",
    "MODULE_FACTORIES",
    "NEEDS_CUDA",
    "NEW_METHODS",
    "NO_TENSORS",
    "NUMBERS_TOO",
    "OLD_NAMES",
    "ONLY_TENSOR",
    "ONLY_TENSOR_BESIDE_PANDAS",
    "OTHER_TENSORS",
    "PUBLISHED",
    "QUESTIONS",
    "REDUCTIONS",
    "REMOVED",
    "RENAMED",
    "SETS_RANDOM_STATE",
    "SINCE",
    "STORAGES",
    "STORAGE_METHODS",
    "TENSOR_POSITIONS",
    "Attribute",
    "DataKind",
    "Effect",
    "Factory",
    "Function",
    "Layer",
    "LegacyConstructor",
    "Method",
    "NumpyFunction",
    "Removal",
    "Renaming",
    "Result",
    "World",
    "canonical",
    "data_kind",
    "factory",
    "function",
    "is_optimizer",
    "is_scheduler",
    "is_there",
    "layer",
    "makes_dataset",
    "makes_module",
    "makes_objects",
    "method",
    "numpy_function",
    "own_weight",
    "recomputes_weights",
    "runs_on_cuda",
    "star_names",
    "world",
]
