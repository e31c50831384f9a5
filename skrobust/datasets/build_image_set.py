"""Construction of an image set from records of files."""

import io
from collections import Counter
from pathlib import Path

import numpy as np

from skrobust._sealed import bytes_digest, is_as_named, write_named
from skrobust.datasets._image_set import ImageSet
from skrobust.datasets._lazy_images import LazyImages
from skrobust.datasets.clips_on_disk import is_image
from skrobust.datasets.cut_files import why_undecodable
from skrobust.datasets.image_files import is_turned, n_pictures, pillow, read_image
from skrobust.datasets.video_files import read_frames

_CALLER = "LazyImages"


def build(
    records, skips, options, *, target_names=None, ignored=(), verify=True, cache=None
):
    """Return the set of the records whose images can be read.

    Parameters
    ----------
    records : list of dict
        With ``path``, ``label``, ``group``, ``clip``, ``frame``, ``origin`` and
        ``number`` (of the frame in a video, or of the picture in an image file of
        several; None for one of an image file). The ``size`` of
        each image that can be used is added, and the ``file`` of a cached frame.
    skips : Skips
        What is left out.
    options : ImageOptions
        Treatment of each image.
    target_names : list of str, default=None
        Labels in the order of their numbers; None: those of all records, sorted.
    ignored : list of path
        Files that were not looked at.
    verify : bool
        Whether every image is decoded once now; otherwise only its header is read.
        Frames of videos always are.
    cache : path or None
        Folder for the frames of videos as PNG files.
    """
    videos = {}
    for record in records:
        if record["number"] is not None and not is_image(Path(record["path"])):
            videos.setdefault(record["path"], []).append(record)
            continue
        try:
            page = record["number"]
            record["size"] = _image_size(record["path"], options, verify, page)
        except ValueError as error:
            skips.add(record["path"], str(error))
    for path, frames in videos.items():
        _measure_frames(path, frames, skips, options, cache)
    kept = [record for record in records if "size" in record]
    if kept and options.resize is None:
        kept = _of_one_size(kept, skips)
    if not kept:
        reason = f" The first was left out: {skips.found[0][1]}." if skips.found else ""
        raise ValueError(f"{skips.caller} found no image that it can use.{reason}")
    skips.warn(len(kept), "images")
    names = target_names or sorted({record["label"] for record in records})
    codes = {name: code for code, name in enumerate(names)}

    def column(name):
        return np.array([str(record[name]) for record in kept])

    sources = [(r["path"], r["number"]) for r in kept]
    if cache is not None:
        sources = [(r["file"], None) for r in kept]
    return ImageSet(
        images=LazyImages(
            sources,
            resize=options.resize,
            crop=None if cache is not None else options.crop,  # cached frames are cut
            convert=options.convert,
        ),
        target=np.array([codes[record["label"]] for record in kept], dtype=np.intp),
        target_names=list(names),
        group=column("group"),
        clip=column("clip"),
        frame=np.array([record["frame"] for record in kept], dtype=np.intp),
        origin=column("origin"),
        filenames=column("path"),
        skipped=skips.found,
        ignored=[str(path) for path in ignored],
    )


def _of_one_size(records, skips):
    """Return the records whose images have the most frequent size."""
    usual, _ = Counter(record["size"] for record in records).most_common(1)[0]
    for record in records:
        if record["size"] != usual:
            skips.add(
                record["path"],
                f"its size is {record['size']}, that of most images is {usual}; "
                "resize=(height, width) would make them equal",
            )
    return [record for record in records if record["size"] == usual]


def _image_size(path, options, verify, page):
    if verify:
        image = read_image(path, _CALLER, convert=options.convert, page=page)
        return options.finish(image, _CALLER).shape[:2]
    Image = pillow(_CALLER)
    try:
        with Image.open(path) as image:
            if page:
                image.seek(page)
            size, mode = image.size[::-1], image.mode
            size = size[::-1] if is_turned(image) else size
    except (EOFError, OSError, SyntaxError) as error:
        raise ValueError(why_undecodable(path, error)) from error
    several = page is None and n_pictures(path, _CALLER) > 1
    if several or (mode != "RGB" and not options.convert):
        read_image(path, _CALLER, page=page)  # which says what is wrong
    return options.resize or size


def _measure_frames(path, records, skips, options, cache):
    """Read each chosen frame of a video once and note its size."""
    found, lost = {}, []
    numbers = {record["number"] for record in records}
    try:
        for number, image, file in _frames(path, numbers, options, cache, lost):
            found[number] = {"size": image.shape[:2], "file": str(file)}
    except ValueError as error:
        # Part of a clip is no clip: it is left out whole.
        found, lost = {}, [(path, str(error))]
    for record in records:
        record |= found.get(record["number"], {})
    for name, reason in lost:
        skips.add(name, reason)


def _frames(path, numbers, options, cache, lost):
    """Yield number, pixels and cached file of each frame; note those that are lost."""
    stem = None if cache is None else _fingerprint(path, options)
    cached = {} if cache is None else _cached(Path(cache), stem)
    for number in sorted(numbers & cached.keys()):
        yield number, read_image(cached[number], _CALLER), cached[number]
    wanted = sorted(numbers - cached.keys())
    for number, image in read_frames(path, wanted, _CALLER) if wanted else ():
        try:
            image = options.finish(image, _CALLER)
        except ValueError as error:  # as of a crop that finds no face
            lost.append((f"{path}, frame {number}", str(error)))
            continue
        file = None
        if cache is not None:
            content = io.BytesIO()
            pillow(_CALLER).fromarray(image).save(
                content, format="PNG", compress_level=1
            )
            name = f"{stem}_{number:06d}"
            file = write_named(Path(cache), name, ".png", content.getvalue())
        yield number, image, file


def _cached(cache, stem):
    """Return the kept frames of a video by number; damaged ones are left out."""
    names = cache.iterdir() if cache.is_dir() else ()
    found = [p for p in names if p.name.startswith(f"{stem}_") and p.suffix == ".png"]
    return {int(p.stem.split("_")[-2]): p for p in found if is_as_named(p)}


def _fingerprint(path, options):
    """Return a name for the present content and treatment of a video."""
    status, crop = Path(path).stat(), options.crop
    if crop is not None and type(crop).__module__ == "builtins":
        crop = f"{crop.__module__}.{crop.__qualname__}"  # a function has no other name
    parts = (str(Path(path).resolve()), status.st_size, status.st_mtime_ns)
    text = repr((*parts, options.resize, repr(crop))).encode()
    return f"{Path(path).stem}_{bytes_digest(text)[:16]}"
