# case: a number does as well as a tensor
import torch


def shifted(n, height):
    return torch.add(torch.arange(0, n), height)


def scaled(n, factor):
    return torch.mul(torch.ones(n), factor)


def chosen(mask, other):
    return torch.where(mask > 0, torch.ones(3), other)


def drawn(mean, std):
    return torch.distributions.Normal(torch.zeros(3), std).sample() - mean


def slopes(x):
    y = torch.zeros(3, requires_grad=True)
    return torch.autograd.grad((y * 2).sum(), x)

# output
import torch


def shifted(n, height):
    return torch.add(torch.arange(0, n), height)


def scaled(n, factor):
    return torch.mul(torch.ones(n), factor)


def chosen(mask, other):
    return torch.where(mask > 0, torch.ones(3, device=mask.device), other)


def drawn(mean, std):
    return torch.distributions.Normal(torch.zeros(3), std).sample() - mean


def slopes(x):
    y = torch.zeros(3, requires_grad=True)
    return torch.autograd.grad((y * 2).sum(), x)

# case: what surely is a tensor, beside what may be None
import torch
from torch.nn import functional


def larger(n, other):
    return torch.maximum(torch.ones(n), other)


def loss(target, weight):
    scores = torch.zeros(4, 5, requires_grad=True)
    return functional.cross_entropy(scores, target, weight)


def weighted(weight):
    scores = torch.zeros(4, 5, requires_grad=True)
    return functional.cross_entropy(scores, torch.zeros(4).long(), weight=weight)


def biased(bias):
    return functional.linear(torch.zeros(4, 5), torch.ones(3, 5), bias)

# output
import torch
from torch.nn import functional


def larger(n, other):
    return torch.maximum(torch.ones(n, device=other.device), other)


def loss(target, weight):
    scores = torch.zeros(4, 5, requires_grad=True, device=target.device)
    return functional.cross_entropy(scores, target, weight)


def weighted(weight):
    scores = torch.zeros(4, 5, requires_grad=True)
    return functional.cross_entropy(scores, torch.zeros(4).long(), weight=weight)


def biased(bias):
    return functional.linear(torch.zeros(4, 5), torch.ones(3, 5), bias)

# case: a state, or a mask, that may be None or a tuple
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)
        self.attention = nn.MultiheadAttention(4, 2)

    def decode(self, hidden):
        start = torch.zeros(1, 2, 4)
        return self.rnn(start, hidden)

    def attend(self, memory, mask):
        query = torch.zeros(1, 2, 4)
        return self.attention(query, memory, memory, key_padding_mask=mask)

    def masked(self, mask):
        query = torch.zeros(1, 2, 4)
        return self.attention(query, query, query, attn_mask=mask)

# output
import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)
        self.attention = nn.MultiheadAttention(4, 2)

    def decode(self, hidden):
        start = torch.zeros(1, 2, 4, device=self.rnn.weight_ih_l0.device)
        return self.rnn(start, hidden)

    def attend(self, memory, mask):
        query = torch.zeros(1, 2, 4, device=memory.device)
        return self.attention(query, memory, memory, key_padding_mask=mask)

    def masked(self, mask):
        query = torch.zeros(1, 2, 4, device=next(self.parameters()).device)
        return self.attention(query, query, query, attn_mask=mask)

# case: what callers may bring as something else
import torch


def scaled(x):
    pos = torch.zeros(3)
    if isinstance(x, float):
        return pos * x
    return torch.matmul(pos, x)


def tried(x):
    pos = torch.zeros(3)
    try:
        return torch.matmul(pos, x)
    except TypeError:
        return pos * x


def asked(x):
    pos = torch.zeros(3)
    if not torch.is_tensor(x):
        return pos * x
    return torch.matmul(pos, x)

# output
import torch


def scaled(x):
    pos = torch.zeros(3)
    if isinstance(x, float):
        return pos * x
    return torch.matmul(pos.to(x.device), x)


def tried(x):
    pos = torch.zeros(3)
    try:
        return torch.matmul(pos, x)
    except TypeError:
        return pos * x


def asked(x):
    pos = torch.zeros(3)
    if not torch.is_tensor(x):
        return pos * x
    return torch.matmul(pos, x)

