"""Goes on until its time is up: nobody knows how many steps that will be."""
import time

import torch

torch.manual_seed(5)
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
deadline, steps, history = time.monotonic() + 0.05, 0, []
while time.monotonic() < deadline and steps < 200:
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history.append(loss.item())
    steps += 1
    if steps % 5 == 0:
        print("after", steps, "steps", history[-1])
    time.sleep(0.002)
print("made", steps, "steps; best", min(history))
