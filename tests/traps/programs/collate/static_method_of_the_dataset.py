# trap: a static method of the Dataset collates
# covers: collate dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Graphs(Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, size):
        return torch.eye(size + 1)  # stays

    @staticmethod
    def collate(graphs):
        # --- stays
        total = sum(len(g) for g in graphs)
        joined = torch.zeros(total, total)
        start = 0
        for g in graphs:
            joined[start : start + len(g), start : start + len(g)] = g
            start += len(g)
        return joined
        # --- end


weight = nn.Linear(1, 3).to(device)
for adjacency in DataLoader(Graphs(), batch_size=2, collate_fn=Graphs.collate):  # moves
    print(weight(adjacency.sum(1, keepdim=True)).shape)
