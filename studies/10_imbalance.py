"""Which score orders models as they do on a minority that can be learned?"""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from draws import mean_interval, word
from imblearn.datasets import make_imbalance
from joblib import Parallel, delayed
from kit import main, shown
from label_scores import KINDS, order, regret, scores_of_models
from learning_curves import as_numbers
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from tables import classification

RATIOS, ROWS, LEARNABLE = (1, 2, 5, 10, 25, 50), 300, 0.75
SAME = ("wdbc", "crx")  # rows of "breast cancer" and of "australian" once more
TARGETS = ("balanced accuracy", "minority recall")
MODELS = {
    "logistic": LogisticRegression(max_iter=500),
    "logistic, weighted": LogisticRegression(max_iter=500, class_weight="balanced"),
    "SVM": SVC(),
    "SVM, weighted": SVC(class_weight="balanced"),
    "naive Bayes": GaussianNB(),
    "LDA": LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
    "5 neighbours": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(50, random_state=0),
}


def two_classes(study):
    """Yield name, rows and labels, 1 for the smaller class, of tables large enough.

    Every second class of a table of several classes forms one of the two.
    """
    for name, X, y in classification(study.packages):
        if name in SAME:
            continue
        y = np.unique(y, return_inverse=True)[1] % 2
        y = y if y.mean() <= 0.5 else 1 - y
        if (y == 0).sum() >= 340 and (y == 1).sum() >= 190:
            yield name, as_numbers(X), y


def drawn(X, y, ratio, repeat):
    """Return scores of each model on a data set of a ratio, and what holds at large.

    At large: recall of both classes on all rows that the data set does not contain.
    """
    few = round(ROWS / (1 + ratio))
    of, y_of = make_imbalance(
        np.arange(len(y))[:, None],
        y,
        sampling_strategy={0: ROWS - few, 1: few},
        random_state=100 * repeat + ratio,
    )
    X_of, fresh = X[of.ravel()], np.setdiff1d(np.arange(len(y)), of)
    split = train_test_split(
        X_of, y_of, test_size=0.3, random_state=repeat, stratify=y_of
    )

    def at_large(model):
        recalls = recall_score(y[fresh], model.predict(X[fresh]), average=None)
        return {TARGETS[0]: recalls.mean(), TARGETS[1]: recalls[1]}

    return scores_of_models(MODELS, split, y_of, at_large)


def summary(cases, key):
    """Return one row for each kind of score: agreement with each target, and pick."""
    names, rows = [c["table"] for c in cases], []
    for kind in KINDS:
        row = {"ratio": key, "score": kind}
        for target in TARGETS:
            taus = [order(c[kind], c[target]) for c in cases]
            row[f"tau, {target}"], row[f"95 %, {target}"] = mean_interval(taus, names)
        lost = [regret(c[kind], c[TARGETS[0]]) for c in cases]
        row["lost by the pick"], row["95 %, lost"] = mean_interval(lost, names)
        rows.append(row)
    return rows


def same_order(scores, others):
    """Return whether two scores order models alike: also where both order none."""
    flat = [np.ptp(values) < 1e-12 for values in (scores, others)]
    return all(flat) or order(scores, others) > 1 - 1e-9


def tau_a(scores, target):
    """Return the share of pairs in the same order less that of those in the other one.

    A pair that is tied counts as neither, while tau-b leaves out ties of one side.
    """
    first, second = np.triu_indices(len(scores), 1)
    scores = np.round(scores, 12)
    signs = [np.sign(v[first] - v[second]) for v in (scores, np.asarray(target))]
    return float(np.mean(signs[0] * signs[1]))


def over_ratios(cases):
    """Return how each score orders models and ratios of one table together.

    "even" is minority over majority, the same for all models: what knowing nothing of
    a model tells. The last rows are paired differences from balanced accuracy.
    """
    rows, found = [], {}
    for kind in (*KINDS, "even"):
        taus = []
        for name in sorted({c["table"] for c in cases}):
            own = [c for c in cases if c["table"] == name]
            pair = [np.concatenate([c[k] for c in own]) for k in (kind, TARGETS[0])]
            taus.append((order(*pair), tau_a(*pair)))
        found[kind] = np.transpose(taus)
    several = dict(found)
    for kind in ("normalized", "even"):
        several[f"{kind} minus balanced"] = found[kind] - found["balanced"]
    for kind, (taus, without_ties) in several.items():
        value, limits = mean_interval(taus)
        row = {"score": kind, "tau, balanced accuracy": value, "95 %": limits}
        value, limits = mean_interval(without_ties)
        rows.append(row | {"tau-a": value, "95 %, tau-a": limits})
    return rows


