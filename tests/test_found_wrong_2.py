"""What was once wrong in attacks, nets, data sets, clips: the smallest input each."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrobust.attacks import FGSM, AdversarialSampler, ExactTree
from skrobust.datasets import LazyImages, load_image_folder
from skrobust.perturbations import ClipPerturbation, GaussianNoise


@pytest.mark.parametrize("scales", [False, True])
@pytest.mark.parametrize("histograms", [False, True])
def test_trees_fall_in_single_precision_too(histograms, scales):
    # The nearest point of a box, rounded to float32, was on the near side of it.
    rng = np.random.default_rng(0)
    X = rng.normal(3, 1, size=(60, 2)).astype(np.float32)
    y = (X.sum(axis=1) > 6).astype(int)
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    if histograms:
        model = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5)
    model = make_pipeline(StandardScaler(), model) if scales else model
    model.fit(X, y)
    attack = ExactTree(eps=1.0)
    norms = attack.minimal_norms(model, X, y)
    fooled = model.predict(attack.perturb(model, X, y)) != y
    clear = np.abs(norms - 1) > 1e-5
    np.testing.assert_array_equal(fooled[clear], (norms <= 1)[clear])


def test_branches_of_missing_values_alone_are_out_of_reach():
    # Their box began and ended at infinity, and the search walked into it.
    rng = np.random.default_rng(20)
    X = rng.normal(size=(12, 2))
    y = rng.permutation(np.repeat([0, 1], 6))
    holes = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    model = HistGradientBoostingClassifier(
        max_iter=3, max_depth=2, min_samples_leaf=2, learning_rate=0.7
    )
    model.fit(holes, y)
    attack = ExactTree(norm=1, node_budget=300)
    attack.minimal_norms(model, X)
    assert attack.proven_.all()


@pytest.mark.parametrize("init", ["zero", None])
def test_a_sum_of_zero_is_the_second_class_of_gradient_boosting(init):
    X = np.array([[0.0], [1.0], [1.0], [2.0]])
    model = GradientBoostingClassifier(init=init, n_estimators=1, learning_rate=1.0)
    model.fit(X, [0, 0, 1, 1])
    assert model.decision_function([[1.0]]) == 0
    assert model.predict([[1.0]]) == 1
    norms = ExactTree().minimal_norms(model, X)
    np.testing.assert_allclose(norms, [0.5, 0.5, 0.5, 1.5], rtol=1e-6)


@pytest.mark.parametrize(
    "key",
    [
        ([0, 1], [2, 3]),
        (0, slice(None), [1, 2]),
        ([2, 0], slice(None), [1, 2]),
        ([True, False, True], [0, 1], 0),
        ([1, 0], slice(2), 0),
        (slice(1, None), [0, 1], [1, 0]),
        ([0], ..., [0, 1]),
    ],
)
def test_positions_on_several_axes_of_images_pair_as_those_of_numpy(key, tmp_path):
    # They crossed instead: another shape, or the same one with other pixels.
    pixels = np.arange(3 * 4 * 5 * 3, dtype=np.uint8).reshape(3, 4, 5, 3)
    paths = [tmp_path / f"{i}.png" for i in range(3)]
    for path, image in zip(paths, pixels, strict=True):
        pytest.importorskip("PIL.Image").fromarray(image).save(path)
    np.testing.assert_array_equal(LazyImages(paths)[key], pixels[key])


def test_a_share_of_no_row_is_said_by_the_sampler():
    # The attack spoke instead, of no samples.
    sampler = AdversarialSampler(LogisticRegression(), FGSM(0.1), share=0.1)
    with pytest.raises(ValueError, match="'share' parameter of AdversarialSampler"):
        sampler.fit_resample(np.eye(4), [0, 0, 1, 1])


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_missing_clip_is_no_clip(missing):
    # Frames without a clip were one clip together, or numpy spoke.
    noise = ClipPerturbation(GaussianNoise(std=0.1), clips=[missing] * 4)
    with pytest.raises(ValueError, match="ClipPerturbation needs"):
        noise.perturb(None, np.full((4, 8, 8), 0.5))


@pytest.mark.parametrize("name", ["a_{}.png", "clip/{}.png"])
def test_numbers_too_long_for_a_frame_are_part_of_the_name(name, tmp_path):
    # An OverflowError: names made of hashes and of stamps have such numbers.
    file = tmp_path / "real" / name.format("9" * 23)
    file.parent.mkdir(parents=True)
    grey = np.zeros((4, 5, 3), np.uint8)
    pytest.importorskip("PIL.Image").fromarray(grey).save(file)
    assert load_image_folder(tmp_path).frame.tolist() == [-1]
