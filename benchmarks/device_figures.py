"""Figures of a device: pictures a second of each part, and what ImageNet-C would take.

Each kind is measured at severity 3, which stands for all five. Ratios are the pictures
a second of skrobust over those of a bare kernel: what a few lines of torch do to the
same bytes, without keys of the content, with a drawn direction or place common to all
pictures, and with other random numbers.
"""

import io
import statistics
import time
from functools import partial

import numpy as np
import torch
from bench_gpu import pictures, prepare
from sklearn.pipeline import make_pipeline
from skorch import NeuralNetClassifier
from torch import nn
from torch.nn import functional

import skrobust.perturbations as sp
from skrobust.base.changed_rows import changed_rows, row_distortion
from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation.conditions.answering_devices import on_devices
from skrobust.nets import ToNetInput, resnet50
from skrobust.perturbations.images.device_images import has_way

WHOLE = 50_000  # pictures of ImageNet's validation set
SEVERITIES = 5
HOLDOUT = {"speckle_noise", "gaussian_blur", "spatter", "saturate"}
FEW = 16  # pictures of the kinds that go through the host


def small_net():
    """Stand in for ResNet-50 where there is no GPU."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10),
    )  # fmt: skip


def rate_of(call, n, *, seconds):
    """Return how many of n pictures a call takes a second: the median of its runs.

    There are at least three, and more until the seconds are over.
    """
    call()  # compilation, caches
    wait()
    times, begun = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - start)
        if times[-1] > max(2 * seconds, 1):
            break
    return n / statistics.median(times)


def wait():
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def _bytes(unit):
    return (unit.clamp(0, 1) * 255).round().byte()


def _depthwise(x, kernel, border):
    reach = [side // 2 for side in kernel.shape]
    rim = (reach[1], reach[1], reach[0], reach[0])
    weights = kernel.to(x)[None, None].expand(3, 1, -1, -1)
    return functional.conv2d(functional.pad(x, rim, mode=border), weights, groups=3)


def _zoomed(x, factor):
    large = functional.interpolate(x, scale_factor=factor, mode="bilinear")
    top, left = ((large.shape[a] - x.shape[a]) // 2 for a in (2, 3))
    return large[:, :, top : top + x.shape[2], left : left + x.shape[3]]


def bare_kernels(side):
    """Return functions of pictures in [0, 1] by the name of a kind."""
    disk = torch.ones(11, 11)
    bell = torch.exp(-0.5 * (torch.arange(-12, 13) / 3.0) ** 2)
    line = torch.zeros(31, 31)
    line[15, 15:] = 1
    few = max(1, int(0.4 * side))
    return {
        "gaussian_noise": lambda x: x + 0.18 * torch.randn_like(x),
        "shot_noise": lambda x: torch.poisson(12 * x) / 12,
        "impulse_noise": lambda x: x.where(torch.rand_like(x) > 0.09, 1.0),
        "speckle_noise": lambda x: x + 0.35 * x * torch.randn_like(x),
        "defocus_blur": lambda x: _depthwise(x, disk / disk.sum(), "reflect"),
        "motion_blur": lambda x: _depthwise(x, line / line.sum(), "replicate"),
        "zoom_blur": lambda x: sum(_zoomed(x, 1 + k / 50) for k in range(1, 11)) / 10,
        "gaussian_blur": lambda x: _depthwise(
            _depthwise(x, (bell / bell.sum())[None], "replicate"),
            (bell / bell.sum())[:, None], "replicate"),
        "brightness": lambda x: x + 0.3,
        "contrast": lambda x: torch.lerp(x.mean((2, 3), keepdim=True), x, 0.2),
        "pixelate": lambda x: functional.interpolate(
            functional.adaptive_avg_pool2d(x, few), size=side, mode="nearest"),
    }  # fmt: skip


def kinds_of_imagenet_c():
    """Return the step of each corruption at severity 3, by name."""
    conditions = sp.imagenet_c((3,), holdout=True, channel_axis=1, random_state=0)
    return {c.name.rpartition("-")[0]: c for c in conditions[1:]}


def perturbation_rates(X, rate, left):
    """Return pictures a second of each corruption, and ratios to the bare kernels."""
    rows, bare = [], bare_kernels(X.shape[2])
    for name, condition in kinds_of_imagenet_c().items():
        row = {"kind": name, "on_device": has_way(type(condition.steps[0]))}
        rows.append(row)
        if left() <= 0:
            row["left_out"] = "the time is up"
            continue
        if not row["on_device"]:
            some = X[:FEW].cpu().numpy()
            row["rate"] = rate(
                lambda c=condition, x=some: c.perturb(None, x), len(some)
            )
            continue
        row["rate"] = rate(lambda c=condition: c.perturb(None, X), len(X))
        if name in bare:
            plain = bare[name]
            own = rate(lambda f=plain: _bytes(f(X.float() / 255)), len(X))
            row["ratio_to_bare"] = row["rate"] / own
    return rows


def copy_rates(X, rate):
    """Return pictures a second to the device and back."""
    host = X.cpu()
    return {
        "to_device": rate(lambda: host.to(X.device, copy=True), len(X)),
        "to_host": rate(lambda: X.to("cpu", copy=True), len(X)),
        "comparison": rate(lambda: (changed_rows(X, X), row_distortion(X, X)), len(X)),
    }


def decoding_rate(side, rate, n=8):
    """Return pictures a second that Pillow decodes and scales in one thread."""
    from PIL import Image

    rng = np.random.default_rng(0)
    stored = []
    for _ in range(n):  # photographs are smoother than noise
        coarse = rng.integers(0, 256, (side // 4, side // 3, 3)).astype(np.uint8)
        picture = Image.fromarray(coarse).resize((side * 2, side * 3 // 2))
        stored.append(io.BytesIO())
        picture.save(stored[-1], format="JPEG", quality=92)

    def decode():
        for data in stored:
            picture = Image.open(io.BytesIO(data.getvalue())).convert("RGB")
            np.asarray(picture.resize((side, side)))

    return rate(decode, n)


def make_model(device, side, batch, steps):
    """Return a pipeline of bytes whose net has learned a little, and its pictures."""
    X, y = pictures(batch, side)
    is_cuda = device != "cpu"
    torch.manual_seed(0)
    module = resnet50(10) if is_cuda else small_net()
    module = prepare(module, X, y, device, steps)
    net = NeuralNetClassifier(
        module, criterion=nn.CrossEntropyLoss, device=device, batch_size=min(batch, 256)
    ).initialize()
    net.module_.load_state_dict(module.state_dict())
    X = np.rint(255 * X).astype(np.uint8)
    scale = ToNetInput(data_range=(0, 255)).fit(X[:1])
    return make_pipeline(scale, net), X, y


def net_rates(model, X, rate):
    """Return pictures a second through the net: a bare loop, and what skrobust does."""
    module, batch = model[-1].module_.eval(), model[-1].batch_size
    found = {}

    def bare():
        with torch.no_grad():
            for part in X.split(batch):
                module(part.float() / 255).argmax(1).cpu()

    found["bare loop, float32"] = rate(bare, len(X))
    for precision in ("float32", "tf32", "bfloat16"):
        if precision == "tf32" and X.device.type == "cpu":
            continue
        proxy = on_devices(model, X, X.device, precision, False, "device_figures")
        found[precision] = rate(lambda p=proxy: p.predict(X), len(X))
    return found


def plan(kinds, copies, decoding, net):
    """Return the seconds of ImageNet-C over all pictures, part by part."""
    used = [row for row in kinds if "rate" in row and row["kind"] not in HOLDOUT]
    there = [row["rate"] for row in used if row["on_device"]]
    here = [row["rate"] for row in used if not row["on_device"]]
    conditions = SEVERITIES * len(used)
    seconds = {
        "decoding, one core": WHOLE / decoding,
        "perturbations, device": SEVERITIES * sum(WHOLE / r for r in there),
        "perturbations, host, one core": SEVERITIES * sum(WHOLE / r for r in here),
        "copies": WHOLE / copies["to_device"] + SEVERITIES * len(here) * WHOLE
        * (1 / copies["to_device"] + 1 / copies["to_host"]),
        "comparison of rows": conditions * WHOLE / copies["comparison"],
        "net": (1 + conditions) * WHOLE / net,
    }  # fmt: skip
    total = sum(seconds.values())
    pictures = WHOLE * (1 + conditions)
    return {
        "pictures": WHOLE, "conditions": 1 + conditions, "seconds": seconds,
        "total": total, "pictures_a_second": pictures / total,
        "left out": [row["kind"] for row in kinds if "left_out" in row],
    }  # fmt: skip


def planned_and_measured(model, X, y, kinds, copies, net, precision):
    """Return the seconds of one evaluation on the device, as planned and measured."""
    steps = kinds_of_imagenet_c()
    rates = {r["kind"]: r["rate"] for r in kinds if r["on_device"] and "rate" in r}
    conditions = [steps[name] for name in rates]
    planned = sum(len(X) / r for r in rates.values()) + len(X) / copies["to_device"]
    planned += len(rates) * len(X) / copies["comparison"]
    planned += (1 + len(rates)) * len(X) / net
    settings = {"device": str(model[-1].device), "precision": precision}
    evaluate_perturbations(model, X, y, conditions[:1], **settings)
    wait()
    start = time.perf_counter()
    results = evaluate_perturbations(model, X, y, conditions, **settings)
    wait()
    measured = time.perf_counter() - start
    return {
        "pictures": len(X), "conditions": 1 + len(rates), "planned": planned,
        "measured": measured, "ratio": measured / planned,
        "pictures_a_second": len(X) * (1 + len(rates)) / measured,
        "clean accuracy": float(results.clean_score), "mean": float(results.mean),
    }  # fmt: skip


def figures(device, n, side, steps, seconds, left):
    """Return all figures of one device as a dictionary."""
    rate = partial(rate_of, seconds=seconds)
    model, X, y = make_model(device, side, n, steps)
    there = torch.from_numpy(X).to(device)
    found = {"device": str(device), "side": side, "pictures": n}
    found["kinds"] = perturbation_rates(there, rate, left)
    found["copies"] = copy_rates(there, rate)
    found["decoding, one core"] = decoding_rate(side, rate)
    found["net"] = net_rates(model, there, rate)
    parts = found["copies"], found["decoding, one core"], found["net"]["bfloat16"]
    found["ImageNet-C, planned"] = plan(found["kinds"], *parts)
    check = found["kinds"], found["copies"], found["net"]["bfloat16"], "bfloat16"
    found["evaluation"] = planned_and_measured(model, X, y, *check)
    return found
