import torch
import torch.nn as nn
import torch.nn.functional as F

import zoo


class DistillLoss(nn.Module):
    def __init__(self, teacher_name, temperature=2.0, alpha=0.5):
        super().__init__()
        self.teacher = zoo.create_model(teacher_name, frozen=True)
        self.temperature = temperature
        self.alpha = alpha

    def forward(self, x, student_logits, labels):
        with torch.no_grad():
            teacher_logits = self.teacher(x)
        soft = F.kl_div(
            (student_logits / self.temperature).log_softmax(1),
            (teacher_logits / self.temperature).softmax(1),
            reduction="batchmean",
        )
        hard = F.cross_entropy(student_logits, labels)
        return self.alpha * hard + (1 - self.alpha) * self.temperature ** 2 * soft


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    student = zoo.create_model("mlp_small").to(device)
    criterion = DistillLoss("mlp_large")
    optimizer = torch.optim.Adam(student.parameters(), lr=0.02)
    for step in range(6):
        x = torch.randn(32, 8)
        labels = x[:, :4].argmax(1)
        x, labels = x.to(device), labels.to(device)
        loss = criterion(x, student(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
