"""What was once wrong, each with the smallest input that showed it."""

import copy
import itertools

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust.attacks import FGSM, PGD
from skrobust.base import BasePerturbation
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.metrics import (
    make_normalized_scorer,
    make_robust_scorer,
    make_stability_index_scorer,
    normalized_accuracy_score,
)
from skrobust.perturbations import GaussianNoise, PerturbationSequence, SaltAndPepper
from skrobust.sampling import DeepESTSampler, SimpleRandomSampler


def test_one_against_the_rest_has_its_own_probabilities():
    # Softmax of the decisions is not what SGD's predict_proba is; the shift that was
    # searched was that of another function.
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = SGDClassifier(loss="log_loss", random_state=0).fit(X, y)
    scorer = make_robust_scorer(
        PGD(0.2, random_state=0), metric="robust_ratio", tolerance=0.02
    )
    p = model.predict_proba(X)
    own = np.arange(150), p.argmax(axis=1)
    moved = np.zeros(150)
    for corner in itertools.product((-1, 0, 1), repeat=4):
        q = model.predict_proba(X + 0.2 * np.array(corner))
        moved = np.maximum(moved, np.abs(q[own] - p[own]))
    corners = (moved <= 0.02).mean()
    assert scorer(model, X, y) <= corners + 0.03


def test_robust_accuracy_aims_at_the_label():
    X, y = make_classification(
        400, 6, n_informative=4, n_redundant=0, flip_y=0.2, random_state=0
    )
    model = LogisticRegression().fit(X, y)
    shift = PGD(2.0, random_state=0, objective="probability_shift")
    with pytest.raises(ValueError, match="turns wrong rows right as well"):
        make_robust_scorer(shift)(model, X, y)
    plain = make_robust_scorer(PGD(2.0, random_state=0))(model, X, y)
    for objective in (None, "loss", "probability_shift", "misclassification"):
        attack = PGD(2.0, random_state=0, objective=objective)
        assert evaluate_attack(model, X, y, attack).robust_accuracy == plain


def test_sparse_coefficients_and_rows():
    from scipy.sparse import csr_array

    model, X, y = linear_problem()
    expected = FGSM(0.05).perturb(model, X, y)
    thin = copy.deepcopy(model).sparsify()
    assert np.allclose(FGSM(0.05).perturb(thin, X, y), expected)
    scorer = make_normalized_scorer(n_samples=1000)
    assert scorer(model, csr_array(X), y) == scorer(model, X, y)
    assert make_stability_index_scorer(4)(model, csr_array(X), y) <= 1


def test_metrics_of_classes_refuse_regressors():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X, y)
    noise = GaussianNoise(std=0.01, data_range=(-1, 1))
    for call in (
        lambda: make_robust_scorer(noise)(model, X, y),
        lambda: make_normalized_scorer("accuracy")(model, X, y),
        lambda: evaluate_attack(model, X, y, noise),
    ):
        with pytest.raises(ValueError, match="LinearRegression is a regressor"):
            call()


class Jitter(BasePerturbation):
    """Noise by the standard deviation of each training column."""

    def __init__(self, scale=0.1, random_state=0):
        self.scale, self.random_state = scale, random_state

    def _learn(self, values):
        self.scale_ = self.scale * values.std(axis=0)

    def _perturb(self, X, rng):
        return X + self.scale_ * rng.normal(size=X.shape)


def test_columns_in_another_order_are_refused():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"small": rng.normal(size=300), "big": rng.normal(size=300) * 1e3}
    )
    p = Jitter().fit(frame)
    moved = p.perturb(None, frame) - frame
    assert moved["big"].std() > 50 > moved["small"].std()
    with pytest.raises(ValueError, match="feature names"):
        p.perturb(None, frame[["big", "small"]])


def test_columns_of_one_name():
    model, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("aabcde"))
    plain = FGSM(0.05).perturb(model, X, y)
    out = FGSM(0.05).perturb(model, frame, y)
    assert list(out.columns) == list("aabcde")
    assert np.array_equal(out.to_numpy(), plain)