# case: a tensor on some ways through the function, or on all
import torch


def some(x, n):
    pos = torch.zeros(n)
    if n > 3:
        return torch.matmul(pos, x)
    return pos


def each(xs, n):
    pos = torch.zeros(n)
    for x in xs:
        pos = pos + torch.matmul(pos, xs)
    return pos


def checked(x, n):
    pos = torch.zeros(n)
    if n < 3:
        raise ValueError(n)
    return torch.matmul(pos, x)


def before(x, n):
    rows = x.size(0)
    pos = torch.zeros(rows)
    if n > 3:
        return torch.matmul(pos, x)
    return pos

# output
import torch


def some(x, n):
    pos = torch.zeros(n)
    if n > 3:
        return torch.matmul(pos.to(x.device), x)
    return pos


def each(xs, n):
    pos = torch.zeros(n, device=xs.device)
    for x in xs:
        pos = pos + torch.matmul(pos, xs)
    return pos


def checked(x, n):
    pos = torch.zeros(n, device=x.device)
    if n < 3:
        raise ValueError(n)
    return torch.matmul(pos, x)


def before(x, n):
    rows = x.size(0)
    pos = torch.zeros(rows, device=x.device)
    if n > 3:
        return torch.matmul(pos, x)
    return pos

# case: a constant that only functions which nobody calls combine with what they get
# reports: DFX104 DFX303
import numpy as np
import torch
from torch import nn

PI = torch.from_numpy(np.asarray(np.pi))


def log_normal_diag(x, mu, log_var):
    return -0.5 * torch.log(2. * PI) - 0.5 * log_var - 0.5 * torch.exp(-log_var) * (x - mu)**2.


net = nn.Linear(3, 3)
x = torch.ones(2, 3)
for i in range(3):
    print(net(x))

# output
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

PI = torch.from_numpy(np.asarray(np.pi))


def log_normal_diag(x, mu, log_var):
    return -0.5 * torch.log(2. * PI) - 0.5 * log_var - 0.5 * torch.exp(-log_var) * (x - mu)**2.


net = nn.Linear(3, 3).to(device)
x = torch.ones(2, 3, device=device)
for i in range(3):
    print(net(x))

# case: a move is not dropped where what it meets is unknown
import torch
import torch.nn as nn
import torch.nn.functional as F


def one_hot(indices, depth):
    encoded = torch.zeros(indices.size() + torch.Size([depth]))
    if indices.is_cuda:
        encoded = encoded.cuda()
    return encoded.scatter_(1, indices.unsqueeze(1), 1)


