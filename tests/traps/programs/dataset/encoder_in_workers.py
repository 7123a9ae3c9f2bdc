# trap: a module that workers run; moved to the device it would start CUDA in each of them
# covers: dataset worker
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Embedded(Dataset):
    # --- stays
    def __init__(self, tokens):
        self.tokens = torch.tensor(tokens)
        self.table = nn.Embedding(10, 4)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, index):
        with torch.no_grad():
            return self.table(self.tokens[index]).mean(0)

    # --- end


data = Embedded([[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 1, 2]])
model = nn.Linear(4, 2).to(device)
for batch in DataLoader(data, batch_size=2, num_workers=2):  # moves
    print(model(batch).shape)
