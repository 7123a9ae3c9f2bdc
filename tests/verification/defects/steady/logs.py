"""Logging to stdout, with time, process and line."""
import logging
import sys

import torch

logging.basicConfig(
    stream=sys.stdout,
    level=logging.INFO,
    format="[%(asctime)s.%(msecs)03d] %(process)d %(threadName)s %(name)s:%(lineno)d %(levelname)s: %(message)s",
    datefmt="%d.%m. %H:%M:%S",
)
log = logging.getLogger("training")
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    loss = model(torch.ones(2, 4)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log.info("step %d: loss %.6f (since start: %d ms)", step, loss, logging.LogRecord("", 0, "", 0, "", (), None).relativeCreated)
log.warning("weights %s", model.weight.detach().abs().max())
print("log by", log, file=sys.stdout)
