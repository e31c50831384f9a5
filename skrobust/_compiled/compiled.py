"""Fast ways, if they are installed: functions compiled by numba, and byte tables.

A kernel is a plain function over arrays whose loops do, number by number, what numpy
does array by array: the same operations in the same order. Nothing is reordered or
contracted, so that results are equal to the last bit with and without numba.
"""

import functools

# Numbers from which a kernel is worth its import and its first call.
_WORTH = 1 << 14


@functools.cache
def _numba():
    try:
        import numba
    except Exception:  # not installed, or broken: too old for this numpy
        return None
    return None if numba.config.DISABLE_JIT else numba


@functools.cache
def _compile(function):
    # Kernels run in the thread that calls them and let others run meanwhile.
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return _numba().njit(cache=True, **options)(function)
    except RuntimeError:  # no folder for compiled code can be written
        return _numba().njit(**options)(function)


def compiled(function, size):
    """Return a kernel compiled by numba, or None to take the way of numpy.

    Parameters
    ----------
    function : callable
        Module-level function in the part of Python that numba compiles.
    size : int
        How many numbers it is to work on; a few are not worth it.

    Returns
    -------
    callable or None
        The compiled function. Its machine code is stored beside the source file, or in
        the cache folder of the user, as ``NUMBA_CACHE_DIR`` says.
    """
    if size < _WORTH or _numba() is None:
        return None
    return _compile(function)


@functools.cache
def byte_translator():
    """Return what looks bytes up in a table with vector instructions, or None.

    Returns
    -------
    callable or None
        ``translate(memory, table)`` changes bytes where they are. ``memory`` is a
        contiguous array of bytes, ``table`` one of 256.
    """
    try:
        from stringzilla import translate
    except Exception:  # not installed, or broken
        return None

    def in_place(memory, table):
        translate(memoryview(memory), memoryview(table), inplace=True)

    return in_place
