"""The laws that hold for every public perturbation."""

import pickle
from difflib import SequenceMatcher

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from perturbation_table import (
    DATA,
    HOLDERS,
    LAWS,
    MIXED,
    at,
    concrete_names,
    same,
    strong,
)
from scipy.stats import ks_2samp, kstest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import skrobust.perturbations as sp
from skrobust.perturbations import PerturbationSequence
from skrobust.testing import check_perturbation

CASES = [
    pytest.param(law, X, id=f"{law}-{key}")
    for law in LAWS
    for key, X in DATA[law.kind].items()
]
NUMBERS = [law for law in LAWS if law.kind != "text"]
IDS = {"ids": str}
every_case = pytest.mark.parametrize(("law", "X"), CASES)
every_law = pytest.mark.parametrize("law", LAWS, **IDS)
of_numbers = pytest.mark.parametrize("law", NUMBERS, **IDS)


def rows_of(law):
    """Return the plainest rows of the kind that a perturbation takes."""
    return next(X for X in DATA[law.kind].values() if X.dtype in (np.float64, object))


def flat(X):
    return X.reshape(len(X), -1)


def test_no_public_class_is_missing():
    assert {law.name for law in LAWS} | HOLDERS == concrete_names()
    assert len(LAWS) == len({law.name for law in LAWS})
    assert {law.kind for law in LAWS} <= DATA.keys()


@every_case
def test_promises(law, X):
    check_perturbation(strong(law), X, draws=law.draws)
    out = strong(law).fit(X).transform(X)
    untouched = [same(a, b) for a, b in zip(flat(X), flat(out), strict=True)]
    assert np.mean(untouched) <= 0.7  # none is a silent no-op


@every_case
def test_severity_zero_is_a_copy_bit_for_bit(law, X):
    if X.dtype.kind == "f":
        X = X.copy()
        flat(X)[0, :2] = -0.0, 0.0
    for severity in (0, 0.0, np.float32(0)):
        p = at(law, severity).fit(X)
        for out in (p.transform(X), p.perturb(None, X), at(law, 0).perturb(None, X)):
            assert out.dtype == X.dtype
            assert out.tolist() == X.tolist()
            if X.dtype.kind == "f":
                assert np.array_equal(np.signbit(out), np.signbit(X))
            assert not np.shares_memory(out, X)


@every_law
@pytest.mark.parametrize("bad", [-0.01, 5.01, np.nan, np.inf, True, "3", [1]])
def test_severity_out_of_range(law, bad):
    sentence = f"The 'severity' parameter of {law} must be .*Got "
    X = rows_of(law)
    for call in (law(bad).fit, lambda X: law(bad).perturb(None, X)):
        with pytest.raises(ValueError, match=sentence):
            call(X)
    with pytest.raises(ValueError, match=sentence):
        at(law, 1).fit(X).set_params(severity=bad).transform(X)


@every_law
def test_severity_or_physical_parameters(law):
    assert set(law.strong) & set(law.cls._strengths)
    for name, value in law.strong.items():
        if name in law.cls._strengths:
            for severity in (0, 2):
                p = law(severity, **{name: value})
                with pytest.raises(ValueError, match=f"either 'severity' or '{name}'"):
                    p.fit(rows_of(law))
                with pytest.raises(ValueError, match=f"either 'severity' or '{name}'"):
                    p.perturb(None, rows_of(law))
    X = rows_of(law)
    # What changes all of a text unless told otherwise; the others begin at severity 1.
    default = at(law, 5 if at(law)._severity() is None else 1)
    assert same(at(law, None).fit(X).transform(X), default.fit(X).transform(X))


@pytest.mark.parametrize(
    ("law", "X"), [case for case in CASES if case.values[0].kind != "text"]
)
def test_memory_layouts(law, X, tmp_path):
    p = strong(law).fit(X)
    expected = p.transform(X)
    np.save(tmp_path / "X.npy", X)
    before = X.tobytes()
    layouts = {
        "read-only": np.load(tmp_path / "X.npy", mmap_mode="r"),
        "Fortran": np.asfortranarray(X),
        "negative strides": X[::-1, ..., ::-1].copy()[::-1, ..., ::-1],
        "every second": np.repeat(X, 2, axis=0)[::2],
    }
    if X.dtype.itemsize > 1:
        layouts["swapped bytes"] = X.astype(X.dtype.newbyteorder())
    for name, Y in layouts.items():
        content = Y.tobytes()
        out = p.perturb(None, Y)
        assert np.array_equal(out, expected, equal_nan=out.dtype.kind == "f"), name
        assert Y.tobytes() == content, name
        assert not np.shares_memory(out, Y), name
    assert X.tobytes() == before


