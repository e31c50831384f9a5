"""Folder of image files."""

from pathlib import Path

from skrobust._folder_links import FolderLinks
from skrobust._validation import check_choice, check_flag
from skrobust.datasets.build_image_set import build
from skrobust.datasets.clips_on_disk import clip_name, folder_of, is_image
from skrobust.datasets.folder_levels import all_files, check_levels, files_with_facts
from skrobust.datasets.frame_names import (
    check_pattern,
    clip_and_frame,
    frame_number,
    has_unread_number,
    warn_of_names,
)
from skrobust.datasets.image_files import n_pictures
from skrobust.datasets.image_options import ImageOptions
from skrobust.datasets.metadata_table import table_records
from skrobust.datasets.skipped_files import Skips


def load_image_folder(
    path,
    *,
    levels=("label",),
    label=None,
    metadata=None,
    pattern=None,
    resize=None,
    crop=None,
    convert=False,
    pages="one",
    on_error="raise",
    verify=True,
    follow_links=False,
):
    """Load a folder of image files, where folders stand for classes or groups.

    ``path/<label>/<clip>_<frame>.jpg``, or ``path/<label>/<clip>/<frame>.jpg``: the
    number at the end is that of the frame, what stands before it is the clip.
    ``clip-frame-12``, ``clip.f12``, ``clip (12)``, ``clip#12``, ``clip_12_face0`` and
    ``frame12_clip`` are read alike. An image without a number is a clip of its own.

    Parameters
    ----------
    path : str or path
        The folder.
    levels : tuple of {"label", "group"}, default=("label",)
        Meaning of the names of its folders, from the top: ``("label", "group")`` is
        ``path/<label>/<group>/...``. Ignored where ``metadata`` is given.
    label : str, default=None
        The one label of all images, where no level is "label" (as "real").
    metadata : str or path, default=None
        A CSV file with the columns ``path`` (relative to the folder of images) and
        ``label`` and, as there are, ``group``, ``clip``, ``frame`` and ``origin``. It
        replaces the reading of names; an image without a row and a row without an
        image or a label are treated as ``on_error`` says.
    pattern : str, default=None
        Regular expression of the names of files, without ending, with the groups
        ``clip`` and, as there is one, ``frame``; it replaces the forms above for images
        that lie in no folder of a clip. One whose name does not match is treated as
        ``on_error`` says.
    resize : (int, int) or None, default=None
        (height, width) in pixels; None: images of another size than most are treated as
        ``on_error`` says.
    crop : callable, "face" or None, default=None
        Applied before ``resize``, which it needs; "face" is ``FaceCrop()``.
    convert : bool, default=False
        Whether grey, transparent and other images become red, green and blue (grey
        repeated, transparent ones on black); otherwise they are treated as ``on_error``
        says.
    pages : {"one", "first", "all"}, default="one"
        What is taken of a file with several pictures (an animated GIF, PNG or WebP, a
        TIFF of pages): none, and it is treated as ``on_error`` says; the first; or all,
        as a clip of that name whose ``frame`` counts them from 0.
    on_error : {"raise", "skip"}, default="raise"
        Whether the first image that cannot be used ends the loading, or all such are
        left out with one warning that counts them, and listed in ``skipped``.
    verify : bool, default=True
        Whether each image is decoded once now, which finds those that are cut off.
        False reads the headers only: faster, but such an image then raises when it is
        used.
    follow_links : bool, default=False
        Whether links may lead out of the folder; otherwise files and folders behind
        such links are treated as ``on_error`` says.

    Returns
    -------
    ImageSet
        Images, targets, groups, clips and frames; see there. Labels are numbered in
        alphabetical order. Clips are named ``<label>/<clip>``, as different folders may
        number them alike.

    Raises
    ------
    ValueError
        For parameters that are none of these, a folder without images, and, with
        ``on_error="raise"``, an image or row that cannot be used.

    Warns
    -----
    UserWarning
        With ``on_error="skip"``: how many files were left out. For names with numbers
        that follow none of the forms, and where every image would be a clip of its own
        although all have numbers: how many there are.

    Notes
    -----
    Images are turned upright as their orientation tag (EXIF) says.

    Hidden files are passed over. Files that are no images by their names are listed in
    ``ignored``. Bytes changed in the middle of a JPEG file mostly decode to a wrong
    picture without any sign; no decoder finds them.

    Examples
    --------
    >>> from skrobust.datasets import load_image_folder
    >>> faces = load_image_folder("faces", resize=(256, 256))  # doctest: +SKIP
    >>> faces.images[:32].shape  # doctest: +SKIP
    (32, 256, 256, 3)
    """
    caller = "load_image_folder"
    folder = folder_of(path, caller)
    skips = Skips(on_error, caller)
    options = ImageOptions.checked(caller, resize=resize, crop=crop, convert=convert)
    check_flag(verify, "verify", caller)
    check_choice(pages, "pages", caller, ("one", "first", "all"))
    files = all_files(folder, FolderLinks(folder, caller, follow_links), skips)
    images = [f for f in files if is_image(f)]
    ignored = [f for f in files if not is_image(f)]
    if metadata is not None and pattern is not None:
        raise ValueError(f"{caller} takes metadata or pattern, not both.")
    if metadata is not None:
        records = table_records(folder, images, metadata, skips, caller)
        ignored = [f for f in ignored if f.resolve() != Path(metadata).resolve()]
    else:
        levels = check_levels(levels, label, caller)
        pattern = check_pattern(pattern, caller)
        records = _from_names(folder, images, levels, label, skips, pattern)
    if pages != "one":
        named = metadata is None
        parts = (_pages(r, folder, pages, named, caller) for r in records)
        records = [record for part in parts for record in part]
    return build(records, skips, options, ignored=ignored, verify=verify)


def _pages(record, folder, pages, named, caller):
    """Yield the records of the pictures of a file, or its own record.

    With ``named`` the name of the file is that of their clip.
    """
    file = Path(record["path"])
    n = n_pictures(file, caller)
    if n == 1 or pages == "first":
        yield record | {"number": 0 if n > 1 else None}
        return
    clip = clip_name(folder, file.with_suffix(""))
    facts = {"clip": clip, "origin": clip} if named else {}
    for page in range(n):
        yield record | facts | {"number": page, "frame": page}


def _from_names(folder, images, levels, label, skips, pattern):
    records, named, unread = [], [], []
    for file, facts in files_with_facts(folder, images, levels, label, skips):
        record = {"path": str(file), "number": None, **facts}
        if len(file.relative_to(folder).parts) - 1 > len(levels):  # folder of a clip
            clip, frame = clip_name(folder, file.parent), frame_number(file.stem)
        else:
            found = clip_and_frame(file.stem, pattern)
            if found is None and pattern is not None:
                skips.add(file, "its name does not match the pattern")
                continue
            if found is None and has_unread_number(file.stem):
                unread.append(file)
            name, frame = (file.stem, -1) if found is None else found
            clip = clip_name(folder, file.with_name(name))
            named.append(record)
        record |= {"clip": clip, "origin": clip, "frame": frame}
        records.append(record)
    warn_of_names(named, unread, skips.caller)
    return records
