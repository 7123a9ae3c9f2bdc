# trap: batches that go to DataParallel stay pinned on the host until it scatters them
# covers: scattered
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.DataParallel(nn.Sequential(nn.Linear(3, 2), nn.ReLU()))  # stays
model.to(device)  # stays
data = TensorDataset(torch.ones(8, 3), torch.tensor([0, 1] * 4))  # stays
for x, y in DataLoader(data, batch_size=4):
    logits = model(x)  # stays
    y = y.to(device)  # stays
    print(nn.functional.cross_entropy(logits, y).item() > 0)
