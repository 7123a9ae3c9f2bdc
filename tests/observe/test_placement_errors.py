"""Torch's texts, told apart."""

from __future__ import annotations

import pytest

from devicefix.observe.placement_errors import WORDINGS, About, about


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                "Expected all tensors to be on the same device, but found at least two "
                "devices, cuda:0 and cpu! (when checking argument for argument mat1 in "
                "method wrapper_addmm)"
            ),
            About.MIXED,
        ),
        (
            (
                "Expected all tensors to be on the same device, but got mat1 is on cpu,"
                " different from other tensors on cuda:0 (when checking argument in "
                "method wrapper_CUDA_addmm)"
            ),
            About.MIXED,
        ),
        (
            (
                "Input type (torch.FloatTensor) and weight type "
                "(torch.cuda.FloatTensor) should be the same or input should be a "
                "MKLDNN tensor and weight is a dense tensor"
            ),
            About.MIXED,
        ),
        (
            (
                "Input and hidden tensors are not at the same device, found input "
                "tensor at cuda:0 and hidden tensor at cpu"
            ),
            About.MIXED,
        ),
        (
            (
                "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to "
                "copy the tensor to host memory first."
            ),
            About.NUMPY,
        ),
        (
            (
                "can't convert mps:0 device type tensor to numpy. Use Tensor.cpu() to "
                "copy the tensor to host memory first."
            ),
            About.NUMPY,
        ),
        (
            "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
            About.LENGTHS,
        ),
        (
            "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
            About.INDEX,
        ),
        ("Expected a 'cuda' device type for generator but found 'cpu'", About.GENERATOR),
        (
            (
                "module must have its parameters and buffers on device cuda:0 "
                "(device_ids[0]) but found one of them on device: cpu"
            ),
            About.REPLICAS,
        ),
        (
            (
                "Cannot re-initialize CUDA in forked subprocess. To use CUDA with "
                "multiprocessing, you must use the 'spawn' start method"
            ),
            About.FORK,
        ),
        (
            (
                "Cannot convert a MPS Tensor to float64 dtype as the MPS framework "
                "doesn't support float64. Please use float32 instead."
            ),
            About.FLOAT64,
        ),
        (
            "cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned",
            About.PINNING,
        ),
    ],
)
def test_what_a_text_is_about(text: str, expected: About) -> None:
    assert about(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        "expected scalar type Float but found Double",
        "Input type (torch.DoubleTensor) and weight type (torch.FloatTensor) should be the same",
        "'lengths' argument should be a 1D CPU int64 tensor, but got 1D CPU Float tensor",
        "CUDA out of memory",
        "No such device: the tape is on the shelf",
        "",
    ],
)
def test_texts_about_something_else(text: str) -> None:
    assert about(text) is None


def test_every_text_has_a_source() -> None:
    assert all(wording.source for wording in WORDINGS)
