# trap: a package: its Dataset and collate function are the workers', its network is the device's
# covers: dataset collate threading
import torch
from torch.utils.data import DataLoader

from forest import Leaves, Tree, gather

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tree = Tree().to(device)
for x, kinds in DataLoader(Leaves(), batch_size=2, collate_fn=gather):
    x, kinds = x.to(device), kinds.to(device)
    print(tree.loss(x, kinds).item() > 0)
