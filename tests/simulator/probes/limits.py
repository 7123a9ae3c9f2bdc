"""What kernels of CUDA do not take although those of the CPU do, and the other way round."""

from __future__ import annotations

import torch
from expectations import HOST, mismatch, placed, raises, same
from torch.nn import functional


def _not_for(kernel: str, name: str) -> str:
    return f"\"{kernel}\" not implemented for '{name}'"


def products_of_integers_are_lacking(device: torch.device) -> None:
    """Products of matrices and vectors of integers or bools raise; the CPU has them.

    Source: aten/src/ATen/native/cuda/Blas.cpp, "addmm_cuda", "baddbmm_cuda", "addmv_impl_cuda",
    "dot": ``AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2``.
    """
    matrix = torch.ones(2, 2, dtype=torch.int64)
    assert (matrix @ matrix).tolist() == [[2, 2], [2, 2]]
    here = matrix.to(device)
    for compute, kernel in (
        (lambda: here @ here, "addmm_cuda"),
        (lambda: torch.mm(here, here), "addmm_cuda"),
        (lambda: functional.linear(here, here, here[0]), "addmm_cuda"),
        (lambda: torch.einsum("bij,bjk->bik", here[None], here[None]), "baddbmm_cuda"),
        (lambda: torch.bmm(here[None], here[None]), "baddbmm_cuda"),
        (lambda: here @ here[0], "addmv_impl_cuda"),
        (lambda: here[0] @ here[0], "dot"),
    ):
        with raises(RuntimeError, _not_for(kernel, "Long")):
            compute()
    with raises(RuntimeError, _not_for("addmm_cuda", "Int")):
        here.int() @ here.int()
    with raises(RuntimeError, _not_for("addmm_cuda", "Bool")):
        here.bool() @ here.bool()
    same(here.float() @ here.float(), [[2.0, 2.0], [2.0, 2.0]])


def products_compare_dtypes_and_devices_first(device: torch.device) -> None:
    """Operands of two dtypes, or of two devices, are refused before the kernel looks at them.

    Source: aten/src/ATen/native/LinearAlgebra.cpp, ``TORCH_META_FUNC(mm)``; native_functions.yaml,
    `mm` (checked).
    """
    here = torch.ones(2, 2, dtype=torch.int64, device=device)
    with raises(RuntimeError, "have the same dtype"):
        here @ here.float()
    with raises(RuntimeError, *mismatch("mat2", HOST, device, "mm")):
        here @ here.cpu()
    assert (here[:0] @ here).shape == (0, 2)


def pooling_of_integers_is_lacking(device: torch.device) -> None:
    """Pooling takes floating point only.

    Source: aten/src/ATen/native/cuda/DilatedMaxPool2d.cu, AveragePool2d.cu, AveragePool3d.cu:
    ``AT_DISPATCH_FLOATING_TYPES_AND2``.
    """
    image = torch.ones(1, 1, 4, 4, dtype=torch.int64)
    assert functional.max_pool2d(image.int(), 2).shape == (1, 1, 2, 2)
    for pool, kernel in (
        (functional.max_pool2d, "max_pool2d_with_indices_out_cuda_frame"),
        (functional.avg_pool2d, "avg_pool2d_out_cuda_frame"),
    ):
        with raises(RuntimeError, _not_for(kernel, "Long")):
            pool(image.to(device), 2)
        placed(device, pool(image.to(device).float(), 2))


def images_of_bytes_are_not_interpolated(device: torch.device) -> None:
    """Bilinear and bicubic interpolation take floating point only; the CPU takes bytes.

    Source: aten/src/ATen/native/cuda/UpSampleBilinear2d.cu, UpSampleBicubic2d.cu.
    """
    image = torch.ones(1, 1, 2, 2, dtype=torch.uint8)
    for mode in ("bilinear", "bicubic"):
        assert functional.interpolate(image, size=4, mode=mode).dtype is torch.uint8
        with raises(RuntimeError, _not_for(f"upsample_{mode}2d_out_frame", "Byte")):
            functional.interpolate(image.to(device), size=4, mode=mode)
    nearest = functional.interpolate(image.to(device), size=4)
    placed(device, nearest)


