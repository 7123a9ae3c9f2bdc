# Every tensor is created on the CPU and moved in the same expression. This is correct on the CPU
# and on a GPU; creating the tensors on the device would only save a copy.
import torch
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(13)

# Three-channel pictures through one convolution and a pooling layer.
pictures = torch.randn(4, 3, 28, 28).to(device)
weight = torch.randn(6, 3, 3, 3).to(device)
bias = torch.zeros(6).to(device)

features = F.relu(F.conv2d(pictures, weight, bias, padding=1))
pooled = F.max_pool2d(features, 4)

print("shape", tuple(pooled.shape))
for number, value in enumerate(pooled.mean(dim=(0, 2, 3)).tolist()):
    print(f"filter {number}: mean activation {value:.4f}")
print(f"silent units {(features == 0).float().mean().item():.3f}")
