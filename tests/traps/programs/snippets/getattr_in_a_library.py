# trap: the same in a library without a device: the function has to bring one of its own
# covers: getattr-type
import torch


def cast(params, dtype="float"):
    return getattr(params.cuda(), dtype)()  # moves: return getattr(params.to(device), dtype)()


# --- stays
def build(sizes, method="normal_"):
    made = [getattr(torch.empty(a, b), method)() for a, b in zip(sizes, sizes[1:])]
    return [getattr(p, "requires_grad_")() for p in made]


# --- end
