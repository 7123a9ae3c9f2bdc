import torch


def filterbank(bins, filters, device):
    """Overlapping triangles over the bins of a spectrum."""
    centers = torch.linspace(0, bins - 1, filters + 2, device=device)
    grid = torch.arange(bins, device=device).float()
    left = (grid[:, None] - centers[None, :-2]) / (centers[1:-1] - centers[:-2])
    right = (centers[None, 2:] - grid[:, None]) / (centers[2:] - centers[1:-1])
    return torch.minimum(left, right).clamp(min=0)


def log_mel(waves, frame=64, hop=16, filters=12):
    device = waves.device
    frames = waves.unfold(-1, frame, hop) * torch.hann_window(frame, device=device)
    times = torch.arange(frame, device=device)
    angle = torch.outer(times, times[:frame // 2 + 1]) * (2 * torch.pi / frame)
    real, imaginary = frames @ torch.cos(angle), frames @ torch.sin(angle)
    power = real ** 2 + imaginary ** 2
    return torch.log(power @ filterbank(frame // 2 + 1, filters, device) + 1e-4)
