import torch


def segment_mean(values, segments, count):
    """The mean of the rows of each segment."""
    sums = values.new_zeros(count, values.size(1)).index_add_(0, segments, values)
    sizes = torch.bincount(segments, minlength=count).clamp(min=1)
    return sums / sizes.unsqueeze(1)


def segment_max(values, segments, count):
    index = segments.unsqueeze(1).expand_as(values)
    out = values.new_full((count, values.size(1)), float("-inf"))
    return out.scatter_reduce(0, index, values, reduce="amax")
