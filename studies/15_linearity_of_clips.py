"""Whether the robust ratio of clips is more linear than that of their frames."""

import warnings

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from face_clips import answers
from kit import main

from skrobust.metrics import clip_robustness, probability_shift, rr_linearity

BUDGETS = (0.1, 0.3)  # levels of 255
RISE = 0.1  # of the ratio of clips, below which a curve has no form to speak of
WAYS = ("shared", "per frame", "cumulative")
MEASURES = ("r_squared_chord", "r_squared", "max_deviation")
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


def as_many(p, q, n_resamples):
    """Return the difference of clips and single frames, and its interval over clips.

    Of each clip one frame is taken, so that both curves are of as many points, and
    the R squared about the chord is the mean over the places of that frame.
    """
    n, n_frames = p.shape[:2]
    frames = probability_shift(p.reshape(-1, 2), q.reshape(-1, 2)).reshape(n, n_frames)
    whole = probability_shift(p.mean(axis=1), q.mean(axis=1))
    sides = np.column_stack([whole, frames])
    within = sides[:, :, None] <= TOLERANCES + 1e-6  # the nets are of float32

    def difference(rows):
        curves = within[rows].mean(axis=0)
        found = [rr_linearity(TOLERANCES, one).r_squared_chord for one in curves]
        return found[0] - np.mean(found[1:])

    rng = np.random.default_rng(0)
    draws = [difference(rng.integers(n, size=n)) for _ in range(n_resamples)]
    low, high = np.nanpercentile(draws, [2.5, 97.5])
    return {
        "clips less one frame of each": difference(np.arange(n)),
        "95 %": (float(low), float(high)),
    }


def linearity_rows(eps, way, found):
    """Return a row of the linearity of frames, of clips, and their difference."""
    table, row = found["linearity"], {"eps, of 255": eps, "perturbation": way}
    for name in MEASURES:
        values = np.asarray(table[name])
        low, high = table[f"{name}_low"][2], table[f"{name}_high"][2]
        row |= {
            f"{name}, frames": values[0],
            f"{name}, clips": values[1],
            f"difference in {name}": values[2],
            f"95 %, {name}": (low, high),
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


def verdict(rows, measure):
    """Return how many curves of clips are more, and less, linear beyond chance."""
    limits = [row[f"95 %, {measure}"] for row in rows]
    return sum(low > 0 for low, _ in limits), sum(high < 0 for _, high in limits)


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
    n_resamples, results, rows, fair = study.size(1000, 100), {}, [], []
    for eps in BUDGETS[: study.size(None, 1)]:
        for way in WAYS:
            y, p, q = study.kept(answers, study.data, size, eps, way, n_steps)
            results[eps, way] = compared(y, p, q, n_resamples)
            rows.append(linearity_rows(eps, way, results[eps, way]))
            fair.append(
                {"eps, of 255": eps, "perturbation": way, **as_many(p, q, n_resamples)}
            )
    chord = MEASURES[0]
    rises = [f["clip_ratio"][-1] - f["clip_ratio"][0] for f in results.values()]
    steep = [i for i, rise in enumerate(rises) if rise >= RISE]
    more, less = verdict([rows[i] for i in steep], chord)
    both = "; ".join(
        f"{rows[i]['perturbation']}, {rows[i]['eps, of 255']}/255: "
        f"{rows[i][f'difference in {chord}']:+.2f} ({rows[i][f'95 %, {chord}'][0]:.2f} "
        f"to {rows[i][f'95 %, {chord}'][1]:.2f})"
        for i in steep
    )
    study.answer(
        f"The robust ratio of clips is more linear in the tolerance than that of their "
        f"frames in {more} of {len(steep)} cases, and less linear in {less}, by more "
        f"than chance over {size[0]} clips (R squared about the chord, clips less "
        f"frames, with 95 % intervals: {both or 'none'})."
    )
    more, less = verdict([{f"95 %, {chord}": fair[i]["95 %"]} for i in steep], chord)
    study.answer(
        "A clip is one point of its curve where its frames are several; against one "
        f"frame of each clip the clips are more linear in {more} and less linear in "
        f"{less} of these cases, by more than chance."
    )
    study.answer(
        f"Left out are {len(rows) - len(steep)} of {len(rows)} cases, in which the "
        f"ratio of clips rises by less than {RISE} up to a tolerance of 0.2, so that "
        "its form says nothing."
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