def test_a_range_beyond_the_type_does_not_wrap_around():
    white = np.full((1, 8, 8), 255, np.uint8)
    noise = GaussianNoise(std=0.02, data_range=(0, 256), random_state=0)
    assert noise.perturb(None, white).min() > 200
    grey = np.full((1, 8, 8), 100, np.uint8)
    struck = SaltAndPepper(0.5, data_range=(0, 256), random_state=0).perturb(None, grey)
    assert set(np.unique(struck)) == {0, 100, 255}


def test_pixels_of_another_kind_than_in_fit_are_refused():
    bytes_ = np.random.default_rng(0).integers(0, 256, (5, 8, 8), dtype=np.uint8)
    noise = GaussianNoise(std=0.1, random_state=0).fit(bytes_)
    with pytest.raises(ValueError, match="fitted on other pixels"):
        noise.perturb(None, np.full((3, 8, 8), 0.5))


def test_numpy_integers_are_integers():
    X = np.full((3, 8, 8), 0.5)
    outs = [
        PerturbationSequence(
            [GaussianNoise(std=0.1)], replicate=r, random_state=seed
        ).perturb(None, X)
        for r, seed in ((1, 0), (np.int64(1), np.int32(0)))
    ]
    assert np.array_equal(*outs)


def test_large_integers_keep_their_own_noise():
    rows = 2**24 + np.arange(50)[:, None] * np.ones((1, 3), int)
    noise = GaussianNoise(std=0.001, data_range=(0, 2**25), random_state=0)
    assert np.array_equal(
        noise.perturb(None, rows), noise.perturb(None, rows[::-1])[::-1]
    )


@pytest.mark.parametrize("norm", [np.inf, 2])
def test_rounding_stays_inside_the_ball(norm):
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=999).fit(X, y)
    for dtype, eps in ((np.float16, 0.0015), (np.float32, 0.1), (np.float64, 0.1)):
        rows = X.astype(dtype)
        out = FGSM(eps, norm=norm, objective="loss").perturb(model, rows, y)
        delta = out.astype(np.float64) - rows.astype(np.float64)
        assert np.linalg.norm(delta, norm, axis=1).max() <= eps
    rows = (X + 1e5).astype(np.float32)
    model.intercept_ = model.intercept_ - model.coef_.sum(axis=1) * 1e5
    out = FGSM(0.02).perturb(model, rows, y)
    assert np.abs(out.astype(np.float64) - rows.astype(np.float64)).max() <= 0.02


def test_a_frozen_feature_by_equal_bounds():
    model, X, y = linear_problem()
    X[:, 2] = 0.5
    low, high = X.min(axis=0), X.max(axis=0)
    out = PGD(0.1, data_range=(low, high), random_state=0).perturb(model, X, y)
    assert (out[:, 2] == 0.5).all()
    assert not np.array_equal(out, X)


def test_an_unfitted_search_is_not_fitted():
    _, X, y = linear_problem()
    for search in (
        GridSearchCV(LogisticRegression(), {}),
        GridSearchCV(LogisticRegression(), {}, refit=False).fit(X, y),
    ):
        with pytest.raises(ValueError, match="fitted search with refit"):
            FGSM(0.1).perturb(search, X, y)


def test_one_condition_or_a_class_is_told():
    model, X, y = linear_problem()
    for wrong in (GaussianNoise, [GaussianNoise], [3]):
        with pytest.raises(ValueError, match="'conditions' parameter"):
            evaluate_perturbations(model, X, y, wrong)
    one = evaluate_perturbations(model, X, y, GaussianNoise(std=0.0))
    assert one.score[0] == model.score(X, y)
    some = (GaussianNoise(std=s) for s in (0.0, 0.0))
    assert evaluate_perturbations(model, X, y, some).score.shape == (2,)


def test_sizes_that_contradict_the_rows_are_refused():
    with pytest.raises(ValueError, match="at least the 100 rows scored"):
        normalized_accuracy_score([0, 1] * 50, [0, 1] * 50, n_features=10, n_samples=1)


# Samplers


