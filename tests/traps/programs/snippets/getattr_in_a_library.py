# trap: the same in a library: what `getattr` gets is a module's or a tensor's, and a method's name
# covers: getattr-type
import torch


def cast(params, dtype="float"):
    return getattr(params.cuda() if torch.cuda.is_available() else params, dtype)()  # stays or: return getattr(params.to(device), dtype)()


# --- stays
def build(sizes, method="normal_"):
    made = [getattr(torch.empty(a, b), method)() for a, b in zip(sizes, sizes[1:])]
    return [getattr(p, "requires_grad_")() for p in made]


# --- end
