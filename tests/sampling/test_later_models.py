"""Labels told for one model serve others, and differences are paired."""

import numpy as np
import pytest
from small_samplers import DESIGNS, P5, make, sequences

from skrobust.sampling import (
    DeepESTSampler,
    GradientSampler,
    ModelDifference,
    OperationalSampler,
    ProportionalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
)

SAMPLERS = [
    DeepESTSampler,
    GradientSampler,
    OperationalSampler,
    ProportionalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
]


def world(n=600, seed=0):
    """Scores, labels of three classes, and predictions of an old and a new model."""
    rng = np.random.default_rng(seed)
    scores, y = rng.beta(0.5, 2, n), rng.integers(0, 3, n)
    old_wrong = rng.random(n) < scores
    new_wrong = np.where(old_wrong, rng.random(n) < 0.6, rng.random(n) < 0.03)
    other = (y + rng.integers(1, 3, n)) % 3
    return scores, y, np.where(old_wrong, other, y), np.where(new_wrong, other, y)


def with_new(sampler, n=100, seed=0):
    scores, y, old, new = world(seed=seed)
    sampler.fit(scores, y_pred=old).sample(n, y.take)
    return sampler.add_model("new", y_pred=new)


def accuracy(y, y_pred):
    return float((y == y_pred).mean())


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([0, 0, 0, 0, 1], [1, 1, 1, 0, 2]),
        ([2, 1, 2, 0, 0], [0, 0, 1, 1, 1]),
        ([1, 0, 1, 0, 2], [1, 0, 1, 1, 0]),  # some draws label all that differ
    ],
)
def test_difference_and_accuracy_are_exactly_unbiased(design, old, new):
    y = np.array([1, 0, 1, 0, 2])
    old, new = np.array(old), np.array(new)
    template = make(design, P5)
    total, mean, value = 0.0, 0.0, 0.0
    for ids, steps in sequences(design, P5, 3):
        sampler = template.__copy__()
        sampler.y_pred_ = old
        sampler._draws.add(ids, steps, sequential=True)
        sampler._draws.add_predictor(None, None)
        sampler._answers.open(ids)
        sampler.tell(ids, y[ids]).add_model("new", y_pred=new)
        chance = steps.prod()
        total += chance
        mean += chance * sampler.result(model="new").unbiased_value
        value += chance * sampler.compare("new").unbiased_value
    assert total == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(accuracy(y, new), abs=1e-12)
    assert value == pytest.approx(accuracy(y, new) - accuracy(y, old), abs=1e-12)


@pytest.mark.parametrize("kind", SAMPLERS)
def test_a_copy_of_the_fitted_model_has_its_result(kind):
    scores, y, old, new = world()
    sampler = kind(random_state=0).fit(scores, y_pred=old)
    sampler.sample(80, y.take)
    sampler.add_model("same", y_pred=old).add_model("new", y_pred=new)
    one, other = sampler.result(), sampler.result(model="same")
    assert str(one) == str(other)
    assert one.failures.tolist() == other.failures.tolist()
    assert sampler.compare("same").value == 0
    assert sampler.compare("same").method == "census"  # nothing differs
    there, back = sampler.compare("new"), sampler.compare("fitted", "new")
    assert there.value == -back.value
    assert there.interval[0] == pytest.approx(-back.interval[1], abs=1e-12)
    fresh = kind(random_state=0).fit(scores, y_pred=new)
    fresh._draws = sampler._draws
    fresh._answers.open(sampler.ids_)
    fresh.tell(sampler.ids_, y[sampler.ids_])
    again = sampler.result(model="new")
    assert again.accuracy == pytest.approx(fresh.result().accuracy, abs=1e-12)
    assert again.n_failures == fresh.result().n_failures


@pytest.mark.parametrize("kind", SAMPLERS)
def test_once_all_differences_are_labelled_the_difference_is_exact(kind):
    sampler = with_new(kind(random_state=0), n=600)
    _, y, old, new = world()
    found = sampler.compare("new")
    truth = accuracy(y, new) - accuracy(y, old)
    assert found.value == pytest.approx(truth, abs=1e-12)
    assert found.interval == (found.value, found.value)
    assert sampler.result(model="new").accuracy == pytest.approx(accuracy(y, new))


