"""FaceForensics++: original and manipulated sequences."""

import json
import re
from pathlib import Path

from skrobust._validation import check_choice, invalid
from skrobust.datasets.clip_reader import ClipReader
from skrobust.datasets.frame_sampling import FrameSampling
from skrobust.datasets.loader_options import shows_options_of

METHODS = (
    "Deepfakes", "Face2Face", "FaceSwap", "NeuralTextures", "FaceShifter",
    "DeepFakeDetection",
)  # fmt: skip
_COMPRESSIONS = ("raw", "c0", "c23", "c40")
_PAIR = re.compile(r"(\d+)_(\d+)")


@shows_options_of(ClipReader, FrameSampling)
def load_faceforensics(
    path,
    *,
    methods=("Deepfakes", "Face2Face", "FaceSwap", "NeuralTextures"),
    originals=("youtube",),
    compression="c23",
    split=None,
    splits=None,
    source="videos",
    n_frames=None,
    **options,
):
    """Load FaceForensics++ (Roessler et al., 2019) as its script downloads it.

    The layout::

        original_sequences/youtube/<compression>/videos/033.mp4
        original_sequences/actors/<compression>/videos/*.mp4
        manipulated_sequences/<method>/<compression>/videos/033_097.mp4
        .../<compression>/images/033_097/0000.png    extracted, source="images"
        .../<compression>/frames/033_097/000.png     or so

    ``033_097`` shows video 033 with the face of 097.

    Parameters
    ----------
    path : str or path
        The folder that holds ``original_sequences`` and ``manipulated_sequences``.
    methods : tuple of str, default=("Deepfakes", "Face2Face", "FaceSwap", \
            "NeuralTextures")
        Manipulations; "FaceShifter" and "DeepFakeDetection" are the others.
    originals : tuple of {"youtube", "actors"}, default=("youtube",)
        Real clips; "actors" are those of DeepFakeDetection.
    compression : {"raw", "c0", "c23", "c40"}, default="c23"
        "raw" and "c0" are two names of one thing; c23 is light and c40 strong.
    split : {"train", "val", "test"}, default=None
        Only the clips of one of the published splits; None takes all. The splits know
        no actors and nothing of DeepFakeDetection.
    splits : str or path, default=None
        Folder of ``train.json``, ``val.json`` and ``test.json``, lists of pairs of
        ids; None looks in ``path`` and ``path/splits``.
    source : {"videos", "images"}, default="videos"
        Whether to sample video files, or read frames that were extracted before.
    n_frames : int, default=None
        Frames of each clip. Of videos exactly one of ``n_frames``, ``every`` and
        ``fps`` is given. Of images None takes all, an int at most that many, evenly
        spread.
    resize, crop, on_error, cache, follow_links : object
        As in :func:`load_video_folder`; ``cache`` is for videos only.
    verify : bool, default=True
        Whether each extracted image is decoded once now; False reads the headers only,
        as in :func:`load_image_folder`.
    n_clips : int, default=None
        Most clips of each label, drawn by ``random_state`` before any is opened; None
        takes all.
    every, fps, method, short, random_state : object
        As in :func:`sample_frames`, for videos only, but ``random_state`` also draws
        the clips.

    Returns
    -------
    ImageSet
        Target 0 is "fake" and 1 is "real"; ``group`` is the method, or
        "youtube" or "actors"; ``clip`` is ``<group>/<name>``; ``origin`` is the video
        that is shown, ``033``, for the actors the name itself.

    Raises
    ------
    ValueError
        For parameters that are none of these, a folder of another layout, and, with
        ``on_error="raise"``, a clip or image that cannot be used.
    ImportError
        Without the decoder of videos (``pip install 'skrobust[video]'``).

    Warns
    -----
    UserWarning
        With ``on_error="skip"``: how much was left out.

    Notes
    -----
    A pair of a split stands for both its originals and both fakes made of them, so no
    face is on two sides. Splitting by ``origin`` alone keeps a video and its fakes
    together, but not the clips that lent the face.

    References
    ----------
    Roessler et al., "FaceForensics++: learning to detect manipulated facial images"
    (ICCV 2019), and the layout and splits of its repository.

    Examples
    --------
    >>> from skrobust.datasets import load_faceforensics
    >>> test = load_faceforensics(
    ...     "FaceForensics++", methods=("Deepfakes",), split="test", n_frames=10,
    ...     resize=(256, 256))  # doctest: +SKIP
    >>> test.images.shape  # doctest: +SKIP
    (2800, 256, 256, 3)
    """
    caller = "load_faceforensics"
    reader = ClipReader(caller, path, source, n_frames, **options)
    check_choice(compression, "compression", caller, _COMPRESSIONS)
    methods = _names(methods, "methods", caller, METHODS)
    originals = _names(originals, "originals", caller, ("youtube", "actors"))
    wanted = _wanted(reader.folder, split, splits, methods, originals, caller)
    groups = [("original_sequences", name, "real") for name in originals]
    groups += [("manipulated_sequences", name, "fake") for name in methods]
    places = {"videos": ("videos",), "images": ("images", "frames")}
    for top, group, label in groups:
        where = Path(top) / group / compression
        names = None if wanted is None else wanted[label]
        clips = dict(reader.clips(where, places, may_lack=names is not None))
        for name in sorted((names or set()) - set(clips)):
            missing = reader.folder / where / name
            reader.skips.add(missing, "the split names it, but it is missing")
        for name, file in clips.items():
            if names is not None and name not in names:
                continue
            pair = _PAIR.fullmatch(name)
            origin = pair[1] if pair and label == "fake" else name
            clip = f"{group}/{name}"
            reader.read(file, label=label, group=group, clip=clip, origin=origin)
    layout = f"original_sequences/youtube/{compression}/{places[source][0]}"
    return reader.image_set(layout)


def _names(names, parameter, caller, known):
    names = (names,) if isinstance(names, str) else names
    if not isinstance(names, (tuple, list)) or not set(names) <= set(known):
        raise invalid(parameter, caller, f"a tuple of {', '.join(known)}", names)
    return tuple(dict.fromkeys(names))


def _wanted(folder, split, splits, methods, originals, caller):
    """Return the names of the real and fake clips of a split, or None for all."""
    if split is None:
        if splits is not None:
            raise ValueError(f"{caller} takes splits together with split only.")
        return None
    check_choice(split, "split", caller, ("train", "val", "test"))
    if "actors" in originals or "DeepFakeDetection" in methods:
        raise ValueError(
            f"{caller} knows no split of 'actors' and 'DeepFakeDetection'; load them "
            "with split=None."
        )
    places = [Path(splits)] if splits is not None else [folder, folder / "splits"]
    files = [place / f"{split}.json" for place in places]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        raise ValueError(
            f"{caller} finds no {split}.json in {' or '.join(map(str, places))}; it is "
            "in the folder dataset/splits of the set's repository."
        )
    try:
        pairs = [(str(a), str(b)) for a, b in json.loads(file.read_text())]
    except (ValueError, TypeError) as error:
        raise ValueError(f"{caller} needs a list of pairs in {str(file)!r}.") from error
    real = {name for pair in pairs for name in pair}
    return {"real": real, "fake": {f"{a}_{b}" for p in pairs for a, b in (p, p[::-1])}}
