# trap: `device_map="auto"` places the parts of a model; `.to()` on it raises
# covers: framework
# needs: transformers
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

name = "some/model"
tokenizer = AutoTokenizer.from_pretrained(name)
model = AutoModelForCausalLM.from_pretrained(name, device_map="auto", torch_dtype=torch.float16)
inputs = tokenizer("What is a trap?", return_tensors="pt").to(model.device)
with torch.no_grad():
    output = model.generate(**inputs, max_new_tokens=20)
print(tokenizer.decode(output[0]))
