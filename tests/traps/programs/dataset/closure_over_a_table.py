# trap: a map over samples closes over a table; the table is used by workers
# covers: dataset collate
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Mapped:
    def __init__(self, items, function):
        self.items, self.function = items, function

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.function(self.items[index])


def lookup(table):
    def encode(word):
        return table[torch.tensor(len(word))] + torch.zeros(3)  # stays

    return encode


table = torch.eye(5, 3)  # stays
words = Mapped(["ant", "bird", "ox"], lookup(table))  # stays
model = nn.Linear(3, 1).to(device)
for x in DataLoader(words, batch_size=3):  # moves
    print(model(x).shape)
