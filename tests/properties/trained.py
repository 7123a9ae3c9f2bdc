"""Idioms of torch: networks, losses, loaders, loops, NumPy, checkpoints."""

from __future__ import annotations

from typing import Final

from tests.properties.idioms import parsed

NETWORKS: Final = parsed("""\
class $Base(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(3, width)

    def features(self, x):
        raise NotImplementedError

    def forward(self, x):
        return self.features(x)


class $Deep($Base):
    def __init__(self):
        super().__init__(3)
        self.scale = nn.Parameter(torch.ones(3))

    def features(self, x):
        keep = torch.ones(x.size(0), 1<kw:x.device>)
        return torch.relu(self.inner(x)) * keep * self.scale
----
$net = $Deep()<mod>
----
$net M
====
class $VAE(nn.Module):
    def __init__(self):
        super($VAE, self).__init__()
        self.encoder = nn.Linear(3, 4)
        self.decoder = nn.Linear(2, 3)

    def sample(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn(std.size()<kw:mu.device>)
        return mu + eps * std

    def forward(self, x):
        mu, logvar = self.encoder(x).chunk(2, 1)
        return self.decoder(self.sample(mu, logvar))
----
$net = $VAE()<mod>
----
$net M
====
class $VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu, self.logvar = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        std = self.logvar(x).mul(0.5).exp_()
        eps = torch.FloatTensor(std.size()).fill_(0.5)<to:std.device>
        return eps.mul(std).add_(self.mu(x))
----
$net = $VAE()<mod>
----
$net M
====
class $RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 3)

    def init_hidden(self, n):
        weight = next(self.parameters())
        return weight.new_zeros(1, n, 3), weight.data.new(1, n, 3).zero_()

    def forward(self, x, hidden):
        out, hidden = self.rnn(x.unsqueeze(0), hidden)
        return out.squeeze(0), hidden


def $repackage(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple($repackage(v) for v in h)
----
$net = $RNN()<mod>
$h = $net.init_hidden(4)
for _ in range(2):
    $h = $repackage($h)
    $out, $h = $net(%B, $h)
----
$out B grad
====
class $RNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 3, batch_first=True)

    def forward(self, x, h0=None):
        if h0 is None:
            h0 = torch.zeros(1, x.size(0), 3<kw:x.device>)
        return self.rnn(x[:, None, :], h0)[0].squeeze(1)
----
$net = $RNN()<mod>
----
$net M
====
----
$lengths = torch.tensor([3, 2, 2, 1])
$seq = torch.rand(4, 3, 3<kw>)
$gru = nn.GRU(3, 3, batch_first=True)<mod>
$packed = nn.utils.rnn.pack_padded_sequence($seq, $lengths, batch_first=True)
$o, $h = $gru($packed)
$o, $sizes = nn.utils.rnn.pad_packed_sequence($o, batch_first=True)
print($o.shape, $sizes.tolist())
----
$h[0] B grad
====
class $Position(nn.Module):
    def __init__(self, length=8):
        super().__init__()
        steps = torch.arange(length).unsqueeze(1).float()
        rates = torch.exp(torch.arange(3).float() * -0.5)
        self.register_buffer("table", torch.sin(steps * rates))

    def forward(self, x):
        return x + self.table[:x.size(0)]
----
$net = $Position()<mod>
$out = $net(%B)
----
$out B grad
====
def $mask(n):
    return torch.triu(torch.ones(n, n), 1).bool()


def $attention(q, k, v):
    scores = q @ k.t() / q.size(-1) ** 0.5
    mask = $mask(q.size(0))<to:q.device>
    return F.softmax(scores.masked_fill(mask, -1e9), -1) @ v
----
$out = $attention(%B, %B, %B)
----
$out B grad
====
class $Conv(nn.Module):
    def __init__(self, *widths):
        super().__init__()
        layers = []
        for a, b in zip(widths, widths[1:]):
            layers += [nn.Conv1d(a, b, 3, padding=1), nn.BatchNorm1d(b), nn.ReLU(inplace=True)]
        self.body = nn.Sequential(*layers)
        for m in self.modules():
            if isinstance(m, nn.Conv1d):
                nn.init.kaiming_normal_(m.weight)
                m.bias.data.zero_()

    def forward(self, x):
        return self.body(x.unsqueeze(1)).mean(1)
----
$net = $Conv(1, 2, 2)<mod>
----
$net M
====
class $Siamese(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.heads = nn.ModuleList()
        for _ in range(2):
            self.heads.append(nn.Linear(3, 3))
        self.gain = 0.5

    def forward(self, x):
        outs = [head(self.net(x)) for head in self.heads]
        return torch.stack(outs).mean(0) * self.gain
----
$net = $Siamese(nn.Linear(3, 3))<mod>
----
$net M
====
class $Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * (x > 0).float() * torch.ones(x.shape<kw:grad.device>)
----
$out = $Clip.apply(%B)
----
$out B grad
====
class $Loss(nn.Module):
    def __init__(self):
        super().__init__()
        <buf:weight=torch.tensor([1.0, 2.0, 0.5])>

    def forward(self, x, y):
        return F.cross_entropy(x, y, weight=self.weight)
----
$criterion = $Loss()<mod>
print(round($criterion(%M(%B), %L).item(), 4))
----
====
class $Smooth(nn.Module):
    def forward(self, x, y):
        target = torch.full((x.size(0), 3), 0.1<kw:x.device>)
        target.scatter_(1, y.unsqueeze(1), 0.8)
        return (-target * F.log_softmax(x, 1)).sum(1).mean()
----
$criterion = $Smooth()
print(round($criterion(%M(%B), %L).item(), 4))
----
====
class $Grid(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x):
        ys, xs = torch.meshgrid(
            torch.arange(x.size(0)<kw:x.device>), torch.arange(3<kw:x.device>), indexing="ij"
        )
        return x + 0.1 * ys.float() + xs.float() * self.fc(x)
----
$net = $Grid()<mod>
----
$net M
====
----
$feats = []
$net = %M
$handle = $net.register_forward_hook(lambda m, i, o: $feats.append(o.detach()))
$net(%B)
$handle.remove()
----
$feats[0] B
====
----
$net = nn.DataParallel(nn.Linear(3, 3)<mod>)
$out = $net(%B)
----
$out B grad
====
----
$nets = [nn.Linear(3, 3)<mod> for _ in range(2)]
$out = sum(net(%B) for net in $nets)
----
$out B grad
====
----
$enc, $dec = nn.Linear(3, 2), nn.Linear(2, 3)
<move:$enc>
<move:$dec>
$out = $dec(torch.relu($enc(%B)))
----
$out B grad
====
----
$net = nn.Sequential(collections.OrderedDict([("fc", nn.Linear(3, 3)), ("act", nn.Tanh())]))<mod>
$net.apply(lambda m: isinstance(m, nn.Linear) and nn.init.constant_(m.weight, 0.1))
print(sum(p.numel() for p in $net.parameters()))
----
$net M
""")

