import torch
__all__ = ["score"]
_model = torch.nn.Linear(3, 2)
def score(x):
    return _model(x).sum().item()
