# case: what a model generates is an object, and its parts are read
import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
ids = tokenizer.encode("Hello", return_tensors="pt")
out = model.generate(ids, return_dict_in_generate=True, output_scores=True)
scores = out.scores[0][0]
chosen = []
for word in (1, 2):
    chosen.append(scores[word])
print(np.array(chosen), np.mean(out.sequences), np.mean(out.scores[0]))

# output
import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2").to(device)
ids = tokenizer.encode("Hello", return_tensors="pt").to(device)
out = model.generate(ids, return_dict_in_generate=True, output_scores=True)
scores = out.scores[0][0]
chosen = []
for word in (1, 2):
    chosen.append(scores[word].cpu())
print(np.array(chosen), np.mean(out.sequences.cpu()), np.mean(out.scores[0].cpu()))

# case: what a model gives is an object, and its parts are read
import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")
inputs = tokenizer("a", return_tensors="pt")
with torch.no_grad():
    out = model(**inputs, output_hidden_states=True, output_attentions=True)
hidden = out.hidden_states
print(np.mean(hidden[-1]), np.mean(out["last_hidden_state"]), np.mean(out[0]))
for attention in out.attentions:
    print(np.mean(attention))

# output
import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased").to(device)
inputs = tokenizer("a", return_tensors="pt").to(device)
with torch.no_grad():
    out = model(**inputs, output_hidden_states=True, output_attentions=True)
hidden = out.hidden_states
print(np.mean(hidden[-1].cpu()), np.mean(out["last_hidden_state"].cpu()), np.mean(out[0].cpu()))
for attention in out.attentions:
    print(np.mean(attention.cpu()))

# case: what else a model gives nobody knows
# reports:
import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")
out = model(tokenizer.encode("a", return_tensors="pt"))
print(np.mean(out.extra[0]), np.mean(out[1:][0]))

# case: a model of a hub gives an object that has no `cpu`
# reports:
import numpy as np
import torch

model = torch.hub.load("some/where", "detector")
found = model(torch.ones(1, 3, 64, 64))
print(np.mean(found.boxes[0]), np.mean(found.boxes[1]))

# case: a model of torchvision gives a named tuple while it learns
# reports:
import numpy as np
import torch
from torchvision import models

model = models.inception_v3()
found = model(torch.ones(2, 3, 299, 299))
print(np.mean(found.aux_logits[0]), np.mean(found.aux_logits[1]))

# case: a model of torchvision gives a tensor
import numpy as np
import torch
from torchvision import models

model = models.resnet18()
with torch.no_grad():
    found = model(torch.ones(2, 3, 299, 299))
print(np.mean(found))

# output
import numpy as np
import torch
from torchvision import models

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = models.resnet18().to(device)
with torch.no_grad():
    found = model(torch.ones(2, 3, 299, 299, device=device))
print(np.mean(found.cpu()))

# case: what another method of a model gives is read where it asks for an array
import torch
from transformers import CLIPModel, CLIPTokenizer

model = CLIPModel.from_pretrained("openai/clip-vit-base-patch32")
tokenizer = CLIPTokenizer.from_pretrained("openai/clip-vit-base-patch32")
inputs = tokenizer("a", return_tensors="pt")
print(model(**inputs).logits_per_text.detach().numpy())
print(model.get_text_features(inputs["input_ids"]).detach().numpy())

# output
import torch
from transformers import CLIPModel, CLIPTokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = CLIPModel.from_pretrained("openai/clip-vit-base-patch32").to(device)
tokenizer = CLIPTokenizer.from_pretrained("openai/clip-vit-base-patch32")
inputs = tokenizer("a", return_tensors="pt").to(device)
print(model(**inputs).logits_per_text.detach().cpu().numpy())
print(model.get_text_features(inputs["input_ids"]).detach().cpu().numpy())

# case: what another method of a model gives may be no tensor, and NumPy reads it
# reports: DFX101 DFX104 DFX401
import numpy as np
import torch
from transformers import CLIPModel, CLIPTokenizer

model = CLIPModel.from_pretrained("openai/clip-vit-base-patch32")
tokenizer = CLIPTokenizer.from_pretrained("openai/clip-vit-base-patch32")
inputs = tokenizer("a", return_tensors="pt")
print(model(**inputs).logits_per_text.detach().numpy())
print(np.mean(model.get_text_features(inputs["input_ids"])))

# case: arithmetic of what nobody has seen is nowhere either
# reports: DFX103
import lib
import torch

y = lib.features()
print(y / y.norm(dim=-1) @ torch.ones(3))
