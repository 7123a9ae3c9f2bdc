import torch
from torch.autograd import Variable

import networks
from base_model import BaseModel


class Pix2Pix(BaseModel):
    def initialize(self, opt):
        BaseModel.initialize(self, opt)
        self.input_A = self.Tensor(2, 1, 8, 8)
        self.input_B = self.Tensor(2, 1, 8, 8)
        self.netG = networks.define_G(self.gpu_ids)
        if opt.isTrain:
            self.netD = networks.NLayerD(self.gpu_ids)
            if len(self.gpu_ids):
                self.netD.cuda(self.gpu_ids[0])
            self.criterionGAN = networks.GANLoss(tensor=self.Tensor)
            self.criterionL1 = torch.nn.L1Loss()
            self.optG = torch.optim.Adam(self.netG.parameters(), lr=opt.lr * 0.1)
            self.optD = torch.optim.Adam(self.netD.parameters(), lr=opt.lr * 0.1)

    def set_input(self, batch):
        a, b = batch["A"], batch["B"]
        self.input_A.resize_(a.size()).copy_(a)
        self.input_B.resize_(b.size()).copy_(b)

    def forward(self):
        self.real_A = Variable(self.input_A)
        self.fake_B = self.netG(self.real_A)
        self.real_B = Variable(self.input_B)

    def test(self):
        self.real_A = Variable(self.input_A, volatile=True)
        self.fake_B = self.netG(self.real_A)
        return self.fake_B.data

    def optimize(self):
        self.forward()
        self.optD.zero_grad()
        fake = self.netD(torch.cat((self.real_A, self.fake_B), 1).detach())
        real = self.netD(torch.cat((self.real_A, self.real_B), 1))
        self.loss_D = (self.criterionGAN(fake, False) + self.criterionGAN(real, True)) * 0.5
        self.loss_D.backward()
        self.optD.step()
        self.optG.zero_grad()
        fake = self.netD(torch.cat((self.real_A, self.fake_B), 1))
        self.loss_G = self.criterionGAN(fake, True) + self.criterionL1(self.fake_B, self.real_B)
        self.loss_G.backward()
        self.optG.step()
