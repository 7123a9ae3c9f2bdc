device = "cuda"


def ones(count):
    return [1.0] * count


def cuda(value):
    return value + "!"
