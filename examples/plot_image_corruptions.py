"""What do the published image corruptions look like?

Every corruption at severities 1, 3 and 5, on a photograph of 224 pixels and on a digit
of 8: strengths follow the side of the image.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_sample_image

from skrobust import perturbations
from skrobust.perturbations import Pixelate

NAMES = [
    "GaussianBlur",
    "DefocusBlur",
    "GlassBlur",
    "MotionBlur",
    "ZoomBlur",
    "Snow",
    "Frost",
    "Fog",
    "Spatter",
    "Contrast",
    "Brightness",
    "Saturate",
    "JPEGCompression",
    "Pixelate",
    "ElasticDeformation",
    "Translation",
    "Scaling",
    "Shear",
    "Rotation",
    "Occlusion",
    "Gamma",
    "Quantization",
    "ChannelShift",
    "Stripe",
    "DottedLine",
    "Zigzag",
    "CannyEdges",
]
SEVERITIES = (1, 3, 5)

photo = load_sample_image("china.jpg")[:, 100:527]
rows, columns = (np.linspace(0, side - 1, 224).astype(int) for side in photo.shape[:2])
smooth = Pixelate(share=0.53).perturb(None, photo[None])[0]  # no aliases when thinned
pictures = {"photo": smooth[rows][:, columns], "digit": load_digits().images[3] / 16}

for title, picture in pictures.items():
    figure, axes = plt.subplots(9, 9, figsize=(12, 13), layout="constrained")
    figure.suptitle(f"{title}: severities 1, 3 and 5")
    print(f"{title}: mean change at severities 1, 3 and 5")
    for k, name in enumerate(NAMES):
        panels = axes[k // 3, 3 * (k % 3) : 3 * (k % 3) + 3]
        panels[0].set_title(name, loc="left", fontsize=9)
        changes = []
        for panel, severity in zip(panels, SEVERITIES, strict=True):
            panel.axis("off")
            if name == "Saturate" and picture.ndim == 2:
                continue  # grey has no saturation
            perturbation = getattr(perturbations, name)(
                severity=severity, random_state=0
            )
            new = perturbation.perturb(None, picture[None])[0]
            changes.append(np.abs(new.astype(float) - picture).mean())
            panel.imshow(new, cmap="gray", vmin=0, vmax=255 if title == "photo" else 1)
        print(f"  {name:20}", *(f"{change:7.3f}" for change in changes))
plt.show()
