import os

import torch


class BaseModel:
    def initialize(self, opt):
        self.opt = opt
        self.gpu_ids = opt.gpu_ids
        self.Tensor = torch.cuda.FloatTensor if self.gpu_ids else torch.Tensor

    def forward(self):
        pass

    def save_network(self, network, name, gpu_ids):
        path = "%s.pth" % name
        torch.save(network.cpu().state_dict(), path)
        if len(gpu_ids) and torch.cuda.is_available():
            network.cuda(gpu_ids[0])
        return os.path.exists(path)

    def load_network(self, network, name):
        network.load_state_dict(torch.load("%s.pth" % name))
