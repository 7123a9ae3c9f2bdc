# trap: a helper in a third file serves the Dataset and the network
# covers: dataset threading
import torch
from torch.utils.data import DataLoader

from data import Steps
from network import Net

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net(4).to(device)
for x in DataLoader(Steps(6, 4), batch_size=3):
    x = x.to(device)
    print(model(x).shape)
