"""Module of the small convolutional net."""

from torch import nn


class SmallCNN(nn.Module):
    """Small convolutional net: two convolutions, two poolings, one hidden layer.

    Parameters
    ----------
    channels, height, width : int
        Shape of an image; sides of at least 4.
    n_classes : int
        Number of outputs.
    """

    def __init__(self, channels=1, height=8, width=8, n_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(channels, 16, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
        )
        self.head = nn.Sequential(
            nn.Linear(32 * (height // 4) * (width // 4), 64),
            nn.ReLU(),
            nn.Linear(64, n_classes),
        )

    def forward(self, x):
        """Return logits of shape (n, n_classes)."""
        return self.head(self.features(x))