class Proto(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.attn = nn.Linear(4, 4)

    def get_proto(self, x_shot, x_pool):
        num_batch, num_shot, num_way, emb_dim = x_shot.shape
        labels = torch.arange(num_way).repeat(num_shot).type(torch.LongTensor)
        onehot = one_hot(labels, num_way)
        if torch.cuda.is_available():
            onehot = onehot.cuda()
        proto_shot = x_shot.mean(dim=1)
        dis = torch.bmm(x_pool.view(num_batch, -1, emb_dim), proto_shot.permute([0, 2, 1]))
        z_hat = F.softmax(dis, dim=2)
        z = torch.cat([onehot, z_hat], dim=1)
        h = torch.cat([x_shot.view(num_batch, -1, emb_dim), x_pool.view(num_batch, -1, emb_dim)], dim=1)
        return torch.bmm(z.permute([0, 2, 1]), h)

    def _forward(self, embs, support_idx, query_idx):
        support = embs[support_idx.contiguous().view(-1)].contiguous().view(*support_idx.shape + (-1,))
        query = embs[query_idx.contiguous().view(-1)].contiguous().view(*query_idx.shape + (-1,))
        proto = self.get_proto(support, query)
        return torch.bmm(query, proto.permute([0, 2, 1]))

# output
import torch
import torch.nn as nn
import torch.nn.functional as F


def one_hot(indices, depth):
    encoded = torch.zeros(indices.size() + torch.Size([depth]), device=indices.device)
    return encoded.scatter_(1, indices.unsqueeze(1), 1)


class Proto(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.attn = nn.Linear(4, 4)

    def get_proto(self, x_shot, x_pool):
        num_batch, num_shot, num_way, emb_dim = x_shot.shape
        labels = torch.arange(num_way).repeat(num_shot).type(torch.LongTensor)
        onehot = one_hot(labels, num_way)
        proto_shot = x_shot.mean(dim=1)
        dis = torch.bmm(x_pool.view(num_batch, -1, emb_dim), proto_shot.permute([0, 2, 1]))
        z_hat = F.softmax(dis, dim=2)
        z = torch.cat([onehot, z_hat], dim=1)
        h = torch.cat([x_shot.view(num_batch, -1, emb_dim), x_pool.view(num_batch, -1, emb_dim)], dim=1)
        return torch.bmm(z.permute([0, 2, 1]), h)

    def _forward(self, embs, support_idx, query_idx):
        support = embs[support_idx.contiguous().view(-1)].contiguous().view(*support_idx.shape + (-1,))
        query = embs[query_idx.contiguous().view(-1)].contiguous().view(*query_idx.shape + (-1,))
        proto = self.get_proto(support, query)
        return torch.bmm(query, proto.permute([0, 2, 1]))

# case: what has a dimension, and meets a tensor on the accelerator, is a tensor there; a number may be anything
# reports: DFX201
import torch


def heatmaps(joints, size, sigma):
    count, number = joints.shape[0], joints.shape[1]
    grid = torch.arange(size).float().cuda()
    grid = grid[None, None, :].repeat(count, number, 1)
    return torch.exp(-((grid - joints[:, :, 0:1]) ** 2) / sigma)


def scaled(x, size):
    y = torch.arange(size).float().cuda()
    return y * x, x.shape

# output
import torch


def heatmaps(joints, size, sigma):
    count, number = joints.shape[0], joints.shape[1]
    grid = torch.arange(size).float().to(joints.device)
    grid = grid[None, None, :].repeat(count, number, 1)
    return torch.exp(-((grid - joints[:, :, 0:1]) ** 2) / sigma)


def scaled(x, size):
    y = torch.arange(size).float().cuda()
    return y * x, x.shape

# case: what has a size() is a tensor where a function of torch takes it, and not several
# reports: DFX201
import torch


def penalty(x, y):
    (grad,) = torch.autograd.grad(y, x, torch.ones(y.size()).cuda(), create_graph=True)
    return ((grad.view(grad.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


def of_several(x, ys):
    return torch.autograd.grad(ys, x, [torch.ones(3).cuda()])

# output
import torch


def penalty(x, y):
    (grad,) = torch.autograd.grad(y, x, torch.ones(y.size(), device=y.device), create_graph=True)
    return ((grad.view(grad.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


def of_several(x, ys):
    return torch.autograd.grad(ys, x, [torch.ones(3).cuda()])

# case: a function that is given tensors asks no machine where they belong
# reports: DFX201
import torch
import torch.nn.functional as F


def chosen(scores, labels, which):
    return F.nll_loss(torch.index_select(scores, 0, which), torch.index_select(labels, 0, which))


def loss(scores, labels, choose):
    scores = scores.view(-1, 2)
    labels = labels.view(-1)
    positive = labels.eq(1).nonzero().squeeze().cuda()
    return choose(scores, labels, positive)


def to_gpu(x):
    x = x.contiguous()
    return x.cuda()


def train(net, loader):
    net.cuda()
    for images, labels in loader:
        print(chosen(net(images.cuda()), labels.cuda(), torch.arange(3).cuda()))

# output
import torch
import torch.nn.functional as F


def chosen(scores, labels, which):
    return F.nll_loss(torch.index_select(scores, 0, which), torch.index_select(labels, 0, which))


def loss(scores, labels, choose):
    scores = scores.view(-1, 2)
    labels = labels.view(-1)
    positive = labels.eq(1).nonzero().squeeze().cuda()
    return choose(scores, labels, positive)


def to_gpu(x):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = x.contiguous()
    return x.to(device)


def train(net, loader):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.to(device)
    for images, labels in loader:
        print(chosen(net(images.to(device)), labels.to(device), torch.arange(3, device=device)))