@pytest.mark.parametrize("kind", [SimpleRandomSampler, StratifiedSampler])
def test_paired_interval_covers_and_is_narrower_than_two(kind):
    _, y, old, new = world()
    truth, repeats = accuracy(y, new) - accuracy(y, old), 200
    covered, paired, apart = 0, 0.0, 0.0
    for seed in range(repeats):
        sampler = with_new(kind(random_state=seed), n=120)
        low, high = sampler.compare("new").interval
        covered += low <= truth <= high
        paired += high - low
        one, two = sampler.result().interval, sampler.result(model="new").interval
        apart += np.hypot(one[1] - one[0], two[1] - two[0])
    # Four standard errors of a share of .95 over the repeats.
    assert covered / repeats >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / repeats)
    assert paired < 0.75 * apart


def test_labels_where_models_differ_are_worth_most():
    _, y, old, new = world()
    truth, differ = accuracy(y, new) - accuracy(y, old), (old != new).astype(float)
    covered, widths = 0, []
    for seed in range(100):
        sampler = ProportionalSampler(floor=0, random_state=seed)
        sampler.fit(differ, y_pred=old).sample(40, y.take)
        low, high = sampler.add_model("new", y_pred=new).compare("new").interval
        covered += low <= truth <= high
        widths.append(high - low)
    assert covered >= 86
    uniform = with_new(SimpleRandomSampler(random_state=0), n=160).compare("new")
    assert np.mean(widths) < uniform.interval[1] - uniform.interval[0]


def test_what_was_told_as_failed_alone():
    scores, y, old, new = world()
    sampler = SimpleRandomSampler(random_state=0).fit(scores, y_pred=old)
    ids = sampler.ask(100)
    sampler.tell(ids, failed=(old != y)[ids]).add_model("new", y_pred=new)
    unknown = ids[((old != y) & (old != new))[ids]]
    for call in (sampler.compare, lambda name: sampler.result(model=name)):
        with pytest.raises(ValueError, match=f"not known for {len(unknown)} inputs"):
            call("new")
    sampler.correct(unknown, y[unknown])  # the others are known without a label
    full = with_new(SimpleRandomSampler(random_state=0), n=100)
    assert str(sampler.compare("new")) == str(full.compare("new"))
    assert str(sampler.result(model="new")) == str(full.result(model="new"))


@pytest.mark.parametrize("estimator", ["default", "difference", "ppi", "learned"])
def test_the_fitted_model_has_a_name(estimator):
    sampler = with_new(StratifiedSampler(random_state=0))
    named = sampler.result(model="fitted", estimator=estimator)
    assert str(named) == str(sampler.result(estimator=estimator))


def test_a_range_of_losses_alone_tells_none():
    scores, y, old, new = world()
    sampler = SimpleRandomSampler(loss_range=(0, 5), random_state=0)
    sampler.fit(scores, y_pred=old).add_model("new", y_pred=new)
    assert np.isnan(sampler.compare("new").value)  # no label is told yet
    sampler.sample(40, y.take)
    assert sampler.compare("new").n_used == 40


@pytest.mark.parametrize("pool", [True, False])
@pytest.mark.parametrize("frozen", [True, False])
def test_models_are_stored(pool, frozen):
    scores, _, old, _ = world()
    sampler = with_new(OperationalSampler(random_state=0))
    text = sampler.to_json(include_pool=pool)
    given = {} if pool else {"X": scores, "y_pred": old}
    again = OperationalSampler.from_json(text, frozen=frozen, **given)
    assert str(again.compare("new")) == str(sampler.compare("new"))
    assert again.to_json(include_pool=pool) == text
    without = OperationalSampler(random_state=0).fit(scores, y_pred=old).to_json()
    assert '"models"' not in without  # states without models stay as they were
    assert OperationalSampler.from_json(without)._models == {}
    assert sampler.fit(scores, y_pred=old)._models == {}


def test_models_change_no_draw_and_wait_for_open_answers():
    scores, y, old, new = world()
    plain = OperationalSampler(random_state=0).fit(scores, y_pred=old)
    added = OperationalSampler(random_state=0).fit(scores, y_pred=old)
    added.add_model("new", y_pred=new)
    for sampler in (plain, added):
        for _ in range(2):
            ids = sampler.ask(30)
            sampler.tell(ids[::-1], y[ids[::-1]])
    assert plain.ids_.tolist() == added.ids_.tolist()
    before = added.compare("new")
    added.ask(30)
    assert added.compare("new").value == before.value
    first = added.pending_[1:]
    added.tell(first, y[first])
    assert added.compare("new").value == before.value
    assert np.isnan(
        SimpleRandomSampler()
        .fit(scores, y_pred=old)
        .add_model("new", y_pred=new)
        .compare("new")
        .value
    )


