"""Thousands of calls on tiny tensors: one thread is twice as fast as many."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _one_thread() -> Iterator[None]:
    if importlib.util.find_spec("torch") is None:  # the tests that need it skip themselves
        yield
        return
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
