"""Cases of neural networks."""

import numpy as np

from same_cases.data import DIGITS


def nets(rec, sn):
    """Store forward passes, training and adversarial training of nets."""
    import torch

    import skrobust.attacks as sa

    X, y = DIGITS[0][:300] / 16, DIGITS[1][:300]
    for name in ("Meso4", "MesoInception4"):
        torch.manual_seed(0)
        net = getattr(sn, name)()
        rec(f"nets.{name}.built", lambda n=net: [p.sum() for p in n.parameters()])
        pixels = torch.linspace(0, 1, 3 * 64 * 64 * 2).reshape(2, 3, 64, 64)
        rec(f"nets.{name}.features", lambda n=net, x=pixels: n.eval()(x))
    torch.manual_seed(0)
    rec(
        "nets.resnet34.forward",
        lambda: sn.resnet34(n_classes=2).eval()(torch.ones(1, 3, 32, 32)),
    )
    torch.manual_seed(0)
    net = sn.small_cnn_classifier((8, 8), 10, epochs=2)
    rec("nets.small_cnn_classifier.proba", lambda: net.fit(X, y).predict_proba(X))
    attack = sa.FGSM(0.1, data_range=(0, 1))
    for mode in ("replace", "add"):
        torch.manual_seed(0)
        training = sn.AdversarialTraining(attack, mode=mode, share=0.5)
        hardened = sn.small_cnn_classifier((8, 8), 10, epochs=2, callbacks=[training])
        rec(
            f"nets.AdversarialTraining.{mode}",
            lambda h=hardened: h.fit(X, y).predict_proba(X),
        )
    step = sn.ToNetInput(image_shape=(8, 8), data_range=(0, 1))
    rec("nets.ToNetInput.rows", step.fit_transform, X)
    torch.manual_seed(0)
    wrapped = sn.make_net_classifier(torch.nn.Linear(64, 10), max_epochs=2, lr=0.1)
    rec(
        "nets.make_net_classifier.proba",
        lambda: wrapped.fit(X.astype(np.float32), y).predict_proba(
            X.astype(np.float32)
        ),
    )
    rec("nets.load_mesonet_weights.absent", sn.load_mesonet_weights, "absent.h5")