def test_the_interval_never_collapses_before_a_census():
    scores = np.r_[np.full(6, 0.5), np.full(94, 0.02)]
    failed = np.r_[np.arange(6) % 2 == 0, np.arange(94) < 2]
    covered = []
    for seed in range(100):
        sampler = DeepESTSampler(random_state=seed).fit(scores)
        low, high = sampler.sample(50, lambda ids: failed[ids]).interval
        assert high - low > 0.01
        covered.append(low - 1e-12 <= 0.95 <= high + 1e-12)
    assert np.mean(covered) >= 0.95


def test_rare_draws_without_failures_do_not_reassure():
    # All failures met are suspicious ones; a t interval would be narrow, and wrong.
    scores = np.r_[np.full(60, 0.5), np.full(940, 0.1)]
    failed = np.r_[np.arange(60) % 2 == 0, np.arange(940) % 47 == 0]
    covered = []
    for seed in range(100):
        sampler = DeepESTSampler(rule="released", random_state=seed).fit(scores)
        result = sampler.sample(100, lambda ids: failed[ids])
        covered.append(result.interval[0] <= 0.95 <= result.interval[1] + 1e-12)
    assert np.mean(covered) >= 0.95


def test_parameters_set_after_drawing_change_nothing():
    scores = np.linspace(0.1, 1, 200)
    sampler = DeepESTSampler(random_state=0, threshold=0.0).fit(scores)
    sampler.tell(sampler.ask(50), failed=np.zeros(50))
    before = sampler.result().interval
    assert sampler.set_params(mixing=0.1, rule="released").result().interval == before
    with pytest.raises(ValueError, match="'mixing'"):
        sampler.set_params(mixing=1.0).result()
    plain = SimpleRandomSampler(random_state=0).fit(np.ones(10))
    with pytest.raises(ValueError, match="'interval'"):
        plain.set_params(interval="guess").result()


def test_a_copy_is_a_sampler_of_its_own():
    sampler = DeepESTSampler(rule="released", threshold=0.0, random_state=1)
    sampler.fit(np.linspace(0.1, 1, 8)).ask(1)
    copy.copy(sampler).ask(3)
    twin = copy.deepcopy(sampler)
    assert np.array_equal(sampler.ask(5), twin.ask(5))
    assert np.allclose(sampler.draw_probabilities_, twin.draw_probabilities_)
    assert len(sampler.ids_) == 6


def test_predictions_are_copied():
    predicted = np.zeros(50, int)
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(50), y_pred=predicted)
    ids = sampler.ask(5)
    predicted[:] = 1
    assert sampler.tell(ids, np.zeros(5, int)).result().accuracy == 1


# Nets


@pytest.mark.torch
def test_binary_threshold_decides_what_is_fooled():
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net
    from torch import nn

    _, X, y = linear_problem(600)
    X, target = X.astype(np.float32), y.astype(np.float32)
    for threshold in (0.2, 0.65, 0.8):
        net = make_net(
            Linear, binary=True, criterion=nn.BCEWithLogitsLoss, threshold=threshold,
            module__k=1, module__ending="flat",
        ).fit(X, target)  # fmt: skip
        w = net.module_.layer.weight.detach().numpy().ravel()
        z = X @ w + net.module_.layer.bias.detach().numpy()
        reach, cut = 0.05 * np.abs(w).sum(), np.log(threshold / (1 - threshold))
        exact = np.where(target == 1, z - reach > cut, z + reach <= cut).mean()
        found = make_robust_scorer(PGD(0.05, random_state=0))(net, X, target)
        assert found == pytest.approx(exact, abs=0.005)


@pytest.mark.torch
def test_a_large_offset_before_a_scaler_hides_nothing():
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net

    from skrobust.nets import ToNetInput

    _, X, y = linear_problem(200)
    numbers = []
    for offset in (0.0, 1e6, 1.7e9):
        pipe = make_pipeline(StandardScaler(), ToNetInput(), make_net(Linear))
        pipe.fit(X + offset, y)
        numbers.append(
            make_robust_scorer(PGD(0.05, random_state=0))(pipe, X + offset, y)
        )
    assert numbers[0] == pytest.approx(numbers[1], abs=0.01)
    assert numbers[0] == pytest.approx(numbers[2], abs=0.01)


