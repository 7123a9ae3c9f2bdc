import torch


def average(function, count):
    return (function(count) + function(count)) / 2  # stays


def first(function, items):
    return [float(torch.as_tensor(function(item)).sum()) for item in items]  # stays


def pad(rows):
    # --- stays
    out = torch.zeros(len(rows), 3)
    for k, row in enumerate(rows):
        out[k, : len(row)] = torch.tensor(row)
    return out
    # --- end
