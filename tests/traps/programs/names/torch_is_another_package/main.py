# trap: `torch` is a file of this program; nothing here is a tensor
# covers: names user-cuda
import kindling as torch

lamp = torch.zeros(3).cuda()
burning = torch.Tensor([1.0, 2.0]).to("cuda")
device = torch.device("cuda")
print(lamp, burning, device, torch.load("torch"))
