"""From before there was .to: everything asks use_cuda."""
import torch
import torch.nn as nn

torch.manual_seed(76)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Dropout(0.25), nn.Linear(10, 3))
net.to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
data = torch.rand(30, 4)
for epoch in range(4):
    for i in range(0, 30, 10):
        x, y = data[i:i + 10], torch.tensor([int(v) for v in (data[i:i + 10, 0] * 3).tolist()])
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
    print("Epoch %d loss %.4f" % (epoch, loss.item()))
net.eval()
best = net(data.to(device)).detach().cpu().max(1)[1].numpy()
print(best)
torch.save(net.cpu().state_dict(), "net.pt")
