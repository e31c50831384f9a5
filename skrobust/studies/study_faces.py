"""Faces of the deepfake study: images in memory with labels, clips and groups."""

import re
from pathlib import Path

import numpy as np

from skrobust._keyed_noise.generator import seed_number, stream_number
from skrobust.datasets import (
    load_celeb_df,
    load_faceforensics,
    load_image_folder,
    load_uadfv,
    load_video_folder,
)
from skrobust.datasets.video_files import VIDEO_SUFFIXES

SIDE = 256  # pixels
LOADERS = {
    "ffpp": load_faceforensics,
    "celeb_df": load_celeb_df,
    "uadfv": load_uadfv,
}
_SPLIT = ("ffpp", "celeb_df")  # UADFV has no published split
_REAL = ("real", "original", "pristine")
_DONOR = re.compile(r"(.*/)?\d+_(\d+)")
_COLUMNS = ("clip", "origin", "video", "frame", "group", "source")


class Faces:
    """Images in memory with all that belongs to them; label 1 is real.

    Parameters
    ----------
    X : ndarray of float32 of shape (n, 3, height, width)
        Images in [0, 1].
    y : ndarray of int of shape (n,)
        1 is real and 0 is fake, as in the weights of MesoNet.
    **columns : ndarray of shape (n,)
        ``clip``, ``origin`` (the video that it shows), ``video`` (one for all clips
        that show a video, or videos that lent each other faces), ``frame``, ``group``
        ("" where none is known) and ``source``.
    """

    def __init__(self, X, y, **columns):
        self.X, self.y = X, y
        for name in _COLUMNS:
            setattr(self, name, columns[name])

    def __len__(self):
        return len(self.y)

    def take(self, rows):
        """Return some of the images."""
        columns = {name: getattr(self, name)[rows] for name in _COLUMNS}
        return Faces(self.X[rows], self.y[rows], **columns)


def load_faces(
    sources,
    size,
    *,
    options,
    metadata,
    side,
    keep,
    random_state,
    split=None,
    of_set=None,
):
    """Return the faces of all data sets that were named.

    Parameters
    ----------
    sources : dict of str to path
        Folders by "ffpp", "celeb_df", "uadfv" and "folder".
    size : StudySize
        How many clips and frames.
    options : dict
        ``crop``, and ``source`` for the three sets.
    metadata : path or None
        Table of the plain folder.
    side : int
        Height and width in pixels.
    keep : path
        Folder for the frames of videos.
    random_state : int
        Seed of the choice of clips.
    split : {"test"} or None, default=None
        Of the sets that have published splits.
    of_set : dict of str to dict, default=None
        Options of single loaders.
    """
    shared = {"resize": (side, side), "crop": options["crop"], "on_error": "skip"}
    parts = []
    for name, path in sources.items():
        if name == "folder":
            found = _plain_folder(path, size, metadata, shared, keep)
            found = _some_clips(found, size.n_clips, random_state)
            found = found.take(np.sort(some_frames(found, size.n_frames)))
        else:
            more = {"n_clips": size.n_clips, "random_state": random_state}
            more |= (of_set or {}).get(name, {})
            if name in _SPLIT:
                more["split"] = split
            if options["source"] == "videos":
                more |= {"cache": keep, "short": "all"}
            found = LOADERS[name](
                path,
                source=options["source"],
                n_frames=size.n_frames,
                **shared,
                **more,
            )
        parts.append(_faces_of(found, name))
    return _joined(parts)


def load_group_faces(path, per_group, side):
    """Return some real faces of each group in a folder, or None without a folder."""
    if path is None:
        return None
    images = load_image_folder(
        path,
        levels=("group",),
        label="real",
        pattern="(?P<clip>.+)",  # each image is of a person of its own
        resize=(side, side),
        convert=True,
        on_error="skip",
    )
    rows = [
        np.flatnonzero(images.group == g)[:per_group] for g in np.unique(images.group)
    ]
    return _faces_of(images.take(np.concatenate(rows)), "folder")


def _joined(parts):
    """Return the faces of several parts as one."""
    if len(parts) == 1:
        return parts[0]
    columns = {n: np.concatenate([getattr(p, n) for p in parts]) for n in _COLUMNS}
    X = np.concatenate([part.X for part in parts])
    return Faces(X, np.concatenate([part.y for part in parts]), **columns)


