# trap: the number of a device in a name, and given on
# covers: device-get-device cuda-get-device
# needs: cuda
import torch


def mask_like(input, rate):
    where = input.get_device()
    keep = torch.rand(input.shape, device=where) > rate  # stays
    return keep & torch.ones(input.shape, dtype=torch.bool, device=where)  # stays


def pad(input, count):
    return torch.cat(
        [
            input,  # stays
            torch.zeros(count, input.size(1), device=input.get_device()),  # stays or: torch.zeros(count, input.size(1), device=input.device),
        ]
    )
