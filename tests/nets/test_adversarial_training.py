"""Training on adversarial examples: the sampler of rows and the callback of nets."""

import pickle

import numpy as np
import pytest
from problems import digit_rows
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from skrobust.attacks import (
    FGSM,
    PGD,
    AdversarialSampler,
    ExactLinear,
    HopSkipJump,
    ProbabilityShift,
)
from skrobust.base.training_attack import training_attack
from skrobust.nets import AdversarialTraining, ToNetInput, small_cnn_classifier
from skrobust.perturbations import GaussianNoise

X, Y = digit_rows()
Z, T = load_breast_cancer(return_X_y=True)
Z = MinMaxScaler().fit_transform(Z)
BOX = {"data_range": (0, 1), "random_state": 0}
LINEAR = LogisticRegression(C=100, max_iter=3000)


def robust_accuracy(model, attack, X, y):
    return model.score(attack.perturb(model, X, y), y)


# The attack inside


def test_inner_attack_goes_all_the_way_and_has_its_own_seed():
    attack = PGD(0.1, random_state=3)
    one, other = training_attack(attack, "a", 1), training_attack(attack, "a", 2)
    assert one.objective == "loss"
    assert one.random_state != other.random_state
    assert training_attack(attack, "a", 1).random_state == one.random_state
    assert attack.objective is None
    assert attack.random_state == 3
    assert training_attack(HopSkipJump(norm=2), 0).objective is None
    told = PGD(0.1, objective="misclassification")
    assert training_attack(told, 0).objective == "misclassification"
    assert training_attack(told, 0).random_state is None


# The sampler


def test_rows_of_the_sampler():
    attack = FGSM(0.1, data_range=(0, 1))
    model = clone(LINEAR).fit(Z[:200], T[:200])
    by_hand = (
        clone(attack).set_params(objective="loss").perturb(model, Z[:200], T[:200])
    )
    sampler = AdversarialSampler(LINEAR, attack)
    new, y_new = sampler.fit_resample(Z[:200], T[:200])
    assert np.array_equal(new, np.vstack([Z[:200], by_hand]))
    assert np.array_equal(y_new, np.tile(T[:200], 2))
    assert np.array_equal(sampler.sample_indices_, np.tile(np.arange(200), 2))
    assert sampler.sampling_strategy_ == dict(enumerate(np.bincount(T[:200]).tolist()))
    sampler = AdversarialSampler(LINEAR, attack, mode="replace")
    assert np.array_equal(sampler.fit_resample(Z[:200], T[:200])[0], by_hand)
    sampler = AdversarialSampler(FrozenEstimator(model), attack, mode="replace")
    assert np.array_equal(sampler.fit_resample(Z[:200], T[:200])[0], by_hand)
    assert AdversarialSampler(LINEAR, attack, n_rounds=3).fit_resample(
        Z[:100], T[:100]
    )[0].shape == (400, Z.shape[1])


def test_share_of_each_class_by_content():
    sampler = AdversarialSampler(
        LINEAR, FGSM(0.1), mode="replace", share=0.25, random_state=0
    )
    new, _ = sampler.fit_resample(Z[:200], T[:200])
    moved = (new != Z[:200]).any(axis=1)
    wanted = np.floor(0.25 * np.bincount(T[:200]) + 0.5)
    assert np.array_equal(np.bincount(T[:200][moved]), wanted)
    order = np.random.default_rng(0).permutation(200)
    turned, _ = sampler.fit_resample(Z[:200][order], T[:200][order])
    assert np.array_equal((turned != Z[:200][order]).any(axis=1), moved[order])


def test_nothing_happens_without_a_budget():
    sampler = AdversarialSampler(LINEAR, PGD(0.0), mode="replace", n_rounds=2)
    new, y_new = sampler.fit_resample(Z, T)
    assert new.tobytes() == Z.tobytes()
    plain, same = clone(LINEAR).fit(Z, T), clone(LINEAR).fit(new, y_new)
    assert np.array_equal(plain.coef_, same.coef_)


