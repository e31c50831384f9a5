"""Losses, targets, and what an attack says about each sample."""

import pickle

import numpy as np
import pandas as pd
import pytest
from problems import linear_problem
from scipy.special import log_softmax, softmax
from sklearn.linear_model import LogisticRegression

from skrobust._norms import length
from skrobust.attacks import FGSM, PGD
from skrobust.attacks.core.class_margins import margin_against, soft_margin_against
from skrobust.attacks.core.losses import LOSS_NAMES, LOSSES, loss_and_slope
from skrobust.base import AttackResult, BaseAttack
from skrobust.evaluation import evaluate_attack
from skrobust.testing import check_attack


def logits(n=40, k=5, seed=0):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, k, size=n)
    aim = (column + rng.integers(1, k, size=n)) % k
    return rng.normal(size=(n, k)) * 3, column, aim


@pytest.mark.parametrize("name", sorted(LOSSES))
@pytest.mark.parametrize("k", [2, 3, 5])
def test_slopes_against_finite_differences(name, k):
    z, column, aim = logits(k=k)
    loss = LOSSES[name]
    _, slope = loss(z, column, aim)
    if name == "soft_margin":  # its temperature counts as constant
        width = 0.2 * np.abs(margin_against(z, column))

        def loss(z, column, aim):
            return soft_margin_against(z, column, width)

    for j in range(k):
        step = np.zeros(k)
        step[j] = 1e-6
        up, down = (loss(z + s, column, aim)[0] for s in (step, -step))
        assert np.allclose((up - down) / 2e-6, slope[:, j], rtol=1e-4, atol=1e-5)
    torch = pytest.importorskip("torch")
    value, slope, *_ = loss_and_slope(name, z, column, aim)
    tensors = [torch.from_numpy(part) for part in (z, column, aim)]
    t_value, t_slope, *_ = loss_and_slope(name, *tensors)
    assert np.allclose(t_value.numpy(), value)
    assert np.allclose(t_slope.numpy(), slope)


def test_losses_are_the_published_ones():
    z, column, aim = logits()
    rows = np.arange(len(z))
    own = z[rows, column]
    ordered = -np.sort(-z, axis=1)
    rival = np.where(np.arange(5) == column[:, None], -np.inf, z).max(axis=1)
    expected = {
        "cross_entropy": -log_softmax(z, axis=1)[rows, column],
        "margin": rival - own,
        "dlr": (rival - own) / (ordered[:, 0] - ordered[:, 2]),
        "targeted_dlr": (z[rows, aim] - own)
        / (ordered[:, 0] - (ordered[:, 2] + ordered[:, 3]) / 2),
    }
    for name, value in expected.items():
        assert np.allclose(LOSSES[name](z, column, aim)[0], value), name
    # DLR is blind to shift and scale, which is what it was made for.
    assert np.allclose(LOSSES["dlr"](1000 * z - 7, column, aim)[0], expected["dlr"])
    p = softmax(z, axis=1)[rows, column]
    slope = LOSSES["cross_entropy"](z, column, aim)[1]
    assert np.allclose(slope[rows, column], p - 1)


def test_dlr_of_two_classes_is_the_margin():
    z, column, aim = logits(k=2)
    for name in ("dlr", "targeted_dlr"):
        assert np.array_equal(
            LOSSES[name](z, column, 1 - column)[0], LOSSES["margin"](z, column, aim)[0]
        )


def test_saturated_and_tied_scores_still_have_a_slope():
    z, column, aim = logits()
    z = z - 1e3 * (np.arange(5) != column[:, None])  # certain of c
    _, slope, fell_back, _ = loss_and_slope("cross_entropy", z, column, aim)
    assert fell_back.all()
    assert np.allclose(np.abs(slope).max(axis=1), 1)
    tied = np.zeros((3, 4))
    for name in LOSSES:
        _, slope, *_ = loss_and_slope(name, tied, column[:3] % 4, (column[:3] + 1) % 4)
        assert np.isfinite(slope).all()
        assert (np.abs(slope).max(axis=1) > 0).all()