LOOPS: Final = parsed("""\
----
$real, $fake = torch.ones(4, 1<kw>), torch.zeros(4, 1<kw>)
$gen = nn.Sequential(nn.Linear(2, 3), nn.Tanh())<mod>
$disc = nn.Sequential(nn.Linear(3, 1), nn.Sigmoid())<mod>
$og = torch.optim.SGD($gen.parameters(), lr=0.1)
$od = torch.optim.SGD($disc.parameters(), lr=0.1)
for step in range(2):
    $z = torch.randn(4, 2<kw>)
    $od.zero_grad()
    $made = $gen($z)
    $loss = F.binary_cross_entropy($disc(%B.detach()), $real)
    $loss = $loss + F.binary_cross_entropy($disc($made.detach()), $fake)
    $loss.backward()
    $od.step()
    $og.zero_grad()
    $gloss = F.binary_cross_entropy($disc($made), $real)
    $gloss.backward()
    $og.step()
    print(step, round($loss.item(), 4), "%.4f" % $gloss.item())
----
====
def $penalty(model, x):
    x = x.clone().requires_grad_(True)
    out = model(x).sum(1)
    ones = torch.ones(out.size()<kw:x.device>)
    grad = torch.autograd.grad(out, x, grad_outputs=ones, create_graph=True)[0]
    return ((grad.norm(2, dim=1) - 1) ** 2).mean()
----
print(round($penalty(%M, %B.detach()).item(), 4))
----
====
def $select(state, model):
    state = torch.from_numpy(state).float().unsqueeze(0)<to:next(model.parameters()).device>
    with torch.no_grad():
        return model(state).max(1)[1].item()
----
$net = nn.Linear(3, 3)<mod>
$state = np.ones(3)
for $t in range(2):
    $action = $select($state, $net)
    $state = $state * 0.5 + $action
print($state.round(3).tolist())
----
$net M
====
----
$memory = collections.deque(maxlen=10)
for $i in range(4):
    $memory.append((torch.full((1, 3), float($i)), torch.tensor([$i % 3])))
$states, $labels = zip(*$memory)
$x = torch.cat($states)<to>
$y = torch.cat($labels)<to>
----
$x B, $y L
====
def $collate(rows):
    xs, ys = zip(*rows)
    return torch.stack(xs), torch.tensor(ys)
----
$data = [(torch.full((3,), 0.1 * i), i % 3) for i in range(8)]
for $x, $y in DataLoader($data, batch_size=4, collate_fn=$collate):
    <move:$x>
    <move:$y>
    print(round(F.cross_entropy(%M($x), $y).item(), 4))
----
====
----
$loader = DataLoader(TensorDataset(torch.rand(8, 3), torch.arange(8) % 3), batch_size=4)
$x, $y = next(iter($loader))
<move:$x>
<move:$y>
$out = %M($x)
----
$out B, $y L grad
====
----
$it = iter(DataLoader(torch.rand(8, 3), batch_size=4, drop_last=True))
for $step in range(2):
    $x = next($it)<to>
    print(round(%M($x).sum().item(), 3))
----
====
----
$train, $test = torch.utils.data.random_split(list(torch.rand(8, 3)), [4, 4])
for $x in DataLoader($train, batch_size=4, shuffle=True):
    $x = $x<to>
    print(round(%M($x).sum().item(), 3), len($test))
----
====
----
$sampler = torch.utils.data.WeightedRandomSampler(torch.ones(8), 8)
$loader = DataLoader(torch.linspace(0, 1, 24).view(8, 3), batch_size=4, sampler=$sampler)
for $i, $x in enumerate($loader):
    <move:$x>
    print($i, round(%M($x).sum().item(), 3))
----
====
----
$a = DataLoader(torch.rand(8, 3), batch_size=4)
$b = DataLoader(torch.arange(8) % 3, batch_size=4)
for $x, $y in zip($a, $b):
    <move:$x>
    <move:$y>
    print(round(F.cross_entropy(%M($x), $y).item(), 4))
----
====
----
$data = TensorDataset(torch.rand(8, 3), torch.arange(8) % 3, torch.arange(8))
$net = %M
for $x, $y, $index in DataLoader($data, batch_size=4):
    <move:$x>
    <move:$y>
    $loss = F.cross_entropy($net($x), $y, reduction="none")
    for $i, $v in zip($index.tolist(), $loss.tolist()):
        print($i, round($v, 4))
----
====
----
$net = %M
$opt = torch.optim.SGD($net.parameters(), lr=0.1)
$sched = torch.optim.lr_scheduler.StepLR($opt, step_size=1, gamma=0.5)
$total, $count = 0.0, 0
for $epoch in range(2):
    $opt.zero_grad()
    $loss = ($net(%B.detach()) ** 2).mean()
    $loss.backward()
    $opt.step()
    $sched.step()
    $total += $loss.item() * 4
    $count += 4
    print(f"{$epoch}: {$total / $count:.4f} {$opt.param_groups[0]['lr']}")
----
====
class $Trainer:
    def __init__(self, model):
        self.model = model
        self.device = next(model.parameters()).device
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)
        self.history = {"loss": []}

    def fit(self, loader, epochs=1):
        for _ in range(epochs):
            for x, y in loader:
                self.history["loss"].append(self._step(x<to:self.device>, y<to:self.device>))
        return self

    def _step(self, x, y):
        self.opt.zero_grad()
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.opt.step()
        return round(loss.item(), 4)
----
$data = TensorDataset(torch.rand(8, 3), torch.arange(8) % 3)
$t = $Trainer(%M).fit(DataLoader($data, batch_size=4))
print($t.history["loss"])
----
====
class $EMA:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = model, decay
        self.shadow = {k: v.clone() for k, v in model.state_dict().items()}

    def update(self):
        for k, v in self.model.state_dict().items():
            if v.dtype.is_floating_point:
                self.shadow[k] = self.decay * self.shadow[k] + (1 - self.decay) * v
----
$net = %M
$ema = $EMA($net)
$ema.update()
$net.load_state_dict($ema.shadow)
----
====
----
$net = %M
$opt = torch.optim.Adam($net.parameters(), lr=0.01)
$net(%B.detach()).sum().backward()
$opt.step()
$file = io.BytesIO()
torch.save({"model": $net.state_dict(), "opt": $opt.state_dict(), "epoch": 1}, $file)
$file.seek(0)
$saved = torch.load($file)
$net.load_state_dict($saved["model"])
$opt.load_state_dict($saved["opt"])
print($saved["epoch"], len($opt.state_dict()["state"]))
----
====
----
$net = %M
$preds = []
with torch.inference_mode():
    for $i in range(2):
        $preds.append($net(%B.detach()).argmax(1)<cpu>.numpy())
print(np.concatenate($preds).tolist())
----
====
----
$matrix = np.zeros((3, 3), dtype=int)
for $t, $p in zip(%L<cpu>.numpy(), %B.argmax(1)<cpu>.numpy()):
    $matrix[$t, $p] += 1
print($matrix.tolist())
----
====
----
$sum = np.zeros((4, 3), dtype=np.float32)
$sum += %B.detach()<cpu>.numpy()
$x = torch.from_numpy($sum / 2)<to>
----
$x B
====
----
$host = %B.detach()<cpu>
$flip = torch.from_numpy($host.numpy()[:, ::-1].copy())
$mean = np.mean([float(v) for v in $flip.view(-1)])
print(round(float($mean), 4))
----
$flip b
====
----
$hot = torch.zeros(4, 3<kw>).scatter_(1, %L.unsqueeze(1), 1.0)
$index = torch.arange(4<kw>)
$chosen = %B[$index, %L]
----
$hot B, $chosen C grad
====
----
$a = %B.new(4, 3).fill_(0.1)
$b = %B.new_tensor([0.5, 1.0, 1.5])
$c = torch.ones(4).type_as(%B)
$d = torch.ones(4, 3).to(%B)
----
$a B, $b R, $c C, $d B
====
----
$a, $b = %B.detach(), %B.detach()
$near = torch.cdist($a, $b).argmin(1)
$count = torch.bincount($near, minlength=4).float()
$top, $order = torch.topk($count, 3)
print($near.tolist(), $order.shape)
----
$count C, $top R
====
----
$x = torch.zeros(3, requires_grad=True<kw>)
$opt = torch.optim.LBFGS([$x], max_iter=2)


def $closure():
    $opt.zero_grad()
    loss = (($x - %R.detach()) ** 2).sum()
    loss.backward()
    return loss


$opt.step($closure)
----
$x.detach() R
====
----
$args = argparse.ArgumentParser()
$args.add_argument("--lr", type=float, default=0.1)
$args.add_argument("--steps", type=int, default=2)
$args = $args.parse_args([])
$w = torch.zeros(3<kw>)
for $i in range($args.steps):
    $w -= $args.lr * %R.detach()
----
$w R
====
----
$generator = torch.Generator()
$generator.manual_seed(1)
$x = torch.randn(4, 3, generator=$generator)<to>
$order = torch.randperm(4, generator=$generator).tolist()
print($order)
----
$x B
====
----
$values = torch.autograd.Variable(torch.rand(4, 3))<to>
$grad = torch.autograd.Variable(torch.ones(3)<to>, requires_grad=True)
$loss = ($values * $grad).sum()
$loss.backward()
print($grad.grad.sum().item() > 0)
----
$values B
""")
