# case: what a tokenizer makes is moved as a whole
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased")
inputs = tokenizer(["a", "b"], return_tensors="pt", padding=True)
print(inputs.input_ids.tolist(), inputs["attention_mask"].numpy())
with torch.no_grad():
    logits = model(**inputs).logits
print(torch.softmax(logits, dim=1).numpy())

# output
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").to(device)
inputs = tokenizer(["a", "b"], return_tensors="pt", padding=True).to(device)
print(inputs.input_ids.tolist(), inputs["attention_mask"].cpu().numpy())
with torch.no_grad():
    logits = model(**inputs).logits
print(torch.softmax(logits, dim=1).cpu().numpy())

# case: a model that generates, of the numbers of words
import torch
from transformers import GPT2LMHeadModel, GPT2Tokenizer

tokenizer = GPT2Tokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token
model = GPT2LMHeadModel.from_pretrained("gpt2")
ids = tokenizer.encode("hello", return_tensors="pt")
out = model.generate(ids, attention_mask=torch.ones(ids.shape), max_length=20)
print(tokenizer.decode(out[0], skip_special_tokens=True), tokenizer.encode("b"))

# output
import torch
from transformers import GPT2LMHeadModel, GPT2Tokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

tokenizer = GPT2Tokenizer.from_pretrained("gpt2")
tokenizer.pad_token = tokenizer.eos_token
model = GPT2LMHeadModel.from_pretrained("gpt2").to(device)
ids = tokenizer.encode("hello", return_tensors="pt").to(device)
out = model.generate(ids, attention_mask=torch.ones(ids.shape, device=device), max_length=20)
print(tokenizer.decode(out[0], skip_special_tokens=True), tokenizer.encode("b"))

# case: what is put into it comes to the others
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")
inputs = tokenizer("a", return_tensors="pt")
inputs["labels"] = torch.ones(1)
print(model(**inputs)[0].shape)

# output
import torch
from transformers import AutoModel, AutoTokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased").to(device)
inputs = tokenizer("a", return_tensors="pt").to(device)
inputs["labels"] = torch.ones(1, device=device)
print(model(**inputs)[0].shape)

# case: what else it knows of a text is in doubt
# reports: DFX101 DFX104
import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")
inputs = tokenizer("a", return_tensors="pt")
print(np.array(inputs.word_ids(0)), model(**inputs)[0].shape, torch.__version__)

# case: lists, arrays, or whatever the user says
# reports: DFX101
import sys

import torch
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")
print(model(**tokenizer("a", return_tensors=sys.argv[1]))[0].shape, torch.__version__)

# case: a tokenizer of another library
# reports: DFX101
import torch
from lab import AutoTokenizer
from transformers import AutoModel

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = AutoModel.from_pretrained("bert-base-uncased")
print(model(**tokenizer("a", return_tensors="pt"))[0].shape, torch.__version__)

# case: models of other frameworks have no device of torch
import torch
from transformers import AutoTokenizer, FlaxBertModel, TFBertModel

tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
model = TFBertModel.from_pretrained("bert-base-uncased")
print(model(tokenizer("a", return_tensors="tf"))[0].numpy().shape, torch.__version__)
other = FlaxBertModel.from_pretrained("bert-base-uncased")
print(other(**tokenizer("a", return_tensors="np"))[0].shape)

# case: a program that never names torch
import numpy as np
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
inputs = tokenizer("Hello", return_tensors="pt")
print(np.argmax(model(**inputs).logits[0, -1].detach()))
print(tokenizer.decode(model.generate(**inputs)[0]))

# output
import torch
import numpy as np
from transformers import AutoModelForCausalLM, AutoTokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2").to(device)
inputs = tokenizer("Hello", return_tensors="pt").to(device)
print(np.argmax(model(**inputs).logits[0, -1].detach().cpu()))
print(tokenizer.decode(model.generate(**inputs)[0]))

# case: its tensors are those of NumPy
from transformers import AutoTokenizer, FlaxAutoModel

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = FlaxAutoModel.from_pretrained("gpt2")
print(model(**tokenizer("Hello", return_tensors="np")).last_hidden_state.shape)

# case: one that places its model itself
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2", device_map="auto")
inputs = tokenizer("Hello", return_tensors="pt").to(model.device)
print(tokenizer.decode(model.generate(**inputs)[0]))

# case: the numbers of the words by other methods
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
inputs = tokenizer.encode_plus("Hello", return_tensors="pt")
print(model(**inputs).logits.shape)
chat = [{"role": "user", "content": "Hello"}]
whole = tokenizer.apply_chat_template(chat, return_dict=True, return_tensors="pt")
print(tokenizer.decode(model.generate(**whole)[0]))
ids = tokenizer.apply_chat_template(chat, return_tensors="pt")
print(tokenizer.decode(model.generate(ids, attention_mask=torch.ones(ids.shape))[0]))

# output
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2").to(device)
inputs = tokenizer.encode_plus("Hello", return_tensors="pt").to(device)
print(model(**inputs).logits.shape)
chat = [{"role": "user", "content": "Hello"}]
whole = tokenizer.apply_chat_template(chat, return_dict=True, return_tensors="pt").to(device)
print(tokenizer.decode(model.generate(**whole)[0]))
ids = tokenizer.apply_chat_template(chat, return_tensors="pt").to(device)
print(tokenizer.decode(model.generate(ids, attention_mask=torch.ones(ids.shape, device=device))[0]))

# case: a chat that becomes a text, and one that may become a dict
# reports: DFX101
from transformers import AutoModelForCausalLM, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2")
chat = [{"role": "user", "content": "Hello"}]
print(tokenizer.apply_chat_template(chat, tokenize=False))
ids = tokenizer.apply_chat_template(chat, return_dict=len(chat) > 1, return_tensors="pt")
print(tokenizer.decode(model.generate(ids)[0]))
