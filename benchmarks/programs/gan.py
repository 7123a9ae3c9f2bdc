# run:
# run: --cuda
import argparse
import torch
import torch.nn as nn
from torch.autograd import Variable

parser = argparse.ArgumentParser()
parser.add_argument('--cuda', action='store_true', help='enables cuda')
parser.add_argument('--nz', type=int, default=5)
opt = parser.parse_args()
torch.manual_seed(9)
use = opt.cuda and torch.cuda.is_available()


def weights_init(m):
    if m.__class__.__name__.find('Linear') != -1:
        m.weight.data.normal_(0.0, 0.1)
        m.bias.data.fill_(0)


netG = nn.Sequential(nn.Linear(opt.nz, 16), nn.ReLU(True), nn.Linear(16, 2))
netD = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2, inplace=True), nn.Linear(16, 1), nn.Sigmoid())
netG.apply(weights_init)
netD.apply(weights_init)
criterion = nn.BCELoss()
batch = 8
input = torch.FloatTensor(batch, 2)
noise = torch.FloatTensor(batch, opt.nz)
fixed_noise = torch.FloatTensor(4, opt.nz).normal_(0, 1)
label = torch.FloatTensor(batch)
real_label, fake_label = 1, 0
if use:
    netD.cuda()
    netG.cuda()
    criterion.cuda()
    input, label = input.cuda(), label.cuda()
    noise, fixed_noise = noise.cuda(), fixed_noise.cuda()
fixed_noise = Variable(fixed_noise)
optimizerD = torch.optim.Adam(netD.parameters(), lr=0.01, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=0.01, betas=(0.5, 0.999))
data = torch.randn(24, 2) * 0.3 + 1
for i in range(0, 24, batch):
    netD.zero_grad()
    real = data[i:i + batch]
    if use:
        real = real.cuda()
    input.resize_as_(real).copy_(real)
    label.resize_(batch).fill_(real_label)
    errD_real = criterion(netD(Variable(input)).view(-1), Variable(label))
    errD_real.backward()
    noise.resize_(batch, opt.nz).normal_(0, 1)
    fake = netG(Variable(noise))
    labelv = Variable(label.fill_(fake_label))
    errD_fake = criterion(netD(fake.detach()).view(-1), labelv)
    errD_fake.backward()
    optimizerD.step()
    netG.zero_grad()
    labelv = Variable(label.fill_(real_label))
    errG = criterion(netD(fake).view(-1), labelv)
    errG.backward()
    optimizerG.step()
    print('%.5f %.5f' % ((errD_real + errD_fake).item(), errG.item()))
print(netG(fixed_noise).data.cpu().numpy().round(4).tolist())
