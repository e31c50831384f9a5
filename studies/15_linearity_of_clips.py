"""Whether the robust ratio of clips is more linear than that of their frames."""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from face_clips import answers
from kit import main

from skrobust.metrics import (
    clip_robustness,
    confidence_interval,
    probability_shift,
    rr_linearity,
)

BUDGETS = (0.1, 0.3)  # levels of 255
RISE = 0.1  # of the ratio of clips, below which a curve has no form to speak of
WAYS = ("shared", "per frame", "cumulative")
MEASURES = ("r_squared_chord", "r_squared", "distance")
TOLERANCES = np.linspace(0, 0.2, 21)  # as in the source


def compared(y, p, q, n_resamples):
    """Return the robustness of frames and clips; the mean of the frames is the clip."""
    n, n_frames = p.shape[:2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clip_robustness(
            np.repeat(y, n_frames),
            p.reshape(-1, 2),
            q.reshape(-1, 2),
            np.repeat(np.arange(n), n_frames),
            n_resamples=n_resamples,
            random_state=0,
        )


def sides(p, q):
    """Return the probability shifts of each clip, first its own, then of its frames."""
    n, n_frames = p.shape[:2]
    frames = probability_shift(p.reshape(-1, 2), q.reshape(-1, 2)).reshape(n, n_frames)
    whole = probability_shift(p.mean(axis=1), q.mean(axis=1))
    return np.column_stack([whole, frames])


def measures(curve):
    """Return the linearity of a curve; the largest distance has no sign."""
    found = rr_linearity(TOLERANCES, curve)
    return found.r_squared_chord, found.r_squared, abs(found.max_deviation)


def both(shifts):
    """Return the linearity of the curve of all frames, and of that of the clips."""
    within = shifts[:, :, None] <= TOLERANCES + 1e-6  # the nets are of float32
    frames, clips = within[:, 1:].mean(axis=(0, 1)), within[:, 0].mean(axis=0)
    return np.array([measures(frames), measures(clips)])


def one_frame(shifts):
    """Return R squared about the chord of clips less that of single frames.

    Of each clip one frame is taken, so that both curves are of as many points, and
    that of the frames is the mean over the places of that frame.
    """
    curves = (shifts[:, :, None] <= TOLERANCES + 1e-6).mean(axis=0)
    clips, *frames = [measures(curve)[0] for curve in curves]
    return clips - np.mean(frames)


def limits(function, shifts, rises):
    """Return jackknife limits over clips; none where few clips make the whole curve."""
    if not rises:
        return np.nan, np.nan
    return tuple(confidence_interval(function, shifts, method="jackknife"))


def linearity_rows(eps, way, shifts, rises):
    """Return a row of the linearity of frames, of clips, and their difference."""
    row, (frames, clips) = {"eps, of 255": eps, "perturbation": way}, both(shifts)
    for k, name in enumerate(MEASURES):

        def difference(drawn, k=k):
            return np.subtract(*both(drawn)[::-1, k])

        row |= {
            f"{name}, frames": frames[k],
            f"{name}, clips": clips[k],
            f"difference in {name}": clips[k] - frames[k],
            f"95 %, {name}": limits(difference, shifts, rises),
        }
    return row


def accuracy_row(eps, way, found):
    """Return accuracy of frames and clips, and the ratio at both ends."""
    table = found["accuracy"]
    return {
        "eps, of 255": eps,
        "perturbation": way,
        "clean, frames": table["clean"][0],
        "clean, clips": table["clean"][1],
        "robust, frames": table["robust"][0],
        "robust, clips": table["robust"][1],
        "RR(0.05), frames": found["frame_ratio"][5],
        "RR(0.05), clips": found["clip_ratio"][5],
        "RR(0.2), frames": found["frame_ratio"][-1],
        "RR(0.2), clips": found["clip_ratio"][-1],
    }


def verdict(rows, column):
    """Return how many differences are above, and below, 0 beyond chance."""
    return (
        sum(row[column][0] > 0 for row in rows),
        sum(row[column][1] < 0 for row in rows),
    )


def picture(results):
    """Return a figure of the curves of frames and clips."""
    budgets = list(dict.fromkeys(eps for eps, _ in results))
    figure, axes = plt.subplots(
        len(budgets), 3, figsize=(9, 2.7 * len(budgets)), sharex=True, sharey=True
    )
    for ax, ((eps, way), found) in zip(np.ravel(axes), results.items(), strict=True):
        for unit in ("frame", "clip"):
            ratio = [found[f"{unit}_ratio{end}"] for end in ("", "_low", "_high")]
            ax.plot(found["tolerance"], ratio[0], label=f"{unit}s")
            ax.fill_between(found["tolerance"], *ratio[1:], alpha=0.2)
        ax.set_title(f"{way}, eps {eps}/255", fontsize=9)
    for ax in np.atleast_2d(axes)[-1]:
        ax.set_xlabel("tolerance")
    np.ravel(axes)[0].legend(fontsize=8)
    return figure


def run(study):
    """Linearity of the robust ratio for clips."""
    size, n_steps = study.size((30, 6), (8, 3)), study.size(5, 2)
    results, rows, fair, steep = {}, [], [], []
    for eps in BUDGETS[: study.size(None, 1)]:
        for way in WAYS:
            y, p, q = study.kept(answers, study.data, size, eps, way, n_steps)
            found = results[eps, way] = compared(y, p, q, study.size(1000, 100))
            rises = found["clip_ratio"][-1] - found["clip_ratio"][0] >= RISE
            steep.append(rises)
            shifts = sides(p, q)
            rows.append(linearity_rows(eps, way, shifts, rises))
            fair.append(
                {
                    "eps, of 255": eps,
                    "perturbation": way,
                    "clips less one frame of each": one_frame(shifts),
                    "95 %": limits(one_frame, shifts, rises),
                }
            )
    chord, _, distance = MEASURES
    told = [row for row, rises in zip(rows, steep, strict=True) if rises]
    more, less = verdict(told, f"95 %, {chord}")
    each = "; ".join(
        f"{row['perturbation']}, {row['eps, of 255']}/255: "
        f"{row[f'difference in {chord}']:+.2f} ({row[f'95 %, {chord}'][0]:.2f} "
        f"to {row[f'95 %, {chord}'][1]:.2f})"
        for row in told
    )
    study.answer(
        f"The robust ratio of clips is more linear in the tolerance than that of their "
        f"frames in {more} of {len(told)} cases, and less linear in {less}, by more "
        f"than chance over {size[0]} clips (R squared about the chord, clips less "
        f"frames, with 95 % jackknife limits: {each or 'none'})."
    )
    less, more = verdict(told, f"95 %, {distance}")
    study.answer(
        f"By the largest distance to the chord, whatever its sign, clips are more "
        f"linear in {more} and less linear in {less} of these cases."
    )
    own = [row for row, rises in zip(fair, steep, strict=True) if rises]
    more, less = verdict(own, "95 %")
    study.answer(
        "A clip is one point of its curve where its frames are several; against one "
        f"frame of each clip the clips are more linear in {more} and less linear in "
        f"{less} of these cases, by more than chance."
    )
    study.answer(
        f"Left out are {len(rows) - len(told)} of {len(rows)} cases, in which the "
        f"ratio of clips rises by less than {RISE} up to a tolerance of 0.2, so that "
        "its form says nothing and has no limits."
    )
    study.table("linearity", rows, f"Linearity, {size[0]} clips of {size[1]} frames")
    study.table("as_many", fair, "R squared about the chord, curves of as many points")
    study.table(
        "accuracy",
        [accuracy_row(*key, found) for key, found in results.items()],
        "Accuracy and robust ratio",
    )
    study.picture("curves", picture(results), "Robust ratio of frames and of clips")


if __name__ == "__main__":
    main(run, __file__)
