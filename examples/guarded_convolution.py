# Image, kernels and bias of a functional convolution are moved under one guard.
# CPU: prints the edges it found. GPU: prints the same; other accelerators are never used.
import torch
import torch.nn.functional as F

torch.manual_seed(12)

# A bright square on a noisy background.
image = 0.1 * torch.rand(1, 1, 32, 32)
image[:, :, 10:22, 8:24] += 1.0

horizontal = [[-1.0, -2.0, -1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]]
vertical = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]]
weight = torch.tensor([horizontal, vertical]).unsqueeze(1)
bias = torch.zeros(2)

if torch.cuda.is_available():
    image = image.cuda()
    weight = weight.cuda()
    bias = bias.cuda()

response = F.conv2d(image, weight, bias, padding=1)
strength = response.pow(2).sum(dim=1).sqrt()
edges = strength > 2.0

print(f"strongest response {strength.max().item():.3f}")
print(f"edge pixels {edges.sum().item()} of {edges.numel()}")
print(f"edge rows {edges.any(dim=2).sum().item()}, edge columns {edges.any(dim=1).sum().item()}")
