"""Text pipelines: functions that answer as transformers do, and transformers itself."""

import warnings

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import skrobust
from skrobust.attacks import WordSubstitution
from skrobust.evaluation import evaluate_attack, evaluate_perturbations
from skrobust.perturbations import Typos

TEXTS = ["a good film", "bad film", "good good", "a bad bad film", "good", "so bad"]
Y = np.array(["POSITIVE", "NEGATIVE"] * 3)
MODEL = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, Y)


def top(texts):
    """Answer as a pipeline does by default: the best label with its score."""
    p = MODEL.predict_proba(list(texts))
    best = p.argmax(axis=1)
    return [
        {"label": MODEL.classes_[k], "score": float(row[k])}
        for k, row in zip(best, p, strict=True)
    ]


def every(texts):
    """Answer as a pipeline does with top_k=None: all labels, the best first."""
    return [
        sorted(
            (
                {"label": n, "score": float(s)}
                for n, s in zip(MODEL.classes_, row, strict=True)
            ),
            key=lambda entry: -entry["score"],
        )
        for row in MODEL.predict_proba(list(texts))
    ]


@pytest.mark.parametrize("function", [top, every])
def test_labels_with_scores(function):
    classes = {"POSITIVE": 1, "NEGATIVE": 0}
    model = skrobust.wrap(function, classes=classes, sample=TEXTS)
    np.testing.assert_allclose(model.predict_proba(TEXTS), MODEL.predict_proba(TEXTS))
    assert model.score(TEXTS, (Y == "POSITIVE").astype(int)) == 1


def test_attacks_and_perturbations_of_texts():
    model = skrobust.wrap(every, sample=TEXTS)
    assert model.classes_.tolist() == ["NEGATIVE", "POSITIVE"]
    attack = WordSubstitution(substitutions={"good": ["fine"], "bad": ["poor"]})
    mine, bare = (evaluate_attack(m, TEXTS, Y, attack) for m in (model, MODEL))
    assert mine.robust_accuracy == bare.robust_accuracy < 1
    conditions = [Typos(severity=5, random_state=0)]
    mine, bare = (
        evaluate_perturbations(m, TEXTS, Y, conditions).correct for m in (model, MODEL)
    )
    np.testing.assert_array_equal(mine, bare)


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match="'POSITIVE', which is not among the classes"):
        skrobust.wrap(every, classes={"LABEL_0": 0, "LABEL_1": 1}, sample=TEXTS)


@pytest.mark.slow
@pytest.mark.torch
def test_a_pipeline_of_transformers():
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers = pytest.importorskip("transformers", reason="needs transformers")
        tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
        words = ["[PAD]", "[UNK]", "good", "bad", "film"]
        level = tokenizers.models.WordLevel(
            {word: i for i, word in enumerate(words)}, unk_token="[UNK]"
        )
        raw = tokenizers.Tokenizer(level)
        raw.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]"
        )
        config = transformers.BertConfig(
            vocab_size=5, hidden_size=8, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=8, max_position_embeddings=16,
            id2label={0: "neg", 1: "neutral", 2: "pos"},
            label2id={"neg": 0, "neutral": 1, "pos": 2},
        )  # fmt: skip
        torch.manual_seed(0)
        bert = transformers.BertForSequenceClassification(config).eval()
        pipeline = transformers.TextClassificationPipeline(
            model=bert, tokenizer=tokenizer
        )
        model = skrobust.wrap(pipeline, classes=["z", "m", "a"])
        p = model.predict_proba(TEXTS)
        for text, row in zip(TEXTS, p, strict=True):
            tokens = tokenizer(text, return_tensors="pt")
            with torch.no_grad():
                logits = bert(**tokens).logits[0]
            # Padding in a batch changes the last digits.
            wanted = logits.softmax(0).numpy()[::-1]
            np.testing.assert_allclose(row, wanted, atol=1e-5)
        assert model.classes_.tolist() == ["a", "m", "z"]
        assert model.capabilities_.kind == "text pipeline"
