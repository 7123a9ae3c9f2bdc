"""How torch words its errors of placement: one table, with the source of each text.

Errors that the simulated accelerator raises say by themselves what they are about. Those of torch's
own C++ and Python carry their text and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final


class About(Enum):
    """What an error of placement is about."""

    MIXED = "tensors on two devices were combined"
    NUMPY = "NumPy was given a tensor on the device"
    LENGTHS = "lengths must be on the CPU"
    INDEX = "an index is on another device than the indexed tensor"
    GENERATOR = "a generator on another device"
    REPLICAS = "a module is not on the first device of its replicas"
    GRADIENT = "a gradient is on another device than its tensor"
    PINNING = "a tensor on the device cannot be pinned"
    FLOAT64 = "the device has no float64"
    FORK = "the device was used in a forked process"
    CONSTRUCTOR = "a legacy constructor for another device"
    HOST_ONLY = "an operation that runs on the CPU only"


@dataclass(frozen=True)
class Wording:
    """One text of torch."""

    pattern: re.Pattern[str]
    about: About
    source: str
    """Where torch has it."""


def _wording(pattern: str, about: About, source: str) -> Wording:
    return Wording(re.compile(pattern, re.IGNORECASE | re.DOTALL), about, source)


WORDINGS: Final = (
    _wording(
        r"can't convert .+ device type tensor to numpy",
        About.NUMPY,
        "torch/csrc/utils/tensor_numpy.cpp",
    ),
    _wording(
        r"'lengths' argument should be a 1D CPU int64 tensor, but got 1D (?!CPU)",
        About.LENGTHS,
        "aten/src/ATen/native/PackedSequence.cpp",
    ),
    _wording(
        r"lengths.{0,40}must be on (the )?CPU", About.LENGTHS, "torch/nn/utils/rnn.py and forks"
    ),
    _wording(
        r"indices should be either on .+ or on the same device as the indexed tensor",
        About.INDEX,
        "aten/src/ATen/native/IndexingUtils.h",
    ),
    _wording(
        r"expected a '\w+' (device type for generator|generator device)",
        About.GENERATOR,
        "aten/src/ATen/core/Generator.h, torch/csrc/utils/python_arg_parser.h",
    ),
    _wording(
        r"module must have its parameters and buffers on device .+ but found one of them on",
        About.REPLICAS,
        "torch/nn/parallel/data_parallel.py",
    ),
    _wording(
        r"returned an invalid gradient at index \d+ - expected device",
        About.GRADIENT,
        "torch/csrc/autograd/engine.cpp, validate_outputs",
    ),
    _wording(
        r"assigned grad has data (of|located on) a different device",
        About.GRADIENT,
        "torch/csrc/autograd/python_variable.cpp, THPVariable_set_grad",
    ),
    _wording(
        r"attempting to assign a gradient with device type",
        About.GRADIENT,
        "torch/csrc/autograd/python_variable.cpp",
    ),
    _wording(
        r"cannot pin '.+' only dense CPU tensors can be pinned",
        About.PINNING,
        "aten/src/ATen/native/Memory.cpp",
    ),
    _wording(
        r"Cannot convert a MPS Tensor to float64",
        About.FLOAT64,
        "aten/src/ATen/mps/EmptyTensor.cpp",
    ),
    _wording(
        r"Cannot re-initialize (CUDA|XPU|MPS) in forked subprocess",
        About.FORK,
        "torch/cuda/__init__.py, _lazy_init",
    ),
    _wording(
        r"legacy constructor expects device type",
        About.CONSTRUCTOR,
        "torch/csrc/utils/tensor_new.cpp, check_legacy_ctor_device",
    ),
    _wording(
        r"(Input|input|weight|bias) type \(torch\.(\w+\.)?\w+Tensor\) and (weight|bias) type "
        r"\(torch\.(\w+\.)?\w+Tensor\) should be the same",
        About.MIXED,
        "aten/src/ATen/native/Convolution.cpp, check_input_same_type_as_parameters",
    ),
    _wording(
        r"Input and (parameter|hidden) tensors are not at the same device",
        About.MIXED,
        "aten/src/ATen/native/RNN.cpp, check_attributes",
    ),
    _wording(
        r"Expected all tensors to be on the same device",
        About.MIXED,
        "aten/src/ATen/TensorIterator.cpp, aten/src/ATen/core/adaption.cpp",
    ),
    _wording(
        r"Expected .+ to be on the same device, but",
        About.MIXED,
        "aten/src/ATen/native: masked_select, where, tensor_split, lerp",
    ),
    _wording(
        r"(all|input|query).{0,60} (to have|must have|must be on|to be on|on) the same device",
        About.MIXED,
        "aten/src/ATen/native: transformers/attention.cpp, TensorShape.cpp and others",
    ),
    _wording(
        r"Tensors of the same index must be on the same device",
        About.MIXED,
        "torch/utils/_foreach_utils.py, through torch/optim",
    ),
    _wording(
        r"Expected (object of|tensor .+ to have|a tensor of) .*device ?type",
        About.MIXED,
        "aten/src/ATen/TensorUtils.cpp, checkDeviceType",
    ),
    _wording(
        r"Attempted to set the storage of a tensor on device .+ to a storage on different device",
        About.MIXED,
        "torch/csrc/DynamicTypes.cpp and aten/src/ATen/native/TensorFactories.h, set_",
    ),
    _wording(
        r"values for attribute 'device' do not match",
        About.MIXED,
        "torch/testing/_comparison.py, TensorLikePair",
    ),
    _wording(
        r"Could not run '.+' with arguments from the '(CUDA|MPS|XPU|CPU)' backend",
        About.HOST_ONLY,
        "aten/src/ATen/core/dispatch/OperatorEntry.cpp, reportError",
    ),
    _wording(
        r"is on \w+(:\d+)?, (but expected|different from other tensors)",
        About.MIXED,
        "aten/src/ATen/core/adaption.cpp, common_device_check_failure",
    ),
)
"""From the particular to the general: the first that matches counts."""


def about(message: str) -> About | None:
    """What an error text of torch is about; None if it is not about placement."""
    for wording in WORDINGS:
        if wording.pattern.search(message) and not _same_device(message):
            return wording.about
    return None


_TYPES: Final = re.compile(r"type \(torch\.(\w+\.)?\w+Tensor\)")


def _same_device(message: str) -> bool:
    """A convolution words a clash of dtypes like one of devices: the devices are the same then."""
    devices = _TYPES.findall(message)
    return len(devices) > 1 and len(set(devices)) == 1
