"""Fits, scores and certificates that may take long say how far they are, if asked."""

import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsTransformer
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from skrobust.attacks import WordSubstitution
from skrobust.certificates import SmoothedClassifier
from skrobust.sampling import (
    DistanceSurprise,
    LikelihoodSurprise,
    MahalanobisSurprise,
)

pytest.importorskip("tqdm")
X = np.random.default_rng(0).normal(size=(120, 3))
Y = (X[:, 0] > 0).astype(int)
SURPRISES = [
    DistanceSurprise(),
    DistanceSurprise(index=KNeighborsTransformer(n_neighbors=5), random_state=0),
    LikelihoodSurprise(),
    MahalanobisSurprise(),
    MahalanobisSurprise(covariance="tied"),
    MahalanobisSurprise(covariance="global"),
]


def last_shares(shown):
    """Return the last percentage of each bar, and the largest of all."""
    bars = {}
    for label, share in re.findall(r"([^\r\n]+?): +(\d+)%", shown):
        bars[label] = int(share)
    shares = [int(share) for share in re.findall(r"(\d+)%", shown)]
    return bars, max(shares, default=0)


@pytest.mark.filterwarnings("ignore:DistanceSurprise")
@pytest.mark.parametrize("surprise", SURPRISES, ids=repr)
def test_surprise_shows_fit_and_scores(surprise, capsys):
    quiet = surprise.fit(X, Y).score_samples(X[:40], Y[:40])
    assert capsys.readouterr().err == ""
    loud = surprise.set_params(verbose=1).fit(X, Y).score_samples(X[:40], Y[:40])
    bars, most = last_shares(capsys.readouterr().err)
    name = type(surprise).__name__
    assert bars == {f"{name}, fit": 100, f"{name}, score": 100}
    assert most == 100
    assert np.array_equal(loud, quiet)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_surprise_shows_the_activations_of_its_model(capsys):
    net = MLPClassifier((4,), max_iter=2, random_state=0).fit(X, Y)
    MahalanobisSurprise(net, jitter=0.1, var_threshold=0, verbose=1).fit(X)
    bars, _ = last_shares(capsys.readouterr().err)
    assert len(bars) == 2


def test_smoothing_shows_its_draws(capsys):
    settings = {"n_samples": 50, "n_selection": 10, "random_state": 0}
    base = LogisticRegression()
    quiet = SmoothedClassifier(base, **settings).fit(X, Y).certify(X)
    assert capsys.readouterr().err == ""
    loud = SmoothedClassifier(base, **settings, verbose=1).fit(X, Y).certify(X)
    bars, most = last_shares(capsys.readouterr().err)
    assert (bars, most) == ({"SmoothedClassifier": 100}, 100)
    assert np.array_equal(loud.radius, quiet.radius)


def test_replaced_words_show_their_texts(capsys):
    texts = ["a good film", "a fine film", "a bad film", "a dull bore"]
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    model.fit(texts, [1, 1, 0, 0])
    words = {"good": ["fine", "bad"], "bad": ["good"]}
    attack = WordSubstitution(2, substitutions=words)
    quiet = attack.run(model, texts)
    assert capsys.readouterr().err == ""
    loud = attack.run(model, texts, verbose=1)
    bars, _ = last_shares(capsys.readouterr().err)
    assert bars == {"WordSubstitution": 100}
    assert loud.X_adv == quiet.X_adv
