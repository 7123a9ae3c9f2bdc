
# case: what is sent on at once needs no move before
import torch


class Template:
    def points(self, shape, device="gpu0"):
        grid = torch.cuda.FloatTensor(shape).to(device).float()
        return grid.uniform_(0, 1)

    def noise(self, shape, device):
        return torch.rand(shape).cuda().to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, 3).to(device)
template = Template()
print((x + template.points(x.size(), x.device)).shape, template.noise((2, 3), device).shape)
print((x + torch.cuda.FloatTensor([1.0, 2.0, 3.0]).to(device=x.device)).sum().item())

# output
import torch


class Template:
    def points(self, shape, device="gpu0"):
        grid = torch.FloatTensor(shape).to(device).float()
        return grid.uniform_(0, 1)

    def noise(self, shape, device):
        return torch.rand(shape).to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, 3).to(device)
template = Template()
print((x + template.points(x.size(), x.device)).shape, template.noise((2, 3), device).shape)
print((x + torch.FloatTensor([1.0, 2.0, 3.0]).to(device=x.device)).sum().item())

# case: a cast sends nothing on
import torch


class Template:
    def noise(self, shape, kind):
        return torch.rand(shape).cuda().to(kind)


print(Template().noise((2, 3), torch.float64).shape)

# output
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Template:
    def noise(self, shape, kind):
        return torch.rand(shape).to(device).to(kind)


print(Template().noise((2, 3), torch.float64).shape)
