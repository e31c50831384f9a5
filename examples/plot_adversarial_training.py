"""Does adversarial training improve robustness?
=============================================

A small net is trained with and without
:class:`skrobust.nets.AdversarialTraining`, which attacks each batch before the training
step. The curves show the accuracy under a stronger attack over the radius of the ball.
The vertical line is the budget of the training.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from skrobust.attacks import PGD
from skrobust.nets import AdversarialTraining, small_cnn_classifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)

# The pipeline scales pixels from 0 to 16 to [0, 1]. The attack in training acts on
# the scaled pixels, and the attack in the evaluation on the raw pixels.
BUDGET = 0.06
inner = PGD(BUDGET, n_steps=5, data_range=(0, 1), random_state=0)
models = {
    "plain": small_cnn_classifier((8, 8), 10, epochs=20),
    "adversarial": small_cnn_classifier(
        (8, 8), 10, epochs=20, callbacks=[AdversarialTraining(inner, ramp_epochs=4)]
    ),
}
radii = np.linspace(0, 0.12, 9)
figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for (name, model), style in zip(models.items(), ("--", "-"), strict=True):
    model.fit(X_train, y_train)
    curve = []
    for radius in radii:
        attack = PGD(16 * radius, n_steps=20, data_range=(0, 16), random_state=0)
        curve.append(model.score(attack.perturb(model, X_test, y_test), y_test))
    print(f"{name}: {curve[0]:.3f} clean, {curve[4]:.3f} at radius {radii[4]:.2f}")
    ax.plot(radii, curve, style, marker="o", label=f"{name} training")
ax.axvline(BUDGET, color="grey", linewidth=1, label="budget of training")
ax.set(xlabel="radius (L-infinity, pixels in [0, 1])", ylabel="robust accuracy")
ax.set_ylim(0, 1)
ax.legend()
plt.show()