@pytest.mark.parametrize("loss", LOSS_NAMES)
@pytest.mark.parametrize("attack", [FGSM, PGD])
def test_every_loss_meets_the_closed_form(attack, loss):
    # With two classes all losses have one direction.
    model, X, y = linear_problem()
    sign = np.where(y == 1, -1, 1)
    for norm, dual in ((np.inf, 1), (2, 2)):
        a = attack(0.07, norm=norm, objective="loss", loss=loss, random_state=0)
        moved = model.decision_function(a.perturb(model, X, y))
        best = sign * 0.07 * np.linalg.norm(model.coef_[0], dual)
        assert np.allclose(moved - model.decision_function(X), best, rtol=1e-6)


@pytest.mark.parametrize("loss", LOSS_NAMES)
def test_promises_of_every_loss(loss):
    model, X, y = linear_problem(classes=3)
    check_attack(PGD(0.1, n_steps=5, loss=loss), model, X, y)
    check_attack(PGD(0.1, n_steps=5, loss=loss, target=0), model, X, y)


def test_saturation_is_told_and_does_not_blind():
    model, X, y = linear_problem(classes=3)
    calm = PGD(0.05, random_state=0).run(model, X, y).success
    model.coef_, model.intercept_ = model.coef_ * 1e5, model.intercept_ * 1e5
    for loss in LOSS_NAMES:
        a = PGD(0.05, random_state=0, loss=loss)
        result = a.run(model, X, y)
        assert result.n_successes >= calm.sum() - 1
        told = any("soft margin" in sentence for sentence in result.warnings)
        assert told == (loss == "cross_entropy")
    with pytest.warns(UserWarning, match="a saturated model"):
        PGD(0.05, loss="cross_entropy").perturb(model, X, y)


def test_targets():
    model, X, y = linear_problem(200, classes=4)
    z = model.decision_function(X)
    for target in (2, (y + 1) % 4):
        aim = np.broadcast_to(target, len(y))
        # Possible only if the target can overtake each other class by itself.
        gap = z - z[np.arange(200), aim][:, None]
        reach = 0.1 * np.abs(model.coef_[None] - model.coef_[aim][:, None]).sum(axis=2)
        possible = (gap <= reach).all(axis=1)
        for attack in (FGSM(0.1), PGD(0.1, random_state=0)):
            result = attack.set_params(target=target).run(model, X, y)
            assert np.array_equal(result.success, model.predict(result.X_adv) == aim)
            assert not (result.success & ~possible).any()
        assert result.success.sum() > 0.9 * possible.sum()
        already = model.predict(X) == aim
        assert result.success[already].all()
        assert np.array_equal(result.X_adv[already], X[already])
        without = attack.perturb(model, X)  # labels are not needed
        assert np.array_equal(without, result.X_adv)
        full = attack.set_params(objective="loss").perturb(model, X)
        p, q = (model.predict_proba(part)[np.arange(200), aim] for part in (X, full))
        assert (q >= p).all()
        assert (q > p).mean() > 0.95


def test_targets_of_other_kinds_and_bad_ones():
    _, X, y = linear_problem(classes=3)
    names = np.array(["u", "v", "w"])
    named = LogisticRegression().fit(X, names[y])
    plain = LogisticRegression().fit(X, y)
    assert np.allclose(
        PGD(0.1, target="v", random_state=0).perturb(named, X),
        PGD(0.1, target=1, random_state=0).perturb(plain, X),
    )
    for bad in (7, "v", [0, 1], np.zeros((len(X), 2), int), np.full(len(X), 9)):
        with pytest.raises(ValueError, match="The 'target' parameter of FGSM must be"):
            FGSM(0.1, target=bad).perturb(plain, X, y)
    with pytest.raises(ValueError, match="drives the predicted class both ways"):
        FGSM(0.1, target=1, objective="probability_shift").perturb(plain, X, y)
    with pytest.raises(ValueError, match="The 'loss' parameter of PGD must be one of"):
        PGD(0.1, loss="hinge").perturb(plain, X, y)


