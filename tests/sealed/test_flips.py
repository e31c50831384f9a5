"""No flipped bit of any stored state changes a number: counted for each kind.

The counts are printed with ``-s``; the slow form tries more than 10,000.
"""

import sys

import numpy as np
import pytest
from stored_states import STORES, outcome

pytest.importorskip("click")
pytest.importorskip("pandas")
pytest.importorskip("jinja2")

QUICK = {True: 45, False: 8}  # flips of a kind, by whether reading is cheap
FULL = {True: 1100, False: 200}


def flip(store, rng):
    """Flip one bit of one file."""
    files = list(store.content)
    sizes = np.array([len(store.content[path]) for path in files], dtype=float)
    path = files[rng.choice(len(files), p=sizes / sizes.sum())]
    changed = bytearray(store.content[path])
    place, bit = rng.integers(len(changed)), rng.integers(8)
    changed[place] ^= 1 << bit
    path.write_bytes(changed)
    return path.name, int(place), int(bit)


def cut(store, rng):
    """Cut one file; of a journal only what its state holds, the rest may be torn."""
    files = [p for p in store.content if not p.name.endswith("journal")]
    path = files[rng.integers(len(files))]
    n = int(rng.integers(len(store.content[path])))
    path.write_bytes(store.content[path][:n])
    return path.name, n


def append(store, rng):
    """Append bytes to one file."""
    files = list(store.content)
    path = files[rng.integers(len(files))]
    more = rng.integers(0, 256, rng.integers(1, 9), dtype=np.uint8).tobytes()
    path.write_bytes(store.content[path] + more)
    return path.name, more


def tried(store, change, n, rng):
    """Change the store n times; return how often which outcome was seen."""
    found, n_silent = {"same": 0, "refused": 0}, 0
    for _ in range(n):
        what = change(store, rng)
        seen = outcome(store)
        store.restore()
        n_silent += seen == "silent"
        assert seen in found, (change.__name__, what, seen)
        found[seen] += 1
    return found, n_silent


@pytest.mark.parametrize("name", STORES)
def test_no_flip_is_silent(tmp_path, name):
    flips(tmp_path, name, QUICK)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", STORES)
def test_no_flip_of_many_is_silent(tmp_path, name):
    flips(tmp_path, name, FULL)


def flips(folder, name, counts):
    store, rng = STORES[name](folder / "store"), np.random.default_rng(0)
    n = counts[store.is_cheap]
    found, n_silent = tried(store, flip, n, rng)
    sys.stdout.write(f"{name} | {n} | {n_silent}\n")  # state | tried | silent
    assert store.is_made_again or found["refused"] > 0.9 * n
    others = max(n // 20, 3)
    tried(store, cut, others, rng)
    tried(store, append, others, rng)


def test_a_part_in_the_place_of_another_is_made_again(tmp_path):
    store = STORES["parts: perturbations"](tmp_path / "store")
    first, *_, last = store.content
    first.write_bytes(store.content[last])
    assert outcome(store) == "same"
