# run:
# run: --gpu_id 0
import argparse

import torch
from torch import autograd, nn

p = argparse.ArgumentParser()
p.add_argument("--gpu_id", type=int, default=None)
args = p.parse_args()
use_cuda = args.gpu_id is not None and torch.cuda.is_available()


def penalty(netD, real, fake, lamb=10):
    alpha = torch.rand(real.size(0), 1)
    alpha = alpha.expand(real.size())
    alpha = alpha.cuda(args.gpu_id) if use_cuda else alpha
    inter = alpha * real + (1 - alpha) * fake
    if use_cuda:
        inter = inter.cuda(args.gpu_id)
    inter = autograd.Variable(inter, requires_grad=True)
    out = netD(inter)
    ones = torch.ones(out.size())
    grads = autograd.grad(outputs=out, inputs=inter,
                          grad_outputs=ones.cuda(args.gpu_id) if use_cuda else ones,
                          create_graph=True, retain_graph=True, only_inputs=True)[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean() * lamb


torch.manual_seed(0)
netD = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(), nn.Linear(8, 1))
netG = nn.Linear(3, 2)
if use_cuda:
    netD, netG = netD.cuda(args.gpu_id), netG.cuda(args.gpu_id)
one = torch.tensor(1.0)
mone = one * -1
if use_cuda:
    one = one.cuda(args.gpu_id)
    mone = mone.cuda(args.gpu_id)
oD = torch.optim.Adam(netD.parameters(), lr=0.01)
oG = torch.optim.Adam(netG.parameters(), lr=0.01)
for it in range(4):
    for q in netD.parameters():
        q.requires_grad = True
    real = torch.randn(6, 2) * 0.1 + 1
    noise = torch.randn(6, 3)
    if use_cuda:
        real, noise = real.cuda(args.gpu_id), noise.cuda(args.gpu_id)
    netD.zero_grad()
    d_real = netD(real).mean()
    d_real.backward(mone)
    fake = netG(noise).data
    d_fake = netD(fake).mean()
    d_fake.backward(one)
    gp = penalty(netD, real.data, fake)
    gp.backward()
    oD.step()
    for q in netD.parameters():
        q.requires_grad = False
    netG.zero_grad()
    g = netD(netG(noise)).mean()
    g.backward(mone)
    oG.step()
    print(it, "%.6f %.6f %.6f" % ((d_fake - d_real).item(), gp.item(), -g.item()))