@pytest.mark.slow
def test_rounds_make_a_linear_model_robust():
    attack = PGD(0.05, n_steps=10, **BOX)
    sampler = AdversarialSampler(LINEAR, attack, n_rounds=20, keep="best")
    model = clone(LINEAR).fit(*sampler.fit_resample(Z[:300], T[:300]))
    assert np.array_equal(model.coef_, sampler.estimator_.coef_)
    plain = clone(LINEAR).fit(Z[:300], T[:300])
    exact = ExactLinear(0.05, data_range=(0, 1))  # the worst case, in closed form
    rise = robust_accuracy(model, exact, Z[300:], T[300:]) - robust_accuracy(
        plain, exact, Z[300:], T[300:]
    )
    assert rise > 0.1
    assert model.score(Z[300:], T[300:]) > 0.95


def test_the_best_is_never_worse_than_plain_on_its_rows():
    attack = ExactLinear(0.05, data_range=(0, 1))
    for rounds in (1, 3):
        sampler = AdversarialSampler(LINEAR, attack, n_rounds=rounds, keep="best")
        sampler.fit_resample(Z[:150], T[:150])
        found = robust_accuracy(sampler.estimator_, attack, Z[:150], T[:150])
        plain = clone(LINEAR).fit(Z[:150], T[:150])
        assert found >= robust_accuracy(plain, attack, Z[:150], T[:150])


def test_containers_and_labels():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    names = [f"c{i}" for i in range(Z.shape[1])]
    words = np.where(T == 1, "benign", "malignant")
    attack = FGSM(0.1)
    bare, y_bare = AdversarialSampler(LINEAR, attack).fit_resample(Z, words)
    frame = pd.DataFrame(Z, columns=names, index=np.arange(len(Z)) + 7)
    series = pd.Series(words, index=frame.index, name="kind")
    new, y_new = AdversarialSampler(LINEAR, attack).fit_resample(frame, series)
    assert list(new.columns) == names
    assert new.index.equals(pd.RangeIndex(len(new)))
    assert np.array_equal(new.to_numpy(), bare)
    assert y_new.tolist() == y_bare.tolist()
    polar = pl.DataFrame(Z, schema=names)
    other, _ = AdversarialSampler(LINEAR, attack).fit_resample(polar, words)
    assert np.array_equal(other.to_numpy(), bare)
    whole = pd.DataFrame({"a": [0, 1, 2, 3], "b": [3, 2, 1, 0]})
    new, _ = AdversarialSampler(LINEAR, attack).fit_resample(whole, [0, 0, 1, 1])
    assert new.to_numpy()[:4].tolist() == whole.to_numpy().tolist()
    assert (new.dtypes == np.float64).all()


def test_input_is_never_changed():
    rows = Z.copy(order="F")
    rows.setflags(write=False)
    before = rows.tobytes()
    AdversarialSampler(LINEAR, FGSM(0.1), mode="replace").fit_resample(rows, T)
    assert rows.tobytes() == before


