"""Folders whose names stand for labels or groups."""

from skrobust._validation import invalid
from skrobust.datasets.clips_on_disk import visible


def all_files(folder, links, skips):
    """Return all files below a folder, without hidden ones.

    Parameters
    ----------
    folder : Path
        The folder.
    links : FolderLinks
        Says which links are followed.
    skips : Skips
        Takes the others.
    """
    found = []
    for path in visible(folder):
        reason = links.why_not(path)
        if reason is not None:
            skips.add(path, reason)
        else:
            found += all_files(path, links, skips) if path.is_dir() else [path]
    return found


def check_levels(levels, label, caller):
    """Return the meaning of each level of folders as a tuple, or raise."""
    levels = (levels,) if isinstance(levels, str) else levels
    rule = "a tuple of 'label' and 'group', each at most once"
    known = isinstance(levels, (tuple, list)) and set(levels) <= {"label", "group"}
    if not known or len(set(levels)) != len(levels):
        raise invalid("levels", caller, rule, levels)
    if ("label" in levels) == (label is not None):
        raise ValueError(
            f"{caller} needs either a level 'label' or label=, the one label of all. "
            f"Got levels={tuple(levels)!r} and label={label!r}."
        )
    if label is not None and not isinstance(label, str):
        raise invalid("label", caller, "a string or None", label)
    return tuple(levels)


def files_with_facts(folder, files, levels, label, skips):
    """Yield each file with the label and group of its folders; note empty folders."""
    for file in files:
        parts = file.relative_to(folder).parts[:-1]
        if len(parts) < len(levels):
            skips.add(file, f"it lies in no folder for its {levels[len(parts)]}")
            continue
        named = dict(zip(levels, parts, strict=False))
        yield file, {"label": label, "group": "", **named}
    # Classes, groups and clips without a file of the kind.
    full = {parent for file in files for parent in file.parents}
    for place in sorted(p for p in folder.rglob("*") if p.is_dir()):
        hidden = any(part.startswith(".") for part in place.relative_to(folder).parts)
        if place not in full and not hidden and place.parent in {folder, *full}:
            skips.add(place, "the folder holds nothing to load")