@pytest.mark.torch
def test_targets_of_nets():
    pytest.importorskip("skorch")
    from nets_for_tests import make_net

    _, X, y = linear_problem(120, classes=3)
    X = X.astype(np.float32)
    net = make_net().fit(X, y)
    result = PGD(0.2, target=2, random_state=0).run(net, X, y)
    assert np.array_equal(result.success, net.predict(result.X_adv) == 2)
    assert result.success.mean() > (net.predict(X) == 2).mean() + 0.3
    with pytest.raises(ValueError, match="The 'target' parameter of PGD must be"):
        PGD(0.2, target=3).perturb(net, X)


@pytest.mark.parametrize("norm", [np.inf, 2])
def test_results_say_what_happened(norm):
    model, X, y = linear_problem(classes=3)
    y = y.copy()
    y[:5] = (model.predict(X[:5]) + 1) % 3  # wrong from the start
    a = PGD(0.05, norm=norm, n_steps=10, random_state=0)
    result = a.run(model, X, y)
    assert isinstance(result, AttackResult)
    assert np.array_equal(result.X_adv, a.perturb(model, X, y))
    assert np.array_equal(result.success, model.predict(result.X_adv) != y)
    assert np.isnan(result.norm[~result.success]).all()
    reach = length(result.X_adv - X, norm)
    assert np.array_equal(result.norm[result.success], reach[result.success])
    assert (result.norm[:5] == 0).all()
    assert (result.forward[:5] == 1).all()
    assert (result.backward[:5] == 0).all()
    failed = ~result.success
    # The clean pass and ten steps from a random start; in a sphere the last iterate and
    # the point along its gradient too.
    assert (result.forward[failed] == (11 if norm == np.inf else 13)).all()
    assert (result.queries == 0).all()
    assert (result.backward[failed] == 10).all()
    assert (result.backward[result.success] <= 10).all()
    assert result.n_passes == result.forward.sum() + result.backward.sum()
    assert result.warnings == []
    assert result.seconds > 0
    assert len(result.to_frame()) == len(X)
    assert "fooled" in result._repr_html_()
    assert f"{result.n_successes} of 80" in repr(result)
    assert pickle.loads(pickle.dumps(result)).n_successes == result.n_successes


def test_a_result_shows_what_is_known_and_nothing_else():
    norm, success = np.array([0.1, 0.3, np.nan]), np.array([True, True, False])
    plain = repr(AttackResult(np.zeros((3, 2)), success, norm))
    assert "fooled: 2 of 3 samples" in plain
    assert "median norm: 0.2" in plain
    assert "per sample" not in plain
    assert "changed" not in plain
    known = {"queries": np.array([1, 2, 6]), "changed": success}
    full = repr(AttackResult(np.zeros((3, 2)), success, norm, **known))
    assert "queries per sample: 3.0" in full
    assert "changed: 2 rows" in full


def test_counts_are_those_of_the_model():
    model, X, y = linear_problem(classes=3)
    from skrobust._differentiable import linear as _linear

    asked = []
    plain = _linear.LinearView.forward

    def forward(self, x):
        values, pullback = plain(self, x)

        def pull(slope):
            asked.append(("back", len(slope)))
            return pullback(slope)

        asked.append(("on", len(x)))
        return values, pull

    _linear.LinearView.forward = forward
    try:
        for a in (
            FGSM(0.05),
            PGD(0.05, n_restarts=2, n_steps=7),
            PGD(0.05, n_steps=3, random_start=False),
            PGD(0.05, n_steps=3, objective="probability_shift"),
        ):
            asked.clear()
            result = a.run(model, X, y)
            assert sum(n for way, n in asked if way == "on") == result.forward.sum()
            # A first step from x goes back through the whole clean pass at once.
            back = sum(n for way, n in asked if way == "back")
            assert back - len(X) <= result.backward.sum() <= back
    finally:
        _linear.LinearView.forward = plain


