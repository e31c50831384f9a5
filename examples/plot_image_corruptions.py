"""
What do the image corruptions look like?
========================================

All image corruptions at severities 1, 3 and 5, on a photograph of 224 pixels and on a
digit of 8 pixels. Strengths depend on the side length of the image.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_sample_image

from skrobust import perturbations
from skrobust.perturbations import GaussianBlur, ImagePerturbation

everything = [getattr(perturbations, name) for name in perturbations.__all__]
kinds = [
    kind
    for kind in everything
    if isinstance(kind, type)
    and issubclass(kind, ImagePerturbation)
    and not kind.__abstractmethods__  # base classes change nothing
]
severities = (1, 3, 5)
n_rows = -(-len(kinds) // 3)

photo = load_sample_image("china.jpg")[None, :, 100:527]
rows, columns = (np.linspace(0, side - 1, 224).astype(int) for side in photo.shape[1:3])
smooth = GaussianBlur(std=0.8).perturb(None, photo)  # no aliases when it is thinned
pictures = {
    "photo": smooth[:, rows][:, :, columns],
    "digit": load_digits().images[3:4] / 16,
}

for title, picture in pictures.items():
    figure, axes = plt.subplots(n_rows, 9, figsize=(12, 1.4 * n_rows))
    figure.subplots_adjust(0.01, 0.01, 0.99, 0.93, wspace=0.03, hspace=0.25)
    figure.suptitle(f"{title}: severities 1, 3 and 5")
    print(f"{title}: mean change at severities 1, 3 and 5")
    for panel in axes.flat:
        panel.axis("off")
    for k, kind in enumerate(kinds):
        if kind.__name__ == "Saturate" and picture.ndim == 3:
            continue  # grey has no saturation
        panels = axes[k // 3, 3 * (k % 3) : 3 * (k % 3) + 3]
        panels[0].set_title(kind.__name__, loc="left", fontsize=9)
        changes = []
        for panel, severity in zip(panels, severities, strict=True):
            new = kind(severity=severity, random_state=0).perturb(None, picture)
            changes.append(np.abs(new.astype(float) - picture).mean())
            panel.imshow(new[0], cmap="gray", vmin=0, vmax=picture.max())
        print(f"  {kind.__name__:20}", *(f"{change:7.3f}" for change in changes))
plt.show()
