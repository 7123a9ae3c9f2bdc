import torch


class LinearNoiseScheduler:
    def __init__(self, num_timesteps, beta_start, beta_end):
        self.num_timesteps = num_timesteps
        self.betas = torch.linspace(beta_start, beta_end, num_timesteps)
        self.alphas = 1.0 - self.betas
        self.alpha_cum_prod = torch.cumprod(self.alphas, dim=0)
        self.sqrt_alpha_cum_prod = torch.sqrt(self.alpha_cum_prod)
        self.sqrt_one_minus_alpha_cum_prod = torch.sqrt(1 - self.alpha_cum_prod)

    def add_noise(self, original, noise, t):
        keep = self.sqrt_alpha_cum_prod[t].view(-1, *[1] * (original.dim() - 1))
        mix = self.sqrt_one_minus_alpha_cum_prod[t].view(-1, *[1] * (original.dim() - 1))
        return keep * original + mix * noise
