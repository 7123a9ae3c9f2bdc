"""Sparse tensors in coordinate format."""

from __future__ import annotations

import torch
from expectations import HOST, mismatch, placed, raises, same


def _sample(device: torch.device) -> torch.Tensor:
    indices = torch.tensor([[0, 1], [1, 0]], device=device)
    values = torch.tensor([2.0, 3.0], device=device)
    return torch.sparse_coo_tensor(indices, values, (2, 2))


def a_sparse_tensor_is_made_where_its_parts_are(device: torch.device) -> None:
    """`sparse_coo_tensor` of device parts is on the device. Parts in two places raise, unless
    ``device=`` brings both over.

    Source: test/test_sparse.py, `test_factory_device_type_inference`;
    native_functions.yaml, `_sparse_coo_tensor_with_dims_and_tensors` (checked, so that the
    "backend of indices" of aten/src/ATen/native/sparse/SparseTensor.cpp is not reached).
    """
    made = _sample(device)
    placed(device, made, made.coalesce().indices(), made.coalesce().values())
    indices, values = torch.tensor([[0], [1]]), torch.tensor([2.0], device=device)
    maker = "__sparse_coo_tensor_with_dims_and_tensors"
    with raises(RuntimeError, *mismatch("values", device, HOST, maker, key="SparseCUDA")):
        torch.sparse_coo_tensor(indices, values, (2, 2))
    mixed = torch.sparse_coo_tensor(indices, values, (2, 2), device=device)
    placed(device, mixed, mixed.coalesce().indices())


def a_sparse_tensor_moves(device: torch.device) -> None:
    """`to`, `cpu` and `cuda` move all parts; the type says "sparse".

    Source: torch docs, `torch.sparse`; torch/csrc/utils/tensor_types.cpp.
    """
    here = _sample(HOST).to(device)
    placed(device, here, here.coalesce().values())
    placed(HOST, here.cpu(), here.cpu().coalesce().values())
    assert here.is_sparse
    assert here.is_cuda
    assert here.type() == "torch.cuda.sparse.FloatTensor"
    same(here.to_dense(), [[0.0, 2.0], [3.0, 0.0]])
    placed(device, here.to_dense(), torch.eye(2, device=device).to_sparse())


def sparse_products_on_the_device(device: torch.device) -> None:
    """A sparse matrix times a dense one is dense, on the device.

    Source: torch docs, `torch.sparse.mm`; native_functions.yaml, `_sparse_addmm`.
    """
    product = torch.sparse.mm(_sample(device), torch.eye(2, device=device))
    placed(device, product)
    same(product, [[0.0, 2.0], [3.0, 0.0]])


def sparse_products_need_one_device(device: torch.device) -> None:
    """A sparse CPU matrix does not multiply a dense device matrix, nor vice versa.

    Which check raises differs by release; all of them are RuntimeErrors.
    Source: native_functions.yaml, `addmm` (SparseCUDA, checked).
    """
    with raises(RuntimeError, "Expected all tensors to be on the same device", "expected"):
        torch.sparse.mm(_sample(device), torch.eye(2))
    with raises(RuntimeError, "Expected all tensors to be on the same device", "expected"):
        torch.sparse.mm(_sample(HOST), torch.eye(2, device=device))


def sparse_gradients_are_on_the_device(device: torch.device) -> None:
    """``nn.Embedding(sparse=True)`` on the device gets a sparse gradient there.

    Source: torch docs, `torch.nn.Embedding`; aten/src/ATen/native/Embedding.cpp,
    `embedding_sparse_backward`.
    """
    layer = torch.nn.Embedding(3, 2, sparse=True).to(device)
    layer(torch.tensor([1], device=device)).sum().backward()
    gradient = layer.weight.grad
    assert gradient is not None
    assert gradient.is_sparse
    placed(device, gradient)
    same(gradient.to_dense(), [[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]])


def sparse_sums_stay_on_the_device(device: torch.device) -> None:
    """Sums, `coalesce` and transposition of sparse device tensors are on the device.

    Source: torch docs, `torch.sparse`.
    """
    doubled = _sample(device) + _sample(device)
    placed(device, doubled, doubled.t(), doubled.coalesce(), torch.sparse.sum(doubled))
    same(doubled.to_dense(), [[0.0, 4.0], [6.0, 0.0]])
