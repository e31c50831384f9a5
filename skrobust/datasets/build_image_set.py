"""From a list of what lies on disk to a set of images with labels."""

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np

from skrobust.datasets._image_set import ImageSet
from skrobust.datasets._lazy_images import LazyImages
from skrobust.datasets.image_files import pillow, read_image, resized
from skrobust.datasets.video_files import read_frames

_OWNER = "LazyImages"


def build(
    records, target_names, skips, options, *, ignored=(), verify=True, cache=None
):
    """Return the set of the records whose images can be read.

    Parameters
    ----------
    records : list of dict
        With ``path``, ``label``, ``group``, ``clip``, ``frame``, ``origin`` and
        ``number`` (of the frame in a video; None for an image file).
    target_names : list of str
        Labels in the order of their numbers.
    skips : Skips
        What is left out.
    options : dict
        Of :class:`LazyImages`.
    ignored : list of path
        Files that were not looked at.
    verify : bool
        Whether every image is decoded once now; otherwise only its header is read.
        Frames of videos always are.
    cache : path or None
        Folder for the frames of videos as PNG files.
    """
    # All is asked of the options before a file is read.
    stills = [record for record in records if record["number"] is None]
    sizes = {
        id(record): _still_size(record, skips, options, verify) for record in stills
    }
    videos = {}
    for record in records:
        if record["number"] is not None:
            videos.setdefault(record["path"], []).append(record)
    for path, parts in videos.items():
        sizes |= _frame_sizes(path, parts, skips, options, cache)
    kept = [record for record in records if sizes.get(id(record)) is not None]
    if kept and options.get("resize") is None:
        kept = _of_one_size(kept, sizes, skips)
    if not kept:
        reason = f" The first was left out: {skips.found[0][1]}." if skips.found else ""
        raise ValueError(f"{skips.caller} found no image that it can use.{reason}")
    skips.warn(len(kept), "images")
    if cache is not None:
        options = options | {"crop": None}  # done before they were kept
    codes = {name: code for code, name in enumerate(target_names)}

    def column(name):
        return np.array([str(record[name]) for record in kept])

    sources = [(r.get("file", r["path"]), r["number"]) for r in kept]
    if cache is not None:
        sources = [(path, None) for path, _ in sources]
    return ImageSet(
        images=LazyImages(sources, **options),
        target=np.array([codes[record["label"]] for record in kept], dtype=np.intp),
        target_names=list(target_names),
        group=column("group"),
        clip=column("clip"),
        frame=np.array([record["frame"] for record in kept], dtype=np.intp),
        origin=column("origin"),
        filenames=column("path"),
        skipped=skips.found,
        ignored=[str(path) for path in ignored],
    )


def _of_one_size(records, sizes, skips):
    """Return the records whose images have the size of most."""
    usual, _ = Counter(sizes[id(record)] for record in records).most_common(1)[0]
    kept = []
    for record in records:
        size = sizes[id(record)]
        if size == usual:
            kept.append(record)
            continue
        skips.add(
            record["path"],
            f"its size is {size}, that of most images is {usual}; resize=(height, "
            "width) would make them equal",
        )
    return kept


def _still_size(record, skips, options, verify):
    try:
        return _image_size(record["path"], options, verify)
    except ValueError as error:
        reason = str(error)
    skips.add(record["path"], reason)
    return None


def _image_size(path, options, verify):
    convert = options.get("convert", False)
    if verify:
        return _finish(read_image(path, _OWNER, convert=convert), options).shape[:2]
    Image = pillow(_OWNER)
    try:
        with Image.open(path) as image:
            size, mode = image.size[::-1], image.mode
    except (OSError, SyntaxError) as error:
        raise ValueError(f"it cannot be decoded ({error})") from error
    if mode != "RGB" and not convert:
        read_image(path, _OWNER)  # which says what is wrong
    return options.get("resize") or size


def _frame_sizes(path, parts, skips, options, cache):
    """Read each chosen frame of a video once; return the sizes of those that serve."""
    sizes, lost = {}, []
    of_number = {}
    for record in parts:
        of_number.setdefault(record["number"], []).append(record)
    try:
        stem = None if cache is None else Path(cache) / _stamp(path, options)
        wanted = sorted(of_number)
        for number in list(wanted):
            file = None if stem is None else _cached(stem, number)
            if file is not None and file.exists():
                image = read_image(file, _OWNER)
                _note(of_number[number], image, file, sizes)
                wanted.remove(number)
        for number, image in read_frames(path, wanted, _OWNER) if wanted else ():
            try:
                image = _finish(image, options)
            except ValueError as error:  # as of a crop that finds no face
                lost.append((f"{path}, frame {number}", str(error)))
                continue
            file = None if stem is None else _cached(stem, number)
            if file is not None:
                _save(image, file)
            _note(of_number[number], image, file, sizes)
    except ValueError as error:
        # Part of a clip is no clip: it is left out whole.
        sizes, lost = {}, [(path, str(error))]
    for name, reason in lost:
        skips.add(name, reason)
    return sizes


def _note(records, image, file, sizes):
    for record in records:
        sizes[id(record)] = image.shape[:2]
        if file is not None:
            record["file"] = str(file)


def _finish(image, options):
    crop = options.get("crop")
    image = image if crop is None else crop(image)
    return resized(image, options.get("resize"), _OWNER)


def _stamp(path, options):
    """Return a name for the present content of a video and what is done to it."""
    status = Path(path).stat()
    crop = options.get("crop")
    if crop is not None and type(crop).__module__ == "builtins":
        crop = f"{crop.__module__}.{crop.__qualname__}"  # a function has no other name
    parts = (str(Path(path).resolve()), status.st_size, status.st_mtime_ns)
    text = repr((*parts, options.get("resize"), repr(crop)))
    return (
        f"{Path(path).stem}_{hashlib.blake2b(text.encode(), digest_size=8).hexdigest()}"
    )


def _cached(stem, number):
    return stem.with_name(f"{stem.name}_{number:06d}.png")


def _save(image, file):
    Image = pillow(_OWNER)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    Image.fromarray(image).save(part, format="PNG", compress_level=1)
    part.replace(file)  # a run that is killed leaves no half image
