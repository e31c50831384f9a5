"""A pytest plugin that runs modules, and the tests in each, in a random order.

``pytest -p random_order --random-order 1`` with the tests folder on PYTHONPATH.
"""

import random
from itertools import groupby


def pytest_addoption(parser):
    """Add the seed."""
    parser.addoption("--random-order", type=int, help="seed of the order of tests")


def pytest_collection_modifyitems(config, items):
    """Shuffle; tests of a module stay together, for the fixtures that they share."""
    seed = config.getoption("--random-order")
    if seed is None:
        return
    rng = random.Random(seed)
    modules = [list(own) for _, own in groupby(items, key=lambda item: item.path)]
    rng.shuffle(modules)
    for own in modules:
        rng.shuffle(own)
    items[:] = [item for own in modules for item in own]
