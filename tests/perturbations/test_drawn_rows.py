"""Laws of every perturbation for rows of any shape, type, range and order."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from perturbation_table import DATA, LAWS, at, same

from skrobust.perturbations import Fog

CODECS = {"JPEGCompression", "VideoCompression"}  # which are not exact at their best
FEW = settings(
    max_examples=6,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SEVERITIES = st.floats(0, 5) | st.sampled_from([0, 1, 5])
SEEDS = st.integers(0, 2**63)
LETTERS = "aeßnstr \u0131iÅé.,!1٣中文к\u043eт😀\u200d\u0301"


@st.composite
def images(draw, shapes=("grey", "last", "first")):
    """Return images and the range in which they lie, which a perturbation is told."""
    n, height, width = draw(
        st.tuples(*[st.integers(*e) for e in ((1, 6), (4, 12), (4, 12))])
    )
    shape = {"grey": (height, width), "last": (height, width, 3),
             "first": (3, height, width)}[draw(st.sampled_from(shapes))]  # fmt: skip
    rng = np.random.default_rng(draw(SEEDS))
    share = rng.random((n, *shape))
    share = draw(st.sampled_from([share, share.round(), share * 0, share * 0 + 1]))
    dtype = draw(st.sampled_from([np.uint8, np.uint16, np.float32, np.float64]))
    if np.issubdtype(dtype, np.integer):
        low, high = 0, np.iinfo(dtype).max
    else:
        low, high = draw(st.sampled_from([(0, 1), (-1, 1), (0, 255), (-1000, -900)]))
    X = (low + (high - low) * share).astype(dtype)
    axis = None if len(shape) == 2 else -1 if shape[-1] == 3 else 1
    return X.clip(low, high), {"data_range": (low, high), "channel_axis": axis}


@st.composite
def tables(draw):
    """Return rows of numbers with gaps, equal cells and any units."""
    n, d = draw(st.integers(4, 20)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(SEEDS))
    X = rng.normal(size=(n, d))
    if draw(st.booleans()):
        X = X.round()
    if draw(st.booleans()):
        X[rng.random((n, d)) < 0.2] = np.nan
        X[0] = 1.0  # no column without a value
    units = [draw(st.sampled_from([1e-9, 0.01, 1.0, 1e6])) for _ in range(d)]
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    return (X * units).astype(dtype), {}


@st.composite
def time_series(draw):
    """Return series of one or more channels, with gaps."""
    n, length = draw(st.integers(2, 6)), draw(st.integers(12, 40))
    n_channels = draw(st.sampled_from([None, 2, 4]))
    rng = np.random.default_rng(draw(SEEDS))
    shape = (n, length) if n_channels is None else (n, length, n_channels)
    X = rng.normal(size=shape) * draw(st.sampled_from([1e-6, 1.0, 1e5]))
    if draw(st.booleans()):
        X = X.cumsum(axis=1)
    more = {} if n_channels is None else {"channel_axis": -1}
    return X.astype(draw(st.sampled_from([np.float32, np.float64]))), more


@st.composite
def texts(draw):
    """Return texts of letters of several scripts, some empty."""
    some = st.lists(st.text(LETTERS, max_size=40), min_size=1, max_size=8)
    return np.array([*draw(some), "the quick, brown fox 12"], dtype=object), {}


ROWS = {
    "images": images(),
    "colour": images(("last", "first")),
    "table": tables(),
    "numbers": tables(),
    "series": time_series(),
    "text": texts(),
}
every_law = pytest.mark.parametrize("law", LAWS, ids=str)


def drawn(law, data):
    """Return rows, and an instance of any severity that was fitted on them."""
    kind = "colour" if law.name == "Saturate" else law.kind
    X, more = data.draw(ROWS[kind])
    seed = {"random_state": data.draw(SEEDS)}
    known = law.cls().get_params()
    more = {k: v for k, v in {**more, **seed}.items() if k in known}
    return X, at(law, data.draw(SEVERITIES), **more).fit(X)


# Some of the rows are constant, and some texts have no letter that changes.
pytestmark = pytest.mark.filterwarnings("ignore:.* does not apply to these rows")


@every_law
@FEW
@given(st.data())
def test_kind_range_and_input(law, data):
    X, p = drawn(law, data)
    before = X.copy()
    out = p.transform(X)
    assert same(X, before)
    assert out.dtype == X.dtype
    assert out.shape == X.shape
    assert not np.shares_memory(out, X)
    if law.kind == "images":
        low, high = p.data_range
        assert low <= out.min() <= out.max() <= high
    elif law.kind == "text":
        assert all(type(one) is str for one in out)
    else:
        assert not np.isinf(out).any()
    if not p.severity:
        assert same(out, X)


@every_law
@FEW
@given(st.data())
def test_order_of_rows_and_what_else_there_is(law, data):
    X, p = drawn(law, data)
    first = {
        str(row if X.ndim == 1 else (row + 0).tolist()): i for i, row in enumerate(X)
    }
    X = X[sorted(first.values())]  # equal rows draw anew, in the order of their places
    out = p.transform(X)
    order = data.draw(st.permutations(range(len(X))))
    order = order[: data.draw(st.integers(1, len(X)))]
    assert same(p.transform(X[order]), out[order])
    assert same(p.perturb(None, X), out)


@every_law
@pytest.mark.parametrize("severity", [5e-324, 1e-200, 1e-30, 1e-13, 1e-9])
def test_the_smallest_severities_change_next_to_nothing(law, severity):
    X = next(iter(DATA[law.kind].values()))
    p = at(law, severity).fit(X)
    out = p.transform(X)
    assert out.shape == X.shape
    if X.dtype == np.uint8:
        assert np.array_equal(out, X) or law.name in CODECS
    elif law.kind != "text":
        assert np.array_equal(np.isnan(out), np.isnan(X)) or law.noise != "normal"


@pytest.mark.parametrize("strength", [5e-324, 1e-100, 1e-46, 1e-40, 1e-20])
def test_fog_that_is_too_thin_for_its_type_leaves_black_images(strength):
    X = np.zeros((2, 8, 8), dtype=np.float32)
    p = Fog(strength=strength, data_range=(0, 1), random_state=0)
    assert np.array_equal(p.perturb(None, X), X)
