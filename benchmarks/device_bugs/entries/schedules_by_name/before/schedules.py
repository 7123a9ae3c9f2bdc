import math

import torch


def linear(steps, low=0.01, high=2.0):
    return torch.linspace(low, high, steps)


def karras(steps, low=0.01, high=2.0, rho=7.0):
    ramp = torch.linspace(0, 1, steps)
    return (low ** (1 / rho) + ramp * (high ** (1 / rho) - low ** (1 / rho))) ** rho


def exponential(steps, low=0.01, high=2.0):
    return torch.linspace(math.log(low), math.log(high), steps).exp()


SCHEDULES = {"linear": linear, "karras": karras, "exponential": exponential}


def get_sigmas(name, steps, **options):
    try:
        return SCHEDULES[name](steps, **options)
    except KeyError:
        raise ValueError(f"unknown schedule: {name}") from None
