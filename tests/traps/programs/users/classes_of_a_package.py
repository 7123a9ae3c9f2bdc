# trap: objects of a package that nobody has seen have a `.cuda()`, whose result is used
# covers: user-cuda own-is-cuda
# needs: a package that is not installed
# fails today: `.cuda()` of an unknown object counts as torch's if its result is used
import torch
from garage import Car, Crane

car = Car("Barracuda").cuda().to("harbour")
crane = Crane()
crane.cuda()
lifted = crane.cuda().lift(car)
if lifted.is_cuda():
    lifted = lifted.cuda()
print(torch.tensor([lifted.weight]).tolist())
