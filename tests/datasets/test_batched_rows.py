"""Rows in batches from arrays on disk, parquet files, tar files and iterables."""

import gzip
import io
import json
import pickle
import tarfile

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_matrix
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC

from skrobust.datasets import BatchedRows, LazyImages
from skrobust.datasets.batch_readers import ArrayBatches
from skrobust.evaluation import evaluate_perturbations
from skrobust.evaluation.core.batched_runs import is_on_disk
from skrobust.perturbations import GaussianNoise

X = np.random.default_rng(0).random((23, 4))
Y = np.arange(23) % 3


def whole(rows):
    parts = list(rows)
    labels = [y for _, y in parts]
    y = None if labels[0] is None else np.concatenate(labels)
    return np.concatenate([np.asarray(part) for part, _ in parts]), y


@pytest.mark.parametrize("size", [None, 1, 5, 23, 99])
def test_arrays_are_cut_into_batches(tmp_path, size):
    mapped = np.memmap(tmp_path / "rows", "f8", "w+", shape=X.shape)
    mapped[:] = X
    fortran = np.asfortranarray(X)
    np.save(tmp_path / "fortran.npy", fortran)
    for array in (
        X,
        mapped,
        mapped[:],
        np.load(tmp_path / "fortran.npy", mmap_mode="r"),
    ):
        rows = BatchedRows.from_arrays(array, Y, batch_size=size)
        assert (rows.n_rows, rows.y is not None) == (23, True)
        for _ in range(2):  # again and again
            found = whole(rows)
            assert np.array_equal(found[0], X)
            assert np.array_equal(found[1], Y)
        assert all(type(part) is np.ndarray for part, _ in rows)


def test_a_mapped_file_is_never_copied_as_a_whole(tmp_path, monkeypatch):
    mapped = np.memmap(tmp_path / "rows", "f8", "w+", shape=X.shape)
    mapped[:] = X
    taken = []
    monkeypatch.setattr(
        np, "array", lambda a, *p, **k: taken.append(a.shape) or np.asarray(a)
    )
    for _ in ArrayBatches(mapped, None, 5):
        pass
    assert max(shape[0] for shape in taken) == 5
    private = np.memmap(tmp_path / "rows", "f8", "c", shape=X.shape)
    private[0] = 7  # seen by this map alone, and kept
    assert next(iter(ArrayBatches(private, None, 5)))[0][0, 0] == 7


def test_zarr_arrays_are_read_in_slices():
    zarr = pytest.importorskip("zarr")
    array = zarr.array(X, chunks=(4, 2))
    rows = BatchedRows.from_arrays(array, Y, batch_size=6)
    assert np.array_equal(whole(rows)[0], X)
    assert is_on_disk(array)


