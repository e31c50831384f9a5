"""Each annotator has an error rate of its own."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import binom

from skrobust.sampling import (
    Annotations,
    CrossEntropySampler,
    DeepESTSampler,
    OperationalSampler,
    SimpleRandomSampler,
    StratifiedSampler,
    estimate_annotator_noise,
    estimate_label_noise,
)
from skrobust.sampling.annotators.annotator_correction import corrected_by_annotator
from skrobust.sampling.annotators.pair_rates import Pairs

CARE = {"ann": 0.02, "bob": 0.1, "cem": 0.2}


def floor_of_coverage(repeats, share=0.95):
    return share - 4 * np.sqrt(share * (1 - share) / repeats)


def table_of(links, n=30):
    """Each linked two annotators share n inputs, of which a few differ."""
    rows = []
    for a, b in links:
        for k in range(n):
            row = [None] * (1 + max(map(max, links)))
            row[a], row[b] = 0, int(k < 3)
            rows.append(row)
    return rows


@pytest.mark.parametrize(
    ("links", "unknown"),
    [
        ([(0, 1), (1, 2), (0, 2)], ()),  # a triangle
        ([(0, 1), (1, 2), (0, 2), (2, 3)], ()),  # and one who shares with it
        ([(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)], ()),  # five in a circle
        ([(0, 1)], "01"),
        ([(0, 1), (1, 2)], "012"),
        ([(0, 1), (1, 2), (2, 3), (0, 3)], "0123"),  # an even circle
        ([(0, 1), (1, 2), (0, 2), (3, 4)], "34"),
    ],
)
def test_whose_rates_can_be_told(links, unknown):
    table = table_of(links)
    if unknown:
        names = ", ".join(unknown)
        with pytest.raises(ValueError, match=f"cannot tell the rate of {names}: give"):
            estimate_annotator_noise(table)
    else:
        found = estimate_annotator_noise(table)
        assert (found.low <= found.rate).all()
        assert (found.rate <= found.high).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rates_of_listed_answers(n_classes):
    # All answers of three annotators, as often as they are likely: truth is class 0.
    rates, counts, rows = [0.05, 0.1, 0.2], [], []
    for answers in product(range(n_classes), repeat=3):
        chance = [
            1 - e if answer == 0 else e / (n_classes - 1)
            for e, answer in zip(rates, answers, strict=True)
        ]
        counts.append(round(8000 * np.prod(chance)))
        rows.append(answers)
    table = np.repeat(np.array(rows), counts, axis=0)
    found = estimate_annotator_noise(table, n_classes=n_classes)
    np.testing.assert_allclose(found.rate, rates, atol=2e-3)
    # Three annotators: the closed form of three equations.
    kappa = n_classes / (n_classes - 1)
    part = {
        (a, b): 1 - kappa * (table[:, a] != table[:, b]).mean()
        for a, b in [(0, 1), (0, 2), (1, 2)]
    }
    u = np.sqrt(part[0, 1] * part[0, 2] / part[1, 2])
    assert found.rate[0] == pytest.approx((1 - u) / kappa, abs=1e-4)
    assert found.n_answers.tolist() == found.n_shared.tolist() == [len(table)] * 3


@pytest.mark.parametrize(
    ("n_classes", "rates", "n", "missing"),
    [
        (2, [0.02, 0.1, 0.25], 100, 0.0),
        (5, [0.0, 0.05, 0.3, 0.1], 150, 0.5),
        (2, [0.01, 0.02, 0.03], 40, 0.0),
    ],
)
def test_intervals_of_rates_cover(n_classes, rates, n, missing):
    rng, repeats, covered = np.random.default_rng(0), 200, 0
    estimates = []
    for _ in range(repeats):
        truth = rng.integers(0, n_classes, n)
        other = (
            truth[:, None] + rng.integers(1, n_classes, (n, len(rates)))
        ) % n_classes
        wrong = rng.random((n, len(rates))) < rates
        table = np.where(wrong, other, truth[:, None]).astype(object)
        table[rng.random(table.shape) < missing] = None
        found = estimate_annotator_noise(table, n_classes=n_classes)
        covered = covered + (found.low <= rates) * (rates <= found.high)
        estimates.append(found.rate)
    assert (covered / repeats >= floor_of_coverage(repeats)).all()
    assert abs(np.mean(estimates, axis=0) - rates).max() < 0.02


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "rates", "n", "missing"),
    [
        (2, [0.02, 0.1, 0.2], 60, 0.0),
        (5, [0.0, 0.05, 0.3, 0.1], 120, 0.5),
        (2, [0.05, 0.1, 0.2], 30, 0.0),
    ],
)
def test_intervals_of_rates_cover_with_few_inputs(n_classes, rates, n, missing):
    # Normal intervals about the rates covered .927 of the second, at 3,000 repeats.
    rng, repeats, covered = np.random.default_rng(1), 3000, 0
    for _ in range(repeats):
        truth = rng.integers(0, n_classes, n)
        step = rng.integers(1, n_classes, (n, len(rates)))
        wrong = rng.random((n, len(rates))) < rates
        table = (truth[:, None] + wrong * step) % n_classes
        table = table.astype(object)
        table[rng.random(table.shape) < missing] = None
        found = estimate_annotator_noise(table, n_classes=n_classes)
        covered = covered + (found.low <= rates) * (rates <= found.high)
    assert (covered / repeats >= floor_of_coverage(repeats)).all()


def swapped_table(rates, n=200):
    rng = np.random.default_rng(0)
    wrong = rng.random((n, len(rates))) < rates
    return ((rng.random(n) < 0.3)[:, None] ^ wrong).astype(int)


@pytest.mark.parametrize("rates", [[0.05, 0.1, 0.9], [0.05, 0.95, 0.1, 0.2, 0.95]])
def test_who_swaps_right_and_wrong_is_named(rates):
    names = ["ann", "bob", "cem", "dan", "eve"][: len(rates)]
    found = estimate_annotator_noise(swapped_table(rates), names=names)
    np.testing.assert_allclose(found.rate, rates, atol=0.07)
    swaps = [name for name, rate in zip(names, rates, strict=True) if rate > 0.5]
    notes = [text for text in found.warnings if "the other way round" in text]
    assert [text.split()[0] for text in notes] == swaps
    assert all("not turned" in text for text in notes)
    assert not any("guess." in text for text in found.warnings)
    # The others have the rates that they have where the answers are turned by hand.
    table = swapped_table(rates)
    table[:, np.array(rates) > 0.5] ^= 1
    turned = estimate_annotator_noise(table, names=names)
    mirrored = np.where(np.array(rates) > 0.5, 1 - found.rate, found.rate)
    np.testing.assert_allclose(turned.rate, mirrored, atol=1e-3)


def test_guesses_and_camps_of_one_size_are_not_called_swapped():
    for rates in ([0.05, 0.1, 0.5], [0.9, 0.9, 0.1, 0.1]):
        found = estimate_annotator_noise(swapped_table(rates))
        assert not any("other way round" in text for text in found.warnings)
        assert any("as often as a guess" in text for text in found.warnings)
    few = estimate_annotator_noise(swapped_table([0.05, 0.1, 0.9], 6))
    assert not any("other way round" in text for text in few.warnings)
    of_three = swapped_table([0.05, 0.1, 0.9])
    found = estimate_annotator_noise(of_three, n_classes=3)
    assert not any("other way round" in text for text in found.warnings)


def test_an_accuracy_from_swapped_answers_is_not_known():
    failed = np.random.default_rng(0).random(900) < 0.1
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(900))
    notes = Annotations(sampler, random_state=0)
    ids = sampler.ask(300)
    rng = np.random.default_rng(1)
    for who, rate in {"ann": 0.05, "bob": 0.1, "eve": 0.9}.items():
        notes.tell(ids, failed=failed[ids] ^ (rng.random(300) < rate), annotator=who)
    known = notes.result(rates="annotator")  # all first answers are ann's
    assert known.interval[0] < 1 - failed.mean() < known.interval[1]
    assert any("eve seems to answer" in text for text in known.warnings)
    ids = sampler.ask(100)
    notes.tell(ids, failed=~failed[ids], annotator="eve")
    unknown = notes.result(rates="annotator")
    assert np.isnan(unknown.accuracy)
    assert "Someone answers the other way round" in " ".join(unknown.warnings)
    pair = estimate_label_noise(swapped_table([0.1, 0.9]))
    assert "someone answers the other way round" in pair.warnings[0]


def session(kind, seed, *, accuracy=0.9, n_pool=2000, n=300, shared=60):
    """Three annotators of different care; some inputs go to all of them."""
    rng = np.random.default_rng([3, seed])
    scores = rng.beta(0.5, 0.5 / (1 - accuracy) * accuracy, n_pool)
    failed = rng.random(n_pool) < scores
    sampler = kind(random_state=seed).fit(scores)
    notes = Annotations(sampler, random_state=seed)

    def tell(ids, who):
        says = failed[ids] ^ (rng.random(len(ids)) < CARE[who])
        notes.tell(ids, failed=says, annotator=who)

    for _ in range(3):
        ids = sampler.ask(n // 3)
        for who, part in zip(CARE, np.array_split(ids, 3), strict=True):
            tell(part, who)
    again, done = notes.to_repeat(shared), {(i, who) for i, who, *_ in notes._answers}
    for who in CARE:
        tell(np.array([i for i in again.tolist() if (i, who) not in done]), who)
    return notes, 1 - failed.mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (SimpleRandomSampler, {}),
        (SimpleRandomSampler, {"n_pool": 400, "accuracy": 0.8, "shared": 100}),
        (StratifiedSampler, {}),
        (OperationalSampler, {}),
        (DeepESTSampler, {"accuracy": 0.8}),
    ],
)
def test_corrected_interval_covers(kind, settings):
    repeats, errors, stated = 120, [], []
    covered = {"corrected": 0, "plain": 0}
    for seed in range(repeats):
        notes, truth = session(kind, seed, **settings)
        found = notes.result(rates="annotator")
        for name, interval in [
            ("corrected", found.interval),
            ("plain", notes.sampler.result().interval),
        ]:
            covered[name] += interval[0] <= truth <= interval[1]
        errors.append(found.accuracy - truth)
        stated.append(found.std_error)
    assert covered["corrected"] / repeats >= floor_of_coverage(repeats)
    assert covered["plain"] / repeats < 0.7
    error = np.std(errors, ddof=1)
    assert abs(np.mean(errors)) < 4 * error / np.sqrt(repeats) + 0.01
    assert np.mean(stated) == pytest.approx(error, rel=0.3)


@pytest.mark.parametrize("kind", [SimpleRandomSampler, StratifiedSampler])
def test_unbiased_at_known_rates_over_all_errors(kind):
    # Of one draw, every pattern of errors of its answers is listed.
    n_pool, n = 12, 6
    failed = np.arange(n_pool) % 3 == 0
    rates, who = np.array([0.0, 0.1, 0.3]), np.arange(n_pool) % 3
    noise = SimpleNamespace(
        rate=rates,
        n_classes=2,
        confidence=0.95,
        warnings=(),
        annotators=("a", "b", "c"),
    )
    pairs = SimpleNamespace(covariance=np.zeros((3, 3)), influence=np.zeros((1, 3)))
    base = kind(random_state=0).fit(np.linspace(0, 1, n_pool))
    ids = base.ask(n)
    first, expected = dict(enumerate(who.tolist())), 0.0
    for flips in product([0, 1], repeat=n):
        chance = np.where(flips, rates[who[ids]], 1 - rates[who[ids]]).prod()
        if chance == 0:
            continue
        told = base.__copy__().tell(ids, failed=failed[ids] ^ np.array(flips, bool))
        found = corrected_by_annotator(told, first, noise, pairs, {}, "test")
        expected += chance * found.accuracy
    right = base.tell(ids, failed=failed[ids]).result().accuracy
    assert expected == pytest.approx(right, abs=1e-12)


@pytest.mark.parametrize(
    ("n_classes", "rate", "fail", "n_told"),
    [(2, 0.2, 5, 7), (4, 0.15, 10, 11), (5, 0.2, 8, 10)],
)
def test_variance_over_all_errors_in_a_whole_pool(n_classes, rate, fail, n_told):
    # Of 20 inputs, all answered, the number of those told as failed is a sum of two
    # binomial ones; as many as are expected are told, so that the accuracy is met.
    part, n_pool = rate / (n_classes - 1), 20
    chances = np.convolve(
        binom.pmf(range(n_pool - fail + 1), n_pool - fail, rate),
        binom.pmf(range(fail + 1), fail, 1 - part),
    )
    numbers = np.arange(n_pool + 1)
    assert chances @ numbers == pytest.approx(n_told)
    right = chances @ ((numbers - n_told) / (n_pool * (1 - rate - part))) ** 2
    noise = SimpleNamespace(
        rate=np.array([rate]),
        n_classes=n_classes,
        confidence=0.95,
        warnings=(),
        annotators=("a",),
    )
    pairs = SimpleNamespace(covariance=np.zeros((1, 1)), influence=np.zeros((1, 1)))
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(n_pool))
    ids = sampler.ask(n_pool)
    sampler.tell(ids, failed=np.arange(n_pool) < n_told)
    first = dict.fromkeys(ids.tolist(), 0)
    found = corrected_by_annotator(sampler, first, noise, pairs, {}, "test")
    assert found.accuracy == pytest.approx(1 - fail / n_pool)
    assert found.std_error**2 == pytest.approx(right)


def test_careful_annotators_change_nothing():
    failed = np.arange(600) % 5 == 0
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(600))
    notes, ids = Annotations(sampler, random_state=0), sampler.ask(150)
    for who in ("ann", "bob", "cem"):
        notes.tell(ids, failed=failed[ids], annotator=who)
    found = notes.result(rates="annotator")
    plain = sampler.result(method="t")
    assert found.accuracy == pytest.approx(plain.accuracy, abs=1e-6)
    assert found.observed == pytest.approx(plain.accuracy)
    assert found.std_error >= plain.std_error
    assert notes.noise_by_annotator().rate.max() < 1e-6


def test_labels_a_story_and_storage():
    notes, truth = session(SimpleRandomSampler, 0)
    found = notes.result(rates="annotator", confidence=0.9)
    assert found.noise.annotators == ("ann", "bob", "cem")
    assert "cem: " in str(found)
    assert found.interval.confidence == 0.9
    assert found.interval.low < truth < found.interval.high
    again = Annotations.from_json(notes.to_json(), notes.sampler)
    assert str(again.result(rates="annotator", confidence=0.9)) == str(found)
    np.testing.assert_array_equal(
        notes.noise_by_annotator().rate, again.noise_by_annotator().rate
    )
    rng = np.random.default_rng(0)
    y, y_pred = rng.integers(0, 4, 300), rng.integers(0, 4, 300)
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(300), y_pred=y_pred)
    notes, ids = Annotations(sampler), sampler.ask(200)
    for who, rate in CARE.items():
        other = (y[ids] + rng.integers(1, 4, 200)) % 4
        told = np.where(rng.random(200) < rate, other, y[ids])
        notes.tell(ids, told, annotator=who)
    found = notes.result(rates="annotator")
    assert found.noise.n_classes == 4
    low, high = found.interval
    assert low < (y == y_pred).mean() < high


def test_skipped_answers_widen_it():
    notes, _ = session(SimpleRandomSampler, 1)
    before = notes.result(rates="annotator")
    notes.sampler.correct(notes.sampler.ids_[:6], failed=None)
    found = notes.result(rates="annotator")
    assert "6 missing answers may be either" in found.warnings[-1]
    wide, narrow = (one.interval.high - one.interval.low for one in (found, before))
    assert wide > narrow


def told_directly_and_then_by_three():
    """Nobody knows who told the sampler; three annotators answer the same inputs."""
    rng = np.random.default_rng(0)
    failed = np.arange(2000) % 5 == 0
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(2000))
    ids = sampler.ask(300)
    sampler.tell(ids, failed=failed[ids] ^ (rng.random(300) < 0.3))
    notes = Annotations(sampler, random_state=0)
    for who, rate in CARE.items():
        says = failed[ids] ^ (rng.random(300) < rate)
        notes.tell(ids, failed=says, annotator=who)
    return notes


def test_a_later_annotator_did_not_give_the_answer_of_the_sampler():
    notes = told_directly_and_then_by_three()
    there = SimpleRandomSampler.from_json(notes.sampler.to_json())
    for one in (notes, Annotations.from_json(notes.to_json(), there)):
        with pytest.raises(ValueError, match="told to the sampler itself"):
            one.result(rates="annotator")
    # Taken back, and answered by bob through the annotations: his rate counts.
    notes, _ = session(SimpleRandomSampler, 2)
    of_ann = next(i for i, who, *_ in notes._answers if who == "ann")
    notes.sampler.correct(of_ann, failed=[None])
    notes.tell(of_ann, failed=[False], annotator="dan")
    assert notes._answers[notes._first[of_ann]][1] == "dan"


@pytest.mark.parametrize("rates", ["common", "annotator"])
def test_corrected_outcomes_have_no_errors_to_correct(rates):
    notes, _ = session(SimpleRandomSampler, 0)
    before, ids = str(notes.result(rates=rates)), notes.sampler.ids_
    told = notes.sampler._answers.outcomes(ids)[1]
    notes.sampler.correct(ids, failed=told)  # the same outcomes again
    assert str(notes.result(rates=rates)) == before
    notes.sampler.correct(ids[:2], failed=1 - told[:2])
    there = SimpleRandomSampler.from_json(notes.sampler.to_json())
    for one in (notes, Annotations.from_json(notes.to_json(), there)):
        with pytest.raises(ValueError, match=r"another outcome .* for 2 of") as info:
            one.result(rates=rates)
        assert "use result of the sampler" in str(info.value)
    notes.sampler.correct(ids[:2], failed=told[:2])  # the cure of the message
    assert str(notes.result(rates=rates)) == before


def test_messages():
    sampler = SimpleRandomSampler(random_state=0).fit(np.ones(50))
    notes, ids = Annotations(sampler), sampler.ask(10)
    with pytest.raises(ValueError, match="there are none yet"):
        notes.noise_by_annotator()
    notes.tell(ids, failed=np.zeros(10), annotator="ann")
    notes.tell(ids, failed=np.zeros(10), annotator="bob")
    with pytest.raises(ValueError, match="cannot tell the rate of ann, bob: give"):
        notes.result(rates="annotator")
    notes.tell(ids, failed=np.zeros(10), annotator="cem")
    found = notes.result(rates="annotator")
    assert "shares only 10 inputs" in found.warnings[0]
    assert str(found).count(found.warnings[0]) == 1
    with pytest.raises(ValueError, match=r"'rates' parameter of Annotations\.result"):
        notes.result(rates="own")
    with pytest.raises(ValueError, match="no other settings with rates='annotator'"):
        notes.result(rates="annotator", method="t")
    sampler.tell(sampler.ask(1), failed=[0])
    with pytest.raises(ValueError, match="told to the sampler itself"):
        notes.result(rates="annotator")
    with pytest.raises(ValueError, match="3 different names"):
        estimate_annotator_noise(np.zeros((9, 3)), names=["a", "b", "a"])
    guess = np.random.default_rng(0).integers(0, 2, (200, 3))
    found = estimate_annotator_noise(guess)
    assert any("as often as a guess" in text for text in found.warnings)
    assert not Pairs(np.full((3, 2), None, dtype=object), 2).known().any()
    biased = CrossEntropySampler(random_state=0).fit(
        np.random.default_rng(0).random((90, 3))
    )
    notes, ids = Annotations(biased), biased.ask(40)
    for who in CARE:
        notes.tell(ids, failed=np.zeros(len(ids)), annotator=who)
    with pytest.raises(ValueError, match="needs an unbiased sampler"):
        notes.result(rates="annotator")


def test_guesses_give_no_accuracy_and_no_interval_beyond_the_possible():
    rng = np.random.default_rng(0)
    sampler = SimpleRandomSampler(random_state=0).fit(np.zeros((400, 1)))
    answers = Annotations(sampler)
    ids = sampler.ask(300)
    wrong = rng.random((300, 3)) < 0.5
    answers.tell(ids, failed=wrong[:, 0], annotator="a")
    for k, name in ((1, "b"), (2, "c")):
        answers.tell(ids[:120], failed=wrong[:120, k], annotator=name)
    found = answers.result(rates="annotator")
    assert np.isnan(found.accuracy)
    assert 0 <= found.interval[0] <= found.interval[1] <= 1
    assert str(found)
