"""Written for a graphics card only: the style of one texture is put on another."""
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(33)
torch.cuda.manual_seed(33)


def gram(features):
    channels = features.flatten(2)[0]
    return channels @ channels.t() / channels.numel()


extractor = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3)).to(device)
for parameter in extractor.parameters():
    parameter.requires_grad_(False)

content = torch.rand(1, 3, 16, 16).to(device)
style = torch.rand(1, 3, 16, 16).to(device) ** 3
wanted_content = extractor(content)
wanted_style = gram(extractor(style))
image = content.clone().requires_grad_(True)
optimizer = torch.optim.Adam([image], lr=0.05)

for step in range(12):
    features = extractor(image)
    content_loss = (features - wanted_content).pow(2).mean()
    style_loss = (gram(features) - wanted_style).pow(2).sum()
    loss = content_loss + 50 * style_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        image.clamp_(0, 1)
    if step % 4 == 0:
        print(step, content_loss.item(), style_loss.item())

moved = (image.detach() - content).abs().mean(dim=(2, 3)).cpu().numpy()
print("moved by channel", moved.round(5))
torch.save({"image": image.detach().cpu(), "steps": step + 1}, "image.pt")
