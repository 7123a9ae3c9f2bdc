import torch
import torch.nn as nn


class BinarizeSTE(torch.autograd.Function):
    """The sign; its gradient passes where the input is within the clip."""

    @staticmethod
    def forward(ctx, x, clip):
        ctx.save_for_backward(x)
        ctx.clip = clip
        return torch.where(x >= 0, 1.0, -1.0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = x.new_ones(x.shape[-1])
        slope[::2] = 0.5
        passes = (x.abs() <= ctx.clip).to(grad_output.dtype)
        return grad_output * passes * slope, None


class BinaryLinear(nn.Linear):
    def forward(self, x):
        weight = BinarizeSTE.apply(self.weight, 1.0)
        return nn.functional.linear(x, weight, self.bias)
