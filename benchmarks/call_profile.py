"""Number of functions, files and depth of single calls of the package.

python benchmarks/call_profile.py
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import skrobust

PACKAGE = str(Path(skrobust.__file__).parent)


def profile(call):
    """Return the distinct functions, the files and the greatest depth of a call."""
    functions, depth, deepest = set(), 0, 0

    def watch(frame, event, _):
        nonlocal depth, deepest
        if event not in ("call", "return"):
            return
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE) or code.co_name.startswith("<"):
            return  # comprehensions and lambdas belong to the function they stand in
        if event == "call":
            functions.add(code)
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(functions), len({code.co_filename for code in functions}), deepest


def small_net():
    """Return a skorch net fitted to digits for a moment, with images and labels."""
    import torch
    from skorch import NeuralNetClassifier

    X, y = load_digits(return_X_y=True)
    X = (X / 16).reshape(-1, 1, 8, 8).astype(np.float32)
    y = y.astype(np.int64)
    torch.manual_seed(0)  # the calls depend on which rows are fooled
    module = torch.nn.Sequential(
        torch.nn.Conv2d(1, 8, 3),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(288, 10),
    )
    net = NeuralNetClassifier(
        module,
        criterion=torch.nn.CrossEntropyLoss,
        max_epochs=1,
        train_split=None,
        verbose=0,
    )
    return net.fit(X, y), X[:32], y[:32]


def main():
    """Print the three numbers of each call."""
    from skrobust.attacks import DDN, PGD
    from skrobust.perturbations import GaussianNoise

    warnings.simplefilter("ignore")
    net, X, y = small_net()
    noise = GaussianNoise(0.1, data_range=(0, 1), random_state=0)
    calls = {
        "PGD(0.1).perturb(net, X, y)": lambda: PGD(0.1, random_state=0).perturb(
            net, X, y
        ),
        "DDN().perturb(net, X, y)": lambda: DDN(random_state=0).perturb(net, X, y),
        "GaussianNoise.perturb": lambda: noise.perturb(None, X),
    }
    print(f"{'call':32} functions  files  depth")
    for name, call in calls.items():
        call()  # imports and caches
        functions, files, depth = profile(call)
        print(f"{name:32} {functions:9}  {files:5}  {depth:5}")


if __name__ == "__main__":
    main()
