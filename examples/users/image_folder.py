"""A folder of images, and a model of flat rows."""

from pathlib import Path

from PIL import Image
from sklearn.datasets import load_sample_images
from sklearn.ensemble import RandomForestClassifier

import skrobust
from skrobust.datasets import load_image_folder
from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations import imagenet_c

# Stands for your folder: patches of two photographs, one folder for each label.
for photo, label in zip(load_sample_images().images, ["temple", "flower"], strict=True):
    for i in range(240):
        top, left = 21 * (i // 15), 42 * (i % 15)
        folder = Path("photos", ["train", "test"][i % 2], label)
        folder.mkdir(parents=True, exist_ok=True)
        patch = Image.fromarray(photo[top : top + 32, left : left + 32])
        patch.save(folder / f"{i}.png")

# The model: trained by you.
train = load_image_folder("photos/train", resize=(32, 32))
test = load_image_folder("photos/test", resize=(32, 32))
forest = RandomForestClassifier(50, random_state=0)
forest.fit(train.images[:].reshape(len(train.target), -1), train.target)

# From the model to a decision.
model = skrobust.wrap(forest, input_shape="flat")
conditions = imagenet_c(severities=(1, 3), random_state=0)
results = evaluate_perturbations(model, test.images[:], test.target, conditions)
safe = results.worst_interval.low > 0.8
print(results.verdict)
print("deploy" if safe else f"avoid: {results.worst_condition}")
