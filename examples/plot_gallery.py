"""Which inputs did the model see?
===============================

Digits under two kinds of noise, each with the prediction of the model. Wrong
predictions are marked with a cross.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from skrobust.perturbations import GaussianBlur, Rotation, SaltAndPepper
from skrobust.plots import PerturbationGalleryDisplay

X, y = load_digits(return_X_y=True)
model = SVC().fit(X[:1000], y[:1000])
images = {"image_shape": (8, 8), "data_range": (0, 16)}
display = PerturbationGalleryDisplay.from_estimator(
    model,
    X[1000:],
    y[1000:],
    {
        "salt and pepper 15 %": SaltAndPepper(0.15, random_state=0, **images),
        "blur": GaussianBlur(severity=3, **images),
        "turned by 30°": Rotation(30, **images),
    },
    n_samples=7,
)
frame = display.frame()
print((frame.true == frame.predicted).groupby(frame.condition, sort=False).mean())
display.plot()
plt.show()