@pytest.mark.slow
def test_pipelines_and_checks_of_imbalanced_learn():
    pipeline = pytest.importorskip("imblearn.pipeline")
    sampler = AdversarialSampler(SVC(), FGSM(0.1))
    model = pipeline.make_pipeline(sampler, SVC()).fit(Z[:300], T[:300])
    by_hand = SVC().fit(*sampler.fit_resample(Z[:300], T[:300]))
    assert np.array_equal(model.predict(Z[300:]), by_hand.predict(Z[300:]))
    grid = {"adversarialsampler__attack__eps": [0.0, 0.1]}
    assert GridSearchCV(model, grid, cv=2).fit(Z, T).best_score_ > 0.8
    checks = pytest.importorskip("imblearn.utils.estimator_checks")
    quick = LogisticRegression()
    samplers = [
        AdversarialSampler(quick, FGSM(0.1), random_state=0),
        AdversarialSampler(quick, PGD(0.1, n_steps=2, random_state=0), mode="replace"),
    ]
    listed = list(checks.parametrize_with_checks(samplers).args[1])
    assert len(listed) >= 28
    for one, check in listed:
        check(one)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"estimator": None}, "The 'estimator' parameter of AdversarialSampler"),
        ({"estimator": SVC}, "The 'estimator' parameter of AdversarialSampler"),
        ({"attack": 3}, "The 'attack' parameter of AdversarialSampler must be an att"),
        ({"attack": GaussianNoise()}, "must be an attack of skrobust.attacks"),
        ({"attack": ProbabilityShift(0.1)}, "one on the label"),
        ({"attack": PGD(0.1, target=0)}, "one without a target"),
        ({"attack": PGD(-1)}, "The 'eps' parameter of PGD"),
        ({"mode": "both"}, "The 'mode' parameter of AdversarialSampler"),
        ({"share": 0}, "The 'share' parameter of AdversarialSampler"),
        ({"share": 1.5}, "The 'share' parameter of AdversarialSampler"),
        ({"n_rounds": 0}, "The 'n_rounds' parameter of AdversarialSampler"),
        ({"keep": "all"}, "The 'keep' parameter of AdversarialSampler"),
        ({"random_state": "a"}, "The 'random_state' parameter of AdversarialSampler"),
    ],
)
def test_bad_parameters_of_the_sampler(params, sentence):
    params = {"estimator": LINEAR, "attack": FGSM(0.1)} | params
    with pytest.raises(ValueError, match=sentence):
        AdversarialSampler(**params).fit_resample(Z[:50], T[:50])


def test_bad_rows_of_the_sampler():
    sampler = AdversarialSampler(LINEAR, FGSM(0.1))
    with pytest.raises(ValueError, match="requires y"):
        sampler.fit_resample(Z, None)
    with pytest.raises(ValueError, match="at least two classes"):
        sampler.fit_resample(Z[:5], np.zeros(5, dtype=int))
    with pytest.raises(ValueError, match="NaN"):
        sampler.fit_resample(np.full((10, 2), np.nan), np.arange(10) % 2)
    with pytest.raises(ValueError, match="AdversarialSampler must be an array of num"):
        sampler.fit_resample(np.array([["one"], ["two"]]), [0, 1])
    with pytest.raises(ValueError, match="classifier; Ridge is a regressor"):
        AdversarialSampler(Ridge(), FGSM(0.1)).fit_resample(Z, T)


# The callback


def net(*callbacks, epochs=4, **params):
    pytest.importorskip("skorch")
    callbacks = [("adversarial", one) for one in callbacks]
    return small_cnn_classifier(
        (8, 8), 10, epochs=epochs, callbacks=callbacks, **params
    )


def weights(model):
    return [p.detach().numpy().copy() for p in model[-1].module_.state_dict().values()]


