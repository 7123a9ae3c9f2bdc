# case: what prepares images makes a dict that is moved as a whole
import torch
from PIL import Image
from transformers import AutoImageProcessor, AutoModelForImageClassification

processor = AutoImageProcessor.from_pretrained("google/vit-base-patch16-224")
model = AutoModelForImageClassification.from_pretrained("google/vit-base-patch16-224")
inputs = processor(images=Image.open("a.png"), return_tensors="pt")
with torch.no_grad():
    logits = model(**inputs).logits
print(logits.argmax(-1).item(), torch.softmax(logits, -1).numpy())

# output
import torch
from PIL import Image
from transformers import AutoImageProcessor, AutoModelForImageClassification

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

processor = AutoImageProcessor.from_pretrained("google/vit-base-patch16-224")
model = AutoModelForImageClassification.from_pretrained("google/vit-base-patch16-224").to(device)
inputs = processor(images=Image.open("a.png"), return_tensors="pt").to(device)
with torch.no_grad():
    logits = model(**inputs).logits
print(logits.argmax(-1).item(), torch.softmax(logits, -1).cpu().numpy())

# case: sounds, and the words that are heard
import torch
from transformers import Wav2Vec2ForCTC, Wav2Vec2Processor

processor = Wav2Vec2Processor.from_pretrained("facebook/wav2vec2-base-960h")
model = Wav2Vec2ForCTC.from_pretrained("facebook/wav2vec2-base-960h")


def transcribe(sound, rate):
    values = processor(sound, sampling_rate=rate, return_tensors="pt").input_values
    with torch.no_grad():
        logits = model(values).logits
    ids = torch.argmax(logits, dim=-1)
    return processor.batch_decode(ids), processor.tokenizer.decode(ids[0])


print(transcribe([0.0], 16000))

# output
import torch
from transformers import Wav2Vec2ForCTC, Wav2Vec2Processor

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

processor = Wav2Vec2Processor.from_pretrained("facebook/wav2vec2-base-960h")
model = Wav2Vec2ForCTC.from_pretrained("facebook/wav2vec2-base-960h").to(device)


def transcribe(sound, rate):
    values = processor(sound, sampling_rate=rate, return_tensors="pt").to(device).input_values
    with torch.no_grad():
        logits = model(values).logits
    ids = torch.argmax(logits, dim=-1)
    return processor.batch_decode(ids), processor.tokenizer.decode(ids[0])


print(transcribe([0.0], 16000))

# case: one whose class is called otherwise, of images that are said to be on the device
# reports: DFX101
import torch
from transformers import ViTImageProcessorFast, ViTModel

processor = ViTImageProcessorFast.from_pretrained("google/vit-base-patch16-224")
model = ViTModel.from_pretrained("google/vit-base-patch16-224")
inputs = processor(images=["a.png"], return_tensors="pt", device="cpu")
with torch.no_grad():
    print(model(**inputs)[0].shape)

# case: what it makes of the outputs nobody knows
# reports: DFX101 DFX104
import torch
from transformers import AutoModelForSemanticSegmentation, SegformerImageProcessor

processor = SegformerImageProcessor.from_pretrained("nvidia/segformer-b0")
model = AutoModelForSemanticSegmentation.from_pretrained("nvidia/segformer-b0")
outputs = model(**processor(images=["a.png"], return_tensors="pt"))
sizes = torch.tensor([[10, 10]])
print(processor.post_process_semantic_segmentation(outputs, target_sizes=sizes)[0].shape)

# case: labels are lists of dicts
# reports: DFX101
import torch
from transformers import DetrFeatureExtractor, DetrForObjectDetection

extractor = DetrFeatureExtractor.from_pretrained("facebook/detr-resnet-50")
model = DetrForObjectDetection.from_pretrained("facebook/detr-resnet-50")
inputs = extractor(images=["a.png"], annotations=[{}], return_tensors="pt")
print(model(**inputs).loss.item())
print(model(**extractor(["a.png"], [{}], return_tensors="pt")).loss.item())
