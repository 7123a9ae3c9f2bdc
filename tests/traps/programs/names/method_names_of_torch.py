# trap: methods and attributes of the program that are called like those of tensors
# covers: names user-to user-cuda
import torch
from torch import nn


class Queue:
    def __init__(self):
        self.data = []

    def add_(self, item):
        self.data.append(item)
        return self

    def cat(self, other):
        self.data += other.data
        return self

    def item(self):
        return self.data[-1]

    def size(self):
        return (len(self.data),)

    def detach(self):
        return self


# --- stays
queue = Queue().add_(1).cat(Queue().add_(2))
print(queue.detach().item(), queue.size()[0], queue.data[0])
# --- end
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1).to(device)
print(model(torch.tensor([queue.data]).float()).shape)
