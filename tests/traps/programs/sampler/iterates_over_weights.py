# trap: the weights of a WeightedRandomSampler stay with it, on the host
# covers: sampler
import torch
from torch import nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset, WeightedRandomSampler

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(3)
# --- stays
labels = torch.tensor([0, 0, 0, 1, 0, 1])
counts = torch.bincount(labels)
weights = (1.0 / counts.float())[labels]
sampler = WeightedRandomSampler(weights, num_samples=6, generator=torch.Generator().manual_seed(0))
held_out = SubsetRandomSampler(torch.arange(3))
data = TensorDataset(torch.ones(6, 2), labels)
# --- end
model = nn.Linear(2, 2).to(device)
for x, y in DataLoader(data, batch_size=3, sampler=sampler):  # moves
    print(nn.functional.cross_entropy(model(x), y).item() > 0)
for x, y in DataLoader(data, batch_size=3, sampler=held_out):  # moves
    print(nn.functional.cross_entropy(model(x), y).item() > 0)
