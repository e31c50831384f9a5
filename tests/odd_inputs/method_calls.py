"""Calls of methods with valid arguments, into which odd inputs are put."""

import functools
import inspect
import json
import tempfile
from pathlib import Path

import numpy as np
from odd_inputs.recorded_calls import Program

import skrobust
from skrobust.datasets import BatchedRows, load_image_folder
from skrobust.sampling import (
    AccuracyGate,
    Annotations,
    LivingPool,
    OperationalSampler,
    SimpleRandomSampler,
)
from skrobust.wrappers import HTTPEndpoint

N = 40
SCORES, LABELS = np.linspace(0.05, 0.9, N), np.arange(N) % 3
ROWS, COSTS = np.random.default_rng(0).random((N, 2)), np.linspace(1, 2, N)
IDS, TRUE = np.array([3, 7, 12, 20, 31]), np.array([0, 2, 0, 1, 1])
FAILED, LOSS = np.array([0, 1, 0, 0, 1]), np.linspace(0, 1, 5)
GROUPS = np.array(["a", "b"])[LABELS % 2]
WRONG = np.where(np.arange(N) % 4, LABELS, 0)  # true labels
_FOLDER = tempfile.TemporaryDirectory()


class Echo(HTTPEndpoint):
    """Endpoint that answers here, with a label for each row."""

    def _send(self, body):
        return {"predictions": [1] * len(json.loads(body)["instances"])}


def plain(**settings):
    """Return a sampler of which all inputs are open, so that ids are known."""
    sampler = SimpleRandomSampler(random_state=0, **settings)
    sampler.fit(SCORES, y_pred=LABELS).ask(N)
    return sampler


