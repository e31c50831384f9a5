"""What a user of the guide once found wrong: the smallest input each."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier

from skrobust.attacks import (
    DDN,
    FGSM,
    FMN,
    PGD,
    AutoAttack,
    CarliniWagner,
    HopSkipJump,
    RandomSearch,
)
from skrobust.base import Constraints
from skrobust.evaluation import check_evaluation, evaluate_attack
from skrobust.metrics import period_stability_index
from skrobust.metrics.stability.period_rows import period_text
from skrobust.perturbations import FeatureNoise, PerturbationSequence
from skrobust.plots import StabilityPatternDisplay
from skrobust.sampling import GradientSampler, OperationalSampler, SimpleRandomSampler


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return LogisticRegression(max_iter=1000).fit(X, y), X, y


@pytest.mark.parametrize("n_steps", [30, 100, 500])
def test_fmn_does_not_jump_over_a_narrow_target_for_ever(n_steps, iris):
    # The radius grew from step to step, and more steps found less: inf with 500.
    model, X, y = iris
    attack = FMN(target=1, n_steps=n_steps, constraints=Constraints(frozen=[0, 1]))
    norms = attack.minimal_norms(model, X, y)
    assert norms.mean() < 1.3 * _distances(model, X, 1, [2, 3]).mean()


def _distances(model, X, target, free):
    """Return how far each row is from a class of a linear model, by its faces."""
    others = [k for k in model.classes_ if k != target]
    normal = (model.coef_[target] - model.coef_[others])[:, free]
    scores = model.decision_function(X)
    gap = scores[:, [target]] - scores[:, others]
    out = np.where((gap >= 0).all(axis=1), 0.0, np.inf)
    for faces in ([0], [1], [0, 1]):
        steps = -gap[:, faces] @ np.linalg.pinv(normal[faces]).T
        reached = (gap + steps @ normal.T >= -1e-9).all(axis=1)
        size = np.linalg.norm(steps, axis=1)
        out = np.where(reached, np.minimum(out, size), out)
    return out


def test_the_ensemble_refuses_a_regressor():
    # Every row counted as wrong from the start, so nothing was attacked.
    X, y = np.arange(8.0).reshape(-1, 1), np.arange(8.0)
    model = Ridge().fit(X, y)
    with pytest.raises(ValueError, match="AutoAttack compares classes, and Ridge"):
        AutoAttack(0.1).run(model, X, y)


@pytest.mark.parametrize("target", ["rose", 7, np.full(150, 7)])
def test_the_ensemble_itself_refuses_a_target_unknown_to_the_model(target, iris):
    # A member spoke, of an array that nobody had given.
    with pytest.raises(ValueError, match="'target' parameter of AutoAttack"):
        AutoAttack(0.1, target=target).run(*iris)


def test_checks_of_an_attack_with_a_target_ask_what_it_promises(iris):
    # Rows of the target stay right, which was called a blind attack; and one target a
    # row met a part of the rows.
    model, X, y = iris
    for target in (2, (y + 1) % 3):
        attack = PGD(0.5, target=target, random_state=0)
        assert check_evaluation(model, X, y, attack) == []


def test_a_sequence_takes_polars_frames_with_times():
    # numpy was asked for one array of all columns.
    polars = pytest.importorskip("polars")
    times = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[us]")
    X = polars.DataFrame({"x": [1.0, 2.0], "when": times})
    noise = PerturbationSequence([FeatureNoise(severity=3)], random_state=0)
    out = noise.fit(X).perturb(None, X)
    assert out["when"].equals(X["when"])
    assert not out["x"].equals(X["x"])


def test_regressors_refuse_what_is_for_nets():
    # It was ignored, where classifiers of scikit-learn refuse it.
    model = Ridge().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(ValueError, match="precision and compile are for nets"):
        PGD(precision="bfloat16").perturb(model, [[0.0]])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_attacks_name_the_column_that_holds_no_numbers(library):
    # "could not convert string to float", or an error of polars about its types.
    frames = pytest.importorskip(library)
    times = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[us]")
    model = LogisticRegression().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    for name, values in (("job", ["none", "some"]), ("when", times)):
        X = frames.DataFrame({"x": [0.0, 1.0], name: values})
        for attack in (PGD(), RandomSearch(), DDN()):
            with pytest.raises(ValueError, match=f"numbers, and column '{name}' holds"):
                attack.perturb(model, X, [0, 1])


def test_attacks_say_that_a_nullable_column_has_holes():
    pandas = pytest.importorskip("pandas")
    model = LogisticRegression().fit([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    X = pandas.DataFrame({"x": [0.0, 1.0], "n": pandas.array([1, None], dtype="Int64")})
    with pytest.raises(ValueError, match=r"finite X.*row 1"):
        PGD().perturb(model, X, [0, 1])


@pytest.mark.parametrize(
    "kind", [SimpleRandomSampler, GradientSampler, OperationalSampler]
)
def test_labels_in_place_of_an_oracle_are_refused_before_anything_is_asked(kind):
    # "'numpy.ndarray' object is not callable", after a first draw.
    sampler = kind(random_state=0).fit(np.linspace(0, 1, 50))
    labels = np.zeros(50, dtype=bool)
    with pytest.raises(ValueError, match="'oracle' parameter of"):
        sampler.sample(10, labels)
    assert not len(sampler.ids_)
    assert sampler.sample(10, labels.take).n_labels == 10


def test_a_result_says_nothing_twice():
    sampler = OperationalSampler(random_state=0).fit(np.linspace(0, 1, 200))
    ids = sampler.ask(10)
    sampler.tell(ids, failed=[None, None, *8 * [False]])
    said = sampler.result().warnings
    assert len(set(said)) == len(said) > 1


def test_an_attack_on_labels_alone_has_a_robust_accuracy(iris):
    # It was lost with the robust ratio, which such an attack cannot have.
    attack = HopSkipJump(1.0, n_steps=3, n_directions=10, random_state=0)
    found = evaluate_attack(*iris, attack)
    assert found["robust_accuracy"] < found["clean_accuracy"]
    assert "labels alone" in found["skipped"]


def test_days_are_written_as_days_under_a_series():
    # 2020-01-01T00:00:00.000000 under each mark, and "- fall -0.000" above.
    pytest.importorskip("matplotlib").use("Agg")
    days = np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "datetime64[us]")
    display = StabilityPatternDisplay.from_periods([0.5, 0.6, 0.7], days).plot()
    names = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert names == ["2020-01-01", "2020-01-02", "2020-01-03"]
    assert "- fall 0.000" in display.legend_.get_title().get_text()


@pytest.mark.parametrize(
    ("period", "text"),
    [
        (np.datetime64("2020-01-01T00:00:00.000000"), "2020-01-01"),
        (np.datetime64("2020-01-01T10:30:00.000000000"), "2020-01-01T10:30:00"),
        ("2020-01-01 00:00:00", "2020-01-01"),
        (np.datetime64("2020-01"), "2020-01"),
        (3.0, "3.0"),
        ("00:00", "00:00"),
    ],
)
def test_a_period_is_written_as_people_do(period, text):
    assert period_text(period) == text


@pytest.mark.parametrize("far", [5.0, 20.0])
@pytest.mark.parametrize("d", [2, 10, 50])
def test_carlini_wagner_crosses_a_plateau(d, far):
    # Its steps were as short as the steep slope at the row promised, in each search.
    model = MLPClassifier((2,), activation="tanh", max_iter=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(np.eye(d), np.arange(d) % 2)
    weights = np.zeros((d, 2))
    weights[0] = [20.0, 0.3]  # one step up at 0, which is not enough, and one far off
    model.coefs_ = [weights, np.array([[0.9], [0.9]])]
    model.intercepts_ = [np.array([0.0, -0.3 * far]), np.array([-0.5])]
    x = np.zeros((1, d))
    x[0, 0] = -0.1
    edge = far + np.arctanh(0.5 / 0.9 - 1) / 0.3 + 0.1
    norms = CarliniWagner().minimal_norms(model, x)
    np.testing.assert_allclose(norms, edge, rtol=1e-3)


@pytest.mark.parametrize("width", [np.float16, np.float64])
def test_a_bare_net_names_the_floats_that_it_takes(width):
    # torch spoke, of mat1 and mat2.
    torch = pytest.importorskip("torch")
    nets = pytest.importorskip("skrobust.nets")
    net = nets.make_net_classifier(torch.nn.Linear(2, 2), fitted=True, classes=[0, 1])
    words = f"takes float32 arrays, not a {width.__name__}"
    with pytest.raises(ValueError, match=words):
        FGSM().run(net, np.zeros((3, 2), width), [0, 1, 0])


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_starting_rows_are_read_by_the_names_of_their_columns(library):
    # They were read by place, so that each feature began with the values of another.
    frames = pytest.importorskip(library)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 2)) * [1.0, 100.0]
    X = frames.DataFrame(dict(zip("ab", values.T, strict=True)))
    y = (values[:, 0] > 0).astype(int)
    model = LogisticRegression().fit(X, y)
    other, few = X[["b", "a"]], X[:5]

    def jump(starts):
        attack = HopSkipJump(np.inf, starts=starts, n_steps=1, n_directions=10)
        return np.asarray(attack.set_params(random_state=0).perturb(model, few, y[:5]))

    np.testing.assert_array_equal(jump(X), jump(other))
    attack = PGD(0.1, random_state=0)
    swapped = attack.run(model, few, y[:5], start=other[:5]).X_adv
    plain = attack.run(model, few, y[:5], start=few).X_adv
    np.testing.assert_array_equal(np.asarray(plain), np.asarray(swapped))
    for attack in (HopSkipJump(starts=X[["a"]]), HopSkipJump(starts=X[["b"]])):
        with pytest.raises(ValueError, match="needs starts with the columns of X"):
            attack.perturb(model, few, y[:5])


@pytest.mark.parametrize("names", ["2022-{}", "week {}", "{}"])
def test_text_that_sorts_otherwise_than_its_numbers_is_no_time(names):
    # The months were 1, 10, 11, 12, 2, ..., and their trend was nonsense.
    y, months = np.tile([0, 1], 12), np.repeat(np.arange(1, 13), 2)
    times = np.array([names.format(month) for month in months])
    with pytest.raises(ValueError, match=r"text that sorts in time.*Categorical"):
        period_stability_index(y, y, times)
    padded = np.array([names.format(f"{month:02d}") for month in months])
    assert period_stability_index(y, y, padded) == 1
