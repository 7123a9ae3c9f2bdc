# trap: the same in a library without a device: nothing there can stand for the guard
# covers: getattr-type
import torch


def cast(params, dtype="float"):
    return getattr(params.cuda() if torch.cuda.is_available() else params, dtype)()


def build(sizes, method="normal_"):
    made = [getattr(torch.empty(a, b), method)() for a, b in zip(sizes, sizes[1:])]
    return [getattr(p, "requires_grad_")() for p in made]

