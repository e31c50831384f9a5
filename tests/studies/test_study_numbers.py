"""Numbers of the study on answers that are made up: what counts for which finding."""

import numpy as np
import pytest

pytest.importorskip("torch")

from skrobust.studies.study_attacks import _cell
from skrobust.studies.study_clips import _numbers
from skrobust.studies.study_comparisons import (
    Gain,
    compare_detectors,
    group_numbers,
)
from skrobust.studies.study_faces import Faces
from skrobust.studies.study_findings import findings, weak_attacks
from skrobust.studies.study_numbers import cell_numbers, detector_numbers

N_CLIPS, N_FRAMES = 60, 2


def faces():
    clip = np.repeat([f"a/{k}" for k in range(N_CLIPS)], N_FRAMES)
    y = np.repeat(np.arange(N_CLIPS) % 2, N_FRAMES)
    group = np.repeat([("x", "y", "")[k % 3] for k in range(N_CLIPS)], N_FRAMES)
    frame = np.tile(range(N_FRAMES), N_CLIPS)
    columns = {"clip": clip, "origin": clip, "video": clip, "frame": frame}
    X = np.zeros((len(y), 1))
    return Faces(X, y, group=group, source=np.full(len(y), "a"), **columns)


class Made:
    """A detector that gives the label a probability, and less under attack."""

    def __init__(self, name, shifts, clean=0.8):
        self.name, self.faces = name, faces()
        self.p = self.at(clean)
        self.q = self.at(clean - np.resize(shifts, len(self.faces)))
        self.correct = self.p.argmax(axis=1) == self.faces.y

    def at(self, p):
        right = np.broadcast_to(p, len(self.faces)).astype(float)
        p = np.column_stack([1 - right, right])
        return np.where(self.faces.y[:, None] == 1, p, p[:, ::-1])

    def cell(self, attack="FGSM", norm="inf"):
        robust = self.correct & (self.q.argmax(axis=1) == self.faces.y)
        found = {"detector": self.name, "attack": attack, "norm": norm, "eps": 0.1}
        return found | {"robust": robust, "judged": self.q, "moved": self.q}


def compared(*made, attack="FGSM"):
    cells = {d.name: d.cell(attack) for d in made}
    numbers = [cell_numbers(d, cells[d.name]) for d in made]
    return numbers, [compare_detectors({d.name: d for d in made}, cells)]


def counts(*numbers):
    return [(f["n_for"], f["n_against"], f["n"]) for f in findings(*numbers)]


def test_ratios_apart_at_equal_accuracy():
    """Two detectors that are never fooled, whose probabilities move otherwise."""
    steady, brittle = Made("steady", [0.02, 0.03]), Made("brittle", [0.12, 0.13])
    numbers, comparisons = compared(steady, brittle)
    assert [n["accuracy"]["value"] for n in numbers] == [1, 1]
    assert numbers[0]["images"]["ratio"] == pytest.approx([0, 0, 0.5] + [1] * 18)
    assert numbers[1]["clips"]["ratio"] == pytest.approx([0] * 13 + [1] * 8)
    (found,) = comparisons[0]["images"]["regions"]
    assert found == {"detector": "steady", "start": 0.02, "stop": 0.12}
    assert comparisons[0]["spread"]["gain"]["value"] == pytest.approx(10 / 20)
    alike, apart, _, depends, _ = counts(numbers, comparisons)
    assert alike == apart == (1, 0, 1)
    assert depends == (0, 1, 1)


def test_ratios_further_apart_than_accuracies():
    steady = Made("steady", [0.02, 0.02, 0.03])
    brittle = Made("brittle", [0.12, 0.13, 0.13, 0.12, 0.12])
    assert counts(*compared(steady, brittle))[2] == (1, 0, 1)
    fooled = Made("fooled", [0.6, 0.6, 0.02])  # ratios as far apart, accuracies too
    assert counts(*compared(steady, fooled))[2][0] == 0


