"""Each kind of stored state: files that hold it, and the numbers that they give."""

import contextlib
import json
import pickle
import warnings

import numpy as np
from problems import linear_problem
from sklearn.linear_model import LogisticRegression

from skrobust._sealed import find_named, write_named
from skrobust.attacks import PGD
from skrobust.evaluation import (
    cross_validate_perturbations,
    evaluate_attack,
    evaluate_perturbations,
    robust_accuracy_bounds,
)
from skrobust.perturbations import FeatureNoise, GaussianNoise
from skrobust.report import collect_report, report_from_json
from skrobust.report.core._report_json import to_json
from skrobust.sampling import (
    Annotations,
    DeepESTSampler,
    LivingPool,
    OperationalSampler,
)
from skrobust.wrappers.answer_cache import AnswerCache

SCORES = np.random.default_rng(0).random(60)
FAILED = np.random.default_rng(1).random(60) < SCORES / 2


def drawn(kind=OperationalSampler, n=20, scores=SCORES):
    """Return a sampler with draws and answers."""
    sampler = kind(random_state=3).fit(scores)
    for _ in range(2):
        ids = sampler.ask(n // 2)
        sampler.tell(ids, failed=FAILED[ids])
    return sampler


def numbers_of(sampler):
    """Return all that a restored sampler says."""
    found = sampler.result()
    draws = sampler._draws.to_plain()
    return [str(found), found.accuracy, found.interval, json.dumps(draws)]


class Store:
    """Files of one kind of state."""

    is_cheap = True  # whether reading takes a few milliseconds
    is_made_again = False  # whether what is damaged is, in place of a refusal

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.folder = folder
        self.make()
        self.content = {p: p.read_bytes() for p in self.files()}
        self.truth = self.read()
        self.restore()

    def files(self):
        return sorted(p for p in self.folder.rglob("*") if p.is_file())

    def restore(self):
        for path in self.files():
            if path not in self.content:
                path.unlink()
        for path, content in self.content.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def put(self, text):
        (self.folder / "state.json").write_text(text)

    def text(self):
        return (self.folder / "state.json").read_bytes()


class Replayed(Store):
    kind, include_pool, frozen = OperationalSampler, True, False

    def make(self):
        self.put(drawn(self.kind).to_json(include_pool=self.include_pool))

    def read(self):
        X = None if self.include_pool else SCORES
        return numbers_of(self.kind.from_json(self.text(), X, frozen=self.frozen))


class Frozen(Replayed):
    frozen = True


class ReplayedDeepest(Replayed):
    kind = DeepESTSampler


class FrozenWithoutPool(Replayed):
    include_pool, frozen = False, True


class Annotated(Store):
    def make(self):
        self.sampler = drawn()
        notes = Annotations(self.sampler)
        for name, flipped in (("ann", 0), ("bob", 3)):
            answers = FAILED[self.sampler.ids_].copy()
            answers[:flipped] ^= True
            notes.tell(self.sampler.ids_, failed=answers, annotator=name)
        self.put(notes.to_json())

    def read(self):
        notes = Annotations.from_json(self.text(), self.sampler)
        table = notes.agreement()
        return [str(notes.to_json()), str(table), notes.disagreements().tolist()]


class Living(Store):
    def make(self):
        pool = LivingPool(OperationalSampler(random_state=0), window=2)
        for part in (SCORES[:30], SCORES[30:]):
            pool.extend(part)
            ids = pool.ask(8)
            pool.tell(ids, failed=FAILED[ids])
        self.put(pool.to_json())

    def read(self):
        pool = LivingPool.from_json(self.text(), OperationalSampler(random_state=0))
        found = pool.result()
        parts = [json.dumps(part._draws.to_plain()) for part in pool.parts_]
        return [str(found), found.accuracy, found.interval, *parts]


class Session(Store):
    """State and journal of ``skrobust label``."""

    def session(self):
        from skrobust.cli.labelling.labelling_session import Session

        return Session(self.folder / "s.json")

    def make(self):
        with self.session() as session:
            sampler = OperationalSampler(random_state=3).fit(SCORES)
            sampler.ask(20)
            session.begin(sampler, {"pool": {"fingerprint": "pool"}, "settings": {}})
            session.save()
            for i in sampler.ids_[:6].tolist():
                session.answer(i, "failed", bool(FAILED[i]))
            session.save()
            for i in sampler.ids_[6:12].tolist():
                session.answer(i, "failed", bool(FAILED[i]))

    def read(self):
        with self.session() as session:
            session.resume()
            return [*numbers_of(session.sampler), session.facts["answers"]]


class Parts(Store):
    """Finished parts of an evaluation."""

    is_cheap, is_made_again = False, True

    def problem(self):
        return linear_problem()

    def make(self):
        self.model, self.X, self.y = self.problem()
        self.read()

    def conditions(self):
        return [GaussianNoise(std=s, random_state=0) for s in (0.1, 0.5, 1.0)]

    def read(self):
        found = evaluate_perturbations(
            self.model, self.X, self.y, self.conditions(), checkpoint=self.folder
        )
        return [found.score.tolist(), found.correct.tolist(), found.clean_score]


class AttackParts(Parts):
    def read(self):
        attack = PGD(0.3, n_steps=3, random_state=0)
        how = {"checkpoint": self.folder}
        found = evaluate_attack(self.model, self.X, self.y, attack, **how)
        rows = found.per_sample
        columns = [np.asarray(rows[name]).tolist() for name in rows["columns"]]
        return [found.robust_accuracy, repr(columns)]


class BoundsParts(Parts):
    def read(self):
        found = robust_accuracy_bounds(
            self.model, self.X, self.y, eps=0.1, checkpoint=self.folder
        )
        return [repr(found.lower), repr(found.upper)]


class FoldParts(Parts):
    def read(self):
        found = cross_validate_perturbations(
            LogisticRegression(), self.X, self.y, self.conditions()[:1], cv=2,
            checkpoint=self.folder,
        )  # fmt: skip
        return [np.asarray(found[name]).tolist() for name in ("score", "clean_score")]


class Cache(Store):
    """Answers of an endpoint in SQLite."""

    is_made_again = True

    def make(self):
        answers = {f"key {i}": [i / 7, 1 - i / 7] for i in range(40)}
        self.answers, self.path = answers, self.folder / "answers.sqlite"
        AnswerCache(self.path).write(answers)

    def read(self):
        known = AnswerCache(self.path).read([*self.answers, "another"])
        assert set(known) <= set(self.answers)
        # What is not known is asked again, and then it is the same.
        return {**self.answers, **known}


class Twin(Store):
    """The JSON file of a report."""

    def make(self):
        model, X, y = linear_problem()
        self.put(
            to_json(
                collect_report(
                    {"m": model}, X, y, conditions=[FeatureNoise(severity=2)],
                    attacks={"pgd": PGD(0.1, n_steps=2)},
                    n_labels=5,
                )
            )
        )  # fmt: skip

    def read(self):
        return to_json(report_from_json(self.folder / "state.json"))


class Named(Store):
    """Kept frames and trained weights, of which the name has the digest."""

    is_made_again = True

    def make(self):
        self.values = pickle.dumps(SCORES)
        write_named(self.folder, "weights", ".pt", self.values)

    def read(self):
        path = find_named(self.folder, "weights", ".pt")
        return self.values if path is None else path.read_bytes()  # made again


class Copies(Store):
    """Copies of ``skrobust perturb``, which was stopped in the middle."""

    is_cheap, is_made_again = False, True

    def make(self):
        from skrobust.cli import perturbed_copies

        self.source, n = self.folder.parent / "rows.npz", []
        np.savez(self.source, X=SCORES.reshape(20, 3))
        write = perturbed_copies.write_whole

        def stopped(place, content):
            n.append(place)
            if len(n) == 4:
                raise KeyboardInterrupt
            write(place, content)

        perturbed_copies.write_whole = stopped
        try:
            self.run()
        except KeyboardInterrupt:
            pass
        finally:
            perturbed_copies.write_whole = write

    def run(self):
        from skrobust.cli import main

        args = ["perturb", self.source, "--preset", "tabular", "--out", self.folder]
        return main([*map(str, args), "--quiet"])

    def read(self):
        with contextlib.redirect_stderr(Lines()) as said:
            code = self.run()
        if code:
            raise ValueError(said.text.strip())
        return {str(p): p.read_bytes() for p in self.folder.rglob("*.npz")}


class Lines:
    """A stream that keeps what is written."""

    text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass


STORES = {
    "sampler, replayed": Replayed,
    "sampler, frozen": Frozen,
    "DeepEST, replayed": ReplayedDeepest,
    "without its pool": FrozenWithoutPool,
    "annotations": Annotated,
    "living pool": Living,
    "labelling session": Session,
    "parts: perturbations": Parts,
    "parts: attack": AttackParts,
    "parts: bounds": BoundsParts,
    "parts: cross-validation": FoldParts,
    "answers of an endpoint": Cache,
    "report, JSON": Twin,
    "frames and weights": Named,
    "copies of perturb": Copies,
}


def outcome(store):
    """Read a store; return "same", "refused" or what went wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = store.read()
        except Exception as error:
            import click

            text = str(getattr(error, "message", error))
            ours = isinstance(error, click.ClickException) or (
                isinstance(error, ValueError)
                and not isinstance(error, (UnicodeError, json.JSONDecodeError))
            )
            is_sentence = ours and "\n" not in text and text.endswith((".", "`."))
            return "refused" if is_sentence else f"{type(error).__name__}: {text}"
    return "same" if found == store.truth else "silent"
