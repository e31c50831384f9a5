"""The code of a mutant, put in place of the original in the running process.

Functions keep their identity and get new code, so that nothing is imported again. A
change of what runs on import (defaults, class attributes) cannot be made in this way.
"""

import ast
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


def _signatures(tree):
    """Yield name, first line and arguments of the functions of a module and classes."""
    waiting = [((), node) for node in tree.body]
    while waiting:
        names, node = waiting.pop()
        if isinstance(node, ast.ClassDef):
            waiting += [((*names, node.name), child) for child in node.body]
        elif isinstance(node, ast.FunctionDef):
            first = min(part.lineno for part in (node, *node.decorator_list))
            yield ".".join((*names, node.name)), first, node.args


def changed_defaults(original, new, path):
    """Return the place of a function of which only defaults changed, and these."""
    pairs = zip(_signatures(original), _signatures(new), strict=True)
    changed = [now for old, now in pairs if ast.dump(old[2]) != ast.dump(now[2])]
    if len(changed) != 1:
        return None
    name, first, arguments = changed[0]

    def values(nodes):
        kept = [node for node in nodes if node is not None]
        return [compile(ast.Expression(node), path, "eval") for node in kept]

    keywords = [
        argument.arg
        for argument, node in zip(
            arguments.kwonlyargs, arguments.kw_defaults, strict=True
        )
        if node is not None
    ]
    return (
        path,
        name,
        first,
        values(arguments.defaults),
        dict(zip(keywords, values(arguments.kw_defaults), strict=True)),
    )


def patch_defaults(changed, functions):
    """Give living functions other defaults; return False where there are none."""
    path, name, first, positional, keywords = changed
    found = [
        function
        for place, living in functions.items()
        if place[:3] == (path, name, first)
        for function in living
    ]
    for function in found:
        names = function.__globals__
        if positional:
            function.__defaults__ = tuple(eval(code, names) for code in positional)
        if keywords:
            function.__kwdefaults__ = {
                keyword: eval(code, names) for keyword, code in keywords.items()
            }
    return bool(found)