def test_two_leads_in_two_regions():
    sure = Made("sure", [0.01, 0.3])
    slow = Made("slow", [0.1])
    numbers, comparisons = compared(sure, slow)
    names = [r["detector"] for r in comparisons[0]["images"]["regions"]]
    assert names == ["sure", "slow"]
    assert counts(numbers, comparisons)[3] == (1, 0, 1)


def test_accuracies_apart():
    good, bad = Made("good", [0.1]), Made("bad", [0.1, 0.6])
    numbers, comparisons = compared(good, bad)
    assert [n["accuracy"]["value"] for n in numbers] == [1, 0.5]
    assert counts(numbers, comparisons)[0] == (0, 1, 1)


def test_one_and_the_same():
    a, b = Made("a", [0.05, 0.15]), Made("b", [0.05, 0.15])
    numbers, comparisons = compared(a, b)
    assert comparisons[0]["images"]["regions"] == []
    assert comparisons[0]["spread"]["largest_ratio"] == 0
    apart = counts(numbers, comparisons)[1]
    assert apart[0] == 0


def test_weak_attacks_are_told_and_not_counted():
    fooled, slow = Made("d", [0.6]), Made("d", [0.1])
    numbers = [cell_numbers(fooled, fooled.cell("FGSM"))]
    numbers.append(cell_numbers(slow, slow.cell("PGD")))
    (weak,) = weak_attacks(numbers)
    assert (weak["attack"], weak["accuracy"], weak["fgsm_accuracy"]) == ("PGD", 1, 0)
    (line,) = findings(numbers, [])
    assert line["n"] == 1
    numbers[1] = cell_numbers(fooled, fooled.cell("PGD"))
    assert weak_attacks(numbers) == []


def test_the_gain_is_the_spread_of_the_ratio_less_that_of_accuracy():
    rng = np.random.default_rng(0)
    table = rng.random((50, 3 * 21)) < 0.5
    means = table.mean(axis=0).reshape(3, 21)
    spreads = means.max(axis=0) - means.min(axis=0)
    assert Gain(3)(table) == pytest.approx(spreads[1:].mean() - spreads[0])


def test_robust_are_those_that_neither_run_fools():
    """One definition for images, clips of frames, and attacks on clips as a whole."""
    made = Made("d", [0.1], clean=np.repeat([0.8] * 6 + [0.3] * 6, 10))
    fooled = np.arange(len(made.faces)) // 2 % 5  # clips in turn: one, other or no run
    judged = made.at(np.where(fooled == 0, 0.2, 0.7))
    moved = made.at(np.where(fooled == 1, 0.2, 0.7))
    made.faces.X = np.zeros((len(made.faces), 2, 1, 1, 1))
    cell = _cell(made, "PGD", (np.inf, 0.1), judged, moved)
    found = cell_numbers(made, cell)
    wanted = 0.5 * 3 / 5  # half of them are right without attack
    assert found["accuracy"]["value"] == cell["robust"].mean() == pytest.approx(wanted)
    assert found["clip_accuracy"]["value"] == pytest.approx(wanted)
    whole = _numbers(made, "free", 0.1, judged, moved)
    assert whole["accuracy"]["value"] == pytest.approx(wanted)


def test_groups_leave_out_images_without_one():
    made = Made("d", [0.1, 0.6])
    found = group_numbers(made, made.cell())
    assert [row["group"] for row in found["rows"]] == ["x", "y"]
    assert [row["n_clips"] for row in found["rows"]] == [20, 20]
    own = made.faces.group == "x"
    value = made.cell()["robust"][own].mean()
    assert found["rows"][0]["accuracy"]["value"] == pytest.approx(value)
    made.faces.group = np.full(len(made.faces), "x")
    assert group_numbers(made, made.cell()) is None


def test_detector_numbers():
    found = detector_numbers(Made("d", [0.1]), "given")
    assert found["accuracy"]["value"] == found["auc"] == 1
    assert found["share_sure"] == 0
    assert found["temperature"] < 1  # right in all of them, with .8
