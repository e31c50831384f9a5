"""Nets of every criterion; in a module of their own so that workers can unpickle."""

import torch
from skorch import NeuralNetBinaryClassifier, NeuralNetClassifier
from torch import nn

# Small nets on shared cores are faster on one thread than on threads that wait.
torch.set_num_threads(1)


class Net(nn.Module):
    """Hidden layer with batch normalisation and dropout, any ending."""

    def __init__(self, d=6, k=3, ending="logits", scale=1.0, width=16):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(d, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.3),
            nn.Linear(width, k),
        )  # fmt: skip
        self.ending, self.scale = ending, scale

    def forward(self, x):
        z = self.body(x) * self.scale
        if self.ending == "softmax":
            return torch.softmax(z, dim=1)
        if self.ending == "log_softmax":
            return torch.log_softmax(z, dim=1)
        if self.ending == "flat":
            return z.squeeze(-1)
        if self.ending == "sigmoid":
            return torch.sigmoid(z).squeeze(-1)
        return z


class Linear(nn.Module):
    """One linear layer, double or single precision."""

    def __init__(self, d=6, k=2, ending="logits"):
        super().__init__()
        self.layer = nn.Linear(d, k)
        self.ending = ending

    def forward(self, x):
        z = self.layer(x)
        return z.squeeze(-1) if self.ending == "flat" else z


class Blind(nn.Module):
    """No gradient reaches its input."""

    def __init__(self, d=6, k=3):
        super().__init__()
        self.layer = nn.Linear(d, k)

    def forward(self, x):
        return self.layer(x.detach().round())


class Flat(nn.Module):
    """A gradient that is zero everywhere."""

    def __init__(self, d=6, k=3):
        super().__init__()
        self.layer = nn.Linear(d, k)

    def forward(self, x):
        return self.layer(x * 0.0)


def make_net(module=Net, *, seed=0, epochs=40, **kw):
    settings = {
        "criterion": nn.CrossEntropyLoss, "max_epochs": epochs, "lr": 0.02,
        "optimizer": torch.optim.Adam, "train_split": None, "verbose": 0,
        "batch_size": 32, "iterator_train__shuffle": False,
    }  # fmt: skip
    settings.update(kw)
    kind = NeuralNetClassifier
    if settings.pop("binary", False):
        kind = NeuralNetBinaryClassifier
    torch.manual_seed(seed)
    return kind(module, **settings)
