"""Checks of images on a device: noise, kinds and evaluation against the host."""

import inspect
import time

import numpy as np
import torch

import skrobust.perturbations as sp
from skrobust._keyed_noise.generator import KeyedGenerator, NoiseKey
from skrobust._keyed_noise.splitmix import row_keys
from skrobust._keyed_noise.tensor_noise import TensorGenerator, tensor_row_keys
from skrobust.evaluation import evaluate_perturbations
from skrobust.perturbations.images.device_images import has_way
from skrobust.perturbations.images.image_perturbation import ImagePerturbation

# Where a value meets a half, a step of these kinds is large: the share that differs.
STEPS = (sp.Quantization,)


def kinds_with_a_way():
    """Return an instance of each kind that perturbs tensors on a device."""
    kinds = [kind for kind in vars(sp).values() if inspect.isclass(kind)]
    kinds = [k for k in kinds if issubclass(k, ImagePerturbation) and has_way(k)]
    return [k(severity=3, random_state=0) for k in kinds if not inspect.isabstract(k)]


def check_noise(table, device, side):
    """Compare keys, words, uniform and normal numbers; all must be equal."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (16, 3, side, side)).astype(np.uint8)
    for name, X in (("bytes", pixels), ("floats", rng.normal(size=pixels.shape))):
        begun = time.perf_counter()
        found = tensor_row_keys(torch.from_numpy(X).to(device))
        table.add(f"keys of {name} that differ", device,
                  (found != row_keys(X)).sum(), 0, begun)  # fmt: skip
    key = NoiseKey.from_rows(pixels, 0)
    for verb in ("words", "random", "normal"):
        begun = time.perf_counter()
        host, there = KeyedGenerator(key), TensorGenerator(key, device=device)
        expected = getattr(host, verb)(size=pixels.shape)
        found = getattr(there, f"tensor_{verb}")(pixels.shape).cpu().numpy()
        table.add(f"{verb}: numbers that differ", device,
                  (found != expected).sum(), 0, begun)  # fmt: skip


def check_kinds(table, device, side):
    """Compare the pictures of each kind, as bytes and as float32."""
    rng = np.random.default_rng(0)
    pixels = rng.integers(0, 256, (4, side, side, 3)).astype(np.uint8)
    for p in kinds_with_a_way():
        name = type(p).__name__
        for X, most in ((pixels, 1), ((pixels / 255).astype(np.float32), 3e-6)):
            begun = time.perf_counter()
            got = p.perturb(None, torch.from_numpy(X).to(device))
            far = np.abs(got.cpu().numpy().astype(float) - p.perturb(None, X))
            value = (far > most).mean() if isinstance(p, STEPS) else far.max()
            limit = 0.01 if isinstance(p, STEPS) else most
            table.add(f"{name}, {X.dtype}", device, value, limit, begun)


def check_evaluation(table, net, X, y, devices):
    """Compare labels of an evaluation on devices with those of the host."""
    kinds = (sp.GaussianNoise(3), sp.MotionBlur(2), sp.Brightness(3))
    conditions = [p.set_params(random_state=0, data_range=(0, 1)) for p in kinds]
    host = evaluate_perturbations(net, X, y, conditions)
    ways = {"float32": {"device": devices[0]}, "devices": {"device": devices}}
    ways["bfloat16"] = {"device": devices[0], "precision": "bfloat16"}
    for name, settings in ways.items():
        begun = time.perf_counter()
        found = evaluate_perturbations(net, X, y, conditions, **settings)
        differ = (found.correct != host.correct).mean()
        table.add(f"evaluation, {name}: other verdicts", devices[0], differ, 0.02,
                  begun)  # fmt: skip
