import torch
import torch.nn as nn


def get_EF(input_size, dim, method="learnable"):
    if method == "no_params":
        mat = torch.zeros(input_size, dim)
        torch.nn.init.normal_(mat, mean=0.0, std=1 / dim)
        return mat
    return nn.Linear(input_size, dim, bias=False)


class LinearAttentionHead(nn.Module):
    def __init__(self, dim, E_proj, F_proj):
        super().__init__()
        self.dim = dim
        self.is_proj_tensor = isinstance(E_proj, torch.Tensor)
        if self.is_proj_tensor:
            self.register_buffer("E", E_proj, persistent=False)
            self.register_buffer("F", F_proj, persistent=False)
        else:
            self.E = E_proj
            self.F = F_proj

    def forward(self, Q, K, V):
        K = K.transpose(1, 2)
        K = torch.matmul(K, self.E) if self.is_proj_tensor else self.E(K)
        P = torch.softmax(Q @ K / self.dim ** 0.5, dim=-1)
        V = V.transpose(1, 2)
        V = torch.matmul(V, self.F) if self.is_proj_tensor else self.F(V)
        return P @ V.transpose(1, 2)


class Linformer(nn.Module):
    def __init__(self, input_size=20, channels=16, k=6, method="learnable"):
        super().__init__()
        proj = get_EF(input_size, k, method)
        self.to_q = nn.Linear(channels, channels)
        self.to_k = nn.Linear(channels, channels)
        self.to_v = nn.Linear(channels, channels)
        self.head = LinearAttentionHead(channels, proj, proj)
        self.out = nn.Linear(channels, 1)

    def forward(self, x):
        return self.out(self.head(self.to_q(x), self.to_k(x), self.to_v(x)))


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for method in ("learnable", "no_params"):
        model = Linformer(method=method).to(device)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        x = torch.randn(4, 20, 16, device=device)
        target = x.mean(-1, keepdim=True)
        for _ in range(5):
            loss = nn.functional.mse_loss(model(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(method, f"{loss.item():.5f}")
