"""Model cards: read back by YAML, by Hugging Face's own reader, and by skops."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge

from skrobust.report import Report, collect_report, model_card
from skrobust.report.core._report_json import to_json
from skrobust.report.pages.yaml_text import yaml_text

yaml = pytest.importorskip("yaml")
NAME = "on: {a} | - #b 'c' \"d\" / e"
DATA = "C:\\iris: 100 % & more"


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True)
    return LogisticRegression().fit(X[::2], y[::2])


@pytest.fixture(scope="module")
def collected(fitted):
    X, y = load_iris(return_X_y=True)
    return collect_report(
        {NAME: fitted},
        X[1::2][::3],
        y[1::2][::3],
        X_train=X[::2],
        eps=0.2,
        checks=False,
        n_labels=10,
        dataset=DATA,
    )


def front(text):
    first, head, _ = text.split("---\n", 2)
    assert first == ""
    return yaml.safe_load(head)


def by_config(head):
    return {one["dataset"]["config"]: one for one in head["model-index"][0]["results"]}


def test_yaml_holds_the_numbers_of_the_report(collected):
    head = front(model_card(collected))
    model = collected["models"][0]
    assert head["pipeline_tag"] == "tabular-classification"
    assert head["model-index"][0]["name"] == NAME
    results = by_config(head)
    clean = results["clean"]["metrics"][0]
    assert (clean["type"], clean["value"]) == ("accuracy", model["clean"]["value"])
    assert clean["args"]["interval_95"] == list(model["clean"]["interval"])
    assert results["clean"]["dataset"]["name"] == DATA
    assert results["clean"]["task"] == {"type": "tabular-classification"}
    perturbed = {m["type"]: m["value"] for m in results["perturbed"]["metrics"]}
    stability = model["stability"]
    assert perturbed["mean_accuracy_under_perturbations"] == stability["mean"]
    assert (
        perturbed["accuracy_stability_index"] == stability["accuracy_stability_index"]
    )
    attacked = {m["name"]: m["value"] for m in results["attacked"]["metrics"]}
    found = model["attacks"]["auto"]
    assert attacked["accuracy under auto"] == found["robust_accuracy"]
    assert attacked["certified accuracy, auto"] == found["robust_accuracy_lower"]
    assert results["attacked"]["dataset"]["args"]["eps"] == 0.2
    assert results["attacked"]["dataset"]["args"]["norm"] == "inf"


def test_card_is_the_same_from_a_report_its_file_and_its_data(collected, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(to_json(collected), encoding="utf-8")
    text = model_card(collected)
    assert model_card(path) == model_card(Report.load(path)) == text
    assert model_card(json.loads(path.read_text())) == text
    assert model_card(Report(None, None, collected)) == text


def test_hugging_face_reads_every_result(collected):
    hub = pytest.importorskip("huggingface_hub")
    card = hub.ModelCard(model_card(collected))
    results = card.data.eval_results
    head = front(model_card(collected))
    metrics = [m for r in head["model-index"][0]["results"] for m in r["metrics"]]
    assert [r.metric_value for r in results] == [m["value"] for m in metrics]
    assert card.data.model_name == NAME
    assert len({r.unique_identifier for r in results}) == len(by_config(head))


@pytest.mark.slow  # loading skops takes seconds
def test_skops_card_takes_the_tables(collected, fitted):
    skops_card = pytest.importorskip("skops.card")
    card = skops_card.Card(fitted, model_diagram=False)
    assert model_card(collected, "skops", card=card) is card
    text = card.render()
    section = card.select("Robustness: clean rows")
    assert section.table["Value"] == [f"{collected['models'][0]['clean']['value']:.3f}"]
    assert "# Robustness: under attack" in text
    assert "# Model description" in text  # what the card held before
    assert "# Robustness: not measured" in text
    with pytest.raises(ValueError, match=r"card=skops.card.Card\(model\)"):
        model_card(collected, "skops")


def test_one_of_several_models_is_chosen_by_name(collected):
    other = {**collected["models"][0], "name": "other"}
    several = {**collected, "models": [collected["models"][0], other]}
    several["verdicts"] = None
    assert front(model_card(several, model="other"))["model-index"][0]["name"] == (
        "other"
    )
    with pytest.raises(ValueError, match="one of the models of the report"):
        model_card(several)


def test_undefined_numbers_are_left_out_of_the_yaml_and_named_in_the_table(collected):
    model = collected["models"][0]
    clean = {**model["clean"], "value": float("nan"), "interval": None}
    broken = {**collected, "models": [{**model, "clean": clean}]}
    text = model_card(broken)
    assert "clean" not in by_config(front(text))
    assert "| accuracy on clean rows | undefined |" in text


def test_regressors_have_their_task_and_metric():
    X, _ = load_iris(return_X_y=True)
    model = Ridge().fit(X[::2, :3], X[::2, 3])
    head = front(model_card(collect_report({"r": model}, X[1::2, :3], X[1::2, 3])))
    result = by_config(head)["clean"]
    assert result["task"]["type"] == head["pipeline_tag"] == "tabular-regression"
    assert result["metrics"][0]["type"] == "r_squared"
    assert result["dataset"]["type"] == "unnamed-data-set"


@pytest.mark.parametrize(
    "bad, match",
    [
        (
            {"format": "pdf"},
            "'format' parameter of model_card must be one of 'huggingface'",
        ),
        ({"model": "no"}, "'model' parameter of model_card must be one of"),
        ({"card": 3}, "'card' parameter of model_card must be None for Hugging Face"),
    ],
)
def test_bad_options_are_one_sentence(collected, bad, match):
    with pytest.raises(ValueError, match=match):
        model_card(collected, **bad)


@pytest.mark.parametrize("bad", [3, {}, {"models": []}, None])
def test_what_is_no_report_is_one_sentence(bad):
    with pytest.raises(ValueError, match="'report' parameter of model_card must be"):
        model_card(bad)


TEXTS = {
    "markers": "---\n...\n# a: b, [c] {d} & *e !f %g @h `i` |j >k ?",
    "quotes": "'single' \"double\" \\ backslash",
    "breaks": "line\ntab\tnext\x85line\u2028and\u2029more\ufeff",
    "signs": "\x00\x07\x7f\x9f",
    "other letters": "Größe 模型 \N{SMILING FACE WITH SUNGLASSES}",
    "number": "1e5",
    "octal": "02139",
    "clock": "12:30:45",
    "boolean": "No",
    "null": "null",
    "tilde": "~",
    "empty": "",
    "blanks": "  x ",
    "date": "2026-01-02",
    "infinity": ".inf",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_text_comes_back_from_yaml(text):
    data = {"key": text, text or "k": [text, {"inner": text}]}
    assert yaml.safe_load(yaml_text(data)) == data


def test_numbers_come_back_from_yaml():
    numbers = [0.1, 1e-05, 1e22, -3.0, 7, True, None, 5e-324, 1.5e300, -0.0]
    data = {"a": numbers, "b": [[1, 2], []], "c": {}, "d": [{"x": [1], "y": 2}]}
    back = yaml.safe_load(yaml_text(data))
    assert back == data
    assert [type(v) for v in back["a"]] == [type(v) for v in numbers]
    with pytest.raises(ValueError, match="finite numbers only"):
        yaml_text({"a": float("nan")})


def test_random_text_comes_back_from_yaml():
    rng = np.random.default_rng(0)
    codes = np.r_[0:0x250, 0x2020:0x2040, 0xFEF0:0xFF00, 0x1F600:0x1F610]
    for _ in range(100):
        text = "".join(map(chr, rng.choice(codes, 8)))
        assert yaml.safe_load(yaml_text({text: [text]})) == {text: [text]}
