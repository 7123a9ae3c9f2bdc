"""A library that nobody has seen: what it does with what it is given, only a run tells."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import numpy as np
import torch


def run(function: Callable[..., Any], *args: Any) -> Any:
    return function(*args)


def hold(value: Any) -> Any:
    return value


def wait(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.new_event_loop().run_until_complete(coroutine)


def feed(model: Callable[..., Any]) -> Any:
    return model(torch.ones(4, 3))


def data() -> torch.Tensor:
    return torch.ones(4, 3)


def minimize(function: Callable[..., Any], start: list[float]) -> Any:
    return function(np.asarray(start))


class Pipeline:
    def __init__(self, *steps: Callable[..., Any]) -> None:
        self.steps = steps

    def __call__(self, x: Any) -> Any:
        for step in self.steps:
            x = step(x)
        return x


class Event:
    def __init__(self) -> None:
        self.functions: list[Callable[..., Any]] = []

    def on(self, function: Callable[..., Any]) -> Callable[..., Any]:
        self.functions.append(function)
        return function

    def fire(self, *args: Any) -> list[Any]:
        return [function(*args) for function in self.functions]