def _plain_folder(path, size, metadata, shared, keep):
    files = Path(path).rglob("*") if Path(path).is_dir() else ()
    if metadata is None and any(f.suffix.lower() in VIDEO_SUFFIXES for f in files):
        return load_video_folder(path, size.n_frames, cache=keep, short="all", **shared)
    return load_image_folder(path, metadata=metadata, convert=True, **shared)


def _some_clips(images, n_clips, random_state):
    """Return at most so many clips of each label."""
    if n_clips is None:
        return images
    seed = stream_number("clips", seed_number(random_state, "deepfake_study"))
    rng, kept = np.random.default_rng(seed), []
    for label in np.unique(images.target):
        clips = np.unique(images.clip[images.target == label])
        kept += rng.permutation(clips)[:n_clips].tolist()
    return images.take(np.isin(images.clip, kept))


def _faces_of(images, source):
    """Return an image set as faces."""
    names = images.target_names
    is_real = np.array([name.lower().startswith(_REAL) for name in names])
    if not is_real.any():
        raise ValueError(
            "deepfake_study knows real faces by a label that begins with 'real', "
            f"'original' or 'pristine'; the folder has {', '.join(names)}."
        )
    pixels = np.asarray(images.images).transpose(0, 3, 1, 2)
    clip = np.array([f"{source}/{name}" for name in images.clip.tolist()])
    video = np.array([f"{source}/{name}" for name in images.origin.tolist()])
    origin = video
    if source == "ffpp":
        video = _with_donors(clip, video)
    # The folder of a set says where a clip is from; only a table knows its group.
    group = images.group if source == "folder" else np.full(len(clip), "")
    return Faces(
        np.ascontiguousarray(pixels, dtype=np.float32) / 255,
        is_real[images.target].astype(np.int64),
        clip=clip,
        origin=origin,
        video=video,
        frame=images.frame,
        group=group.astype(str),
        source=np.full(len(clip), source),
    )


def _with_donors(clip, video):
    """Join the videos of FaceForensics++ that lend each other their faces."""
    parent = {}

    def root(name):
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    for name, shown in zip(clip.tolist(), video.tolist(), strict=True):
        donor = _DONOR.fullmatch(name)
        first, second = root(shown), root(f"ffpp/{donor[2]}" if donor else shown)
        parent[max(first, second)] = min(first, second)
    return np.array([root(name) for name in video.tolist()])


def split_videos(faces, random_state):
    """Return a mask of the images to train on: half of the videos.

    Halves are made within each data set and kind of video (real ones, fakes, both), so
    no video has a clip on both sides.
    """
    seed = stream_number("halves", seed_number(random_state, "deepfake_study"))
    rng, train = np.random.default_rng(seed), np.zeros(len(faces), dtype=bool)
    videos, first = np.unique(faces.video, return_index=True)
    labels = {v: frozenset() for v in videos.tolist()}
    for video, label in zip(faces.video.tolist(), faces.y.tolist(), strict=True):
        labels[video] |= {label}
    kinds = {}
    for video, place in zip(videos.tolist(), first.tolist(), strict=True):
        kind = str(faces.source[place]), tuple(sorted(labels[video]))
        kinds.setdefault(kind, []).append(video)
    for kind in sorted(kinds):
        chosen = rng.permutation(kinds[kind])[: len(kinds[kind]) // 2]
        train |= np.isin(faces.video, chosen)
    return train


def some_frames(faces, n_frames):
    """Return rows with so many frames of each clip, evenly spread over its frames.

    Parameters
    ----------
    faces : Faces or ImageSet
        Frames of clips.
    n_frames : int
        Most frames of a clip.
    """
    rows = []
    for clip in np.unique(faces.clip):
        own = np.flatnonzero(faces.clip == clip)
        own = own[np.argsort(faces.frame[own], kind="stable")]
        places = np.linspace(0, len(own) - 1, min(n_frames, len(own)))
        rows.extend(own[np.unique(places.round().astype(int))])
    return np.array(rows, dtype=np.intp)
