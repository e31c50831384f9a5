"""Results of every public class and function, stored and compared bit for bit.

Run it once with the old package on the path and once with the new one, then compare::

    cd OLD && PYTHONPATH=$PWD python NEW/benchmarks/same_results.py --save old.pkl
    cd NEW && PYTHONPATH=$PWD python benchmarks/same_results.py --save new.pkl
    python benchmarks/same_results.py --compare old.pkl new.pkl

``--only attacks metrics`` computes some families alone; the comparison then leaves out
the others. Only public names are used. Numbers, arrays and strings inside arrays must
be equal, with their type and shape; sentences (messages, pages) are listed apart.
"""

import argparse
import collections
import dataclasses
import inspect
import os
import pickle
import re
import sys
import time
import warnings

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np

# What differs from one run to the next, by nature.
CHANGING = {
    "call",
    "created",
    "duration",
    "elapsed",
    "filenames",
    "fit_time",
    "json_path",
    "markdown_path",
    "path",
    "score_time",
    "seconds",
    "sources",
    "started",
    "versions",
}
# Families whose strings are words for people, even inside arrays.
WORDS = ("plots.", "report.", "command.")


# Attributes of results that have another name now.
RENAMED = {".n": ".n_units"}
NONE = ("value", "NoneType", "None")


class Missing(Exception):
    """A public name that this version of the package does not have."""


