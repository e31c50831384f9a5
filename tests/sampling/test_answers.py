"""Answers that are missing, wrong at first, or late; and a sampler as text."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from resealed_state import resealed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from small_samplers import FAILED, SCORES, Floored, InBatches, facts

from skrobust.sampling import DeepESTSampler, SimpleRandomSampler

SAMPLERS = [
    SimpleRandomSampler(random_state=0),
    DeepESTSampler(random_state=0),
    DeepESTSampler(rule="released", random_state=0),
    Floored(random_state=0),
    InBatches(random_state=0),
]
every_sampler = pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
LABELS = np.where(FAILED, "b", "a")
PREDICTED = np.full(60, "a")


def same(a, b):
    assert str(a.result()) == str(b.result())
    assert facts(a.result()) == facts(b.result())
    np.testing.assert_array_equal(a.ids_, b.ids_)
    np.testing.assert_array_equal(a.draw_probabilities_, b.draw_probabilities_)


# Skipped


@every_sampler
@pytest.mark.parametrize("estimator", ["default", "lure", "difference"])
def test_bounds_hold_whatever_the_skipped_answers_would_be(sampler, estimator):
    sampler = clone(sampler).fit(SCORES)
    for _ in range(3):
        ids = sampler.ask(10)
        given = np.where(np.arange(10) == 4, np.nan, FAILED[ids])
        sampler.tell(ids, failed=given)
    skipped = sampler.skipped_
    assert len(skipped) == 3
    result = sampler.result(estimator=estimator)
    assert (result.n_labels, result.n_skipped, result.n_used) == (27, 3, 30)
    assert "3 skipped answers could be correct or mispredicted" in result.warnings[0]
    low, high = result.accuracy_bounds
    assert low < high
    seen = []
    for answers in product([0, 1], repeat=3):
        told = type(sampler).from_json(sampler.to_json())
        one = told.tell(skipped, failed=answers).result(estimator=estimator)
        seen.append(one.accuracy)
        assert result.interval[0] <= one.interval[0] + 1e-12
        assert one.interval[1] <= result.interval[1] + 1e-12
        assert result.std_error >= one.std_error
        assert one.n_skipped == 0
    assert (min(seen), max(seen)) == pytest.approx((low, high), abs=1e-12)
    assert result.accuracy == pytest.approx((low + high) / 2)


@every_sampler
def test_many_skipped_answers_still_cover_both_extremes(sampler):
    sampler = clone(sampler).fit(SCORES)
    ids = sampler.ask(30)
    sampler.tell(ids[:20], failed=FAILED[ids[:20]]).tell(ids[20:], failed=None)
    result = sampler.result()
    for answer in (0, 1):
        told = type(sampler).from_json(sampler.to_json())
        one = told.tell(ids[20:], failed=[answer] * 10).result()
        assert result.interval[0] <= one.interval[0] <= one.interval[1]
        assert one.interval[1] <= result.interval[1]


@every_sampler
def test_a_pool_with_skipped_inputs_is_known_up_to_them(sampler):
    sampler = clone(sampler).fit(SCORES)
    ids = sampler.ask(60)
    sampler.tell(ids[:58], failed=FAILED[ids[:58]]).tell(ids[58:], None)
    result = sampler.result()
    known = FAILED[ids[:58]].sum()
    assert result.interval == pytest.approx((1 - (known + 2) / 60, 1 - known / 60))
    assert result.accuracy_bounds == pytest.approx(result.interval)


@pytest.mark.parametrize("missing", [None, np.nan, float("nan")])
def test_ways_to_skip(missing):
    for name in ("y_true", "failed"):
        sampler = SimpleRandomSampler(random_state=0).fit(SCORES, y_pred=PREDICTED)
        ids = sampler.ask(4)
        sampler.tell(ids, **{name: missing})
        np.testing.assert_array_equal(sampler.skipped_, ids)
        assert sampler.result().n_labels == 0
        assert len(sampler.pending_) == 0
        sampler.tell(ids[:2], **{name: [missing, missing]})  # still skipped
        sampler.tell(ids, LABELS[ids])
        assert sampler.result().n_labels == 4
        assert len(sampler.skipped_) == 0
    pandas = pytest.importorskip("pandas")
    sampler.tell(ids := sampler.ask(2), pandas.Series(["a", pandas.NA]))
    np.testing.assert_array_equal(sampler.skipped_, ids[1:])


# Corrected


@every_sampler
def test_corrected_is_as_if_told_right_at_first(sampler):
    right, wrong = (clone(sampler).fit(SCORES, y_pred=PREDICTED) for _ in range(2))
    ids = right.ask(20)
    right.tell(ids, LABELS[ids])
    wrong.tell(wrong.ask(20), LABELS[ids][::-1])
    wrong.correct(ids[:7], LABELS[ids[:7]])
    wrong.correct(ids[7:], failed=None)
    assert len(wrong.skipped_) == 13
    wrong.tell(ids[7:], LABELS[ids[7:]])
    same(right, wrong)
    assert right.metric("recall", label="a").value == (
        wrong.metric("recall", label="a").value
    )


@every_sampler
def test_what_cannot_be_corrected_changes_nothing(sampler):
    sampler = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    ids = sampler.ask(6)
    sampler.tell(ids[:3], LABELS[ids[:3]])
    free = next(i for i in range(60) if i not in ids)
    before, text = facts(sampler.result()), sampler.to_json()
    for told, answers, message in [
        ([ids[0], free], ["a", "a"], f"correct: id {free} was never asked"),
        ([ids[0], 60], ["a", "a"], "id 60 is outside"),
        ([ids[0], ids[0]], ["a", "a"], f"id {ids[0]} was told already"),
        ([ids[0]], [1], "of different types"),
        ([ids[0]], ["a", "b"], "one answer per id"),
    ]:
        with pytest.raises(ValueError, match=message):
            sampler.correct(told, answers)
    with pytest.raises(ValueError, match="one of the three"):
        sampler.correct(ids)
    assert facts(sampler.result()) == before
    assert sampler.to_json() == text


# As text


@pytest.mark.slow
@every_sampler
def test_a_sampler_resumes_bit_for_bit_at_every_point(sampler):
    whole = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    rng = np.random.default_rng(0)
    texts = [whole.to_json()]
    for n in (3, 1, 8, 2):
        ids = whole.ask(n)
        texts.append(whole.to_json())
        late = whole.pending_[rng.random(len(whole.pending_)) < 0.7]
        whole.tell(late, LABELS[late])
        texts.append(whole.to_json())
        whole.correct(ids[:1], None)
        texts.append(whole.to_json())
    end = json.loads(whole.to_json())["events"]
    for text in texts:
        for frozen in (False, True):
            again = type(sampler).from_json(text, frozen=frozen)
            state = json.loads(text)
            assert str(again.result()) == str(
                replayed(sampler, state["events"]).result()
            )
            assert again.to_json() == text
        again = type(sampler).from_json(text)
        for verb, *event in end[len(state["events"]) :]:
            if verb == "ask":
                again.ask(event[0])
            else:
                ids, kind, answers = event
                getattr(again, verb)(ids, **{kind: answers})
        same(again, whole)
        assert again.to_json() == whole.to_json()
        np.testing.assert_array_equal(again.ask(20), next_ids(whole))


def replayed(sampler, events):
    fresh = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    for verb, *event in events:
        if verb == "ask":
            fresh.ask(event[0])
        else:
            ids, kind, answers = event
            getattr(fresh, verb)(ids, **{kind: answers})
    return fresh


def next_ids(sampler):
    return type(sampler).from_json(sampler.to_json()).ask(20)


@every_sampler
def test_another_pool_is_refused(sampler):
    first = clone(sampler).fit(SCORES, y_pred=PREDICTED)
    first.sample(10, lambda ids: LABELS[ids])
    text = first.to_json(include_pool=False)
    assert "scores_" not in text
    cls = type(sampler)
    again = cls.from_json(text, SCORES, y_pred=PREDICTED)
    same(first, again)
    np.testing.assert_array_equal(again.ask(5), first.ask(5))
    with pytest.raises(ValueError, match="pass it as X"):
        cls.from_json(text)
    for X, y_pred in [
        (SCORES[::-1].copy(), PREDICTED), (SCORES[:59], PREDICTED[:59]),
        (SCORES, LABELS), (SCORES, None),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="belongs to another pool"):
            cls.from_json(text, X, y_pred=y_pred)
        with pytest.raises(ValueError, match="belongs to another pool"):
            cls.from_json(first.to_json(), X, y_pred=y_pred)


@every_sampler
def test_draws_that_cannot_be_made_again_keep_their_labels(sampler):
    first = clone(sampler).fit(SCORES)
    first.sample(20, lambda ids: FAILED[ids])
    state = json.loads(first.to_json())
    state["generator"]["state"]["state"] += 2  # another stream
    text, cls = resealed(state), type(sampler)
    with pytest.raises(ValueError, match="frozen=True gives their result"):
        cls.from_json(text)
    frozen = cls.from_json(text, frozen=True)
    same(first, frozen)
    for options in ({"estimator": "lure"}, {"method": "bootstrap"}):
        assert str(frozen.result(**options)) == str(first.result(**options))
    with pytest.raises(ValueError, match="cannot draw"):
        frozen.ask()
    i = first.ids_[:1]
    assert str(frozen.correct(i, failed=[1]).result()) == str(
        first.correct(i, failed=[1]).result()
    )
    assert str(cls.from_json(frozen.to_json(), frozen=True).result()) == str(
        first.result()
    )


def test_text_of_anything_else_is_refused():
    sampler = SimpleRandomSampler(random_state=0).fit(SCORES)
    text = sampler.to_json()
    with pytest.raises(ValueError, match=r"use SimpleRandomSampler\.from_json"):
        DeepESTSampler.from_json(text)
    for other in ("", "{}", "[1]", "no JSON", text[:-5], None):
        with pytest.raises(ValueError, match="the text that to_json returned"):
            SimpleRandomSampler.from_json(other)
    state = json.loads(text) | {"format": 99}
    with pytest.raises(ValueError, match="format 99"):
        SimpleRandomSampler.from_json(json.dumps(state))


@pytest.mark.parametrize(
    ("predicted", "true"),
    [
        (np.array(["a", "é"] * 30), ["é", "a", None, "é"]),
        (np.arange(60), np.int64([0, 5, 7, 2])),
        (np.arange(60) % 2 == 0, np.array([True, False, True, True])),
        (np.arange(60.0), np.float32([5, 1, 2, 3])),
        (np.array(["a", 1, None, True] * 15, dtype=object)[:60], ["a", "b", "a", "c"]),
    ],
)
def test_labels_of_any_type_come_back(predicted, true):
    if predicted.dtype == object:
        predicted = np.array(["a", "b"] * 30, dtype=object)
    sampler = SimpleRandomSampler(random_state=0).fit(SCORES, y_pred=predicted)
    sampler.tell(sampler.ask(4), true)
    again = SimpleRandomSampler.from_json(sampler.to_json())
    same(sampler, again)
    assert again._answers.labels == sampler._answers.labels
    assert again.y_pred_.dtype == sampler.y_pred_.dtype
    np.testing.assert_array_equal(again.y_pred_, sampler.y_pred_)


def test_labels_that_are_no_json_are_named():
    sampler = SimpleRandomSampler(random_state=0)
    sampler.fit(SCORES, y_pred=np.array([(1, 2)] * 60 + [None], dtype=object)[:60])
    i = sampler.ask(1)[0]
    sampler.tell([i], [(1, 2)])
    with pytest.raises(ValueError, match="cannot"):
        sampler.to_json()
    with pytest.raises(ValueError, match=f"of id {i} cannot be written as JSON"):
        sampler.to_json(include_pool=False)


def test_what_json_cannot_hold_is_given_again(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    model = LogisticRegression().fit(X, y)

    def far(X):
        return np.abs(np.asarray(X)[:, 0])

    for sampler in (
        DeepESTSampler(model, random_state=0),
        DeepESTSampler(model, auxiliary=far, threshold="mean+sd", random_state=None),
        DeepESTSampler(auxiliary=far(X), random_state=np.random.RandomState(0)),
    ):
        sampler.fit(X, y_pred=model.predict(X))
        sampler.sample(20, lambda ids: y[ids])
        alone = DeepESTSampler.from_json(sampler.to_json())
        same(sampler, alone)
        assert alone.threshold_ == sampler.threshold_
        given = {} if isinstance(sampler.auxiliary, str) else {
            "auxiliary": sampler.auxiliary}  # fmt: skip
        whole = DeepESTSampler.from_json(
            sampler.to_json(include_pool=False), X, estimator=sampler.estimator,
            y_pred=model.predict(X), **given,
        )  # fmt: skip
        same(sampler, whole)
        expected = next_ids(sampler)
        np.testing.assert_array_equal(whole.ask(20), expected)
        np.testing.assert_array_equal(alone.ask(20), expected)
        path = tmp_path / "state.json"
        sampler.save(path)
        same(sampler, DeepESTSampler.from_json(path.read_text()))


def test_save_leaves_the_old_file_where_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    sampler = SimpleRandomSampler(random_state=0).fit(SCORES)
    sampler.save(path)
    before = path.read_text()
    sampler.ask(3)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("skrobust._whole_file.os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        sampler.save(path)
    assert path.read_text() == before
    assert [p.name for p in Path(tmp_path).iterdir()] == ["state.json"]


def test_an_error_in_a_draw_takes_nothing_from_the_generator():
    class Stumbling(Floored):
        broken = False

        def _probabilities(self, taken):
            q = super()._probabilities(taken)
            return q * 2 if self.broken else q

    smooth, stumbling = Stumbling(random_state=0), Stumbling(random_state=0)
    smooth.fit(SCORES)
    stumbling.fit(SCORES).broken = True
    with pytest.raises(ValueError, match="probabilities that sum to 1"):
        stumbling.ask(3)
    stumbling.broken = False
    np.testing.assert_array_equal(stumbling.ask(5), smooth.ask(5))


def test_ten_thousand_draws_of_a_large_pool_take_little_memory():
    import tracemalloc

    scores = np.random.default_rng(0).random(300_000)
    sampler = DeepESTSampler(random_state=0)
    tracemalloc.start()
    sampler.fit(scores)
    sampler.tell(ids := sampler.ask(10_000), failed=ids % 2)
    sampler.result()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * len(scores) + 10_000 * 1000


@every_sampler
@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_pools(sampler, n):
    sampler = clone(sampler).fit([0.1] * n)
    assert sampler.sample(n, lambda ids: [1] * n).accuracy == 0
    for options in ({"estimator": "published"}, {"method": "anytime"}):
        assert sampler.result(**options).interval == (0, 0)
    assert sampler.metric().value == 0


def test_warnings_of_a_result_are_all_different():
    sampler = DeepESTSampler(random_state=0).fit(np.linspace(0, 1, 200))
    ids = sampler.ask(10)
    sampler.tell(ids, failed=[None, None, *8 * [False]])
    said = sampler.result().warnings
    assert len(set(said)) == len(said) > 1
