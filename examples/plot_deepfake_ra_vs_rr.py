"""
Deepfake detectors: is it the model or the metric?
==================================================

Two published detectors (MesoNet) under the same attack, with robust accuracy on the
right axis and the robust ratio over 21 tolerances on the left. Set ``SKROBUST_DATA`` to
a folder with ``faces/`` and ``mesonet_weights/``; without it, small nets on synthetic
textures are used. ``skrobust study deepfake`` is the full study.
"""

import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from skrobust.attacks import PGD
from skrobust.datasets import load_image_folder
from skrobust.evaluation import evaluate_attack
from skrobust.nets import (
    load_mesonet_weights,
    make_net_classifier,
    small_cnn_classifier,
)
from skrobust.plots import RobustRatioDisplay

folder = Path(os.environ.get("SKROBUST_DATA", "deepfake"))
if (folder / "faces").is_dir() and (folder / "mesonet_weights").is_dir():
    kind, eps, shared = "given faces and weights", 0.2 / 255, {"batch_size": 4}
    faces = load_image_folder(folder / "faces", resize=(256, 256), verify=False)
    faces = faces.take(np.unique(faces.clip, return_index=True)[1][::3])  # 22 clips
    X = np.asarray(faces.images).transpose(0, 3, 1, 2).astype(np.float32) / 255
    y, models = faces.target, {}  # 0 is fake, 1 is real
    for name in ("Meso4", "MesoInception"):
        net = load_mesonet_weights(folder / f"mesonet_weights/{name}_DF.h5")
        models[name] = make_net_classifier(net, classes=[0, 1], fitted=True, **shared)
else:
    kind, eps, shared = "SYNTHETIC textures, no faces", 0.02, {}
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 3 * 16 * 16)).astype(np.float32), np.arange(400) % 2
    X[y == 0] = 0.85 * X[y == 0] + 0.15 * (np.arange(768) % 2)  # a trace of upsampling
    models = {}
    for epochs in (5, 40):
        net = small_cnn_classifier((3, 16, 16), 2, epochs=epochs)
        models[f"synthetic, {epochs} epochs"] = net.fit(X[:300], y[:300])
    X, y = X[300:], y[300:]

print(f"{kind}: {len(y)} images, eps {eps:.4g}")
attack = PGD(eps, n_steps=5, data_range=(0, 1), random_state=0, **shared)
figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
for (name, model), ax in zip(models.items(), axes, strict=True):
    found = evaluate_attack(model, X, y, attack)
    ratio = found.robust_ratio_probability_shift
    numbers = f"RR(.05) {ratio[5]:.2f}, RR(.2) {ratio[20]:.2f}"
    print(f"{name}: robust accuracy {found.robust_accuracy:.2f}, {numbers}")
    RobustRatioDisplay.from_results(found, name=name).plot(ax)
plt.show()
