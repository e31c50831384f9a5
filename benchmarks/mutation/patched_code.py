"""The code of a mutant, put in place of the original in the running process.

Functions keep their identity and get new code, so that nothing is imported again. A
change of what runs on import (defaults, class attributes) cannot be made in this way.
"""

import gc
import types


def _place(code):
    first = next(iter(code.co_positions()), None)
    return code.co_filename, code.co_qualname, code.co_firstlineno, first


def functions_by_place(root):
    """Return the living functions of files below a folder, by place of their code."""
    gc.unfreeze()
    found = {}
    for thing in gc.get_objects():
        if type(thing) is types.FunctionType:
            code = thing.__code__
            if code.co_filename.startswith(root):
                found.setdefault(_place(code), []).append(thing)
    gc.freeze()
    return found


def _own(code):
    constants = [
        (type(value), repr(value))
        for value in code.co_consts
        if not isinstance(value, types.CodeType)
    ]
    return (
        code.co_code, constants, code.co_names, code.co_varnames, code.co_cellvars,
        code.co_freevars, code.co_flags,
    )  # fmt: skip


def _nested(code):
    return [value for value in code.co_consts if isinstance(value, types.CodeType)]


def changed_codes(original, new):
    """Return pairs of a place and its new code, or None where import would differ."""
    pairs = []

    def walk(old, now, in_function):
        below = _nested(old), _nested(now)
        same = _own(old) == _own(now) and len(below[0]) == len(below[1])
        changed = not same
        if len(below[0]) == len(below[1]):
            for inner, inner_now in zip(*below, strict=True):
                function = bool(inner.co_flags & 0x2)  # optimized: not a class
                result = walk(inner, inner_now, in_function or function)
                if result is None:
                    return None
                changed |= result and (in_function or function)
        if not in_function:
            return None if not same else False
        if changed:
            pairs.append((_place(old), now))
        return changed

    return pairs if walk(original, new, False) is not None else None


def patch(pairs, functions):
    """Give functions their new code; return False where that is impossible."""
    touched = [
        (function, code)
        for place, code in pairs
        for function in functions.get(place, ())
    ]
    if any(len(f.__code__.co_freevars) != len(c.co_freevars) for f, c in touched):
        return False
    for function, code in touched:
        function.__code__ = code
    return bool(touched)