@pytest.mark.torch
def test_net_regressors_are_scored_by_their_own_score():
    pytest.importorskip("skorch")
    from skorch import NeuralNetRegressor
    from torch import nn

    X = np.random.default_rng(0).normal(size=(300, 6)).astype(np.float32)
    y = X[:, 0] * 3
    net = NeuralNetRegressor(
        nn.Sequential(nn.Linear(6, 1), nn.Flatten(0)), max_epochs=50, lr=0.05,
        train_split=None, verbose=0,
    ).fit(X, y)  # fmt: skip
    r = evaluate_perturbations(net, X, y, [PerturbationSequence([])])
    assert r.score[0] == pytest.approx(net.score(X, y))


@pytest.mark.torch
def test_seeded_nets_do_not_mind_threads():
    pytest.importorskip("skorch")
    import joblib
    from sklearn.datasets import load_digits
    from sklearn.model_selection import cross_val_score

    from skrobust.nets import small_cnn_classifier

    X, y = load_digits(return_X_y=True)
    model = small_cnn_classifier((8, 8), 10, epochs=2)
    scores = []
    for n_jobs in (1, 2):
        with joblib.parallel_config("threading", n_jobs=n_jobs):
            scores.append(cross_val_score(model, X[:300], y[:300], cv=3))
    assert np.array_equal(*scores)


@pytest.mark.torch
def test_double_and_compiled_nets():
    torch = pytest.importorskip("torch")
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net

    _, X, y = linear_problem(classes=3)
    single = make_net(Linear, module__k=3).fit(X.astype(np.float32), y)
    double = copy.deepcopy(single)
    double.module_.double()
    noise = make_robust_scorer(
        GaussianNoise(std=0.01, data_range=(-1, 2), random_state=0)
    )
    assert noise(double, X, y) == pytest.approx(
        noise(single, X.astype(np.float32), y), abs=0.02
    )
    with pytest.raises(ValueError, match="not a float64 array"):
        noise(single, torch.from_numpy(X), y)
    half = torch.from_numpy(X).bfloat16()
    out = GaussianNoise(std=0.1, data_range=(0, 1), random_state=0).perturb(None, half)
    assert out.dtype == torch.bfloat16


@pytest.mark.torch
def test_more_outputs_than_classes_in_the_fold():
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net

    _, X, y = linear_problem(classes=3)
    X = X.astype(np.float32)
    net = make_net(Linear, module__k=5).fit(X, y)
    scorer = make_robust_scorer(
        FGSM(0.1), "robust_ratio", tolerance=0.1, reference="true"
    )
    assert 0 <= scorer(net, X, y) <= 1
    as_objects = np.array(y.tolist(), dtype=object)
    assert np.array_equal(
        FGSM(0.1).perturb(net, X, as_objects), FGSM(0.1).perturb(net, X, y)
    )


def test_samplers_of_a_pipeline_are_idle_at_predict():
    pytest.importorskip("imblearn")
    from imblearn.pipeline import make_pipeline as make_imblearn_pipeline
    from imblearn.under_sampling import RandomUnderSampler

    _, X, y = linear_problem()
    model = make_imblearn_pipeline(
        StandardScaler(), RandomUnderSampler(random_state=0), LogisticRegression()
    ).fit(X, y)
    assert make_robust_scorer(PGD(0.1, random_state=0))(model, X, y) < model.score(X, y)
    nested = make_pipeline(make_pipeline(StandardScaler()), LogisticRegression()).fit(
        X, y
    )
    assert make_robust_scorer(FGSM(0.1))(nested, X, y) < nested.score(X, y)


def test_single_class_models_are_told():
    _, X, _ = linear_problem()

    class One:
        classes_ = np.array([0])

        def predict_proba(self, X):
            return np.ones((len(X), 1))

        def predict(self, X):
            return np.zeros(len(X), int)

    scorer = make_robust_scorer(GaussianNoise(std=0.1), "robust_ratio", tolerance=0.1)
    with pytest.raises(ValueError, match="at least two classes"):
        scorer(One(), X, np.zeros(len(X), int))


def test_linear_svc_ratio_needs_probabilities():
    _, X, y = linear_problem()
    model = SVC(kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="needs predict_proba"):
        make_robust_scorer(FGSM(0.1), "robust_ratio", tolerance=0.1)(model, X, y)