class Family:
    """The public names of one family, and which of them were used."""

    def __init__(self, name):
        self._module = __import__(f"skrobust.{name}", fromlist=["__all__"])
        self._used = set()

    def __getattr__(self, name):
        if name not in self._module.__all__ and not hasattr(self._module, name):

            def missing(*args, **kwargs):
                raise Missing(name)

            return missing
        self._used.add(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return getattr(self._module, name)


class Recorder:
    """Results of calls as plain data: one entry for each number, array or text."""

    def __init__(self):
        self.leaves, self.missing = {}, set()

    def __call__(self, key, function, *args, **kwargs):
        """Call, store the result under a key and return it (None after an error)."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value = function(*args, **kwargs)
            except Missing as error:
                self.missing.add(str(error))
                return None
            except Exception as error:
                self.leaves[f"{key} raises"] = ("value", type(error).__name__)
                self.leaves[f"{key} message"] = ("text", str(error))
                return None
        told = sorted({f"{w.category.__name__}: {w.message}" for w in caught})
        told = [one for one in told if not one.startswith("Deprecat")]
        if told:
            self.leaves[f"{key} warnings"] = ("text", "\n".join(told))
        self.keep(key, value)
        return value

    def keep(self, key, value, depth=0):
        """Store a value and all that it holds."""
        if key in self.leaves:
            raise ValueError(f"two results of one key: {key}")
        flatten(key, value, self.leaves, depth)


def flatten(key, value, leaves, depth=0):
    """Write the leaves of a value into a dictionary, by the path that leads to them."""
    kind = "text" if key.startswith(WORDS) else "items"
    if depth > 8 or callable(value) or inspect.ismodule(value):
        return
    if hasattr(value, "detach"):  # a tensor
        value = value.detach().cpu().numpy()
    if isinstance(value, str):
        leaves[key] = ("text", value)
    elif value is None or isinstance(value, (bool, int, float, complex, bytes)):
        leaves[key] = ("value", type(value).__name__, repr(value))
    elif isinstance(value, np.ndarray) and value.dtype.kind in "OUST":
        found = tuple(repr(one) for one in value.ravel())
        leaves[key] = (kind, value.dtype.kind, value.shape, found)
    elif isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        leaves[key] = ("array", array.dtype.str, array.shape, array.tobytes())
    elif hasattr(value, "iloc") and hasattr(value, "index"):
        flatten_frame(key, value, leaves, depth)
    elif hasattr(value, "tocsr") and hasattr(value, "nnz"):
        flatten(f"{key}.{value.format}", value.toarray(), leaves, depth + 1)
    elif isinstance(value, dict):
        for name, one in value.items():
            if str(name) not in CHANGING:
                flatten(f"{key}.{name}", one, leaves, depth + 1)
    elif isinstance(value, (list, tuple, set, frozenset, range)):
        flatten_list(key, value, leaves, depth, kind)
    elif hasattr(value, "get_params"):
        leaves[f"{key} repr"] = ("text", re.sub(" at 0x[0-9a-f]+", "", repr(value)))
    elif type(value).__module__.startswith("skrobust"):
        flatten_object(key, value, leaves, depth)


def flatten_frame(key, value, leaves, depth):
    """Write the columns of a data frame, or a series, with index and dtypes."""
    flatten(f"{key}.index", np.asarray(value.index), leaves, depth + 1)
    columns = value.items() if value.ndim == 2 else [("values", value)]
    for name, column in columns:
        if str(name) in CHANGING:
            continue
        leaves[f"{key}.{name} dtype"] = ("value", str(column.dtype))
        flatten(f"{key}.{name}", column.to_numpy(), leaves, depth + 1)


def flatten_list(key, value, leaves, depth, kind):
    """Write a list: plain entries together, others one by one."""
    ordered = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
    name = type(value).__name__ if type(value) in (list, tuple) else "sequence"
    if all(isinstance(one, (bool, int, float, str, type(None))) for one in ordered):
        texts = any(isinstance(one, str) for one in ordered)
        leaves[key] = (kind if texts else "items", name, tuple(map(repr, ordered)))
        return
    leaves[f"{key} length"] = ("value", name, len(ordered))
    for i, one in enumerate(ordered):
        flatten(f"{key}[{i}]", one, leaves, depth + 1)


def flatten_object(key, value, leaves, depth):
    """Write the public attributes of an object of the package."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    else:
        names = list(getattr(value, "__dict__", ()))
    for name in names:
        if not name.startswith("_") and name not in CHANGING:
            flatten(f"{key}.{name}", getattr(value, name), leaves, depth + 1)


def compute(only):
    """Return the results of all families as plain data."""
    import same_cases

    recorder, uncovered, public = Recorder(), {}, {}
    for name, cases in same_cases.CASES.items():
        if only and name not in only:
            continue
        start = time.perf_counter()
        family = Family(name)
        recorder(f"{name}.cases complete", cases, recorder, family)
        recorder(
            f"{name}.examples complete", same_cases.examples, recorder, family, name
        )
        public[name] = sorted(family._module.__all__)
        uncovered[name] = sorted(set(public[name]) - family._used)
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
        if uncovered[name]:
            print(f"  no result of {', '.join(uncovered[name])}", file=sys.stderr)
    return {
        "leaves": recorder.leaves,
        "public": public,
        "uncovered": uncovered,
        "missing": sorted(recorder.missing),
    }


def describe(a, b):
    """Say how two leaves differ."""
    if a[0] == b[0] == "array" and a[1:3] == b[1:3]:
        x, y = (np.frombuffer(one[3], dtype=one[1]) for one in (a, b))
        if x.dtype.kind in "biufc":
            both = [one.astype(complex) for one in (x, y)]
            differs = (both[0] != both[1]) & ~(np.isnan(both[0]) & np.isnan(both[1]))
            gap = np.abs(both[0] - both[1])[differs]
            most = np.nanmax(gap) if np.isfinite(gap).any() else np.nan
            return f"{differs.sum()} of {len(x)} differ, at most by {most:.3g}"
    x, y = (one[1:3] if one[0] == "array" else one[1:] for one in (a, b))
    return f"{str(x)[:300]}\n      -> {str(y)[:300]}"


def limits_of(key, leaf, leaves):
    """Return the leaf of a tuple that is an object with two limits now, or None.

    The object holds plain floats where the tuple may have held those of numpy.
    """
    limits = [leaves.get(f"{key}.{name}") for name in ("low", "high")]
    if key in leaves or not all(limits):
        return None
    now = tuple(limit[-1] for limit in limits)
    before = tuple(re.sub(r"np\.float64\((.*)\)", r"\1", one) for one in leaf[-1])
    return leaf if now == before else ("items", "tuple", now)


def compare(old, new):
    """Print every difference of two stored results; return whether numbers differ."""
    families = [name for name in old["public"] if name in new["public"]]
    for name in families:
        a, b = set(old["public"][name]), set(new["public"][name])
        if a != b:
            print(f"names of {name}: gone {sorted(a - b)}, new {sorted(b - a)}")
    starts = tuple(f"{name}." for name in families)
    a, b = (
        {key: leaf for key, leaf in one["leaves"].items() if key.startswith(starts)}
        for one in (old, new)
    )
    pairs = {key: limits_of(key, leaf, b) for key, leaf in a.items()}
    b.update({key: pair for key, pair in pairs.items() if pair})
    for old_end, new_end in RENAMED.items():
        keys = [key for key in a if key.endswith(old_end) and key not in b]
        places = {key: key.removesuffix(old_end) + new_end for key in keys}
        b.update({key: b[other] for key, other in places.items() if other in b})
    changed = [key for key in a if key in b and a[key] != b[key]]
    told = [key for key in changed if a[key][0] == b[key][0] == "text"]
    filled = [key for key in changed if a[key] == NONE]
    numbers = [key for key in changed if key not in {*told, *filled}]
    lost = [key for key in a if key not in b]
    # An example that was edited has other keys, and a warning is wording.
    excused = [k for k in lost if ".example " in k or a[k][0] == "text"]
    works = [key for key in lost if key.endswith(" raises")]
    lost = [key for key in lost if key not in {*excused, *works}]
    sections = {
        "NUMBERS THAT DIFFER": numbers,
        "RESULTS THAT ARE GONE": lost,
        "calls that raised no longer raise": works,
        "values where there was None": filled,
        "wording": told,
        "texts and values of examples that are gone": excused,
        "new results": [key for key in b if key not in a],
    }
    for title, keys in sections.items():
        print(f"\n{title}: {len(keys)}")
        for key in keys:
            both = key in a and key in b
            print(f"  {key}" + (f"\n      {describe(a[key], b[key])}" if both else ""))
    count = collections.Counter(key.split(".")[0] for key in a)
    print(f"\ncompared {sum(count.values())} results: {dict(count)}")
    return bool(numbers or lost)


def main():
    """Store results, or compare two files of them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--save", metavar="FILE")
    parser.add_argument("--only", nargs="+", metavar="FAMILY")
    parser.add_argument("--errors", action="store_true", help="list what raised")
    parser.add_argument("--compare", nargs=2, metavar=("OLD", "NEW"))
    args = parser.parse_args()
    if args.save:
        results = compute(args.only)
        with open(args.save, "wb") as file:
            pickle.dump(results, file)
        print(f"{len(results['leaves'])} results -> {args.save}", file=sys.stderr)
        for key, leaf in results["leaves"].items() if args.errors else ():
            if key.endswith(" message"):
                print(f"{key[:-8]} raises: {leaf[1]}")
    if args.compare:
        both = []
        for path in args.compare:
            with open(path, "rb") as file:
                both.append(pickle.load(file))
        sys.exit(int(compare(*both)))


if __name__ == "__main__":
    main()
