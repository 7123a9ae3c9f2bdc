import torch


class AnchorGenerator:
    """Square anchors of several sizes on a regular grid."""

    def __init__(self, stride, sizes):
        self.stride = stride
        self.base = torch.tensor([[-s / 2, -s / 2, s / 2, s / 2] for s in sizes])

    def grid_anchors(self, featmap_size, device="cuda"):
        base = self.base.to(device)
        height, width = featmap_size
        shift_x = torch.arange(0, width, device=device) * self.stride
        shift_y = torch.arange(0, height, device=device) * self.stride
        yy, xx = torch.meshgrid(shift_y, shift_x, indexing="ij")
        shifts = torch.stack([xx, yy, xx, yy], dim=-1).reshape(-1, 1, 4).to(base.dtype)
        return (shifts + base).reshape(-1, 4)

    def valid_flags(self, featmap_size, valid_size, device="cuda"):
        height, width = featmap_size
        valid_x = torch.arange(width, device=device) < valid_size[1]
        valid_y = torch.arange(height, device=device) < valid_size[0]
        flags = valid_y[:, None] & valid_x[None, :]
        return flags.reshape(-1, 1).expand(-1, self.base.size(0)).reshape(-1)
