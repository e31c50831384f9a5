"""Small trees of videos, and small nets in the place of the large ones."""

import numpy as np
import pytest
from video_trees import LAYOUTS, SIDE, textured, write_video


@pytest.fixture(scope="session")
def trees(tmp_path_factory):
    """Return a folder for each set, of generated videos."""
    root, rng = tmp_path_factory.mktemp("sets"), np.random.default_rng(0)
    for name, files in LAYOUTS.items():
        for file, fake in files(2 if name == "ffpp" else 4):
            write_video(root / name / file, textured(rng, fake))
    return {name: root / name for name in LAYOUTS}


@pytest.fixture
def small(monkeypatch):
    """Put small images and nets in the place of the large ones."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("skorch")
    from skrobust.studies import _deepfake_study, face_nets

    nn = torch.nn

    def body(n_outputs):
        layers = nn.Conv2d(3, 6, 5, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(3)
        return nn.Sequential(*layers, nn.Flatten(), nn.Linear(54, n_outputs))

    def make(n_classes=2, weights=None):
        net = body(n_classes)
        if weights is not None:
            net.load_state_dict(weights)
        return net

    plain = ((0.0,) * 3, (1.0,) * 3)
    kinds = {
        "Meso4": face_nets.NetKind(lambda: body(1), SIDE, plain),
        "ResNet34": face_nets.NetKind(make, SIDE - 4, plain),
    }
    monkeypatch.setattr(face_nets, "KINDS", kinds)
    monkeypatch.setattr(_deepfake_study, "SIDE", SIDE)
    return kinds


@pytest.fixture
def study(small):
    """Return the study with two small detectors, quick, without clips and chains."""
    from skrobust.studies import deepfake_study

    def run(out, **settings):
        shared = {"detectors": ["Meso4", "ResNet34"], "size": "quick", "cropped": True}
        shared |= {"clips": False, "chains": False, "device": "cpu", "n_epochs": 3}
        return deepfake_study(out, **shared | settings)

    return run
