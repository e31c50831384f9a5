"""Files that a command has written so far, with their digests."""

from skrobust._sealed import (
    Damaged,
    chained,
    file_digest,
    read_chain,
    whole_lines,
)


class WrittenFiles:
    """Files below a folder, each known by the SHA-256 of its content.

    Parameters
    ----------
    folder : Path
        The folder.
    journal : Path
        Journal of what was written; a line for each file, chained.
    start : str
        What the journal belongs to: another work begins another one.
    """

    def __init__(self, folder, journal, start):
        self.folder, self.journal = folder, journal
        content = journal.read_bytes() if journal.is_file() else b""
        try:
            entries, links, whole = read_chain(content, journal.name, start)
        except Damaged:  # files whose line is whole are compared with their content
            entries, whole = whole_lines(content)[0], None
        self.digests = {one["file"]: one["sha256"] for one in entries}
        self._link = links[-1] if whole and entries else start
        if whole != content:
            self._rewrite(start)

    def has(self, place):
        """Return whether a file is there as it was written."""
        known = self.digests.get(self._name(place))
        return known is not None and place.is_file() and file_digest(place) == known

    def add(self, place):
        """Note a file that was written."""
        name = self._name(place)
        self.digests[name] = file_digest(place)
        with self.journal.open("ab") as file:
            self._link = self._append(file, name)

    def _rewrite(self, start):
        self._link = start
        with self.journal.open("wb") as file:
            for name in self.digests:
                self._link = self._append(file, name)

    def _append(self, file, name):
        line, link = chained(self._link, {"file": name, "sha256": self.digests[name]})
        file.write(line)
        return link

    def _name(self, place):
        return place.relative_to(self.folder).as_posix()
