# trap: factories in a lambda that a Dataset calls for every sample
# covers: dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Letters(Dataset):
    def __init__(self, text, encode):
        self.text, self.encode = text, encode

    def __len__(self):
        return len(self.text) - 1

    def __getitem__(self, k):
        return self.encode(self.text[k]), torch.tensor("abc".index(self.text[k + 1]))  # stays


one_hot = lambda letter: torch.zeros(3).scatter_(0, torch.tensor("abc".index(letter)), 1.0)  # stays
run_on = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
model = nn.Linear(3, 3).to(run_on)
for x, y in DataLoader(Letters("abcabcaab", one_hot), batch_size=4):  # moves
    print(nn.functional.cross_entropy(model(x), y).item() > 0)
