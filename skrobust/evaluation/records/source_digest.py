"""Digests of source code: of this package, and of classes and functions of users."""

import hashlib
import inspect
import sys
import sysconfig
import textwrap
from functools import cache
from pathlib import Path

import skrobust
from skrobust._sealed import bytes_digest, file_digest
from skrobust.base.content_digest import digest_and_kinds

_INSTALLED = {"site-packages", "dist-packages"}


@cache
def package_facts():
    """Return version, number of source files and digest of all of skrobust."""
    folder = Path(skrobust.__file__).parent
    whole, files = hashlib.sha256(), sorted(folder.rglob("*.py"))
    for name, path in sorted((p.relative_to(folder).as_posix(), p) for p in files):
        whole.update(f"{name}\n{file_digest(path)}\n".encode())
    version = skrobust.__version__
    return {"version": version, "files": len(files), "sha256": whole.hexdigest()}


def own_code(values):
    """Return the digests of source code that belongs to no installed package.

    Parameters
    ----------
    values : list of object
        Models and conditions, whose classes and functions are looked up.

    Returns
    -------
    dict of str to (str or None)
        The digest of the source of each, or None where there is none to be found.
    """
    found = {}
    for value in values:
        try:
            kinds = digest_and_kinds(value)[1]
        except Exception:  # what cannot be pickled
            kinds = [type(value)]
        for kind in kinds:
            if _is_own(kind):
                found[kind_name(kind)] = source_digest(kind)
    return dict(sorted(found.items()))


def kind_name(kind):
    """Return the full name of a class or function."""
    return f"{kind.__module__}.{kind.__qualname__}"


def source_digest(kind):
    """Return the digest of the source of a class or function, or None without one."""
    try:
        source = textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError):
        return None
    return bytes_digest(source.encode())


def _is_own(kind):
    module = getattr(kind, "__module__", None) or "builtins"
    top = module.partition(".")[0]
    if top in ("skrobust", "builtins") or top in sys.stdlib_module_names:
        return False
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None:
        return module == "__main__"
    inside = Path(path).parts
    standard = Path(sysconfig.get_paths()["stdlib"])
    return not _INSTALLED & set(inside) and standard not in Path(path).parents
