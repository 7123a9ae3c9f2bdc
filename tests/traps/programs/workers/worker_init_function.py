# trap: tensors made while a worker is set up, and by what it calls
# covers: worker dataset
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Noisy(Dataset):
    noise = None

    def __len__(self):
        return 8

    def __getitem__(self, index):
        return self.noise + index  # stays


def set_up(worker):
    # --- stays
    torch.manual_seed(worker)
    data = get_worker_info().dataset
    data.noise = torch.full((3,), 0.5) * torch.ones(3)
    # --- end


model = nn.Linear(3, 1).to(device)
loader = DataLoader(Noisy(), batch_size=4, num_workers=1, worker_init_fn=set_up)
for x in loader:  # moves
    print(model(x).shape)
