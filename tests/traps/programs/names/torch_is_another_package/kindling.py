class Tensor(list):
    def cuda(self):
        return Tensor(x + 1 for x in self)

    def to(self, place):
        return Tensor([*self, place])


def zeros(count):
    return Tensor([0] * count)


def device(name):
    return f"<{name}>"


def load(name):
    return name * 2
