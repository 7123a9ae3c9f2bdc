import torch
model = torch.nn.Linear(3, 2)
x = torch.ones(2, 3)
if torch.cuda.is_available():
    model = model.cuda()
    x = x.cuda()
else:
    x = x.double().float()
print(model(x).sum().item())
