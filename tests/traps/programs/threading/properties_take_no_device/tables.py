import torch


class Table:
    def __init__(self, size):
        self.size = size

    @property
    def identity(self):  # stays
        return torch.eye(self.size)

    @property
    def names(self):  # stays
        return [str(int(k)) for k in torch.arange(self.size)]  # stays

    def __len__(self):  # stays
        return self.size

    def __getitem__(self, k):  # stays
        if k >= self.size:
            raise IndexError(k)
        return torch.full((self.size,), float(k))

    def __call__(self, value):
        return torch.ones(1, self.size) * value
