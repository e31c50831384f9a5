"""Mistakes that a type checker finds, one in each line that ends in "mistake"."""

from skrobust.attacks import FGSM, PGD
from skrobust.metrics import accuracy_stability_index, robust_accuracy_score
from skrobust.perturbations import GaussianNoise
from skrobust.sampling import SimpleRandomSampler

FGSM(eps="much")  # mistake
PGD(0.1, n_step=20)  # mistake
GaussianNoise(severity="3")  # mistake
accuracy_stability_index()  # mistake
robust_accuracy_score([0], [0], sample_wieght=[1])  # mistake
SimpleRandomSampler().asks(10)  # mistake
accuracy_stability_index([0.5, 0.5]).upper()  # mistake
