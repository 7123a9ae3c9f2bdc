class Boat:
    """Knows nothing of torch."""

    def __init__(self, name, place="sea"):
        self.name, self.place = name, place

    def cuda(self):
        return Boat(self.name + " II", self.place)

    def is_cuda(self):
        return "cuda" in self.name

    def to(self, place):
        return Boat(self.name, place)

    def __repr__(self):
        return f"{self.name} ({self.place})"


def fleet(count):
    return [Boat(f"No. {k}") for k in range(count)]