def run(study):
    n_repeats, ratios = study.size(4, 2), study.size(RATIOS, (1, 10, 50))
    tables = {name: (X, y) for name, X, y in two_classes(study)}
    todo = [(t, r, i) for t in tables for r in ratios for i in range(n_repeats)]
    found = Parallel(n_jobs=study.jobs)(
        delayed(study.kept)(drawn, *tables[t], r, i) for t, r, i in todo
    )
    cases = [
        {"table": t, "ratio": r, "even": np.full(len(MODELS), 1 / r), **scores}
        for (t, r, _), scores in zip(todo, found, strict=True)
    ]
    even = [c for c in cases if c["ratio"] == 1]
    reached = {
        t: np.mean([c[TARGETS[0]].max() for c in even if c["table"] == t])
        for t in tables
    }
    cases = [c for c in cases if reached[c["table"]] >= LEARNABLE]
    by_ratio = {r: summary([c for c in cases if c["ratio"] == r], r) for r in ratios}
    high = [c for c in cases if c["ratio"] >= 10]
    rows = summary(high, "10 and more")
    of = {row["score"]: row for row in rows}
    same = [
        np.mean([same_order(c["raw"], c[kind]) for c in cases])
        for kind in ("normalized", "not clipped")
    ]
    gain, limits = mean_interval(
        [order(c["balanced"], c[TARGETS[0]]) - order(c["normalized"], c[TARGETS[0]])
         for c in high], [c["table"] for c in high],
    )  # fmt: skip
    start = word(
        limits,
        above="Balanced accuracy orders models better than the normalized score",
        below="The normalized score orders models better than balanced accuracy",
        open_="The normalized score and balanced accuracy are not told apart",
    )
    text = ", ".join(f"{k} {row[f'tau, {TARGETS[0]}']:.2f}" for k, row in of.items())
    rarest = next(r for r in by_ratio[ratios[-1]] if r["score"] == "balanced")
    not_told = ", which is not told from no order"
    if rarest[f"95 %, {TARGETS[0]}"][0] > 0:
        not_told = ""
    study.answer(
        f"{start} where the minority is rare: at ratios of 10 and more, over "
        f"{len({c['table'] for c in cases})} tables, tau with balanced accuracy on "
        f"large samples is {text} (balanced minus normalized {gain:+.2f}, 95 %: "
        f"{shown(limits)}). At {ratios[-1]}:1 balanced accuracy itself has "
        f"{rarest[f'tau, {TARGETS[0]}']:.2f} "
        f"{shown(rarest[f'95 %, {TARGETS[0]}'])}{not_told}."
    )
    text = ", ".join(f"{k} {row[f'tau, {TARGETS[1]}']:.2f}" for k, row in of.items())
    lost = ", ".join(f"{k} {row['lost by the pick']:.3f}" for k, row in of.items())
    study.answer(
        f"With minority recall tau is {text}; the model of the highest score lacks, of "
        f"the best balanced accuracy on large samples: {lost}."
    )
    study.answer(
        f"In {same[0]:.2f} of the data sets the normalized score orders the models "
        f"exactly as accuracy does, and in {same[1]:.2f} before it is clipped (scores "
        "that are the same for all models counted as one order): its factors of size "
        "and imbalance are constants of the data set."
    )
    together = over_ratios(cases)
    line = {row["score"]: row for row in together}
    text = ", ".join(
        f"{k} {line[k]['tau, balanced accuracy']:.2f}" for k in (*KINDS, "even")
    )
    ahead = line["normalized minus balanced"]
    verdict = word(
        ahead["95 %"],
        above="the normalized score is ahead of balanced accuracy",
        below="balanced accuracy is ahead of the normalized score",
        open_="the normalized score and balanced accuracy are not told apart",
    )
    study.answer(
        f"Over models and ratios of a table together tau-b is {text}; {verdict} "
        f"({ahead['tau, balanced accuracy']:+.2f}, 95 %: {shown(ahead['95 %'])}). Even "
        "is the ratio of the classes alone, without a model; it gains from its ties, "
        f"which tau-b leaves out: by tau-a it has {line['even']['tau-a']:.2f}, the "
        f"normalized score {line['normalized']['tau-a']:.2f} and balanced accuracy "
        f"{line['balanced']['tau-a']:.2f}."
    )
    rows = [row for part in by_ratio.values() for row in part] + rows
    title = "Agreement of scores of small data sets with large samples"
    study.table("ratios", rows, title)
    study.table("together", together, "Models and ratios of a table together")
    best = [{"table": t, "balanced accuracy, 1:1": v} for t, v in reached.items()]
    study.table("tables", best, f"Tables; those below {LEARNABLE} are left out")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True)
    for ax, target in zip(axes, TARGETS, strict=True):
        for i, kind in enumerate(KINDS):
            taus = [by_ratio[r][i][f"tau, {target}"] for r in ratios]
            line = ":" if kind == "not clipped" else "-"
            ax.plot(ratios, taus, line, marker="o", ms=4, label=kind)
        ax.set(xscale="log", xlabel="majority rows for one minority row", title=target)
        ax.set_xticks(ratios, ratios)
        ax.minorticks_off()
    axes[0].set_ylabel("tau with large samples")
    axes[0].legend(fontsize=7)
    study.picture("ratios", figure, "How scores order models, by ratio of the classes")


if __name__ == "__main__":
    main(run, __file__)
