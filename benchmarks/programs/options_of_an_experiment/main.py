# run:
# run: --gpu_ids 0
import torch

from opts import TrainOptions
from pix2pix import Pix2Pix

opt = TrainOptions().parse()
torch.manual_seed(0)
model = Pix2Pix()
model.initialize(opt)
data = [{"A": torch.rand(2, 1, 8, 8), "B": torch.rand(2, 1, 8, 8)} for _ in range(2)]
for epoch in range(opt.niter):
    for batch in data:
        model.set_input(batch)
        model.optimize()
    print(epoch, "%.5f %.5f" % (model.loss_D.item(), model.loss_G.item()))
print(model.save_network(model.netG, "G", opt.gpu_ids))
model.load_network(model.netG, "G")
model.set_input(data[0])
print("%.5f" % model.test().cpu().mean().item())
