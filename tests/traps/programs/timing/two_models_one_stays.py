# trap: a small teacher is kept on the host on purpose
# covers: on-purpose timing
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
host = torch.device("cpu")  # stays
torch.manual_seed(1)
# --- stays
teacher = nn.Linear(4, 2).to(host)
x = torch.randn(6, 4)
# --- end
with torch.no_grad():
    wanted = teacher(x).softmax(1)
student = nn.Linear(4, 2).to(device)
loss = nn.functional.kl_div(student(x).log_softmax(1), wanted, reduction="batchmean")
print(loss.item() >= 0)
