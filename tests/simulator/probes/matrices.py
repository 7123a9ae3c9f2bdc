"""Products, and operations on lists of tensors."""

from __future__ import annotations

import torch
from expectations import HOST, mismatch, placed, raises, same
from torch.nn import functional


def a_linear_layer_names_the_operand(device: torch.device) -> None:
    """`functional.linear` is `addmm`: bias, input, weight in this order, and the first that is
    not where the bias is gets named.

    Source: aten/src/ATen/native/Linear.cpp (`addmm` for 2-dim inputs with a bias);
    native_functions.yaml, `addmm` (checked).
    """
    weight, bias, batch = torch.ones(2, 3), torch.ones(2), torch.ones(4, 3)
    with raises(RuntimeError, *mismatch("mat1", HOST, device, "addmm")):
        functional.linear(batch, weight.to(device), bias.to(device))
    with raises(RuntimeError, *mismatch("mat1", device, HOST, "addmm")):
        functional.linear(batch.to(device), weight, bias)


def a_linear_layer_without_bias_names_the_second(device: torch.device) -> None:
    """Without a bias `functional.linear` is `mm` of input and weight.

    Source: aten/src/ATen/native/Linear.cpp (`matmul`); native_functions.yaml, `mm` (checked).
    """
    weight, batch = torch.ones(2, 3), torch.ones(4, 3)
    with raises(RuntimeError, *mismatch("mat2", device, HOST, "mm")):
        functional.linear(batch, weight.to(device))
    with raises(RuntimeError, *mismatch("mat2", HOST, device, "mm")):
        functional.linear(batch.to(device), weight)


def matrix_products_need_one_device(device: torch.device) -> None:
    """`mm`, `bmm`, `baddbmm` and `dot` name their second operand.

    Source: native_functions.yaml, these four (checked).
    """
    square, batch, row = torch.ones(2, 2), torch.ones(1, 2, 2), torch.ones(2)
    with raises(RuntimeError, *mismatch("mat2", HOST, device, "mm")):
        square.to(device) @ square
    with raises(RuntimeError, *mismatch("mat2", device, HOST, "bmm")):
        torch.bmm(batch, batch.to(device))
    with raises(RuntimeError, *mismatch("batch2", HOST, device, "baddbmm")):
        torch.baddbmm(batch.to(device), batch.to(device), batch)
    with raises(RuntimeError, *mismatch("tensor", HOST, device, "_dot")):
        torch.dot(row.to(device), row)


def einsum_needs_one_device(device: torch.device) -> None:
    """`einsum` of two operands ends in `bmm`, which names the second.

    Source: aten/src/ATen/native/Linear.cpp, `einsum` and `sumproduct_pair`.
    """
    left, right = torch.ones(2, 3, device=device), torch.ones(3, 2)
    with raises(RuntimeError, *mismatch("mat2", HOST, device, "bmm")):
        torch.einsum("ij,jk->ik", left, right)
    same(torch.einsum("ij,jk->ik", left, right.to(device)), [[3.0, 3.0], [3.0, 3.0]])


def a_product_writes_out_where_out_is(device: torch.device) -> None:
    """``torch.mm(x, y, out=host)`` raises: ``out`` is looked at first, so ``self`` is named.

    Source: torchgen/dest/register_dispatch_key.py: the check takes the out arguments, then the
    others.
    """
    here = torch.ones(2, 2, device=device)
    with raises(RuntimeError, *mismatch("self", device, HOST, "mm_out_out")):
        torch.mm(here, here, out=torch.empty(2, 2))


def out_is_resized_and_filled(device: torch.device) -> None:
    """``out=`` on the device is resized if it is empty, keeps its identity and gets the result.

    Source: aten/src/ATen/native/Resize.cpp, `resize_output`; test/test_torch.py.
    """
    here, out = torch.ones(2, 2, device=device), torch.empty(0, device=device)
    assert torch.mm(here, here, out=out) is out
    placed(device, out)
    same(out, [[2.0, 2.0], [2.0, 2.0]])
    torch.add(here, 1, out=out)
    same(out, [[2.0, 2.0], [2.0, 2.0]])
    first = torch.empty(0, device=device)
    torch.cat([here, here], out=first)
    assert first.shape == (4, 2)


def a_list_to_cat_lives_in_one_place(device: torch.device) -> None:
    """`torch.cat` wants all tensors of its list where the first is; empty ones as well.

    Source: native_functions.yaml, `cat` (checked; a list goes by the name ``tensors``).
    """
    here, there = torch.ones(2, device=device), torch.ones(2)
    with raises(RuntimeError, *mismatch("tensors", HOST, device, "cat")):
        torch.cat([here, there])
    with raises(RuntimeError, *mismatch("tensors", device, HOST, "cat")):
        torch.cat([there, here])
    with raises(RuntimeError, *mismatch("tensors", device, HOST, "cat")):
        torch.cat([torch.empty(0), here])


def a_list_to_stack_lives_in_one_place(device: torch.device) -> None:
    """`torch.stack` raises what `cat` raises; 0-dim CPU tensors are not exempt.

    Source: aten/src/ATen/native/TensorShape.cpp, `stack` calls `cat`.
    """
    here, there = torch.tensor(1.0, device=device), torch.tensor(2.0)
    with raises(RuntimeError, *mismatch("tensors", HOST, device, "cat")):
        torch.stack([here, there])
    placed(device, torch.stack([here, here]), torch.hstack([here, here]))


def broadcasting_shapes_are_read_anywhere(device: torch.device) -> None:
    """`expand_as`, `view_as`, `reshape_as`, `broadcast_tensors` and `type_as` only look at the
    other tensor; the first three leave the device as it is, `type_as` takes it over.

    Source: native_functions.yaml, `expand_as`, `view_as`: composite, no check; `type_as`:
    aten/src/ATen/native/TensorConversions.cpp, ``self.to(other.options())``.
    """
    here, there = torch.ones(1, device=device), torch.zeros(3, dtype=torch.float64)
    placed(device, here.expand_as(there), here.view_as(torch.zeros(1)))
    first, second = torch.broadcast_tensors(here, there)
    placed(device, first)
    placed(HOST, second)
    moved = here.type_as(there)
    placed(HOST, moved)
    assert moved.dtype is torch.float64


def meshgrid_and_cartesian_products(device: torch.device) -> None:
    """`meshgrid` refuses CPU and device tensors together, `cdist` as well.

    Source: aten/src/ATen/native/TensorShape.cpp, `meshgrid`: "meshgrid expects all tensors to
    have the same device"; native_functions.yaml, `_cdist_forward` (checked).
    """
    here, there = torch.ones(2, device=device), torch.ones(2)
    with raises(RuntimeError, "meshgrid expects all tensors to have the same device"):
        torch.meshgrid(here, there, indexing="ij")
    with raises(RuntimeError, *mismatch("x2", HOST, device, "__cdist_forward")):
        torch.cdist(here.view(1, 2), there.view(1, 2))
