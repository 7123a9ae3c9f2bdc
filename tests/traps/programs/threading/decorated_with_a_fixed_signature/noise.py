import functools

import torch


def twice(function):
    def wrapper(count):  # stays
        return function(count) * 2  # stays

    return wrapper


def checked(function):
    @functools.wraps(function)
    def wrapper(*args):  # stays
        assert all(isinstance(a, int) for a in args)  # stays
        return function(*args)  # stays

    return wrapper


@twice
def smooth(count):
    return torch.linspace(0, 1, count)


@checked
def grid(count):
    return torch.ones(count)


@functools.singledispatch
def steps(count):
    raise TypeError


@steps.register
def _(count: int):
    return torch.arange(count).float()
