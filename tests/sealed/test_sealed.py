"""Stored state is verified: every flipped bit and every lost byte is seen."""

import json

import numpy as np
import pytest

from skrobust._sealed import (
    Damaged,
    DamagedPart,
    bytes_digest,
    chained,
    file_digest,
    open_seal,
    read_array,
    read_chain,
    seal,
    write_array,
)


def flips(content):
    """Yield the content with one bit flipped, for every bit."""
    for place in range(len(content)):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            yield bytes(changed)


def test_digests_are_those_of_sha_256(tmp_path):
    # FIPS 180-2, appendix B.1.
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert bytes_digest(b"abc") == known
    (tmp_path / "a").write_bytes(b"abc")
    assert file_digest(tmp_path / "a") == known


FACTS = {"pi": np.array([0.25, 1e-300]), "n": 3, "by id": {1: "a", 2: None}, "ä": [1.0]}


def test_sealed_facts_come_back_in_any_order():
    text = json.dumps(seal(FACTS, lambda v: v.tolist()), indent=3)
    found = dict(reversed(json.loads(text).items()))
    plain = {**FACTS, "pi": [0.25, 1e-300], "by id": {"1": "a", "2": None}}
    assert open_seal(found, "x") == plain


def test_no_flipped_bit_changes_facts():
    sealed = seal(FACTS, lambda v: v.tolist())
    text, truth, n = json.dumps(sealed).encode(), open_seal(sealed, "x"), 0
    for changed in flips(text):
        try:
            assert open_seal(json.loads(changed), "x") == truth
        except ValueError:
            n += 1
    assert n > 0.99 * 8 * len(text)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda f: f["pi"].__setitem__(0, 0.75), "'pi' is not"),
        (lambda f: f.pop("n"), "'n' is not"),
        (lambda f: f.update(extra=1), "'extra' is not"),
        (lambda f: f["seal"].update(whole="0"), "the seal itself is not"),
        (lambda f: f.pop("seal"), "no seal"),
        (lambda f: f["seal"].update(parts=[]), "is not what was written"),
    ],
)
def test_the_damaged_part_is_named(change, named):
    sealed = seal(FACTS, lambda v: v.tolist())
    change(sealed)
    with pytest.raises(Damaged, match=f"^The state is damaged: .*{named}"):
        open_seal(sealed, "The state")


PARTS = [
    np.arange(3.0),
    np.array(0.5),
    np.array([("a", True)], dtype=[("name", "U3"), ("correct", "?")]),
]


@pytest.mark.parametrize("values", PARTS)
def test_no_flipped_bit_changes_an_array(tmp_path, values):
    path = tmp_path / "part"
    write_array(path, values, "key")
    found = read_array(path, "key")
    assert found.dtype == values.dtype
    assert np.array_equal(found, values)
    content = path.read_bytes()
    for changed in [*flips(content), content[:-1], content + b"\0", b""]:
        path.write_bytes(changed)
        with pytest.raises(DamagedPart, match="is damaged, or part of something else"):
            read_array(path, "key")


def test_an_array_of_another_key_is_refused(tmp_path):
    write_array(tmp_path / "part", np.arange(3), "one")
    with pytest.raises(DamagedPart):
        read_array(tmp_path / "part", "another")
    assert read_array(tmp_path / "none", "one") is None


def journal(start=""):
    """Return a journal of three entries, with the links after each."""
    content, links = b"", [start]
    for n in range(3):
        line, link = chained(links[-1], {"n": n, "label": "a\r\n\x0bä"})
        content, links = content + line, [*links, link]
    return content, links[1:]


def test_a_journal_comes_back():
    content, links = journal("session")
    entries, found, whole = read_chain(content, "x", start="session")
    assert [e["n"] for e in entries] == [0, 1, 2]
    assert found == links
    assert whole == content
    assert read_chain(b"", "x") == ([], [], b"")
    with pytest.raises(Damaged, match="Line 1 of x is damaged"):
        read_chain(content, "x", start="another session")


def test_no_flipped_bit_changes_a_journal():
    content, _ = journal()
    for changed in flips(content):
        with pytest.raises(Damaged, match=r"Line [123] of x is damaged\."):
            read_chain(changed, "x")


def test_lines_that_are_lost_moved_or_repeated_are_seen():
    lines = journal()[0].splitlines(keepends=True)
    for other in ([0, 2], [1, 2], [1, 0, 2], [0, 0, 1], [0, 1, 2, 2]):
        with pytest.raises(Damaged):
            read_chain(b"".join(lines[i] for i in other), "x")


def test_a_death_while_a_line_is_written_loses_at_most_that_line():
    content, _ = journal()
    second = sum(map(len, content.splitlines(keepends=True)[:2]))
    for length in range(second, len(content)):
        entries, _, whole = read_chain(content[:length], "x")
        is_complete = length == len(content) - 1  # all but its end
        assert len(entries) == 2 + is_complete
        assert whole == (content if is_complete else content[:second])
