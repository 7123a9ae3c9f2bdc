# trap: objects of a package that nobody has seen have a `.cuda()`, whose result is used
# covers: user-cuda own-is-cuda
# needs: a package that is not installed
import torch
from garage import Car, Crane

car = Car("Barracuda").cuda().to("harbour")
crane = Crane()
crane.cuda()
lifted = crane.cuda().lift(car)
if lifted.is_cuda():
    lifted = lifted.cuda()
print(torch.tensor([lifted.weight]).tolist())
