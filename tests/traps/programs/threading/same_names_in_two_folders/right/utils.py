import torch


# --- stays
def rows(count):
    return torch.ones(count, 2)


# --- end
