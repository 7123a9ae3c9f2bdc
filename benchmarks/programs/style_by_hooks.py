import torch
from torch import nn


class Extractor:
    def __init__(self, net, layers):
        self.features = {}
        self.handles = [net[i].register_forward_hook(self.hook(i)) for i in layers]
        self.net = net

    def hook(self, i):
        def keep(module, inputs, output):
            self.features[i] = output
        return keep

    def __call__(self, x):
        self.net(x)
        return dict(self.features)

    def close(self):
        for h in self.handles:
            h.remove()


def gram(f):
    b, c, h, w = f.shape
    f = f.view(b, c, h * w)
    return f @ f.transpose(1, 2) / (c * h * w)


torch.manual_seed(0)
vgg = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.ReLU()).eval()
for p in vgg.parameters():
    p.requires_grad = False
mean = torch.tensor([0.485, 0.456, 0.406]).view(-1, 1, 1)
std = torch.tensor([0.229, 0.224, 0.225]).view(-1, 1, 1)
content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
extract = Extractor(vgg, [1, 3])
targets = {k: gram(v).detach() for k, v in extract((style - mean) / std).items()}
wanted = extract((content - mean) / std)[3].detach()
image = content.clone().requires_grad_(True)
opt = torch.optim.LBFGS([image], max_iter=3)
run = [0]
while run[0] < 6:
    def closure():
        with torch.no_grad():
            image.clamp_(0, 1)
        opt.zero_grad()
        f = extract((image - mean) / std)
        loss = (f[3] - wanted).pow(2).mean()
        loss = loss + sum(100 * (gram(f[k]) - t).pow(2).mean() for k, t in targets.items())
        loss.backward()
        run[0] += 1
        print(run[0], "%.6f" % loss.item())
        return loss
    opt.step(closure)
extract.close()
pixels = image.detach().squeeze(0).permute(1, 2, 0).numpy()
print(pixels.shape, round(float(pixels.mean()), 5))
