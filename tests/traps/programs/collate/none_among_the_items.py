# trap: None has no `.to`, and what is moved already needs no other move
# covers: collate
# needs: cuda
import torch
from torch import nn
from torch.utils.data import DataLoader


class Data(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return [torch.ones(3), torch.ones(3), {"id": index}]

    def __len__(self):
        return 4

    def collate(self, batch):
        data = {}
        data["a"] = torch.stack([b[0] for b in batch])
        data["b"] = torch.stack([b[1] for b in batch])
        if len(batch) > 2:
            data["b"] = None
        data = {k: torch.from_numpy(v) if type(v) is int else v for k, v in data.items()}
        return data


class Loader:
    def __init__(self):
        self.iters = {}
        for split in ["train", "val"]:
            self.iters[split] = iter(DataLoader(Data(), collate_fn=lambda x: Data().collate(x)))

    def get_batch(self, split):
        try:
            data = next(self.iters[split])
        except StopIteration:
            self.iters[split] = iter(DataLoader(Data()))
            data = next(self.iters[split])
        return data


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, a, b):
        return self.fc(a) if b is None else self.fc(a) + self.fc(b)


def main():
    model = Net().cuda()
    loader = Loader()
    for _ in range(2):
        data = loader.get_batch("train")
        tmp = [data["a"], data["b"]]
        tmp = [_ if _ is None else _.cuda() for _ in tmp]  # moves: tmp = [_ if _ is None else _.to(device) for _ in tmp]
        a, b = tmp
        print(model(a, b))


main()