def test_arrays_of_h5py_are_read_in_slices(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        array = file.create_dataset("rows", data=X)
        rows = BatchedRows.from_arrays(array, Y, batch_size=6)
        assert np.array_equal(whole(rows)[0], X)
        assert is_on_disk(array)


def test_functions_that_need_all_rows_say_so():
    rows = BatchedRows.from_arrays(X, Y)
    for use in (np.asarray, len):
        with pytest.raises(TypeError, match="come in batches, and this needs all rows"):
            use(rows)


def flat_rows(images):
    return np.reshape(images, (-1, 36))


def test_images_on_disk_are_read_in_slices(tmp_path):
    pillow = pytest.importorskip("PIL.Image")
    paths = [tmp_path / f"{i}.png" for i in range(5)]
    for i, path in enumerate(paths):
        pillow.fromarray(np.full((4, 3, 3), i, np.uint8)).save(path)
    rows = BatchedRows.from_arrays(LazyImages(paths), np.arange(5), batch_size=2)
    assert whole(rows)[0][:, 0, 0, 0].tolist() == [0, 1, 2, 3, 4]
    images, y = LazyImages(paths, memory_limit=200), np.arange(5) % 2  # bytes, 36 each
    flat = FunctionTransformer(flat_rows)
    model = make_pipeline(flat, DummyClassifier()).fit(np.zeros((2, 36)), [0, 1])
    kind = {"data_range": (0, 255), "channel_axis": -1, "random_state": 0}
    noise = [GaussianNoise(std=9.0, **kind)]
    found = evaluate_perturbations(model, images, y, noise, batch_size=2)
    wanted = evaluate_perturbations(model, whole(rows)[0], y, noise)
    assert found.distortion == pytest.approx(wanted.distortion)


def test_parquet_is_read_in_row_groups(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame["label"] = np.array(["x", "y", "z"])[Y]
    frame.iloc[:10].to_parquet(tmp_path / "0.parquet", row_group_size=4)
    frame.iloc[10:].to_parquet(tmp_path / "1.parquet")
    rows = BatchedRows.from_parquet(tmp_path, target="label", batch_size=6)
    assert rows.n_rows == 23
    parts = list(rows)
    assert max(len(part) for part, _ in parts) <= 6
    together = pandas.concat([part for part, _ in parts], ignore_index=True)
    assert together.equals(frame[list("abcd")])
    assert np.concatenate([y for _, y in parts]).tolist() == frame["label"].tolist()
    plain = BatchedRows.from_parquet(tmp_path, columns=["d", "a"], as_frame=False)
    assert np.array_equal(whole(plain)[0], X[:, [3, 0]])
    assert whole(plain)[1] is None
    with pytest.raises(ValueError, match="has no column 'z'"):
        list(BatchedRows.from_parquet(tmp_path, target="z"))
    with pytest.raises(ValueError, match="a parquet file, or a folder"):
        BatchedRows.from_parquet(tmp_path / "nothing")
    frame.loc[3, "label"] = None
    frame.to_parquet(tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"'label' of '1\.parquet' has missing values"):
        list(rows)


def test_parquet_by_list_pattern_and_folders_with_a_column(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    files = [tmp_path / "0.parquet", tmp_path / "1.pq"]
    frame.iloc[:10].to_parquet(files[0])
    frame.iloc[10:].to_parquet(files[1])
    for path in (files, [str(file) for file in files], tmp_path / "*.p*"):
        found = whole(BatchedRows.from_parquet(path, as_frame=False))[0]
        assert np.array_equal(found, X)
    with pytest.raises(ValueError, match=r"'columns' parameter .* a list of names"):
        BatchedRows.from_parquet(files, columns="a")
    with pytest.raises(ValueError, match=r"'path' parameter .* a parquet file, or"):
        BatchedRows.from_parquet(3)
    (tmp_path / "all" / "month=1").mkdir(parents=True)
    frame.to_parquet(tmp_path / "all" / "month=1" / "0.parquet")
    with pytest.raises(ValueError, match="'month=1' holds the column 'month', which"):
        BatchedRows.from_parquet(tmp_path / "all")
    assert BatchedRows.from_parquet(tmp_path / "all", columns=["a"]).n_rows == 23
    assert BatchedRows.from_parquet(tmp_path / "all" / "month=1").n_rows == 23


def add(tar, name, content):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))


def npy(values):
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def test_shards_of_arrays(tmp_path):
    for shard, rows in enumerate(np.array_split(np.arange(23), 3)):
        with tarfile.open(tmp_path / f"part-{shard:02d}.tar", "w") as tar:
            for i in rows:
                add(tar, f"set/{i:03d}.npy", npy(X[i]))
                add(tar, f"set/{i:03d}.cls", str(Y[i]).encode())
                facts = {"name": f"n{Y[i]}"}
                add(tar, f"set/{i:03d}.json", json.dumps(facts).encode())
    patterns = ["part-{00..02}.tar", "part-*.tar", ""]
    for pattern in patterns:
        rows = BatchedRows.from_shards(tmp_path / pattern, batch_size=6)
        found = whole(rows)
        assert np.array_equal(found[0], X)
        assert np.array_equal(found[1], Y)
        assert [len(part) for part, _ in rows] == [6, 6, 6, 5]
        assert np.array_equal(whole(pickle.loads(pickle.dumps(rows)))[0], X)
    names = BatchedRows.from_shards([tmp_path / "part-00.tar"], label="json:name")
    assert whole(names)[1].tolist() == [f"n{label}" for label in Y[:8]]
    assert whole(BatchedRows.from_shards(tmp_path, label=None))[1] is None
    with pytest.raises(ValueError, match="has no label 'txt'; it has npy, cls, json"):
        list(BatchedRows.from_shards(tmp_path, label="txt"))
    with pytest.raises(ValueError, match="has no field 'age'"):
        list(BatchedRows.from_shards(tmp_path, label="json:age"))
    with pytest.raises(ValueError, match="tar files, a folder of them, or a pattern"):
        BatchedRows.from_shards(tmp_path / "part-{00..05}.tar")


def test_shards_of_images(tmp_path):
    pillow = pytest.importorskip("PIL.Image")

    def png(side, mode="RGB"):
        file = io.BytesIO()
        pillow.new(mode, (side, side), 77 if mode == "L" else (1, 2, 3)).save(
            file, "PNG"
        )
        return file.getvalue()

    file = tmp_path / "a.tar.gz"
    with tarfile.open(file, "w:gz") as tar:
        for i, side in enumerate((8, 8, 9)):
            add(tar, f"{i}.cls", b"cat")
            add(tar, f"{i}.png", png(side))
    rows = BatchedRows.from_shards(file, resize=(4, 4))
    images, labels = whole(rows)
    assert (images.shape, images.dtype) == ((3, 4, 4, 3), np.uint8)
    assert images[0, 0, 0].tolist() == [1, 2, 3]
    assert labels.tolist() == ["cat"] * 3
    with pytest.raises(ValueError, match=r"sample '2' of .* has shape \(9, 9, 3\)"):
        list(BatchedRows.from_shards(file))
    with tarfile.open(tmp_path / "b.tar", "w") as tar:
        add(tar, "0.png", png(4, "L"))
        add(tar, "1.png", b"no image")
    with pytest.raises(ValueError, match="its colours are grey, not RGB"):
        list(BatchedRows.from_shards(tmp_path / "b.tar", label=None))
    with pytest.raises(ValueError, match="sample '1' of"):
        list(BatchedRows.from_shards(tmp_path / "b.tar", label=None, convert=True))
    (tmp_path / "c.tar").write_bytes(b"no tar file")
    with pytest.raises(ValueError, match="damaged or no tar file"):
        list(BatchedRows.from_shards(tmp_path / "c.tar"))


def test_shards_that_were_cut_or_have_odd_labels_are_refused(tmp_path):
    with tarfile.open(tmp_path / "a.tar", "w") as tar:
        for i in range(6):
            add(tar, f"{i}.npy", npy(X[i]))
            add(tar, f"{i}.cls", b"1")
    content = (tmp_path / "a.tar").read_bytes()
    assert len(whole(BatchedRows.from_shards(tmp_path / "a.tar"))[0]) == 6
    for size in (2048, 2047, 4096):  # tarfile itself takes the end of a block for one
        (tmp_path / "b.tar").write_bytes(content[:size])
        with pytest.raises(ValueError, match="damaged or no tar file"):
            next(iter(BatchedRows.from_shards(tmp_path / "b.tar", batch_size=1)))
    (tmp_path / "c.tar.gz").write_bytes(gzip.compress(content))
    assert len(whole(BatchedRows.from_shards(tmp_path / "c.tar.gz"))[0]) == 6
    with tarfile.open(tmp_path / "d.tar", "w") as tar:
        add(tar, "0.npy", npy(X[0]))
        add(tar, "0.cls", b"\xff\xfe")
    with pytest.raises(ValueError, match=r"sample '0' of .* no text in UTF-8"):
        list(BatchedRows.from_shards(tmp_path / "d.tar"))


def shard(path, members):
    with tarfile.open(path, "w") as tar:
        for name, content in members:
            add(tar, name, content)
    return path


def test_the_row_of_a_sample_is_never_guessed(tmp_path):
    members = [("a.mask.npy", npy(X[0])), ("a.npy", npy(X[1])), ("a.cls", b"1")]
    file = shard(tmp_path / "a.tar", members)
    with pytest.raises(
        ValueError, match=r"several images or npy files, mask\.npy, npy"
    ):
        list(BatchedRows.from_shards(file))
    assert np.array_equal(whole(BatchedRows.from_shards(file, row="npy"))[0], X[1:2])
    assert np.array_equal(
        whole(BatchedRows.from_shards(file, row=".mask.npy"))[0], X[:1]
    )
    with pytest.raises(ValueError, match=r"no image or npy 'jpg'; it has mask\.npy"):
        list(BatchedRows.from_shards(file, row="jpg"))
    with pytest.raises(ValueError, match="'row' parameter"):
        BatchedRows.from_shards(file, row=1)
    file = shard(tmp_path / "b.tar", members[1:] + [("a.npy", npy(X[2]))])
    with pytest.raises(ValueError, match=r"has 'a\.npy' twice in one sample; give"):
        list(BatchedRows.from_shards(file))


def test_labels_of_shards_are_of_one_kind_in_all_batches(tmp_path):
    def rows(*labels, **how):
        members = []
        for i, label in enumerate(labels):
            members += [(f"{i}.npy", npy(X[i])), (f"{i}.cls", label)]
        file = shard(tmp_path / "a.tar", members)
        return BatchedRows.from_shards(file, batch_size=2, **how)

    mixed = b"1", b"2", b"3a", b"4"
    with pytest.raises(ValueError, match="label '3a', and those before are numbers"):
        list(rows(*mixed))
    assert whole(rows(*mixed, label_as="text"))[1].tolist() == ["1", "2", "3a", "4"]
    with pytest.raises(ValueError, match="'3a', which is no number; labels of text"):
        list(rows(*mixed, label_as="number"))
    with pytest.raises(ValueError, match="'007', which may be a number or text; say"):
        list(rows(b"1", b"007"))
    assert whole(rows(b"007", b"8", label_as="text"))[1].tolist() == ["007", "8"]
    assert whole(rows(b"007", b"-8", label_as="number"))[1].tolist() == [7, -8]
    assert whole(rows(b"0", b"10", b"-3"))[1].tolist() == [0, 10, -3]


def test_an_iterator_gives_its_rows_once():
    rows = BatchedRows((X[i : i + 9], Y[i : i + 9]) for i in range(0, 23, 9))
    assert np.array_equal(whole(rows)[0], X)
    with pytest.raises(ValueError, match="whose rows come once, and they were read"):
        list(rows)
    used = iter([])
    with pytest.raises(ValueError, match="the iterator has no rows left, which come"):
        list(BatchedRows(used))
    again = BatchedRows(lambda: iter([(X, Y)]))
    assert len(list(again)) == len(list(again)) == 1


def test_loaders_of_torch_give_arrays():
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.tensor(X), torch.tensor(Y))
    rows = BatchedRows(torch.utils.data.DataLoader(data, batch_size=10))
    for part, labels in rows:
        assert type(part) is type(labels) is np.ndarray
    assert np.array_equal(whole(rows)[0], X)


