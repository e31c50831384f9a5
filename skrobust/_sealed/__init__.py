"""Stored state that is verified when it is read: facts, arrays and journals.

Everything is sealed by SHA-256. A seal finds damage: a flipped bit, a lost piece, a
part of another run under the right name. It is no signature: whoever changes content
on purpose can seal it again, unless a digest is known from elsewhere.
"""

from skrobust._sealed.arrays import DamagedPart, read_array, write_array
from skrobust._sealed.chain import START, chained, read_chain, whole_lines
from skrobust._sealed.damage import Damaged
from skrobust._sealed.digests import (
    bytes_digest,
    file_digest,
    find_named,
    is_as_named,
    write_named,
)
from skrobust._sealed.facts import (
    SEAL,
    damaged_parts,
    extended,
    open_seal,
    seal,
    seal_of,
    sealed_text,
)

__all__ = [
    "SEAL",
    "START",
    "Damaged",
    "DamagedPart",
    "bytes_digest",
    "chained",
    "damaged_parts",
    "extended",
    "file_digest",
    "find_named",
    "is_as_named",
    "open_seal",
    "read_array",
    "read_chain",
    "seal",
    "seal_of",
    "sealed_text",
    "whole_lines",
    "write_array",
    "write_named",
]
