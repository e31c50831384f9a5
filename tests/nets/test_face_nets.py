"""Nets that detectors of forged faces use, by published counts and names of weights."""

import hashlib

import numpy as np
import pytest
from scipy import stats

torch = pytest.importorskip("torch")

from skrobust.nets import (  # noqa: E402
    ClipNet,
    efficientnet_b0,
    efficientnet_b4,
    resnet34,
    resnet50,
    xception,
)

# Published numbers of parameters at 1000 classes, and a hash of the names and shapes of
# the state dicts of torchvision 0.29 (of timm 1.0, legacy_xception, for Xception).
NETS = {
    "resnet34": (resnet34, 21_797_672, "28f9096d51307499", 32),
    "resnet50": (resnet50, 25_557_032, "d7e4f8bb0a536344", 32),
    "efficientnet_b0": (efficientnet_b0, 5_288_548, "a04d0792ee390a49", 32),
    "efficientnet_b4": (efficientnet_b4, 19_341_616, "2974b9d3c0556036", 32),
    "xception": (xception, 22_855_952, "5e0baa5fbac25e87", 71),
}


def digest(state):
    lines = [f"{name} {tuple(value.shape)}" for name, value in state.items()]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


@pytest.fixture(scope="module", params=NETS)
def net(request):
    """Return a net for 1000 classes with its row of the table."""
    make, *rest = NETS[request.param]
    torch.manual_seed(0)
    return make(1000).eval(), make, *rest


def test_published_numbers_and_names(net):
    made, _, n_parameters, names, _ = net
    assert sum(p.numel() for p in made.parameters()) == n_parameters
    state = made.state_dict()
    # timm calls the last layer fc, pretrainedmodels last_linear.
    state = {k.replace("last_linear", "fc"): v for k, v in state.items()}
    assert digest(state) == names


def test_weights_go_over_and_the_head_starts_anew(net):
    made, make, *_, side = net
    state = {f"module.{k}": v for k, v in made.state_dict().items()}
    x = torch.rand(1, 3, side, side)
    with torch.no_grad():
        assert torch.equal(make(1000, weights=state).eval()(x), made(x))
        assert make(2, weights=state).eval()(x).shape == (1, 2)
    state.popitem()
    with pytest.raises(ValueError, match=r"'weights' parameter of .*1 differ"):
        make(1000, weights=state)


@pytest.mark.parametrize("n_classes", [2, 100])
def test_efficientnets_begin_with_a_uniform_last_layer(n_classes):
    torch.manual_seed(0)
    last = efficientnet_b0(n_classes).classifier[1]
    weight = last.weight.detach().numpy().ravel() * np.sqrt(n_classes)
    assert stats.kstest(weight, stats.uniform(-1, 2).cdf).pvalue > 0.01
    assert (last.bias == 0).all()


def timm_names(state, ends):
    """Return a state dict of an EfficientNet in the names of timm, written by hand."""
    out = {}
    for name, value in state.items():
        parts = name.split(".")
        if parts[0] == "features" and parts[1] not in ("0", "8"):
            stage, block = int(parts[1]) - 1, parts[2]
            inner = ".".join(parts[4:-1])
            inner = ends["narrow" if stage == 0 else "wide"][inner]
            out[f"blocks.{stage}.{block}.{inner}.{parts[-1]}"] = value
        else:
            out[f"{ends['ends'][name.rpartition('.')[0]]}.{parts[-1]}"] = value
    return out


def test_names_of_timm():
    ends = {
        "narrow": {
            "0.0": "conv_dw", "0.1": "bn1", "1.fc1": "se.conv_reduce",
            "1.fc2": "se.conv_expand", "2.0": "conv_pw", "2.1": "bn2",
        },
        "wide": {
            "0.0": "conv_pw", "0.1": "bn1", "1.0": "conv_dw", "1.1": "bn2",
            "2.fc1": "se.conv_reduce", "2.fc2": "se.conv_expand", "3.0": "conv_pwl",
            "3.1": "bn3",
        },
        "ends": {
            "features.0.0": "conv_stem", "features.0.1": "bn1",
            "features.8.0": "conv_head", "features.8.1": "bn2",
            "classifier.1": "classifier",
        },
    }  # fmt: skip
    net = efficientnet_b0(1000).eval()
    state = timm_names(net.state_dict(), ends)
    assert {"blocks.1.0.conv_pwl.weight", "conv_stem.weight"} <= set(state)
    x = torch.rand(1, 3, 32, 32)
    with torch.no_grad():
        assert torch.equal(efficientnet_b0(1000, weights=state).eval()(x), net(x))


def test_published_forms_of_xception(tmp_path):
    net = xception(2).eval()
    state = {}
    for name, value in net.state_dict().items():
        if "pointwise" in name:  # as the file xception-b5690688.pth has them
            value = value[:, :, 0, 0]
        name = name.replace("last_linear", "last_linear.1")  # as FaceForensics++
        state[f"model.{name}"] = value.clone()
    torch.save({"state_dict": state}, tmp_path / "xception.pth")
    x = torch.rand(1, 3, 71, 71)
    with torch.no_grad():
        again = xception(2, weights=tmp_path / "xception.pth").eval()
        assert torch.equal(again(x), net(x))


def test_stochastic_depth_keeps_the_mean():
    from skrobust.nets.efficientnet_modules import MBConv

    torch.manual_seed(0)
    block = MBConv(8, 8, 6, 3, 1, drop=0.3).train()
    for module in block.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.eval()
    x = torch.rand(1, 8, 4, 4).expand(4000, -1, -1, -1)
    with torch.no_grad():
        step = block(x) - x
        full = block.block(x[:1])
    share = (step.flatten(1).abs().sum(dim=1) > 0).double().mean()
    assert abs(share - 0.7) < 4 * np.sqrt(0.21 / 4000)
    assert torch.allclose(step.mean(dim=0) * 0.7 / share, full[0], atol=1e-4)


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_the_logits_of_clips_are_those_of_the_mean_probability(n_outputs):
    torch.manual_seed(0)
    frames = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(12, n_outputs))
    x = torch.randn(6, 5, 12, dtype=torch.float64)
    z, whole = frames.double()(x.flatten(0, 1)), ClipNet(frames)(x)
    if n_outputs == 1:
        p = z.sigmoid().reshape(6, 5).mean(dim=1)
        assert torch.allclose(whole[:, 0].sigmoid(), p)
    else:
        p = z.softmax(dim=1).reshape(6, 5, 2).mean(dim=1)
        assert torch.allclose(whole.softmax(dim=1), p)


def test_sure_frames_leave_the_clip_a_gradient():
    class Sure(torch.nn.Module):
        def forward(self, x):
            return 200 * x.sum(dim=1, keepdim=True)

    x = torch.ones(1, 3, 2, requires_grad=True)
    ClipNet(Sure())(x).sum().backward()
    assert torch.allclose(x.grad, torch.full_like(x, 200 / 3))