@every_case
def test_rows_alone_and_with_others(law, X):
    p = strong(law).fit(X)
    out = p.transform(X)
    for i in range(0, len(X), 3):
        # With rows of another size beside it: scales come from fit alone.
        other = X if X.dtype.kind != "f" or law.kind == "images" else 100 * X
        with_others = np.concatenate([other[:i], X[i : i + 1], other[i + 1 :]])
        assert same(p.transform(with_others)[i : i + 1], out[i : i + 1])
        assert same(p.transform(X[i : i + 1]), out[i : i + 1])


@every_law
def test_scales_come_from_fit(law):
    X = rows_of(law)
    if law.learns:
        with pytest.raises(NotFittedError, match=f"^{law} (needs|learns) .*[.]$"):
            strong(law).perturb(None, X)
    else:
        assert same(strong(law).perturb(None, X), strong(law).fit(X).transform(X))


@every_law
def test_nothing_is_shared_with_the_caller(law):
    X = rows_of(law).copy()
    p, before = strong(law).fit(X), X.copy()
    out = p.transform(X)
    expected = out.copy()
    wrong = "wrong" if law.kind == "text" else 0.5
    out[...] = wrong
    X[...] = wrong  # what was learned must not change with the training data
    assert same(p.transform(before), expected)


@every_law
def test_pickle_and_clone_and_other_seeds(law):
    X = rows_of(law)
    p = strong(law).fit(X)
    out = p.transform(X)
    assert same(pickle.loads(pickle.dumps(p)).transform(X), out)
    assert same(clone(p).fit(X).transform(X), out)
    if "random_state" in p.get_params():
        other = clone(p).set_params(random_state=1).fit(X).transform(X)
        assert same(other, out) == (law.noise == "fixed")
        for state in (np.random.RandomState(3), np.random.default_rng(3)):
            p = clone(p).set_params(random_state=state).fit(X)
            assert same(p.transform(X), p.transform(X))
        p = clone(p).set_params(random_state="seed")
        with pytest.raises(ValueError, match=f"'random_state' parameter of {law} must"):
            p.perturb(None, X) if law.noise == "fixed" else p.fit(X).transform(X)


@of_numbers
def test_float_width_changes_no_draw(law):
    X = rows_of(law).astype(np.float32)
    narrow = strong(law).fit(X).transform(X)
    wide = strong(law).fit(X.astype(np.float64)).transform(X.astype(np.float64))
    assert narrow.dtype == np.float32
    close = np.isclose(narrow, wide, rtol=1e-4, atol=1e-4, equal_nan=True)
    # A value within rounding of a threshold may fall on either side of it.
    assert close.mean() > 0.995


