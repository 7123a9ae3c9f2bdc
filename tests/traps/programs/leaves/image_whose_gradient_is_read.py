# trap: the gradient of an input is read off the leaf
# covers: leaf
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Sequential(nn.Flatten(), nn.Linear(4, 2)).to(device)
target = torch.tensor([1])  # moves
image = torch.rand(1, 2, 2)
image.requires_grad_(True)  # stays
loss = nn.functional.cross_entropy(model(image), target)
loss.backward()
print(image.is_leaf, image.grad is not None)  # stays
