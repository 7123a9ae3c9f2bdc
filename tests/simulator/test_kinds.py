"""What the simulated MPS, XPU and NPU lack or say otherwise than CUDA, and where torch has it.

Their kernels are in no wheel for Linux, so the sources of torch are the evidence, not a run.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import pytest
import torch

from tests.simulator.test_installation import Answers, answered

pytestmark = pytest.mark.slow

LACKS: Final = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 9)


@pytest.fixture
def answers(tmp_path: Path) -> Answers:
    """What expressions are in a process with a device; an error as "KIND: text"."""
    return partial(answered, tmp_path)


def test_mps_is_asked_in_its_own_names(answers: Answers) -> None:
    """torch/backends/mps/__init__.py and torch/mps/__init__.py."""
    found = answers(
        "sim:mps",
        "torch.backends.mps.is_available() and torch.backends.mps.is_built()",
        "torch.mps.device_count()",
        "torch.mps.recommended_max_memory() > 0",
        "torch.mps.current_allocated_memory()",
        "torch.mps.synchronize()",
        "torch.mps.empty_cache()",
        "torch.mps.set_per_process_memory_fraction(0.5)",
        "torch.mps.get_rng_state().numel() > 0",
        "torch.cuda.is_available()",
    )
    assert found == [True, 1, True, 0, None, None, None, True, False]


def test_mps_checks_operands_in_its_kernels(answers: Answers) -> None:
    """Placeholder in aten/src/ATen/native/mps/OperationUtils.mm, _mps_linear in
    operations/Linear.mm, slow_conv2d_forward_mps in aten/src/ATen/mps/MPSFallback.mm; iterators and
    the types of convolutions are compared as everywhere.
    """
    found = answers(
        "sim:mps",
        "torch.mm(x, torch.ones(3, 2))",
        "torch.nn.Embedding(3, 2).to('mps')(torch.tensor([1]))",
        "layer(torch.ones(2, 3))",
        "torch.nn.functional.linear(x, layer.weight, torch.ones(1))",
        "x + torch.ones(2, 3)",
        "torch.nn.Conv2d(1, 1, 1).to('mps')(torch.ones(1, 1, 1, 1))",
        "torch.nn.Conv2d(1, 1, 1)(torch.ones(1, 1, 1, 1, device='mps'))",
        before="x = torch.ones(2, 3, device='mps'); layer = torch.nn.Linear(3, 1).to('mps')",
    )
    placeholder = "RuntimeError: Placeholder storage has not been allocated on MPS device!"
    assert found[:2] == [placeholder, placeholder]
    assert found[2] == "RuntimeError: Tensor for argument input is on cpu but expected on mps"
    assert found[3] == "RuntimeError: Tensor for argument bias is on cpu but expected on mps"
    assert found[4].endswith("found at least two devices, mps:0 and cpu!")
    assert found[5] == (
        "RuntimeError: slow_conv2d_forward_mps: input(device='cpu') and weight(device=mps:0')  "
        "must be on the same device"
    )
    assert found[6].startswith(
        "RuntimeError: Input type (MPSFloatType) and weight type (torch.FloatTensor) should be"
    )


def test_linear_on_mps_is_that_of_the_cpu(answers: Answers) -> None:
    program = """
torch.manual_seed(0)
layer, x = torch.nn.Linear(3, 2), torch.randn(4, 3)
here = torch.autograd.grad(layer(x).pow(2).sum(), layer.weight)[0].tolist()
layer.to('mps')
there = torch.autograd.grad(layer(x.to('mps')).pow(2).sum(), layer.weight)[0].tolist()
"""
    assert answers("sim:mps", "here == there", before=program) == [True]


@pytest.mark.skipif(not LACKS, reason="older releases let other operators fall back")
def test_mps_lacks_operators(answers: Answers) -> None:
    """Those without MPS in native_functions.yaml; the words and what falls back to the CPU in
    aten/src/ATen/mps/MPSFallback.mm.
    """
    found = answers(
        "sim:mps",
        "torch.mode(x)",
        "torch.heaviside(x, x)",
        "torch.linalg.svd(x)[1].device.type",
        before="x = torch.eye(2, device='mps')",
    )
    for said, name in zip(found, ("mode", "heaviside.out"), strict=False):
        assert said.startswith(
            f"NotImplementedError: The operator 'aten::{name}' is not currently implemented for "
            "the MPS device. If you want this op to be considered for addition please comment on"
        )
        assert f"commit hash {torch.version.git_version}. As a temporary fix" in said
    assert found[2] == "mps"


@pytest.mark.skipif(not LACKS, reason="older releases let other operators fall back")
def test_mps_falls_back_where_it_is_asked_to(
    answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTORCH_ENABLE_MPS_FALLBACK", "1")
    found = answers("sim:mps", "torch.mode(torch.ones(2, device='mps')).values.item()")
    assert found == [1.0]


@pytest.mark.parametrize("kind", ["mps", "xpu", "npu"])
def test_no_kind_speaks_of_cuda(answers: Answers, kind: str) -> None:
    """check_device_index in c10/xpu/XPUFunctions.h, and in torch's example of a PrivateUse1."""
    found = answers(f"sim:{kind}", f"torch.ones(1).to('{kind}:3')", "str(torch.mm(x, x))",
                    before=f"x = torch.ones(2, 2, dtype=torch.int32, device='{kind}')")  # fmt: skip
    assert found[0] == (
        "RuntimeError: The device index is out of range. It must be in [0, 1), but got 3."
    )
    assert "cuda" not in found[1].lower()


@pytest.mark.parametrize("kind", ["xpu", "npu"])
def test_wrappers_of_other_kinds_check_as_those_of_cuda(answers: Answers, kind: str) -> None:
    """Where torchgen gives a dispatch key a device guard, its wrappers check operands."""
    (found,) = answers(
        f"sim:{kind}", f"torch.mm(torch.ones(1, 1, device='{kind}'), torch.ones(1, 1))"
    )
    assert found.startswith("RuntimeError: Expected all tensors to be on the same device")


def test_xpu_has_properties_of_its_own(answers: Answers) -> None:
    """torch/xpu/__init__.py: a capability is a dictionary."""
    found = answers(
        "sim:xpu",
        "torch.xpu.get_device_capability()['max_compute_units'] > 0",
        "torch.xpu.get_device_properties().platform_name",
    )
    assert found == [True, "Simulated platform"]


def test_npu_is_a_name_for_torch_s_private_place(answers: Answers) -> None:
    """torch/utils/backend_registration.py."""
    found = answers(
        "sim:npu:2",
        "torch._C._get_privateuse1_backend_name()",
        "str(torch.ones(1).npu().device), torch.ones(1).npu().is_npu",
        "str(torch.nn.Linear(1, 1).npu(1).weight.device)",
        "torch.npu.is_available(), torch.npu.device_count()",
        "str(torch.accelerator.current_accelerator())",
        "torch.npu.manual_seed_all(3)",
        "repr(torch.ones(1, device='npu'))",
        "str(torch.randn(1, device='npu', generator=torch.Generator('npu')).device)",
    )
    assert found == [
        "npu",
        ["npu:0", True],
        "npu:1",
        [True, 2],
        "npu",
        None,
        "tensor([1.], device='npu:0')",
        "npu:0",
    ]


def test_a_program_under_autocast_runs_on_npu(answers: Answers) -> None:
    program = """
with torch.autocast("npu", dtype=torch.bfloat16):
    y = torch.nn.Linear(2, 1).to("npu")(torch.ones(1, 2, device="npu"))
"""
    assert answers("sim:npu", "str(y.device)", before=program) == ["npu:0"]
