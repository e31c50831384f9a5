"""Nets of every criterion; in a module of their own so that workers can unpickle."""

import copy
import pickle

import skorch
import torch
from torch import nn

# Small nets on shared cores are faster on one thread than on threads that wait.
torch.set_num_threads(1)


class Net(nn.Module):
    """Hidden layer with batch normalisation and dropout, any ending."""

    def __init__(self, d=6, k=3, ending="logits", scale=1.0, width=16):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(d, width),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Linear(width, k),
        )
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


class Decoy(Net):
    """Right answers; where the first feature is large the gradient is another one."""

    def forward(self, x):
        z = super().forward(x)
        fake = x[:, :1] * torch.arange(z.shape[1]) * 10.0
        wrong = z.detach() + fake - fake.detach()
        return torch.where(x[:, :1] > 0.5, wrong, z)


class Argmax(Net):
    """One-hot answers of an argmax, once it is trained."""

    def forward(self, x):
        z = super().forward(x)
        if self.training:
            return z
        return nn.functional.one_hot(z.argmax(dim=1), z.shape[1]).float()


class Noisy(nn.Module):
    """A linear net that adds noise to its input, also in evaluation mode."""

    def __init__(self, d=6, k=2, sd=1.0):
        super().__init__()
        self.layer, self.sd = nn.Linear(d, k), sd

    def forward(self, x):
        bent = torch.tanh(3 * (x + self.sd * torch.randn_like(x)))
        return self.layer(bent)


class Restless(Net):
    """Dropout that never stops."""

    def forward(self, x):
        return super().forward(nn.functional.dropout(x, 0.3, training=True))


class BatchBound(Net):
    """Normalises by the statistics of whatever batch it gets."""

    def __init__(self, d=6, k=3):
        super().__init__(d, k)
        self.body[1] = nn.BatchNorm1d(16, track_running_stats=False)


class Stairs(Net):
    """Sees its input in steps of 1/20, through which no gradient comes."""

    def forward(self, x):
        # The steps have gradient 0 almost everywhere.
        return super().forward(torch.floor(x * 20) / 20 + 0.0 * x)


class Wave(nn.Module):
    """Two classes in turn along the first feature, every tenth of it."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(5.0))

    def forward(self, x):
        z = self.gain * torch.sin(torch.pi * 10 * x[:, 0])
        return torch.stack([torch.zeros_like(z), z], dim=1)


FITTED = {}


class FitOnce:
    """A net whose equal twins are trained once, with an equal state of torch."""

    def fit(self, X, y, **fit_params):
        try:
            key = pickle.dumps(
                (
                    type(self),
                    self.get_params(deep=False),
                    X,
                    y,
                    fit_params,
                    self.initialized_,
                    torch.get_rng_state().numpy(),
                    torch.get_default_dtype(),
                )
            )
        except Exception:  # what cannot be pickled is trained each time
            return super().fit(X, y, **fit_params)
        if self.callbacks is not None or self.warm_start or self.initialized_:
            return super().fit(X, y, **fit_params)
        if key not in FITTED:
            super().fit(X, y, **fit_params)
            FITTED[key] = copy.deepcopy(vars(self)), torch.get_rng_state()
            return self
        state, rng_state = FITTED[key]
        vars(self).update(copy.deepcopy(state))
        torch.set_rng_state(rng_state)
        return self


class NeuralNetClassifier(FitOnce, skorch.NeuralNetClassifier):
    """The classifier of skorch, trained once."""


class NeuralNetBinaryClassifier(FitOnce, skorch.NeuralNetBinaryClassifier):
    """The binary classifier of skorch, trained once."""


def make_net(module=Net, *, seed=0, epochs=40, **kw):
    settings = {
        "criterion": nn.CrossEntropyLoss,
        "max_epochs": epochs,
        "lr": 0.02,
        "optimizer": torch.optim.Adam,
        "train_split": None,
        "verbose": 0,
        "batch_size": 32,
        "iterator_train__shuffle": False,
    }
    settings.update(kw)
    kind = NeuralNetClassifier
    if settings.pop("binary", False):
        kind = NeuralNetBinaryClassifier
    torch.manual_seed(seed)
    return kind(module, **settings)
