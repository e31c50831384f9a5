"""Cases of loaders of images and videos."""

import tempfile
from pathlib import Path

import numpy as np

from same_cases.data import rng


def write_images(folder):
    """Write small pictures in folders of labels and clips."""
    from PIL import Image

    r = rng(12)
    for label in ("fake", "real"):
        for clip in ("7", "8"):
            (folder / label).mkdir(parents=True, exist_ok=True)
            for frame in (0, 30):
                pixels = r.integers(0, 256, (12, 10, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(folder / label / f"{clip}_{frame}.png")


def write_clip(path, n=12):
    """Write a short video of moving squares, at 10 frames a second."""
    from fractions import Fraction

    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.height, stream.width, stream.pix_fmt = 32, 48, "yuv420p"
        stream.codec_context.time_base = stream.time_base = Fraction(1, 10)
        for k in range(n):
            pixels = np.zeros((32, 48, 3), dtype=np.uint8)
            pixels[8:24, 3 * k : 3 * k + 10] = 255
            frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            frame.pts, frame.time_base = k, Fraction(1, 10)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def datasets(rec, sd):
    """Store what loaders make of small folders of pictures and videos."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_images(folder / "images")
        for title, more in {"plain": {}, "resized": {"resize": (6, 6)}}.items():
            rec(
                f"datasets.load_image_folder.{title}",
                image_set,
                sd.load_image_folder,
                folder / "images",
                **more,
            )
        paths = sorted((folder / "images").rglob("*.png"))
        lazy = sd.LazyImages(paths, resize=(5, 5))
        rec("datasets.LazyImages.rows", lambda: lazy[[3, 0, 5]])
        rec("datasets.LazyImages.all", np.asarray, lazy)
        rec("datasets.LazyImages.take", lambda: np.asarray(lazy.take([1, 2])))
        faces = sd.load_image_folder(folder / "images")
        rec("datasets.ImageSet.take", lambda: image_set(faces.take, [0, 2]))
        rec(
            "datasets.FaceCrop.square",
            sd.FaceCrop(margin=1.3).square,
            (40, 20, 50, 60),
            height=200,
            width=300,
        )
        for part in ("fake", "real"):
            for clip in ("a", "b"):
                write_clip(folder / "clips" / part / f"{clip}.mp4")
        for title, more in {
            "three": {"n_frames": 3},
            "every": {"every": 4},
            "fps": {"fps": 2},
            "random": {"n_frames": 4, "method": "random", "random_state": 0},
            "first": {"n_frames": 2, "method": "first"},
        }.items():
            rec(
                f"datasets.sample_frames.{title}",
                image_set,
                sd.sample_frames,
                folder / "clips" / "fake" / "a.mp4",
                **more,
            )
            rec(
                f"datasets.load_video_folder.{title}",
                image_set,
                sd.load_video_folder,
                folder / "clips",
                **more,
            )
        for path in ("real/0000", "real/0001", "fake/0000_fake", "fake/0001_fake"):
            write_clip(folder / "uadfv" / f"{path}.mp4")
        for path in (
            "Celeb-real/id0_0000",
            "Celeb-real/id1_0000",
            "Celeb-synthesis/id0_id1_0000",
            "YouTube-real/00170",
        ):
            write_clip(folder / "celeb" / f"{path}.mp4")
        (folder / "celeb" / "List_of_testing_videos.txt").write_text(
            "1 YouTube-real/00170.mp4\n0 Celeb-synthesis/id0_id1_0000.mp4\n"
        )
        rec(
            "datasets.load_uadfv.clips",
            image_set,
            sd.load_uadfv,
            folder / "uadfv",
            n_frames=2,
        )
        for split in (None, "test", "train"):
            rec(
                f"datasets.load_celeb_df.{split}",
                image_set,
                sd.load_celeb_df,
                folder / "celeb",
                split=split,
                n_frames=2,
            )
        for part in ("original_sequences/youtube", "manipulated_sequences/Deepfakes"):
            for clip in ("000", "001_870"):
                write_clip(folder / "ff" / part / "c23" / "videos" / f"{clip}.mp4")
        rec(
            "datasets.load_faceforensics.clips",
            image_set,
            sd.load_faceforensics,
            folder / "ff",
            methods=("Deepfakes",),
            n_frames=2,
        )


def image_set(load, *args, **kwargs):
    """Return the columns of a set of images, and the images themselves."""
    found = dict(load(*args, **kwargs))
    found["images"] = np.asarray(found["images"])
    return {k: v for k, v in found.items() if k not in ("paths", "path", "root")}
