"""Write the types of all public names, from their signatures and docstrings.

    python .ci/stubs.py            # writes skrobust/*/__init__.pyi
    python .ci/stubs.py --check    # ends with 1 where one of them is not as it would be

The docstrings state the type of every parameter and result, and are checked elsewhere;
so the types are written once. What they say in words that have no type, such as "fitted
classifier", is Any.
"""

import argparse
import importlib
import inspect
import re
import sys
from pathlib import Path

from numpydoc.docscrape import NumpyDocString

import skrobust

PACKAGE = Path(skrobust.__file__).parent
FAMILIES = [name for name in skrobust.__all__ if name != "wrap"]  # a function
HEADER = """# Written by .ci/stubs.py from signatures and docstrings; do not edit.
# mypy: disable-error-code="override"
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
"""
ALIASES = """
_Int = int | np.integer[Any]
_Float = float | np.floating[Any] | np.integer[Any]
_Path = str | PathLike[str]
"""
WORDS = {
    "int": ("_Int", "int"),
    "float": ("_Float", "float"),
    "bool": ("bool", "bool"),
    "str": ("str", "str"),
    "string": ("str", "str"),
    "None": ("None", "None"),
    "callable": ("Callable[..., Any]", "Callable[..., Any]"),
    "array-like": ("ArrayLike", "NDArray[Any]"),
    "ndarray": ("NDArray[Any]", "NDArray[Any]"),
    "path": ("_Path", "Path"),
    "Path": ("_Path", "Path"),
    "path-like": ("_Path", "Path"),
    "dict": ("Mapping[str, Any]", "dict[str, Any]"),
    "RandomState": ("np.random.RandomState", "np.random.RandomState"),
    "Generator": ("np.random.Generator", "np.random.Generator"),
    "inf": ("float", "float"),
    "numpy.inf": ("float", "float"),
}
DUNDERS = {
    "__len__": "def __len__(self) -> int: ...",
    "__iter__": "def __iter__(self) -> Iterator[Any]: ...",
    "__getitem__": "def __getitem__(self, key: Any) -> Any: ...",
    "__call__": "def __call__(self, *args: Any, **kwargs: Any) -> Any: ...",
    "__fspath__": "def __fspath__(self) -> str: ...",
}
ANYTHING = "(self, *args: Any, **kwargs: Any) -> Any"
# What is set from outside, or by the base class alone.
MORE = {
    "BasePerturbation": ["name: str", "number: int"],
    "BaseSampler": ["scores_: Any", "y_pred_: Any"],
}
LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'|-?\d+|True|False|None")


def pieces(text, marks=(", ", " or ")):
    """Split text at marks outside of brackets and quotes."""
    found, depth, quote, start, at = [], 0, None, 0, 0
    while at < len(text):
        char = text[at]
        if quote:
            quote = None if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        mark = next((m for m in marks if text.startswith(m, at)), None)
        if mark and not depth and not quote:
            found.append(text[start:at])
            at = start = at + len(mark)
            continue
        at += 1
    return [part.strip() for part in [*found, text[start:]] if part.strip()]


