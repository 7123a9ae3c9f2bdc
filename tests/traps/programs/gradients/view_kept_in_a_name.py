# trap: the view has a name, and is multiplied in place
# covers: grad-view
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.Linear(3, 1).to(device)
x = torch.ones(2, 3, device=device)
model(x).sum().backward()
for p in model.parameters():
    gradient = p.grad.numpy()  # stays
    gradient *= 0.5  # stays
print(model.weight.grad.tolist())