def costed():
    """Return a sampler that knows costs, with half of its answers and a model."""
    sampler = OperationalSampler(random_state=0)
    ids = sampler.fit(SCORES, y_pred=LABELS, costs=COSTS).ask(N // 2)
    return sampler.tell(ids, WRONG[ids]).add_model("b", y_pred=LABELS[::-1])


def pool():
    """Return a living pool of three parts, two of which are told."""
    parts = LivingPool(SimpleRandomSampler(), random_state=0)
    for _ in range(3):
        parts.extend(SCORES, y_pred=LABELS).ask(N, part=-1)
    return parts.tell(np.arange(2 * N), failed=np.arange(2 * N) % 4 == 0)


def notes():
    """Return the answers of three annotators."""
    found = Annotations(plain(), random_state=0)
    for k, name in enumerate("abc"):
        given = np.where(np.arange(k, 20 + k) % 7, WRONG[k : 20 + k], 1)
        found.tell(np.arange(k, 20 + k), given, annotator=name)
    return found


@functools.cache
def images():
    """Return three images in a folder."""
    pillow, folder = __import__("PIL.Image").Image, Path(_FOLDER.name)
    for name in ("fake/a.png", "fake/b.png", "real/c.png"):
        (folder / name).parent.mkdir(exist_ok=True)
        pillow.fromarray(np.full((4, 4, 3), ord(name[5]), "u1")).save(folder / name)
    return load_image_folder(folder)


def model(response):
    """Return a wrapped function."""

    def answer(rows):
        p = np.asarray(rows, dtype=float)[:, 0]
        return np.column_stack([1 - p, p]) if response == "probabilities" else p

    classes = [0, 1] if response == "probabilities" else None
    return skrobust.wrap(answer, classes=classes, response=response)


GATE = functools.cache(lambda: AccuracyGate(0.5, margin=0.3))
LAZY, ALL = functools.cache(lambda: images().images), {"ids": IDS}
ANSWERS = {"y_true": TRUE}, {"failed": FAILED}, {"loss": LOSS}


def kept(sampler):
    """Return what a sampler makes of its answers, which must go into a text."""
    return sampler.result(), sampler.to_json()


def written(annotations):
    """Return what annotations tell of wrong answers, and their text."""
    return annotations.noise(), annotations.to_json()


def drawn(sampler):
    """Return what is drawn and estimated of a pool."""
    return sampler.sample(9, lambda ids: ids > 30, "failed"), sampler.ids_


def distance(y_true, y_pred):
    return abs(y_true - y_pred) / 2


def oracle(ids):
    return ids > 20


# Of each method: the maker of its object, valid arguments, and what is compared.
CALLS = [
    (lambda: OperationalSampler(random_state=0), "fit",
     {"X": SCORES, "y_pred": LABELS, "costs": COSTS, "features": ROWS}, drawn),
    (costed, "ask", {"n": 3}, None),
    (costed, "ask", {"budget": 9.5}, None),
    (costed, "sample", {"budget": 9.5, "oracle": oracle, "kind": "failed"}, None),
    *((plain, verb, ALL | one, kept) for verb in ("tell", "correct")
      for one in ANSWERS),
    (lambda: plain(loss=distance), "tell", ALL | ANSWERS[0], kept),
    (costed, "result", {"method": "t", "confidence": 0.9, "model": "b"}, None),
    (costed, "result", {"estimator": "learned", "features": ROWS}, None),
    (costed, "result", {"estimator": "ppi", "predictor": SCORES}, None),
    (costed, "metric", {"name": "recall", "label": 1, "groups": GROUPS}, None),
    (costed, "metric", {"name": "accuracy", "predictor": SCORES, "groups": GROUPS},
     None),
    (costed, "estimate", {"numerator": np.equal, "predictor": SCORES}, None),
    (costed, "plan", {"half_width": 0.1, "expected_accuracy": 0.8}, None),
    (costed, "should_stop", {"half_width": 0.1}, None),
    (costed, "add_model", {"name": "c", "y_pred": LABELS}, lambda s: s.compare("c")),
    (costed, "compare", {"first": "b", "second": "fitted"}, None),
    (costed, "to_json", {}, None),
    (costed, "save", {"path": "state.json"}, None),
    (lambda: OperationalSampler, "from_json", {"text": costed().to_json()}, None),
    (pool, "extend", {"X": SCORES, "y_pred": LABELS}, lambda p: p.ask(5)),
    (lambda: pool().extend(SCORES), "ask", {"n": 5, "part": -1}, None),
    (pool, "tell", {"ids": IDS + 2 * N, "failed": FAILED}, LivingPool.result),
    (pool, "correct", {"ids": IDS + N, "y_true": TRUE}, LivingPool.result),
    (pool, "result", {"window": 2}, None),
    (pool, "results_by_part", {}, None),
    (pool, "drift", {"alpha": 0.1}, None),
    (lambda: LivingPool, "from_json",
     {"text": pool().to_json(), "sampler": SimpleRandomSampler()}, LivingPool.result),
    *((notes, "tell", ALL | {"annotator": "d"} | one, written)
      for one in ANSWERS[:2]),
    (notes, "to_repeat", {"n": 1}, None),
    *((notes, name, {}, None) for name in ("noise", "noise_by_annotator", "result")),
    (lambda: Annotations, "from_json",
     {"text": notes().to_json(), "sampler": notes().sampler}, Annotations.noise),
    (GATE, "decide", {"outcomes": FAILED}, None),
    (GATE, "expected_labels", {"accuracy": 0.8}, None),
    (GATE, "pass_probability", {"accuracy": 0.8}, None),
    (images, "take", {"rows": np.array([2, 0])}, None),
    (images, "take", {"rows": np.array([True, False, True])}, None),
    (LAZY, "take", {"rows": np.array([2, 0])}, np.asarray),
    (LAZY, "batches", {"size": 2}, list),
    (lambda: BatchedRows, "from_arrays", {"X": ROWS, "y": LABELS}, list),
    (lambda: BatchedRows.from_arrays(ROWS, LABELS), "answers",
     {"estimator": model("probabilities")}, None),
    (lambda: model("values"), "predict", {"X": ROWS}, None),
    (lambda: model("probabilities"), "predict_proba", {"X": ROWS}, None),
    (lambda: model("probabilities"), "predict", {"X": ROWS}, None),
    (lambda: Echo("http://localhost"), "__call__", {"rows": ROWS}, None),
]  # fmt: skip


def programs():
    """Return the calls as programs of one step, with the signatures of the methods."""
    return [_program(*one) for one in CALLS]


def _program(make, name, given, compared):
    owner = make()

    def call(**arguments):
        found = getattr(make(), name)(**arguments)
        return found if compared is None else compared(found)

    call.__signature__ = inspect.signature(getattr(owner, name))
    kind = owner if inspect.isclass(owner) else type(owner)
    made = Program(f"methods.{kind.__name__}.{name}", call, given)
    made.callables = {"answer", "distance"}
    return made
