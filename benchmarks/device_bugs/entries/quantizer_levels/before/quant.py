import torch

LEVELS = torch.tensor([-1.0, -0.5, 0.0, 0.5, 1.0])


class StateQuant(torch.autograd.Function):
    """Rounds to the nearest level and passes gradients through."""

    @staticmethod
    def forward(ctx, value):
        shape = value.shape
        flat = value.flatten()
        nearest = (flat[:, None] - LEVELS[None, :]).abs().argmin(dim=1)
        return LEVELS[nearest].reshape(shape)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


def state_quant(value):
    return StateQuant.apply(value)
