# trap: the old helper that makes variables of arrays, with a type as default argument
# covers: type-default numpy
import numpy as np
import torch


def np_to_var(array, is_volatile=False, dtype=torch.FloatTensor):
    v = torch.from_numpy(array).type(dtype)
    return v.detach() if is_volatile else v


def ones(shape, dtype=torch.DoubleTensor):
    return torch.ones(*shape).type(dtype)


if __name__ == "__main__":
    print(np_to_var(np.arange(3), dtype=torch.LongTensor).dtype, ones((2, 2)).dtype)
    print(np_to_var(np.arange(3.0), True).type() == "torch.FloatTensor")
