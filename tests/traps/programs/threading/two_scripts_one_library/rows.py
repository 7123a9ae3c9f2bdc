import torch


def score(model, x):
    weights = torch.linspace(0, 1, len(x))
    with torch.no_grad():
        result = model(x).squeeze(1) * weights.to(x.device)  # stays
    return result.sum().item()  # stays
