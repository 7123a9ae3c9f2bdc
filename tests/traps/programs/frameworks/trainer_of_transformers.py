# trap: the Trainer moves model and batches; the Dataset stays on the host
# covers: framework dataset
# needs: transformers
import torch
from torch.utils.data import Dataset
from transformers import AutoModelForSequenceClassification, Trainer, TrainingArguments


class Reviews(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        ids = torch.arange(5) + index
        return {"input_ids": ids, "labels": torch.tensor(index % 2)}


def metrics(prediction):
    return {"right": (prediction.predictions.argmax(-1) == prediction.label_ids).mean()}


model = AutoModelForSequenceClassification.from_pretrained("some/model", num_labels=2)
trainer = Trainer(
    model=model,
    args=TrainingArguments(output_dir="out"),
    train_dataset=Reviews(),
    compute_metrics=metrics,
)
trainer.train()
