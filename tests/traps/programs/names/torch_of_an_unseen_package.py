# trap: `torch` is what this file calls a package that nobody has seen
# covers: names user-cuda
# needs: a package that is not installed
import candle as torch
from candle import nn

lamp = torch.zeros(3).cuda()
wick = nn.Linear(3, 1).cuda()
burning = torch.Tensor([1.0, 2.0]).to("cuda")
device = torch.device("cuda")
print(wick(lamp), burning, device)
