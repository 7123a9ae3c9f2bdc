"""Edges in a picture, by convolutions without any module."""
import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(14)
picture = torch.zeros(3, 24, 24)
picture[:, 6:18, 8:20] = torch.tensor([0.9, 0.5, 0.2])[:, None, None]
picture += 0.05 * torch.randn(3, 24, 24)
picture = picture.to(device)

grey = picture.mean(dim=0)[None, None]
sobel = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]], device=device)
kernels = torch.stack([sobel, sobel.t()])[:, None]
blur = torch.ones(1, 1, 3, 3, device=device) / 9

smooth = F.conv2d(grey, blur, padding=1)
slopes = F.conv2d(smooth, kernels, padding=1)
across, down = slopes[0, 0], slopes[0, 1]
strength = torch.hypot(across, down)
strength[0] = strength[-1] = 0
strength[:, 0] = strength[:, -1] = 0
edges = strength > strength.quantile(0.85)

print("strongest", strength.max().item())
print("columns", edges.sum(dim=0).tolist())
rows = edges.sum(dim=1).cpu().numpy()
print("rows", rows[:8], "...", rows.sum())
angle = torch.atan2(down, across)[edges]
print("angles", torch.histc(angle.cpu(), bins=6, min=-3.2, max=3.2))
for line in edges[4:10].int().tolist():
    print("".join(".#"[there] for there in line))
