import torch
from blocks import Net

torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
images = torch.rand(4, 1, 8, 8)
masks = (images > 0.5).float()
criterion = torch.nn.BCEWithLogitsLoss(pos_weight=torch.tensor([2.0]))
for epoch in range(3):
    loss = criterion(net(images), masks)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(epoch, "%.6f" % loss.item())
print(len(list(net.parameters())), "parameters")
