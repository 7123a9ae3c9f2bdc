import torch
import torch.nn as nn


class GConvGRU(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.out_channels = out_channels
        self.update = nn.Linear(in_channels + out_channels, out_channels)
        self.reset = nn.Linear(in_channels + out_channels, out_channels)
        self.candidate = nn.Linear(in_channels + out_channels, out_channels)

    def _set_hidden_state(self, X, H):
        if H is None:
            H = torch.zeros(X.shape[0], self.out_channels)
        return H

    def forward(self, X, A, H=None):
        H = self._set_hidden_state(X, H)
        XH = A @ torch.cat([X, H], dim=1)
        Z = torch.sigmoid(self.update(XH))
        R = torch.sigmoid(self.reset(XH))
        H_tilde = torch.tanh(self.candidate(A @ torch.cat([X, H * R], dim=1)))
        return Z * H + (1 - Z) * H_tilde
