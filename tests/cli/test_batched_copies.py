"""skrobust perturb in batches writes what it writes of the whole file at once."""

import numpy as np
import pytest

pytest.importorskip("tqdm")
pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
pytest.importorskip("click.testing")

from cli_runner import run  # noqa: E402


@pytest.fixture(autouse=True)
def table(tmp_path, monkeypatch):
    """A table with equal rows, integers, text and days, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "size": rng.normal(5, 2, 40),
            "count": rng.integers(0, 90, 40),
            "word": rng.choice(["red", "blue", "grün"], 40),
            "kind": rng.choice(["a", "b"], 40),
        }
    )
    frame = pandas.concat([frame, frame[:30]], ignore_index=True)
    frame.to_parquet("rows.parquet", row_group_size=23)
    frame.to_csv("train.csv", index=False)
    np.save("rows.npy", frame[["size", "count"]].to_numpy())
    np.save("photos.npy", rng.integers(0, 256, (30, 8, 9, 3), dtype=np.uint8))
    return frame


def written(source, *args):
    """Run the command with and without batches and return the files of both."""
    found = []
    for out, more in (("whole", ()), ("parts", ("--batch-size", 16))):
        code, _, stderr = run("perturb", source, "--out", out, *args, *more)
        assert code == 0, stderr
        found.append(out)
    return found


def refused(*args):
    code, _, stderr = run("perturb", *args, "--out", "no")
    assert code == 2
    assert "Traceback" not in stderr
    return stderr


@pytest.mark.slow
@pytest.mark.parametrize("index", [None, "size", "unnamed"])
def test_tables_in_batches_are_those_of_the_whole(table, tmp_path, index):
    if index == "unnamed":  # kept by pandas as a column of another name
        table.sample(frac=1, random_state=0).to_parquet("rows.parquet")
    elif index:
        table.set_index(index).to_parquet("rows.parquet")
    args = ["--preset", "tabular", "--x-train", "train.csv", "--target", "kind"]
    if index == "size":
        table.drop(columns="size").to_csv("train.csv", index=False)
    whole, parts = written("rows.parquet", *args)
    names = sorted(
        p.relative_to(tmp_path / whole)
        for p in (tmp_path / whole).rglob("rows.parquet")
    )
    assert len(names) > 10
    for name in names:
        one = pandas.read_parquet(tmp_path / whole / name)
        other = pandas.read_parquet(tmp_path / parts / name)
        pandas.testing.assert_frame_equal(one, other)


@pytest.mark.parametrize(
    ("source", "args"),
    [
        ("rows.npy", ["--perturbation", "FeatureNoise", "--x-train", "rows.npy"]),
        ("photos.npy", ["--perturbation", "GaussianNoise"]),
        ("photos.npy", ["--perturbation", "Contrast"]),
    ],
)
def test_arrays_in_batches_are_the_same_bytes(source, args, tmp_path):
    whole, parts = written(source, *args, "--severity", 3)
    content = (tmp_path / whole / source).read_bytes()
    assert content == (tmp_path / parts / source).read_bytes()
    changed = np.load(tmp_path / whole / source)
    assert changed.shape == np.load(source).shape
    assert not np.array_equal(changed, np.load(source))


def test_types_of_columns_fit_all_batches(tmp_path):
    frame = pandas.DataFrame({"n": np.arange(400), "kind": "a"})
    frame.to_parquet("rows.parquet")
    frame.to_csv("train.csv", index=False)
    args = ["--perturbation", "MissingValues", "--set", "share=0.005"]
    args += ["--x-train", "train.csv", "--target", "kind"]
    whole, parts = written("rows.parquet", *args)
    one, other = (
        pandas.read_parquet(tmp_path / out / "rows.parquet") for out in (whole, parts)
    )
    pandas.testing.assert_frame_equal(one, other)
    assert 0 < one["n"].isna().sum() < 16


@pytest.mark.parametrize("more", [(), ("--batch-size", 16)], ids=["whole", "batches"])
def test_an_index_is_no_column_to_keep(table, more):
    table.set_index("size").to_parquet("rows.parquet")
    args = ["rows.parquet", "--perturbation", "FeatureNoise", "--x-train", "train.csv"]
    assert "'rows.parquet' has no column 'size'" in refused(
        *args, "--target", "size", *more
    )


def test_what_has_no_batches_is_one_sentence():
    noise = ["--perturbation", "FeatureNoise", "--severity", 3, "--batch-size", 16]
    assert "--batch-size needs --x-train: FeatureNoise learns scales" in refused(
        "rows.parquet", "--target", "kind", *noise
    )
    assert "is none" in refused("train.csv", *noise)
    assert "'rows.parquet' has no column 'x'" in refused(
        "rows.parquet", "--target", "x", *noise, "--x-train", "train.csv"
    )
    assert "npy file has none" in refused("rows.npy", "--target", "x", *noise)
    np.save("flat.npy", np.arange(3))
    assert "two axes" in refused("flat.npy", *noise)
    assert "two axes" in refused("flat.npy", *noise[:4])