@of_numbers
def test_containers(law):
    X = flat(rows_of(law))
    params = {"image_shape": (9, 8, 3)} if law.kind == "images" else {}
    names = [f"f{i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names, index=np.arange(len(X))[::-1])
    before = frame.copy(deep=True)
    p = strong(law, **params).fit(frame)
    out = p.perturb(None, frame)
    assert frame.equals(before)
    assert list(out.columns) == names
    assert out.index.equals(frame.index)
    assert (out.dtypes == np.float64).all()
    array = strong(law, **params).fit(X).transform(X)
    assert np.array_equal(out.to_numpy(), array, equal_nan=True)
    polars = pl.DataFrame(frame.to_dict(orient="list"))
    new = strong(law, **params).fit(polars).perturb(None, polars)
    assert new.columns == names
    assert np.array_equal(new.to_numpy(), array, equal_nan=True)
    wrapped = p.set_output(transform="pandas").transform(frame)
    assert wrapped.equals(out)
    assert list(p.get_feature_names_out()) == names
    with pytest.raises(ValueError, match="feature names should match"):
        p.perturb(None, frame[names[::-1]])


@pytest.mark.parametrize("law", [w for w in LAWS if w.kind == "table"], **IDS)
def test_mixed_frames(law):
    p = law(**law.strong).fit(MIXED)
    before = MIXED.copy(deep=True)
    out = p.perturb(None, MIXED)
    assert MIXED.equals(before)
    assert not out.equals(MIXED)
    assert list(out.columns) == list(MIXED.columns)
    assert out.index.equals(MIXED.index)
    for name in MIXED:
        if MIXED[name].dtype.kind != "i":  # integers may need to become floats
            assert out[name].dtype == MIXED[name].dtype
    rows = pd.concat([p.perturb(None, MIXED.iloc[[i]]) for i in range(len(MIXED))])
    pd.testing.assert_frame_equal(rows, out, check_dtype=False)
    still = law(0).fit(MIXED)
    pd.testing.assert_frame_equal(still.perturb(None, MIXED), MIXED)


def test_processes_change_nothing():
    jobs = [(strong(law).fit(rows_of(law)), rows_of(law)) for law in LAWS]
    call = joblib.delayed(_both_halves)
    with joblib.parallel_config("loky", n_jobs=2, max_nbytes=1000):
        found = joblib.Parallel()(call(p, X) for p, X in jobs)
    for (p, X), out in zip(jobs, found, strict=True):
        assert same(out, p.transform(X))


def _both_halves(p, X):
    return np.concatenate([p.transform(X[:5]), p.transform(X[5:])])


@pytest.mark.parametrize("law", [law for law in NUMBERS if law.draws], **IDS)
def test_rows_draw_on_their_own(law):
    n = 1000
    if law.kind == "images":
        base = np.tile(0.5 + 0.1 * np.cos(np.arange(75)).reshape(5, 5, 3), (n, 1, 1, 1))
        params = {"std": 0.05} if law.noise == "normal" else {}
        params = {"half_width": 0.05} if law.name == "UniformNoise" else params
    else:
        base, params = (
            np.tile(rows_of(law)[:1], (n, *[1] * (rows_of(law).ndim - 1))),
            {},
        )
    place = np.random.default_rng(1).permutation(n)
    alike = base * (1 + 1e-5 * place).reshape(n, *[1] * (base.ndim - 1))
    p = law(**params) if params else strong(law)
    p.fit(base[:9] if law.kind == "images" else rows_of(law))
    for X in (base, alike):  # equal rows, and rows that are all different
        out = p.transform(X)
        change = np.where(np.isnan(out), 3.0, out - X)
        change = flat(change) @ np.linspace(1, 2, change[0].size)
        apart = change - change.mean()
        neighbours = np.mean(apart[1:] * apart[:-1]) / np.mean(apart**2)
        assert abs(neighbours) < 4 / np.sqrt(n)
        assert ks_2samp(change[: n // 2], change[n // 2 :]).pvalue > 1e-4
        if law.noise == "normal":
            one = flat(out - X)[:, 1]
            low, high = one.min(), one.max()
            form = ("uniform", (low, high - low)) if law.name == "UniformNoise" else (
                "norm", (one.mean(), one.std()))  # fmt: skip
            assert kstest(one, *form).pvalue > 1e-3
            assert len(np.unique(one)) > 0.95 * n


@pytest.mark.parametrize("law", [w for w in LAWS if w.noise == "normal"], **IDS)
def test_draws_are_common_to_all_severities(law):
    X = 0.25 + 0.5 * rows_of(law) if law.kind == "images" else rows_of(law)
    low, high = (at(law, s).fit(X).transform(X) - X for s in (0.2, 0.4))
    assert np.corrcoef(low.ravel(), high.ravel())[0, 1] > 0.999


def amount(old, new):
    """Return how much rows were changed, on average."""
    if old.dtype == object:
        pairs = zip(old, new, strict=True)
        likeness = [SequenceMatcher(None, *pair, False).ratio() for pair in pairs]
        return 1 - np.mean(likeness)
    return np.where(np.isnan(new), 3.0, np.abs(new - old)).mean()


@pytest.mark.parametrize("law", [w for w in LAWS if w.cls._grows_with_severity], **IDS)
def test_the_change_grows_with_severity(law):
    X = rows_of(law)
    curve = [
        amount(X, at(law, s).fit(X).perturb(None, X)) for s in np.linspace(0, 5, 11)
    ]
    assert (np.diff(curve) >= -1e-12).all()
    assert curve[0] == 0 < curve[-1]


PARTNERS = {
    "images": [sp.Brightness(shift=0.1), sp.Contrast(factor=0.5)],
    "table": [sp.MeanDrift(size=0.5), sp.ScaleDrift(factor=1.5)],
    "series": [sp.SeriesScaling(std=0.3), sp.Jitter(std=0.3)],
    "numbers": [sp.MeanDrift(size=0.5), sp.ScaleDrift(factor=1.5)],
    "text": [sp.PunctuationRemoval(share=1.0), sp.Truncation(keep=0.5)],
}


@every_law
def test_the_order_of_a_sequence_changes_no_draw(law, monkeypatch):
    X, seen = rows_of(law), []
    run = law.cls._run

    def spy(self, values, key):
        seen.append((key.seeds.tolist(), values))
        return run(self, values, key)

    partner = next(p for p in PARTNERS[law.kind] if type(p) is not law.cls)
    first = PerturbationSequence([strong(law), partner], random_state=5).fit(X)
    second = PerturbationSequence([partner, strong(law)], random_state=5).fit(X)
    weak = PerturbationSequence([partner, at(law, 0.3)], random_state=5).fit(X)
    twice = PerturbationSequence([strong(law), strong(law)], random_state=5).fit(X)
    monkeypatch.setattr(law.cls, "_run", spy)
    for sequence in (first, second, weak, twice):
        sequence.transform(X)
    (a, before), (b, after), (c, _), (d, _), (e, _) = seen
    assert a == b == c == d != e  # the second of two equal steps draws anew
    assert len(set(a)) == len(X)
    assert not same(np.asarray(before), np.asarray(after))
    out = first.transform(X)
    assert same(np.asarray(first.transform(X[::-1])), out[::-1])
