"""Links in folders of data: what they lead to counts where it lies in the folder."""

from skrobust._validation import check_flag

_OUT = "it is a link that leads out of the folder"


class FolderLinks:
    """Check of the links that are met while a folder is read.

    A folder from elsewhere may hold a link to any file of this machine, whose content
    would end up in a report, a list to label or a picture; and a link to a folder above
    it, behind which every file lies again.

    Parameters
    ----------
    folder : Path
        The folder.
    caller : str
        Name of the public function, for error messages.
    follow : bool, default=False
        Whether links may lead out of the folder.
    """

    def __init__(self, folder, caller, follow=False):
        check_flag(follow, "follow_links", caller)
        self._root, self._follow = folder.resolve(), follow

    def why_not(self, path):
        """Return why what lies behind a path is not used; None where it is.

        Parameters
        ----------
        path : Path
            Met in the folder; only a link can be refused.
        """
        if not path.is_symlink():
            return None
        try:
            target = path.resolve()
        except (OSError, RuntimeError):  # RuntimeError: before Python 3.13
            return "it is a link that leads back to itself"
        if path.parent.resolve().is_relative_to(target):
            return "it is a link to a folder that holds it"
        if self._follow or target.is_relative_to(self._root):
            return None
        return _OUT

    def first_refused(self, paths):
        """Return the first path that is not used, with the reason, or two of None.

        Linked folders that lie in the folder pass: their files are read where they are.

        Parameters
        ----------
        paths : iterable of Path
            Files, and linked folders, that were met in the folder.
        """
        reasons = {path: self.why_not(path) for path in sorted(paths)}
        wrong = (
            (path, reason)
            for path, reason in reasons.items()
            if reason is not None and (reason == _OUT or not path.is_dir())
        )
        return next(wrong, (None, None))


def is_linked_folder(path):
    """Return whether a path is a link to a folder, which a search does not enter."""
    return path.is_symlink() and path.is_dir()