def test_skipped_answers_count_for_either_model():
    _, y, old, new = world()
    full = with_new(SimpleRandomSampler(random_state=0))
    apart = [i for i in full.ids_.tolist() if old[i] != new[i]][:2]
    alike = next(i for i in full.ids_.tolist() if old[i] == new[i])
    before = full.compare("new")
    assert str(full.correct(alike, None).compare("new")) == str(before)
    after = full.correct(apart, [None, None]).compare("new")
    known = sum((new[i] == y[i]).astype(int) - (old[i] == y[i]) for i in apart)
    assert after.value == pytest.approx(before.value - known / 100, abs=1e-12)
    assert after.interval[0] < before.interval[0] + 0.02
    assert "2 skipped answers" in after.warnings[0]
    assert after.interval[0] <= before.value <= after.interval[1]


def test_the_predictor_of_a_model_is_its_own_confidence():
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + 0.7 * rng.normal(size=300) > 0).astype(int)
    model = LogisticRegression().fit(X[:50], y[:50])
    base = DummyClassifier().fit(X[:50], y[:50])
    sampler = SimpleRandomSampler(random_state=0).fit(X, y_pred=base.predict(X))
    sampler.sample(60, y.take)
    sampler.add_model("linear", model, X)
    m = 1 - model.predict_proba(X).max(axis=1)
    failed, ids = model.predict(X) != y, sampler.ids_
    expected = 1 - (m.mean() + (failed[ids] - m[ids]).mean())
    found = sampler.result(model="linear", estimator="difference")
    assert found.accuracy == pytest.approx(expected, abs=1e-12)
    assert sampler.compare("linear").better == "linear"


def test_sentence():
    sampler = with_new(SimpleRandomSampler(random_state=0), n=300)
    found = sampler.compare("new")
    assert isinstance(found, ModelDifference)
    low, high = found.interval
    least, most = found.operation_interval
    assert str(found).split("\n") == [
        f"new is better than fitted by {found.value:.3f}, 95 % interval {low:.3f} to "
        f"{high:.3f} (newcombe)",
        f"95 % interval {least:.3f} to {most:.3f} for the operation behind this pool",
        f"300 of 600 labelled; {found.only_first} for new alone, {found.only_second} "
        "for fitted alone",
    ]
    turned = sampler.compare("fitted", "new")
    assert str(turned).split("\n")[:2] == str(found).split("\n")[:2]
    assert turned.better == "new"
    unsure = with_new(SimpleRandomSampler(random_state=0), n=12).compare("new")
    assert unsure.better is None
    assert str(unsure).startswith("no difference shown: new less fitted is")
    assert "<p>" in found._repr_html_()
    assert repr(found).startswith("ModelDifference(value=")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.add_model("new", y_pred=np.zeros(600)), "names no other model"),
        (lambda s: s.add_model("fitted", y_pred=np.zeros(600)), "names no other"),
        (lambda s: s.add_model(3, y_pred=np.zeros(600)), "'name' parameter of Simple"),
        (lambda s: s.add_model("b"), "either y_pred=, or an estimator and X"),
        (
            lambda s: s.add_model("b", y_pred=np.linspace(0, 1, 600)),
            "hardly any two continuous numbers are equal",
        ),
        (lambda s: s.add_model("b", X=[1], y_pred=[1]), "either y_pred="),
        (lambda s: s.add_model("b", y_pred=np.zeros(5)), "600"),
        (lambda s: s.add_model("b", y_pred=["a"] * 600), "of the type of those"),
        (lambda s: s.add_model("b", y_pred=[None] * 600), "y_pred"),
        (lambda s: s.add_model("b", object(), np.zeros((5, 1))), "5 rows"),
        (lambda s: s.compare("b"), "knows no model 'b'; it knows 'fitted', 'new'"),
        (lambda s: s.compare("new", "new"), "name of another model"),
        (lambda s: s.compare("new", confidence=2), "confidence"),
        (lambda s: s.result(model="b"), "knows no model 'b'"),
    ],
)
def test_messages(call, message):
    sampler = with_new(SimpleRandomSampler(random_state=0), n=20)
    with pytest.raises(ValueError, match=message):
        call(sampler)
    assert list(sampler._models) == ["new"]


def test_a_sampler_without_predictions_says_so():
    sampler = SimpleRandomSampler().fit(np.ones(20))
    for call in (
        lambda: sampler.add_model("b", y_pred=np.ones(20)),
        lambda: sampler.compare("b"),
    ):
        with pytest.raises(ValueError, match="needs the predictions of the fitted"):
            call()