class Writer:
    """Writer of the stub of one family."""

    def __init__(self, family, homes):
        self.module = importlib.import_module(f"skrobust.{family}")
        self.home, self.homes, self.imports = f"skrobust.{family}", homes, set()

    def known(self, name):
        """Return a public class by its name, which is imported where it is needed."""
        home = self.homes.get(name)
        if home is None:
            return None
        if home != self.home:
            self.imports.add(f"from {home} import {name} as {name}")
        return name

    def type_of(self, text, default=inspect.Parameter.empty, *, result=False):
        """Return the annotation of a type in words."""
        text = re.sub(r",? ?(default ?=.*|optional)$", "", text.strip())
        text = re.sub(r",? dtype .*$", "", text)
        text = re.sub(r" of (the )?(same )?shape .*?(?=, or | or |$)", "", text)
        found = [self.one(part, result) for part in pieces(text.replace(", or ", ", "))]
        if not found or "Any" in found:
            return "Any"
        if default is None and "None" not in found:
            found.append("None")
        if isinstance(default, bool) and not {"bool"} & set(found):
            return "Any"
        found = list(dict.fromkeys(found))
        return " | ".join(
            [t for t in found if t != "None"] + ["None"] * ("None" in found)
        )

    def one(self, text, result):
        """Return the annotation of one alternative."""
        text = re.sub(r"^(a|an|the) ", "", text)
        number = re.match(r"(int|float)s?( in [\[(].*| > .*| of at least .*|$)", text)
        if number:
            return WORDS[number[1]][result]
        if text in WORDS:
            return WORDS[text][result]
        if text[:1] == "{" and text[-1:] == "}":
            inner = pieces(text[1:-1])
            if all(LITERAL.fullmatch(part) for part in inner):
                return f"Literal[{', '.join(inner)}]"
            kinds = [self.one(part, result) for part in inner]
            return "Any" if "Any" in kinds else " | ".join(dict.fromkeys(kinds))
        if LITERAL.fullmatch(text):
            return f"Literal[{text}]"
        if text[:1] == "(" and text[-1:] == ")":
            inner = [
                "_Float" if part in ("low", "high") else self.one(part, result)
                for part in pieces(text[1:-1], (", ",))
            ]
            return "Any" if "Any" in inner else f"tuple[{', '.join(inner)}]"
        many = re.fullmatch(
            r"(tuple|list|sequence) of (\d+ )?(\w+|\(.*\)|\{.*\})", text
        )
        if many:
            inner = self.one(re.sub(r"^(int|float)s$", r"\1", many[3]), result)
            if many[1] == "tuple":
                return f"tuple[{inner}, ...]"
            return f"{'list' if result and many[1] == 'list' else 'Sequence'}[{inner}]"
        pairs = re.fullmatch(r"dict of str to (.*)", text)
        if pairs:
            inner = self.one(pairs[1], result)
            return f"{'dict' if result else 'Mapping'}[str, {inner}]"
        return self.known(text) or "Any"

    def signature(self, function, document, *, bound=False, result=None):
        """Return parameters and result of a function as they stand in a stub."""
        words = {}
        for section in ("Parameters", "Other Parameters"):
            for entry in document[section]:
                for name in entry.name.split(","):
                    words[name.strip().lstrip("*")] = entry.type
        shown, star = (["self"] if bound else []), False
        for i, p in enumerate(inspect.signature(function).parameters.values()):
            if bound and not i:
                continue
            kind = "Any"
            if p.name in words and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                kind = self.type_of(words[p.name], p.default)
            if p.kind is p.VAR_POSITIONAL:
                shown, star = [*shown, f"*{p.name}: Any"], True
                continue
            if p.kind is p.VAR_KEYWORD:
                shown.append(f"**{p.name}: Any")
                continue
            if p.kind is p.KEYWORD_ONLY and not star:
                shown, star = [*shown, "*"], True
            has_default = p.default is not p.empty
            shown.append(f"{p.name}: {kind}{' = ...' if has_default else ''}")
        return f"({', '.join(shown)}) -> {result or self.result(document)}"

    def result(self, document):
        """Return the annotation of the result of a function."""
        names = [entry.name for entry in document["Parameters"]]
        returns_more = any("return_" in name for name in names)
        section = document["Returns"] or document["Yields"]
        kinds = []
        for entry in section:
            text = entry.type or entry.name
            kinds.append("Self" if text == "self" else self.type_of(text, result=True))
        if document["Yields"]:
            return "Iterator[Any]"
        if any(" | " in kind for kind in kinds) or returns_more:
            return "Any"  # which of them depends on the call
        if len(kinds) > 1:
            return f"tuple[{', '.join(kinds)}]"
        return kinds[0] if kinds else "Any"

    def of_class(self, kind):
        """Return the lines of a class."""
        document = NumpyDocString(inspect.getdoc(kind) or "")
        homes = {
            name: home for name, home in self.homes.items() if name != kind.__name__
        }
        base = next(
            (
                b
                for b in kind.__mro__[1:]
                if b.__module__.startswith("skrobust") and b.__name__ in homes
            ),
            None,
        )
        above = f"({self.known(base.__name__)})" if base else ""
        is_bunch = base is None and issubclass(kind, dict)
        lines = [f"class {kind.__name__}{'(dict[str, Any])' if is_bunch else above}:"]
        own = {}
        for entry in document["Attributes"]:
            for name in entry.name.split(","):
                if name.strip().isidentifier():
                    own[name.strip()] = self.type_of(entry.type or "", result=True)
        members = {}
        for name, member in inspect.getmembers_static(kind):
            source = next((b for b in kind.__mro__ if name in vars(b)), kind)
            inherited = base is not None and issubclass(base, source)
            if inherited or (name.startswith("_") and name not in DUNDERS):
                continue
            if source.__module__.startswith("sklearn.") and callable(member):
                members[name] = [f"def {name}{ANYTHING}: ..."]
            if not source.__module__.startswith("skrobust"):
                continue
            if name in DUNDERS:
                members[name] = [DUNDERS[name]]
            else:
                members[name] = self.member(name, member)
        if kind.__init__ is not object.__init__:
            head = self.signature(kind.__init__, document, bound=True, result="None")
            lines.append(f"    def __init__{head}: ...")
        for name in inspect.signature(kind).parameters:
            if (
                name.isidentifier()
                and base is None
                and not is_bunch
                and name not in own | members
            ):
                own[name] = "Any"
        lines += [f"    {k}: {v}" for k, v in own.items() if k not in members]
        lines += [f"    {line}" for part in members.values() for line in part]
        if base is None:
            lines += [f"    {line}" for line in MORE.get(kind.__name__, ())]
        if is_bunch or any(b.__module__.startswith("torch.") for b in kind.__mro__):
            # What it holds depends on the call, or has no types here.
            lines.append("    def __getattr__(self, name: str) -> Any: ...")
        return lines if len(lines) > 1 else [*lines, "    ..."]

    def member(self, name, member):
        """Return the lines of a method, a property or another attribute."""
        document = NumpyDocString(inspect.getdoc(member) or "")
        if isinstance(member, property):
            kind = self.result(document)
            return ["@property", f"def {name}(self) -> {kind}: ..."]
        marks = []
        if isinstance(member, (staticmethod, classmethod)):
            marks = [f"@{type(member).__name__}"]
            bound = isinstance(member, classmethod)
            member = member.__func__
            document = NumpyDocString(inspect.getdoc(member) or "")
            head = self.signature(member, document, bound=bound)
            return [*marks, f"def {name}{head.replace('(self', '(cls', 1)}: ..."]
        if not inspect.isfunction(member):
            return [f"{name}: Any"]
        head = self.signature(member, document, bound=True)
        return [f"def {name}{head}: ..."]

    def text(self):
        """Return the stub."""
        lines = []
        for name in self.module.__all__:
            found = getattr(self.module, name)
            lines.append("")
            if self.homes.get(name, self.home) != self.home:  # of another family
                lines.pop()
                self.imports.add(f"from {self.homes[name]} import {name} as {name}")
            elif inspect.isclass(found):
                lines += self.of_class(found)
            elif inspect.isfunction(found):
                document = NumpyDocString(inspect.getdoc(found) or "")
                lines.append(f"def {name}{self.signature(found, document)}: ...")
            else:
                lines.append(f"{name}: Any")
        body = "\n".join(lines) + "\n"
        own = ["from pathlib import Path\n"] if re.search(r"\bPath\b", body) else []
        names = ", ".join(f'"{name}"' for name in self.module.__all__)
        imports = "".join(f"{line}\n" for line in sorted(self.imports))
        parts = [HEADER, *own, imports, ALIASES, f"\n__all__ = [{names}]\n", body]
        return "".join(parts)


def homes():
    """Return the public classes, and the module that each is imported from."""
    found = {}
    for family in FAMILIES:
        module = importlib.import_module(f"skrobust.{family}")
        for name in module.__all__:
            if inspect.isclass(getattr(module, name)):
                found.setdefault(name, f"skrobust.{family}")
    return found


def stubs():
    """Return the text of each stub by its path."""
    known = homes()
    lines = [f"from skrobust import {name} as {name}" for name in FAMILIES]
    lines += ["from skrobust.wrappers import wrap as wrap", "", "__version__: str", ""]
    found = {PACKAGE / "__init__.pyi": "\n".join(lines)}
    for family in FAMILIES:
        found[PACKAGE / family / "__init__.pyi"] = Writer(family, known).text()
    return found


def main():
    """Write or check the stubs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    check, old = parser.parse_args().check, []
    for path, text in stubs().items():
        if check:
            is_old = not path.is_file() or path.read_text(encoding="utf-8") != text
            old += [str(path)] if is_old else []
        else:
            path.write_text(text, encoding="utf-8")
    for path in old:
        print(f"{path} is old; run .ci/stubs.py")
    sys.exit(bool(old))


if __name__ == "__main__":
    main()
