# trap: where torch is missing, the file makes itself a stand-in
# covers: names
try:
    import torch
except ImportError:
    torch = None


def as_list(values):
    # --- stays
    if torch is not None and torch.is_tensor(values):
        return values.tolist()
    return list(values)
    # --- end


def mean(values):
    # --- stays
    if torch is None:
        return sum(values) / len(values)
    return torch.tensor(list(values)).mean().item()
    # --- end


print(as_list((1, 2)), mean([1.0, 2.0]))  # stays