def same(one, other):
    pairs = zip(weights(one), weights(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def test_without_a_budget_training_is_ordinary_bit_for_bit():
    from nets_for_tests import Net
    from torch import nn

    from skrobust.nets.seeded_classifier import SeededClassifier

    plain = net().fit(X[:300], Y[:300])
    none = AdversarialTraining(PGD(0.0, n_steps=3))
    assert same(plain, net(none).fit(X[:300], Y[:300]))
    # Batch normalisation and dropout: nothing of the attack may reach them.
    rows, labels = X[:300, :6].astype(np.float32) / 16, Y[:300] % 3
    tiny = AdversarialTraining(FGSM(1e-30))  # moves nothing that float32 can hold
    nets = [
        make_pipeline(
            ToNetInput(),
            SeededClassifier(Net, criterion=nn.CrossEntropyLoss, callbacks=callbacks),
        ).fit(rows + 1, labels)
        for callbacks in ([], [("adversarial", none)], [("adversarial", tiny)])
    ]
    assert same(nets[0], nets[1])
    assert same(nets[0], nets[2])


@pytest.mark.slow
def test_a_net_becomes_robust():
    train, test = slice(0, 1000), slice(1000, None)
    inner = PGD(0.06, n_steps=5, **BOX)
    attack = PGD(0.06 * 16, n_steps=20, data_range=(0, 16), random_state=0)
    plain = net(epochs=15).fit(X[train], Y[train])
    hard = net(AdversarialTraining(inner), epochs=15).fit(X[train], Y[train])
    rise = robust_accuracy(hard, attack, X[test], Y[test]) - robust_accuracy(
        plain, attack, X[test], Y[test]
    )
    assert rise > 0.1
    assert hard.score(X[test], Y[test]) > 0.9


def test_what_the_net_learns_from():
    seen = []

    class Watch(AdversarialTraining):
        def on_batch_begin(self, net, batch=None, training=None, **kwargs):
            clean = [part.clone() for part in batch]
            given = batch[0]
            super().on_batch_begin(net, batch=batch, training=training, **kwargs)
            assert bool((given == clean[0]).all())  # the tensor itself is not changed
            modes = {m.training for m in net.module_.modules()}
            seen.append((training, clean, list(batch), modes))

    attack = PGD(0.1, n_steps=2, **BOX)
    model = net(Watch(attack, share=0.25, mode="add", ramp_epochs=1), epochs=2)
    model.fit(X[:128], Y[:128])
    assert len(seen) == 4
    for number, (_, clean, batch, _) in enumerate(seen):
        eps = 0.05 if number < 2 else 0.1
        assert len(batch[0]) == len(batch[1]) == 80
        assert bool((batch[0][:64] == clean[0]).all())
        apart = (batch[0][64:, None] - clean[0][None]).abs().amax(dim=(2, 3, 4))
        nearest = apart.argmin(dim=1)
        assert len(set(nearest.tolist())) == 16
        assert bool((batch[1][64:] == batch[1][nearest]).all())
        assert eps * 0.9 < float(apart.min(dim=1).values.max()) <= eps + 1e-6
    seen.clear()
    from skorch.dataset import ValidSplit

    net(Watch(attack), epochs=1, train_split=ValidSplit(2)).fit(X[:128], Y[:128])
    assert {training for training, *_ in seen} == {True, False}
    for training, clean, batch, modes in seen:
        moved = (batch[0] != clean[0]).flatten(1).any(dim=1)
        assert bool(moved.all() if training else not moved.any())
        assert modes == {True} or not training or len(seen) == 2


def test_new_starts_at_each_batch_and_the_same_in_each_training():
    rows = X[:64]
    attack = PGD(0.1, n_steps=1, **BOX)
    one = net(AdversarialTraining(attack), epochs=3).fit(rows, Y[:64])
    assert same(one, net(AdversarialTraining(attack), epochs=3).fit(rows, Y[:64]))
    other = AdversarialTraining(clone(attack).set_params(random_state=1))
    assert not same(one, net(other, epochs=3).fit(rows, Y[:64]))
    # The epochs go on counting: 1 + 2 epochs are not the first starts over again.
    Xt = one[:-1].transform(rows)
    split = net(AdversarialTraining(attack), epochs=1, warm_start=True)
    split.fit(rows, Y[:64])
    split[-1].partial_fit(Xt, Y[:64])
    assert len(split[-1].history) == 2


def test_search_clone_and_pickle():
    model = net(AdversarialTraining(FGSM(0.1, data_range=(0, 1))), epochs=1)
    start = "seededclassifier__callbacks__adversarial"
    grid = {f"{start}__eps": [0.0, 0.05], f"{start}__share": [0.5]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X[:200], Y[:200])
    assert set(search.best_params_) == set(grid)
    grid = {f"{start}__attack": [FGSM(0.0), PGD(0.1, n_steps=2)]}
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X[:200], Y[:200])
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    assert same(again, search.best_estimator_)
    assert np.array_equal(again.predict(X[:50]), search.predict(X[:50]))
    copy = clone(model).set_params(**{f"{start}__eps": 0.0})
    assert same(copy.fit(X[:200], Y[:200]), net(epochs=1).fit(X[:200], Y[:200]))


def test_binary_nets_and_double_precision():
    pytest.importorskip("skorch")
    from nets_for_tests import Linear, make_net
    from torch import nn

    rows = X[:100, 10:16].astype(np.float32)
    labels = (rows.sum(axis=1) > rows.sum(axis=1).mean()).astype(np.float32)
    callbacks = [AdversarialTraining(FGSM(0.1))]
    binary = make_net(
        Linear, module__k=1, module__ending="flat", binary=True, epochs=2,
        criterion=nn.BCEWithLogitsLoss, callbacks=callbacks,
    )  # fmt: skip
    assert binary.fit(rows, labels).predict(rows).shape == (100,)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"attack": None}, "The 'attack' parameter of AdversarialTraining"),
        ({"attack": GaussianNoise()}, "must be an attack of skrobust.attacks"),
        ({"attack": PGD(0.1, target=1)}, "one without a target"),
        ({"attack": PGD(0.1, n_steps=0)}, "The 'n_steps' parameter of PGD"),
        ({"attack": FGSM(0.1, data_range=(5, 6))}, "input outside data_range"),
        ({"eps": -1}, "The 'eps' parameter of AdversarialTraining"),
        ({"share": 0}, "The 'share' parameter of AdversarialTraining"),
        ({"mode": "mix"}, "The 'mode' parameter of AdversarialTraining"),
        ({"ramp_epochs": -1}, "The 'ramp_epochs' parameter of AdversarialTraining"),
        ({"ramp_epochs": 1.5}, "The 'ramp_epochs' parameter of AdversarialTraining"),
    ],
)
def test_bad_parameters_of_the_callback(params, sentence):
    with pytest.raises(ValueError, match=sentence):
        net(AdversarialTraining(**{"attack": FGSM(0.1)} | params), epochs=1).fit(
            X[:50], Y[:50]
        )


