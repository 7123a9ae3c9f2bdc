import torch


class Shape:
    def name(self):
        return type(self).__name__.lower()

    def corners(self):
        raise NotImplementedError

    def rows(self):
        return torch.as_tensor(self.corners())


class Point(Shape):
    def corners(self):
        return [[0.0, 1.0]]  # stays


class Line(Shape):
    def __init__(self, length):
        self.length = length

    def corners(self):
        return torch.stack([torch.zeros(2), torch.full((2,), float(self.length))])
