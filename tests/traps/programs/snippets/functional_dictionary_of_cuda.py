# trap: a dict comprehension of `.cuda()`: only the method's name may change
# covers: functional-dict
# needs: cuda
import torch
import torch.nn.functional as F

state = {"conv.weight": torch.ones(2, 1, 3, 3), "fc.weight": torch.ones(4, 2), "fc.bias": torch.zeros(4)}  # stays
state = {
    k: v.cuda()  # stays or: k: v.to(device)
    for k, v in state.items()  # stays
}


def network(x, params):
    # --- stays
    x = F.relu(F.conv2d(x, params["conv.weight"], padding=1))
    return F.linear(x.mean((2, 3)), params["fc.weight"], params["fc.bias"])
    # --- end


print(network(torch.ones(1, 1, 5, 5).cuda(), state).shape)