def test_batches_that_are_no_rows_and_labels():
    callback = AdversarialTraining(FGSM(0.1))
    for batch in ((X, Y), [X, Y], {"X": X}, [X]):
        with pytest.raises(ValueError, match="each batch as a list of two tensors"):
            callback.on_batch_begin(None, batch=batch, training=True)


def test_what_the_attack_has_to_say_is_said_once():
    pytest.importorskip("skorch")
    from nets_for_tests import Flat, make_net

    model = make_net(Flat, epochs=2, callbacks=[AdversarialTraining(FGSM(0.1))])
    with pytest.warns(UserWarning, match="in a batch: FGSM met") as caught:
        model.fit(X[:64, :6].astype(np.float32), Y[:64] % 3)
    assert len(caught) == 1


def test_nets_of_regression_are_refused():
    skorch = pytest.importorskip("skorch")
    from nets_for_tests import Linear

    callbacks = [AdversarialTraining(FGSM(0.1))]
    net = skorch.NeuralNetRegressor(
        Linear, module__k=1, callbacks=callbacks, train_split=None, verbose=0
    )
    rows = X[:20, :6].astype(np.float32)
    with pytest.raises(ValueError, match="classifier; NeuralNetRegressor is a reg"):
        net.fit(rows, rows[:, :1])


def test_a_share_of_no_row_is_refused_by_the_sampler():
    # The message must not be that of the attack about no samples.
    sampler = AdversarialSampler(LogisticRegression(), FGSM(0.1), share=0.1)
    with pytest.raises(ValueError, match="'share' parameter of AdversarialSampler"):
        sampler.fit_resample(np.eye(4), [0, 0, 1, 1])
