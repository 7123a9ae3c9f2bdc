import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Variable


class FocalLoss(nn.Module):
    def __init__(self, gamma=0, alpha=None, size_average=True):
        super(FocalLoss, self).__init__()
        self.gamma = gamma
        self.alpha = alpha
        if isinstance(alpha, (float, int)):
            self.alpha = torch.Tensor([alpha, 1 - alpha])
        if isinstance(alpha, list):
            self.alpha = torch.Tensor(alpha)
        self.size_average = size_average

    def forward(self, input, target):
        if input.dim() > 2:
            input = input.view(input.size(0), input.size(1), -1).transpose(1, 2).contiguous()
            input = input.view(-1, input.size(2))
        target = target.view(-1, 1)
        logpt = F.log_softmax(input, dim=1).gather(1, target).view(-1)
        pt = Variable(logpt.data.exp())
        if self.alpha is not None:
            if self.alpha.type() != input.data.type():
                self.alpha = self.alpha.type_as(input.data)
            at = self.alpha.gather(0, target.data.view(-1))
            logpt = logpt * Variable(at)
        loss = -1 * (1 - pt) ** self.gamma * logpt
        return loss.mean() if self.size_average else loss.sum()


class CenterLoss(nn.Module):
    def __init__(self, classes=2, dim=3, use_gpu=False):
        super().__init__()
        self.classes, self.use_gpu = classes, use_gpu
        if self.use_gpu:
            self.centers = nn.Parameter(torch.randn(classes, dim).cuda())
        else:
            self.centers = nn.Parameter(torch.randn(classes, dim))

    def forward(self, x, labels):
        n = x.size(0)
        d = x.pow(2).sum(1, keepdim=True).expand(n, self.classes) + \
            self.centers.pow(2).sum(1, keepdim=True).expand(self.classes, n).t()
        d = torch.addmm(d, x, self.centers.t(), beta=1, alpha=-2)
        classes = torch.arange(self.classes).long()
        if self.use_gpu:
            classes = classes.cuda()
        mask = labels.unsqueeze(1).expand(n, self.classes).eq(classes.expand(n, self.classes))
        dist = [d[i][mask[i]].clamp(min=1e-12) for i in range(n)]
        return torch.cat(dist).mean()


torch.manual_seed(0)
x, y = torch.randn(10, 4), torch.tensor([0, 1] * 5)
for alpha in (None, 0.25, [0.3, 0.7], [1, 2]):
    torch.manual_seed(1)
    body, head = nn.Linear(4, 3), nn.Linear(3, 2)
    focal, center = FocalLoss(2, alpha), CenterLoss()
    opt = torch.optim.SGD([*body.parameters(), *head.parameters(), *center.parameters()], lr=0.1)
    for _ in range(3):
        f = body(x)
        loss = focal(head(f), y) + 0.1 * center(f, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(alpha, "%.6f" % loss.item())