def test_results_of_frames_eps_zero_and_no_labels():
    model, X, y = linear_problem()
    frame = pd.DataFrame(X, columns=list("abcdef"), index=range(5, 85))
    model.fit(frame, y)
    result = FGSM(0.1).run(model, frame)
    assert list(result.X_adv.index) == list(frame.index)
    moved = model.predict(result.X_adv) != model.predict(frame)
    assert np.array_equal(result.success, moved)
    still = FGSM(0.0).run(model, frame, y)
    assert np.array_equal(still.success, model.predict(frame) != y)
    assert (still.norm[still.success] == 0).all()
    assert still.n_passes is None
    shift = FGSM(0.1, objective="probability_shift").run(model, frame, y)
    assert np.allclose(shift.norm, 0.1)


def test_starts():
    model, X, y = linear_problem(classes=3)
    full = PGD(0.05, objective="loss", random_state=0)
    end = full.perturb(model, X, y)
    # From its own end one step is enough to be as far as before.
    again = full.set_params(n_steps=1).run(model, X, y, start=end)
    p, q, r = (
        model.predict_proba(part)[np.arange(80), model.predict(X)]
        for part in (X, end, again.X_adv)
    )
    assert (np.abs(r - p) >= np.abs(q - p) - 1e-12).all()
    far = full.run(model, X, y, start=X + 9)
    assert np.abs(far.X_adv - X).max() <= 0.05 + 1e-12
    with pytest.raises(ValueError, match=r"PGD needs start of the shape of X"):
        full.run(model, X, y, start=X[:3])

    class Still(BaseAttack):
        eps, norm, data_range, objective, random_state = 0.1, np.inf, None, None, 0

        def _attack(self, estimator, X, y, key):
            return X, {"queries": np.full(len(X), 7), "warnings": ["it was cold"]}

    with pytest.raises(ValueError, match="Still cannot start from given rows"):
        Still().run(model, X, y, start=X)
    result = Still().run(model, X, y)
    assert result.n_passes == 7 * len(X)
    assert result.warnings == ["it was cold"]
    with pytest.warns(UserWarning, match="it was cold"):
        Still().perturb(model, X, y)


def test_evaluate_attack_exposes_the_result():
    model, X, y = linear_problem(classes=3)
    a = PGD(0.05, n_steps=10, random_state=0)
    results = evaluate_attack(model, X, y, a)
    assert (~results.per_sample.success).mean() == results.robust_accuracy
    direct = a.run(model, X, y)
    assert np.array_equal(results.per_sample.backward, direct.backward)
    assert list(results.per_sample.to_frame()) == [
        "success",
        "norm",
        "forward",
        "backward",
        "queries",
        "iterations",
        "changed",
        "distortion",
    ]
    targeted = evaluate_attack(model, X, y, a.set_params(target=1))
    assert "target" in targeted.skipped


def test_result_says_what_its_rows_were_made_for():
    model, X, y = linear_problem(classes=3)
    attack = PGD(0.05, n_steps=10, random_state=0)
    quick = attack.run(model, X, y)
    assert quick.objective == "misclassification"
    assert np.array_equal(quick.changed, (quick.X_adv != X).any(axis=1))
    wrong = model.predict(X) != y
    assert wrong.any()
    assert not quick.changed[wrong].any()
    with pytest.raises(ValueError, match=r"made for misclass.*probability_shift"):
        quick.predict_proba(model)
    full = attack.set_params(objective="probability_shift").run(model, X, y)
    assert full.objective == "probability_shift"
    assert full.changed.all()
    assert np.array_equal(full.predict_proba(model), model.predict_proba(full.X_adv))
    assert "made for: probability_shift" in repr(full)


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
def test_a_slice_of_a_result_keeps_what_it_was_made_for(container):
    model, X, y = linear_problem(classes=2)
    model.fit(container(X), y)
    result = PGD(0.05, n_steps=5, random_state=0).run(model, container(X), y)
    for rows in (slice(3, 9), y == 1, np.array([4, 2])):
        part = result[rows]
        assert part.objective == "misclassification"
        assert np.array_equal(np.asarray(part.X_adv), np.asarray(result.X_adv)[rows])
        for name in ("success", "changed", "backward"):
            assert np.array_equal(getattr(part, name), getattr(result, name)[rows])
        with pytest.raises(ValueError, match="made for misclassification"):
            part.predict_proba(model)
    assert result[3].n_samples == 1
