# trap: DataParallel scatters its inputs itself; only the target has to be beside the output
# covers: scattered
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = nn.DataParallel(nn.Linear(3, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.ones(4, 3)  # stays
target = torch.tensor([0, 1, 0, 1])  # moves
for step in range(2):
    loss = nn.functional.cross_entropy(model(inputs), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item() > 0)
