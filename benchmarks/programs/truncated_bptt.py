# run:
# run: cuda
import sys

import torch
import torch.nn as nn

device = torch.device("cuda") if sys.argv[1:] == ["cuda"] and torch.cuda.is_available() else torch.device("cpu")
torch.manual_seed(0)


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden):
        super().__init__()
        self.hidden = hidden
        self.i2h = nn.Linear(vocab + hidden, hidden)
        self.h2o = nn.Linear(hidden, vocab)

    def forward(self, x, h):
        h = torch.tanh(self.i2h(torch.cat((x, h), 1)))
        return self.h2o(h), h

    def start(self):
        return torch.zeros(1, self.hidden)


text = "hello world, hello torch"
chars = sorted(set(text))
onehot = torch.eye(len(chars))
model = CharRNN(len(chars), 8).to(device)
opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
for epoch in range(3):
    h = model.start().to(device)
    total, loss = 0, 0
    for i, (c, n) in enumerate(zip(text, text[1:])):
        x = onehot[chars.index(c)].unsqueeze(0).to(device)
        y = torch.tensor([chars.index(n)]).to(device)
        out, h = model(x, h)
        loss = loss + nn.functional.cross_entropy(out, y)
        if (i + 1) % 6 == 0:
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, loss = total + loss.item(), 0
            h = h.detach()
    print(epoch, "%.5f" % total)
x, h, said = onehot[0:1].to(device), model.start().to(device), ""
for _ in range(8):
    out, h = model(x, h)
    k = torch.multinomial(torch.softmax(out.cpu().view(-1), 0), 1).item()
    said += chars[k]
    x = onehot[k].view(1, -1).to(device)
print(repr(said))
