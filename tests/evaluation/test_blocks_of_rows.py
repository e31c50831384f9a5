"""Rows of an attack in blocks: each once, equal ones together, one warning for all."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from skrobust.attacks import PGD
from skrobust.evaluation import evaluate_attack
from skrobust.evaluation.attacked import attacked_blocks
from skrobust.evaluation.attacked.attacked_blocks import _joined, row_blocks
from skrobust.evaluation.core.alike_warnings import AlikeWarnings


@pytest.mark.parametrize("n", [10, 64, 65, 200])
@pytest.mark.parametrize("kinds", [1, 7, 60, None])
@pytest.mark.parametrize("batch_size", [16, 40, None])
def test_blocks_hold_each_row_once_and_equal_rows_together(
    n, kinds, batch_size, monkeypatch
):
    monkeypatch.setattr(attacked_blocks, "_BLOCK", 64)
    rng = np.random.default_rng(0)
    X = rng.random((n, 3))
    if kinds is not None:
        X = X[rng.integers(min(kinds, n), size=n)]
    attack = PGD(0.1, data_range=(0, 1), batch_size=batch_size)
    blocks = [np.arange(n)[block] for block in row_blocks(attack, X)]
    assert sorted(np.concatenate(blocks).tolist()) == list(range(n))
    size = 64 if batch_size != 40 else 80
    assert len(blocks) <= max(1, -(-n // size))
    seen = [set(map(bytes, X[block])) for block in blocks]
    assert sum(map(len, seen)) == len(set().union(*seen))
    if kinds is None:
        assert [len(block) for block in blocks[:-1]] == [size] * (len(blocks) - 1)
        assert np.concatenate(blocks).tolist() == list(range(n))
    elif n == 200 and kinds == 60:
        # A block ends with the first new row once it is full.
        assert len(blocks) > 1
        assert all(len(block) >= size for block in blocks[:-1])
    values = [X[block] for block in blocks]
    assert np.array_equal(_joined(values, blocks, n), X)


@pytest.mark.parametrize("n", [65, 128, 200])
def test_distinct_rows_are_cut_in_their_order(n, monkeypatch):
    monkeypatch.setattr(attacked_blocks, "_BLOCK", 64)
    X = np.random.default_rng(0).random((n, 3))
    blocks = row_blocks(PGD(0.1, batch_size=16), X)
    cuts = range(0, n, 64)
    places = np.arange(n)
    assert [places[b].tolist() for b in blocks] == [
        list(range(cut, min(cut + 64, n))) for cut in cuts
    ]


@pytest.mark.parametrize("n", [40, 100, 150])
def test_blocks_of_a_checkpoint_stay_apart(n, tmp_path, monkeypatch):
    # One, two and three blocks, of which each is a part of its own.
    monkeypatch.setattr(attacked_blocks, "_BLOCK", 64)
    X = np.random.default_rng(0).random((n, 3))
    y = (X.sum(axis=1) > 1.5).astype(int)
    model = LogisticRegression(C=100).fit(X, y)
    attack = PGD(0.1, data_range=(0, 1), n_steps=3, batch_size=16, random_state=0)
    plain = evaluate_attack(model, X, y, attack)
    kept = evaluate_attack(model, X, y, attack, checkpoint=tmp_path)
    again = evaluate_attack(model, X, y, attack, checkpoint=tmp_path)
    for found in (kept, again):
        assert np.array_equal(found.per_sample.success, plain.per_sample.success)
        assert found.robust_accuracy == plain.robust_accuracy


@pytest.mark.parametrize("change", ["nan", "eps", "constraints", "target"])
def test_what_looks_at_all_rows_is_not_cut(change, monkeypatch):
    monkeypatch.setattr(attacked_blocks, "_BLOCK", 64)
    X = np.random.default_rng(0).random((200, 3))
    attack = PGD(0.1, data_range=(0, 1), batch_size=16)
    assert len(row_blocks(attack, X)) > 1
    if change == "nan":
        X[3, 0] = np.nan
    elif change == "eps":
        attack.set_params(eps="auto")
    elif change == "target":
        attack.set_params(target=np.zeros(200))
    else:
        attack.set_params(constraints=object())
    assert row_blocks(attack, X) == [slice(None)]


def test_warnings_that_differ_in_numbers_are_told_once():
    texts = ["3 of 64 rows stay.", "5 of 64 rows stay.", "Something else."]
    alike = AlikeWarnings("blocks of rows")
    with alike.gathered():
        for text in [*texts, texts[0]]:
            warnings.warn(text, UserWarning, stacklevel=1)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        alike.show()
    assert [str(one.message) for one in told] == [
        "3 of 64 rows stay. (So in 2 blocks of rows, of which this is the first.)",
        "Something else.",
    ]
    assert told[0].category is UserWarning


def test_rows_of_few_kinds_keep_their_places():
    # 1,100 rows of two kinds, of which one falls: fewer than two blocks.
    X = np.where(np.arange(1100)[:, None] % 3 == 1, [0.55, 0.5], [0.9, 0.9])
    y = np.ones(1100, dtype=int)
    model = LogisticRegression().fit([[0.1, 0.1], [0.9, 0.9]], [0, 1])
    attack = PGD(0.2, data_range=(0, 1), random_state=0)
    results = evaluate_attack(model, X, y, attack)
    falls = np.arange(1100) % 3 == 1
    assert np.array_equal(np.asarray(results.per_sample.success), falls)
    assert results.robust_accuracy == pytest.approx(1 - falls.mean())
    X[falls] = [0.45, 0.4]  # wrong without an attack; the other kind alone stays
    results = evaluate_attack(model, X, y, attack)
    assert results.robust_accuracy == pytest.approx(1 - falls.mean())


@pytest.mark.parametrize("copies", [1, 2, 8, 16, 64, 65, "drawn"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_block_is_full_with_the_fewest_kinds_of_rows(copies, shuffled, monkeypatch):
    monkeypatch.setattr(attacked_blocks, "_BLOCK", 64)
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 20, 40) if copies == "drawn" else np.full(40, copies)
    if copies == 1:
        sizes[-1] = 2  # equal rows, and no more than two
    kind = np.repeat(np.arange(40), sizes)
    if shuffled:
        kind = rng.permutation(kind)
    blocks = row_blocks(PGD(0.1, batch_size=16), kind[:, None] / 40.0)
    every = np.arange(len(kind))
    # Kinds in the order in which they come, each whole, into the block at hand until
    # it holds 64 rows.
    wanted, block = [], []
    for one in kind[np.sort(np.unique(kind, return_index=True)[1])]:
        if len(block) >= 64:
            wanted.append(block)
            block = []
        block = block + every[kind == one].tolist()
    wanted.append(block)
    assert [sorted(every[rows].tolist()) for rows in blocks] == list(
        map(sorted, wanted)
    )
