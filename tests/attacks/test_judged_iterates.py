"""Iterates of gradient attacks: judged as the model judges, and the best one kept."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from skrobust._differentiable import differentiable_view
from skrobust.attacks import FGSM, PGD, AutoPGD, GradientAttack, MomentumPGD
from skrobust.attacks.core.goal import Batch, BestSoFar, Goal

X, Y = make_blobs(90, 3, centers=3, cluster_std=3.0, random_state=0)
X = X / 5
TWO = (Y > 0).astype(int)
MODELS = {
    "softmax": (LogisticRegression(), Y),
    "two classes": (LogisticRegression(), TWO),
    "one against the rest": (OneVsRestClassifier(LogisticRegression()), Y),
    "sigmoids": (SGDClassifier(loss="log_loss", random_state=0), Y),
    "huber": (SGDClassifier(loss="modified_huber", random_state=0), Y),
    "huber of two": (SGDClassifier(loss="modified_huber", random_state=0), TWO),
    "threshold": (FixedThresholdClassifier(LogisticRegression(), threshold=0.3), TWO),
    "high threshold": (
        FixedThresholdClassifier(
            make_pipeline(StandardScaler(), LogisticRegression()), threshold=0.8
        ),
        TWO,
    ),
    "bayes": (GaussianNB(), Y),
    "net": (MLPClassifier((8,), max_iter=60, random_state=0), Y),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    model, y = MODELS[request.param]
    return model.fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("targeted", [False, True])
@pytest.mark.parametrize("objective", ["misclassification", "loss"])
def test_scores_of_iterates_are_those_of_the_model(objective, targeted, fitted):
    moved = X + np.random.default_rng(0).normal(scale=1.5, size=X.shape)
    goal = Goal(objective, targeted, objective == "misclassification")
    predicted = fitted.predict(X)
    label = (predicted + 1) % len(fitted.classes_) if targeted else predicted
    with differentiable_view(fitted, "PGD") as view:
        batch = Batch(view, view.tensor(X), goal, label)
        z = view.tensor(moved)
        score = batch.judge(z, view.logits(z), batch.label)[3]
    if objective == "misclassification":
        reached = fitted.predict(moved) == label
        assert ((score > 0) == (reached if targeted else ~reached)).all()
        assert 0.05 < np.mean(score > 0) < 0.95
    else:
        rows = np.arange(len(X))
        of_class = label
        if not targeted:  # of the largest probability, whatever the threshold
            of_class = fitted.predict_proba(X).argmax(axis=1)
        p = [fitted.predict_proba(part)[rows, of_class] for part in (X, moved)]
        rise = p[1] - p[0]
        np.testing.assert_allclose(score, rise if targeted else np.abs(rise), atol=1e-8)


@pytest.mark.parametrize("objective", ["loss", "probability_shift"])
@pytest.mark.parametrize(
    "attack",
    [
        FGSM(),
        MomentumPGD(n_steps=6, step_size=0.8),
        PGD(n_steps=6, step_size=0.8, random_state=0),
        PGD(n_steps=6, step_size=0.8, norm=2, n_restarts=2, random_state=0),
        AutoPGD(n_steps=8, random_state=0),
    ],
    ids=lambda attack: f"{type(attack).__name__}-{attack.norm}",
)
def test_no_iterate_that_was_judged_is_better_than_the_result(
    attack, objective, monkeypatch
):
    model = make_pipeline(StandardScaler(), SVC(gamma=8.0)).fit(X, TWO)
    judge, judged = Batch.judge, []

    def noted(batch, *given):
        out = judge(batch, *given)
        judged.append(np.array(out[3]))
        return out

    monkeypatch.setattr(Batch, "judge", noted)
    attack.set_params(eps=0.9, objective=objective)
    found = attack.perturb(model, X)
    with differentiable_view(model, "PGD") as view:
        batch = Batch(view, X, Goal(objective, False, False), None)
        score = judge(batch, found, view.logits(found), batch.label)[3]
    best = np.max(judged, axis=0)
    np.testing.assert_allclose(score, best, rtol=1e-6)
    assert (best > 0).mean() > 0.9
    if len(judged) > 4:  # on this model far steps are not the best ones
        assert (best > judged[-1] + 1e-3).any()


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("some", [False, True], ids=["all rows", "some"])
def test_rows_that_have_left_keep_what_they_have(stops, some):
    begun = np.array([-0.5, 0.5, 1e-9, 0.0, 3.0, -2.0])
    new = np.array([0.2, 0.9, 5.0, 0.1, 2.0, -3.0])
    best = BestSoFar(np.zeros((6, 2)), begun.copy(), stops=stops)
    rows = np.array([0, 1, 2, 4]) if some else np.arange(6)
    best.update(np.ones((len(rows), 2)), new[rows], rows)
    takes = np.isin(np.arange(6), rows) & (new > begun)
    if stops:  # whatever is above 0 has fooled
        takes &= begun <= 0
    assert best.score.tolist() == np.where(takes, new, begun).tolist()
    assert (best.iterate == takes[:, None]).all()


class OneStep(GradientAttack):
    """A step of some length at each of three restarts, and no look at its end."""

    n_restarts = 3
    share = 1.0

    def _attack_batch(self, oracle, x, rng):
        x, gradient = oracle.gradient(x)
        return oracle.project(oracle.step(x, gradient, self.share * self.eps))


@pytest.mark.parametrize("norm", [np.inf, 2, 1])
def test_a_row_that_the_last_iterate_fooled_takes_part_in_no_further_restart(norm):
    model = LogisticRegression().fit(X, TWO)
    labels = model.predict(X)
    distance = np.abs(model.decision_function(X)) / np.linalg.norm(
        model.coef_[0], {np.inf: 1, 2: 2, 1: np.inf}[norm]
    )
    result = OneStep(0.4, norm=norm, finish=None).run(model, X, labels)
    fooled = distance < 0.4
    assert 0.1 < fooled.mean() < 0.9
    np.testing.assert_array_equal(result.success, fooled)
    np.testing.assert_array_equal(result.backward, np.where(fooled, 1, 3))
    # One clean pass, and a judgement of each last iterate.
    again = np.where(fooled, 0, 2)  # the clean pass serves one gradient alone
    np.testing.assert_array_equal(result.forward, 1 + 1 + 2 * again)
