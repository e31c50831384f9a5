"""Small convolutional classifier for examples, tests and the demo."""

from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from skrobust._optional import require
from skrobust._validation import invalid, is_integer
from skrobust.nets._to_net_input import ToNetInput


def small_cnn_classifier(image_shape, n_classes, *, epochs=30, random_state=0, **net):
    """Return an unfitted pipeline of scaling and a small convolutional net.

    Two convolutions, pooling and one hidden layer; for pictures of 8 pixels a side and
    more. The weights start from ``random_state`` whatever torch drew before.

    Parameters
    ----------
    image_shape : tuple of int
        (height, width) or (channels, height, width) of the flat rows.
    n_classes : int
        Number of classes; labels are 0 to n_classes - 1.
    epochs : int, default=30
        Passes over the training data.
    random_state : int or None, default=0
        Seed of the weights and of the order of the batches.
    **net : dict
        Further parameters of the skorch ``NeuralNetClassifier``, such as ``device``.

    Returns
    -------
    pipeline : Pipeline
        Ready for ``fit``.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from skrobust.nets import small_cnn_classifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = small_cnn_classifier((8, 8), 10, epochs=5)
    >>> bool(model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.7)
    True
    """
    require("torch", "small_cnn_classifier", extra="torch")
    require("skorch", "small_cnn_classifier", extra="torch")
    from skrobust.nets.seeded_classifier import SeededClassifier
    from skrobust.nets.small_cnn_module import SmallCNN

    sides = image_shape if isinstance(image_shape, (tuple, list)) else ()
    whole = len(sides) in (2, 3) and all(is_integer(side) for side in sides)
    if not whole or min(sides[-2:]) < 4 or sides[0] < 1:
        rule = "(height, width) or (channels, height, width) with sides of at least 4"
        raise invalid("image_shape", "small_cnn_classifier", rule, image_shape)
    channels, height, width = (1, *map(int, sides))[-3:]
    settings = {
        "module__channels": channels,
        "module__height": height,
        "module__width": width,
        "module__n_classes": n_classes,
        "max_epochs": epochs,
        "seed": random_state,
        **net,
    }
    return make_pipeline(
        MinMaxScaler(),
        ToNetInput(image_shape=(channels, height, width)),
        SeededClassifier(SmallCNN, **settings),
    )