def incomplete_gamma_functions_lack_half_precision(device: torch.device) -> None:
    """`igamma` and `igammac` take single and double precision.

    Source: aten/src/ATen/native/cuda/IGammaKernel.cu: ``AT_DISPATCH_FLOATING_TYPES``.
    """
    for function, kernel in ((torch.igamma, "igamma_cuda"), (torch.igammac, "igammac_cuda")):
        half = torch.ones(2, dtype=torch.float16, device=device)
        with raises(RuntimeError, _not_for(kernel, "Half")):
            function(half, half)
        placed(device, function(half.float(), half.float()))


def least_squares_have_one_driver(device: torch.device) -> None:
    """`torch.linalg.lstsq` takes no driver but "gels".

    Source: aten/src/ATen/native/BatchLinearAlgebra.cpp, `linalg_lstsq_out`; torch docs,
    `torch.linalg.lstsq`.
    """
    left, right = torch.eye(3, device=device), torch.ones(3, 1, device=device)
    for driver in ("gelsy", "gelsd", "gelss"):
        with raises(RuntimeError, "`driver` other than `gels` is not supported on CUDA"):
            torch.linalg.lstsq(left, right, driver=driver)
    for chosen in (None, "gels"):
        same(torch.linalg.lstsq(left, right, driver=chosen).solution, [[1.0], [1.0], [1.0]])


def singular_values_have_drivers(device: torch.device) -> None:
    """`torch.linalg.svd` takes a driver on CUDA only.

    Source: torch docs, `torch.linalg.svd`, "driver"; aten/src/ATen/native/BatchLinearAlgebra.cpp,
    ``TORCH_META_FUNC(_linalg_svd)``.
    """
    with raises(RuntimeError, "`driver=` is only supported on CUDA inputs"):
        torch.linalg.svd(torch.eye(2), driver="gesvd")
    for driver in ("gesvd", "gesvdj", "gesvda"):
        same(torch.linalg.svd(2 * torch.eye(2, device=device), driver=driver).S, [2.0, 2.0])
        same(torch.linalg.svdvals(torch.eye(2, device=device), driver=driver), [1.0, 1.0])


def what_the_host_lacks_the_device_computes(device: torch.device) -> None:
    """Pooling in three dimensions, interpolation with antialiasing and margin losses in half
    precision, and histograms of integers work on the device only.

    Source: aten/src/ATen/native/cuda/AveragePool3d.cu, UpSampleBilinear2d.cu, MultiMarginLoss.cu,
    MultiLabelMarginCriterion.cu, SummaryOps.cu; torch.testing, op_db: ``dtypesIfCUDA``.
    """
    for dtype in (torch.float16, torch.bfloat16):
        space = torch.ones(1, 1, 2, 2, 2, dtype=dtype, device=device, requires_grad=True)
        pooled = functional.avg_pool3d(space, 2)
        assert pooled.dtype is dtype
        pooled.sum().backward()
        same(space.grad, torch.full((1, 1, 2, 2, 2), 0.125))
        image = torch.ones(1, 1, 4, 4, dtype=dtype, device=device, requires_grad=True)
        small = functional.interpolate(image, size=2, mode="bilinear", antialias=True)
        small.sum().backward()
        assert small.dtype is image.grad.dtype is dtype
        rows = torch.zeros(2, 3, dtype=dtype, device=device, requires_grad=True)
        labels = torch.zeros(2, dtype=torch.int64, device=device)
        loss = functional.multi_margin_loss(rows, labels)
        loss.backward()
        assert loss.dtype is rows.grad.dtype is dtype
    counts = torch.histc(torch.tensor([0, 1, 1, 3], device=device), bins=4)
    same(counts, [1, 2, 0, 1])
    assert counts.dtype is torch.int64
