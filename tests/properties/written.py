"""Idioms of plain Python around tensors: functions, classes, containers, control flow."""

from __future__ import annotations

from typing import Final

from tests.properties.idioms import parsed

PYTHON: Final = parsed("""\
def $batches(n):
    for i in range(n):
        yield torch.full((4, 3), 0.1 * i), torch.arange(4) % 3
----
for $x, $y in $batches(2):
    <move:$x>
    <move:$y>
    print(round(F.cross_entropy(%M($x), $y).item(), 4))
----
====
def $windows(x):
    for i in range(2):
        yield x[2 * i:2 * i + 2] * torch.ones(2, 1<kw:x.device>)
----
$parts = torch.cat(list($windows(%B)))
----
$parts B grad
====
def $rows(x):
    yield from (row * 2 for row in x)
----
$all = torch.stack([r for r in $rows(%B)])
----
$all B grad
====
def $logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)

    return wrapper


@$logged
def $scale(x):
    return x * torch.ones(3<kw:x.device>)
----
$out = $scale(%B)
----
$out B grad
====
def $times(n):
    def decorate(fn):
        def wrapper(x):
            for _ in range(n):
                x = fn(x)
            return x

        return wrapper

    return decorate


@$times(2)
def $step(x):
    return x - 0.1 * torch.linspace(0, 1, 3<kw:x.device>)
----
$out = $step(%B)
----
$out B grad
====
@torch.no_grad()
def $evaluate(model, x):
    model.eval()
    return model(x)
----
$out = $evaluate(%M, %B)
----
$out B
====
@dataclass
class $Batch:
    x: torch.Tensor
    y: torch.Tensor
    weight: float = 0.5

    def __len__(self):
        return len(self.x)
----
$b = $Batch(torch.randn(4, 3)<to>, (torch.arange(4) % 3)<to>)
print(len($b), $b.weight)
----
$b.x B, $b.y L
====
@dataclass
class $State:
    total: float = 0.0
    seen: list = field(default_factory=list)
----
$s = $State()
for $v in (%B, %B):
    $s.total += $v.sum().item()
    $s.seen.append($v.detach())
print(round($s.total, 4))
$all = torch.stack($s.seen).mean(0)
----
$all B
====
class $Sample(NamedTuple):
    image: torch.Tensor
    label: torch.Tensor
----
$s = $Sample(torch.rand(4, 3)<to>, torch.zeros(4, dtype=torch.long)<to>)
$x, $y = $s
print($s._fields)
----
$x B, $y L
====
Point = collections.namedtuple("Point", ["x", "y"])
----
$p = Point(x=torch.ones(4, 3<kw>), y=torch.zeros(4<kw>))
----
$p.x B, $p.y C
====
----
try:
    $out = %M(%B)
except RuntimeError:
    raise
else:
    print("fine")
finally:
    print("done")
----
$out B grad
====
----
try:
    $n = int("x")
except (ValueError, TypeError) as $e:
    $n = 3
$t = torch.ones($n<kw>)
----
$t R
====
----
$i, $acc = 0, torch.zeros(4, 3<kw>)
while $i < 2:
    $acc = $acc + %B
    $i += 1
    if $i > 5:
        break
----
$acc B grad
====
----
$n = 0
while True:
    $t = torch.full((4, 3), float($n)<kw>)
    $n += 1
    if $n < 2:
        continue
    break
----
$t B
====
@contextlib.contextmanager
def $frozen(model):
    for p in model.parameters():
        p.requires_grad_(False)
    yield model
    for p in model.parameters():
        p.requires_grad_(True)
----
with $frozen(%M) as $m:
    $out = $m(%B).detach()
----
$out B
====
class $Meter:
    def __init__(self, name):
        self.name = name
        self.values = []

    def update(self, value, n=1):
        self.values += [value] * n

    @property
    def mean(self):
        return sum(self.values) / max(len(self.values), 1)

    def __str__(self):
        return f"{self.name}: {self.mean:.3f}"
----
$m = $Meter("loss")
$m.update(%B.sum().item(), 2)
$m.update(float(%B.mean()))
print($m)
----
====
class $Noise:
    def __init__(self, std=0.1):
        self.std = std

    def __call__(self, x):
        return x + self.std * torch.full(x.shape, 0.5<kw:x.device>)
----
$t = $Noise()
$out = $t(%B)
----
$out B grad
====
class $Scaler:
    factor = 2.0

    @staticmethod
    def shift(x):
        return x + torch.ones(3<kw:x.device>)

    @classmethod
    def apply(cls, x):
        return cls.shift(x) * cls.factor
----
$out = $Scaler.apply(%B)
----
$out B grad
====
class $Vector:
    def __init__(self, data):
        self.data = data

    def __add__(self, other):
        return $Vector(self.data + other.data)

    def __getitem__(self, i):
        return self.data[i]
----
$v = $Vector(%B) + $Vector(%B)
$r = $v[0]
----
$v.data B, $r R grad
====
def $scaled(*tensors, scale=1.0, **rest):
    return [t * scale for t in tensors]
----
$a, $b = $scaled(%B, %B, scale=0.5, unused=1)
----
$a B, $b B grad
====
def $both(x):
    return x.mean(0), x.sum(1)
----
$r, $c = $both(%B)
----
$r R, $c C grad
====
def $named(x):
    return {"row": x[0], "shape": x.shape}
----
$d = $named(%B)
print($d["shape"])
----
$d["row"] R grad
====
def $deeper(x, n):
    if n == 0:
        return x
    return $deeper(torch.tanh(x + torch.ones(3<kw:x.device>)), n - 1)
----
$out = $deeper(%B, 2)
----
$out B grad
====
$memo = {}


def $cached(x):
    if "k" not in $memo:
        $memo["k"] = torch.ones(3<kw:x.device>)
    return x * $memo["k"]
----
$out = $cached(%B)
----
$out B grad
====
$counter = 0


def $tick(x):
    global $counter
    $counter += 1
    return x * $counter
----
$out = $tick(%B)
----
$out B grad
====
def $masked(x, mask=None, scale=None):
    if mask is None:
        mask = torch.ones(x.size(0)<kw:x.device>)
    scale = scale or 0.5
    return x * mask[:, None] * scale
----
$out = $masked(%B)
$other = $masked(%B, %C)
----
$out B, $other B grad
====
def $noise(n, device=None):
    return torch.full((n, 3), 0.25, device=device)
----
$t = $noise(4<kw>)
----
$t B
====
def $target(n, label):
    y = torch.zeros(n, dtype=torch.long)
    y[0] = label
    return y
----
$y = $target(4, 2)<to>
----
$y L
====
def $eye(n):
    return torch.eye(n, 3)
----
$out = %B + $eye(4)<to>
----
$out B grad
====
def $first(xs):
    for x in xs:
        if x.sum().item() > -1e9:
            return x
    return None
----
$out = $first([%B, %B])
----
$out B grad
====
----
$ts = list(map(lambda t: t * 2, [%B, %B]))
$sum = sum($ts)
----
$sum B grad
====
----
$f = functools.partial(torch.add, alpha=0.5)
$out = $f(%B, %B)
----
$out B grad
====
----
$out = functools.reduce(lambda a, b: a + b, [%B, %B])
----
$out B grad
====
----
$best = sorted([%B, %B], key=lambda t: t.sum().item())[0]
----
$best B grad
====
----
for $i, ($a, $b) in enumerate(zip([%R, %R], [%R, %R])):
    print($i, round(($a * $b).sum().item(), 4))
----
====
----
if ($n := %B.shape[0]) > 2 and 0 < $n <= 4:
    print($n)
----
====
----
$bag = {"x": torch.randn(4, 3), "y": torch.arange(4) % 3}
$bag = {k: v<to> for k, v in $bag.items()}
----
$bag["x"] B, $bag["y"] L
====
----
$bag = {"x": torch.randn(4, 3), "y": torch.arange(4) % 3}
for $k in $bag:
    $bag[$k] = $bag[$k]<to>
----
$bag["x"] B, $bag["y"] L
====
----
$first, *$rest = [%B, %B, %B]
$out = $first - $rest[-1]
----
$out B grad
====
----
$q = collections.deque(maxlen=2)
for $i in range(3):
    $q.append(torch.full((4, 3), float($i)<kw>))
$out = torch.stack(list($q)).sum(0)
----
$out B
====
----
$d = collections.defaultdict(list)
for $i in range(4):
    $d[$i % 2].append(torch.full((3,), float($i)<kw>))
$out = torch.stack($d[0] + $d[1])
----
$out B
====
----
$grid = [[torch.full((3,), float(i + j)) for j in range(2)] for i in range(2)]
$out = torch.stack([t for row in $grid for t in row])<to>
----
$out B
====
----
$seen = {int(v) for v in %L}
print(sorted($seen), [i for i in range(4) if i not in $seen])
----
====
----
$names = ["a", "b"]
$by = dict(zip($names, [%B, %C]))
assert isinstance($by["a"], torch.Tensor), "a tensor"
$left = $by.pop("b")
----
$by["a"] B, $left C grad
====
----
match len([1, 2]):
    case 2:
        $m = torch.ones(4, 3<kw>)
    case _:
        $m = torch.zeros(4, 3<kw>)
----
$m B
====
----
$out = %B if len([1]) else None
$pick = None or $out
----
$pick B grad
====
----
$pairs = list(itertools.product([0.5, 1.0], range(2)))
$t = torch.tensor($pairs<kw>)
$out = %B @ torch.cat([$t, $t[:, :1]], 1).t()[:, :3].repeat(1, 1)
----
$out B grad
====
----
$tmp = %B
$keep = $tmp[:, 1:]
del $tmp
print($keep.shape, f"{$keep.mean().item():8.3f}")
----
====
class $Config:
    lr = 0.1
    steps = 2
    sizes = (4, 3)


$options = {"scale": 0.5, "bias": True}
----
$t = torch.ones($Config.sizes<kw>) * $options["scale"]
----
$t B
""")
