"""What differs in content has another digest; what has no name has none."""

import cmath
import copyreg
import math
import pickle
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import FunctionTransformer

from skrobust._sealed import find_named, is_as_named, write_named
from skrobust.base.content_digest import content_digest


class Registered:
    """Class that cannot pickle itself; copyreg says how."""

    def __init__(self, content):
        self.content = content

    def __reduce_ex__(self, protocol):
        raise TypeError("it is registered")


copyreg.pickle(Registered, lambda one: (Registered, (one.content,)))
PAIRS = {
    "signed zeros": (np.array([0.0]), np.array([-0.0])),
    "signed zeros alone": (0.0, -0.0),
    "types": (np.array([1, 2]), np.array([1.0, 2.0])),
    "shapes": (np.zeros((2, 3)), np.zeros((3, 2))),
    "texts": (np.array(["ab", "c"], dtype=object), np.array(["a", "bc"], dtype=object)),
    "text and number": (np.array(["1"], dtype=object), np.array([1], dtype=object)),
    "text and bytes": (
        np.array(["ab", "c"], dtype=object), np.array([b"ab", "c"], dtype=object)),
    "mixed objects": (
        np.array(["a", 1], dtype=object), np.array([1, "a"], dtype=object)),
    "registered classes": (Registered(1), Registered(2)),
    "masks": (np.ma.array([1, 2]), np.ma.array([1, 2], mask=[True, False])),
    "builtins": (math.sin, cmath.sin),
    "ufuncs": (FunctionTransformer(np.log), FunctionTransformer(np.log1p)),
    "patterns": (re.compile("a"), re.compile("a", re.IGNORECASE)),
    "columns of sparse": (
        sparse.csr_array([[1.0, 0, 0]]), sparse.csr_array([[0, 1.0, 0]])),
    "rows of sparse": (
        sparse.csr_array([[1.0, 0], [0, 0]]), sparse.csr_array([[0, 0], [1.0, 0]])),
    "values of sparse": (
        sparse.csr_array([[1.0, 0]]), sparse.csr_array([[2.0, 0]])),
    "shapes of sparse": (
        sparse.csr_array([[1.0, 0]]), sparse.csr_array([[1.0, 0, 0]])),
    "nesting": ([[1], 2], [1, [2]]),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_differences_are_seen(name):
    first, second = map(content_digest, PAIRS[name])
    assert first != second
    assert [content_digest(one) for one in PAIRS[name]] == [first, second]


def test_equal_content_has_one_digest_however_it_is_shared():
    a = np.arange(6.0)
    assert content_digest([a, a]) == content_digest([a, a.copy()])
    assert content_digest(pickle.loads(pickle.dumps([a, a]))) == content_digest([a, a])
    assert content_digest(a[::2]) == content_digest(a[::2].copy())
    assert content_digest(np.zeros((0, 3))) == content_digest(np.zeros((0, 3)))


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok"])
def test_equal_sparse_content_has_one_digest_in_any_format(kind):
    rows = sparse.csr_array(np.arange(12.0).reshape(4, 3) * [1, 0, 2])
    found = rows.asformat(kind)
    assert content_digest(found) == content_digest(rows)
    assert found.format == kind
    places = (np.array([0, 1, 0]), np.array([2, 0, 2]))
    parts = sparse.coo_array((np.array([1.0, 3.0, 4.0]), places), shape=(2, 3))
    summed = sparse.csr_array([[0, 0, 5.0], [3.0, 0, 0]])
    assert content_digest(parts.asformat(kind)) == content_digest(summed)


def test_functions_without_a_name_are_refused():
    def inside():
        pass

    for value in (lambda: 1, inside, [FunctionTransformer(lambda x: x)]):
        with pytest.raises(pickle.PicklingError, match="is not found as"):
            content_digest(value)


def test_files_named_by_their_digest(tmp_path):
    assert find_named(tmp_path / "none", "a", ".pt") is None
    path = write_named(tmp_path, "a", ".pt", b"weights")
    assert is_as_named(path)
    assert find_named(tmp_path, "a", ".pt") == path
    assert find_named(tmp_path, "b", ".pt") is None
    path.write_bytes(b"Weights")
    assert find_named(tmp_path, "a", ".pt") is None
    assert write_named(tmp_path, "a", ".pt", b"weights") == path
    assert is_as_named(path)