def test_tensors_on_a_device_come_to_the_host_batch_by_batch(monkeypatch):
    torch = pytest.importorskip("torch")
    from pretended_device import pretend

    rows = torch.tensor(X)
    pretend(monkeypatch, most=10 * X[0].size)
    found = whole(BatchedRows.from_arrays(rows, Y, batch_size=10))
    assert np.array_equal(found[0], X)


def test_answers_and_perturbed_rows():
    model = LogisticRegression().fit(X, Y)
    rows = BatchedRows.from_arrays(X, Y, batch_size=4)
    assert np.array_equal(rows.answers(model), model.predict(X))
    p = rows.answers(model, "predict_proba")
    np.testing.assert_allclose(p, model.predict_proba(X))
    noise = GaussianNoise(std=0.2, random_state=3)
    moved = rows.perturbed(noise)
    assert moved.n_rows == 23
    assert np.array_equal(whole(moved)[0], noise.perturb(None, X))
    assert np.array_equal(whole(moved)[0], whole(moved)[0])  # again


def test_bad_batches_get_one_sentence():
    with pytest.raises(ValueError, match=r"pairs \(X, y\), where y may be None"):
        list(BatchedRows([X]))
    with pytest.raises(ValueError, match="there are 23 rows and 2 labels"):
        list(BatchedRows([(X, Y[:2])]))
    with pytest.raises(ValueError, match="several rows and their labels"):
        list(BatchedRows([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match="'batches' parameter of BatchedRows"):
        BatchedRows(3)
    with pytest.raises(ValueError, match="one label for each of the 23 rows"):
        BatchedRows.from_arrays(X, Y[:4])
    with pytest.raises(ValueError, match=r"'X' parameter of BatchedRows\.from_arrays"):
        BatchedRows.from_arrays([1, 2])
    with pytest.raises(ValueError, match="'batch_size' parameter"):
        BatchedRows.from_arrays(X, batch_size=0)
    with pytest.raises(ValueError, match=r"parameter of BatchedRows\.perturbed"):
        BatchedRows([(X, Y)]).perturbed(None)
    with pytest.raises(ValueError, match="Got tuple of 3 parts instead"):
        list(BatchedRows([(X, Y, Y)]))
    with pytest.raises(ValueError, match=r"as y: join the rows to batches"):
        list(BatchedRows(zip(X, Y, strict=True)))
    with pytest.raises(ValueError, match="predict_proba, which LinearSVC does not"):
        BatchedRows([(X, Y)]).answers(LinearSVC().fit(X, Y), "predict_proba")


def test_sparse_rows_are_cut_into_batches():
    model = LogisticRegression().fit(X, Y)
    for kind in (csr_matrix, coo_array):
        rows = BatchedRows.from_arrays(kind(X), Y, batch_size=9)
        assert [part.shape for part, _ in rows] == [(9, 4), (9, 4), (5, 4)]
        assert np.array_equal(rows.answers(model), model.predict(X))
    noise = [GaussianNoise(std=0.1)]
    with pytest.raises(TypeError, match="toarray"):
        evaluate_perturbations(model, csr_matrix(X), Y, noise, batch_size=9)
