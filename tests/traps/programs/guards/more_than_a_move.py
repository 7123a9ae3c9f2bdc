# trap: guards that do more than move, or do something else otherwise
# covers: guard
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 1)
x = torch.ones(3, 2)
if torch.cuda.is_available():  # stays
    model.cuda()
    x = x.cuda()
    torch.backends.cudnn.benchmark = True  # stays
    print("with CUDA")  # stays
if torch.cuda.is_available():
    print(torch.cuda.get_device_name(0), torch.cuda.device_count())  # stays
else:
    torch.set_num_threads(1)  # stays
workers = {"num_workers": 1, "pin_memory": True} if torch.cuda.is_available() else {}  # stays
if torch.cuda.is_available():  # stays
    torch.cuda.manual_seed_all(0)
print(model(x).shape, workers)  # stays
