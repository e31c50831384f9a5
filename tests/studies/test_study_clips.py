"""Clips of the study: whole ones, attacks that go on from frame to frame, encodings."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("torch")

from skrobust.evaluation.core.checkpoint import Checkpoint
from skrobust.studies.study_attacks import Detector
from skrobust.studies.study_clips import _cumulative, whole_clips
from skrobust.studies.study_faces import Faces


class Model:
    """A model that says what the pixel shows."""

    def predict_proba(self, X):
        return np.column_stack([X[:, 0, 0, 0], 1 - X[:, 0, 0, 0]])


def faces_of(lengths):
    """Return faces of clips of these lengths, rows in disorder."""
    rng = np.random.default_rng(0)
    clip = np.repeat([f"a/{k}" for k in range(len(lengths))], lengths)
    frame = np.concatenate([np.arange(n) * 10 for n in lengths])
    X = np.arange(len(clip), dtype=np.float32)[:, None, None, None] / len(clip)
    y = np.repeat(np.arange(len(lengths)) % 2, lengths)
    columns = {"clip": clip, "origin": clip, "video": clip, "frame": frame}
    columns |= {"group": np.full(len(clip), ""), "source": np.full(len(clip), "a")}
    return Faces(X, y, **columns).take(rng.permutation(len(clip)))


def test_whole_clips_have_their_frames_in_order():
    faces = faces_of([3, 3, 4, 2, 3])
    whole = whole_clips(faces)
    assert whole.clip.tolist() == ["a/0", "a/1", "a/2", "a/4"]
    assert whole.X.shape == (4, 3, 1, 1, 1)
    assert (np.diff(whole.X[:, :, 0, 0, 0], axis=1) > 0).all()
    assert whole.y.tolist() == [0, 1, 0, 0]
    assert whole_clips(faces_of([1, 1, 1])) is None
    assert whole_clips(faces_of([1, 1, 1, 2])) is None


@pytest.mark.parametrize("lengths, n_frames", [([2, 2, 5, 6, 7], 5), ([2, 2, 5, 7], 3)])
def test_whole_clips_have_the_median_number_of_frames(lengths, n_frames):
    whole = whole_clips(faces_of(lengths))
    assert whole.X.shape[:2] == (sum(n >= n_frames for n in lengths), n_frames)
    assert (whole.frame == 0).all()
    steps = np.diff(whole.X[:, :, 0, 0, 0], axis=1) * sum(lengths)
    assert steps == pytest.approx(1, abs=1e-4)  # the first frames, none left out


def test_cumulative_attacks_start_where_the_frame_before_ended():
    faces, seen = whole_clips(faces_of([3, 3])), []

    def run(model, X, y, start=None):
        seen.append(None if start is None else start - X)
        return SimpleNamespace(X_adv=X + 0.01 * len(seen))

    q = _cumulative(SimpleNamespace(run=run), Model(), faces, slice(None))
    assert seen[0] is None
    assert seen[1] == pytest.approx(0.01, abs=1e-6)
    assert seen[2] == pytest.approx(0.02, abs=1e-6)
    means = faces.X.mean(axis=1)[:, 0, 0, 0] + 0.02  # of .01, .02 and .03
    assert q[:, 0] == pytest.approx(means, abs=1e-6)


def test_answers_to_clips_are_of_frames_in_order_and_kept(tmp_path):
    faces = faces_of([3, 2])
    detector = Detector("d", Model(), faces, Checkpoint(tmp_path, "test"))
    order = [np.flatnonzero(faces.clip == c) for c in np.unique(faces.clip)]
    order = [own[np.argsort(faces.frame[own])] for own in order]
    seen = []

    def change(X):
        seen.append(X[:, 0, 0, 0])
        return X / 2

    q = detector.answers("half", order, change)
    assert all((np.diff(values) > 0).all() for values in seen)
    assert [len(values) for values in seen] == [3, 2]
    assert q[:, 0] == pytest.approx(faces.X[:, 0, 0, 0] / 2)
    again = detector.answers("half", order, None)  # read from disk
    assert np.array_equal(q, again)
