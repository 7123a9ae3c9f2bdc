# case: the most likely classes
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
pred = pred.t()
correct = pred.eq(target.view(1, -1).expand_as(pred))
print([correct[:k].view(-1).float().sum(0).item() for k in (1, 2)])

# output
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
pred = pred.t()
correct = pred.eq(target.view(1, -1).expand_as(pred))
print([correct[:k].reshape(-1).float().sum(0).item() for k in (1, 2)])

# case: compared by an operator
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
correct = pred.t() == target
print(correct.view(-1).sum().item(), correct.view(2, 3).shape)

# output
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
correct = pred.t() == target
print(correct.reshape(-1).sum().item(), correct.reshape(2, 3).shape)

# case: transposed on the line that binds it
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True); pred = pred.t()
correct = pred.eq(target.view(1, -1).expand_as(pred)); print(correct[:1].view(-1).sum().item())

# output
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True); pred = pred.t()
correct = pred.eq(target.view(1, -1).expand_as(pred)); print(correct[:1].reshape(-1).sum().item())

# case: made contiguous
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
pred = pred.t().contiguous()
correct = pred.eq(target.view(1, -1).expand_as(pred))
print(correct[:2].view(-1).sum().item())

# case: compared before it is transposed
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
correct = pred.eq(target.view(-1, 1).expand_as(pred))
pred = pred.t()
print(correct.view(-1).sum().item(), pred.shape)

# case: bound to something else, too
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
correct = pred.t().eq(target)
correct = correct.contiguous()
print(correct.view(-1).sum().item())

# case: reshaped
import torch

scores, target = torch.ones(3, 4), torch.zeros(3).long()
_, pred = scores.topk(2, 1, True, True)
correct = pred.t().eq(target)
print(correct.reshape(-1).sum().item(), correct.float().sum().item())
