import torch
import torch.nn as nn
from torch.autograd import Variable


def define_G(gpu_ids=[]):
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.InstanceNorm2d(4), nn.ReLU(True), nn.Conv2d(4, 1, 3, padding=1))
    if len(gpu_ids) > 0:
        assert torch.cuda.is_available()
        net.cuda(gpu_ids[0])
    return net


class NLayerD(nn.Module):
    def __init__(self, gpu_ids=[]):
        super(NLayerD, self).__init__()
        self.gpu_ids = gpu_ids
        self.model = nn.Sequential(nn.Conv2d(2, 4, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(4, 1, 4, 1, 1))

    def forward(self, input):
        if len(self.gpu_ids) and isinstance(input.data, torch.cuda.FloatTensor):
            return nn.parallel.data_parallel(self.model, input, self.gpu_ids)
        return self.model(input)


class GANLoss(nn.Module):
    def __init__(self, real=1.0, fake=0.0, tensor=torch.FloatTensor):
        super(GANLoss, self).__init__()
        self.real_label, self.fake_label = real, fake
        self.real_label_var = self.fake_label_var = None
        self.Tensor = tensor
        self.loss = nn.MSELoss()

    def get_target_tensor(self, input, real):
        var = self.real_label_var if real else self.fake_label_var
        if var is None or var.numel() != input.numel():
            t = self.Tensor(input.size()).fill_(self.real_label if real else self.fake_label)
            var = Variable(t, requires_grad=False)
            if real:
                self.real_label_var = var
            else:
                self.fake_label_var = var
        return var

    def __call__(self, input, real):
        return self.loss(input, self.get_target_tensor(input, real))
