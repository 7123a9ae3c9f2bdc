# trap: the collate object and its padding live in another file
# covers: collate dataset
import torch
from torch import nn
from torch.utils.data import DataLoader

from batching import Padder, buckets

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
data = [[1.0], [2.0, 3.0], [4.0, 5.0, 6.0]]
loader = DataLoader(data, batch_sampler=buckets(data, 2), collate_fn=Padder(4))
for x, mask in loader:
    x, mask = x.to(device), mask.to(device)
    print((model(x) * mask.any(1, keepdim=True)).shape)
