"""Mutants of a file: one small change of its syntax tree each.

A mutant has a key that stays the same while other lines are edited: the file, the class
and function, the text before and after, and a count where these occur repeatedly.
"""

import ast
import copy
from collections import Counter, namedtuple
from itertools import islice

Mutant = namedtuple("Mutant", "key file kind line lines site")

COMPARED = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}  # fmt: skip
COMPUTED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitAnd,
}  # fmt: skip
OPPOSITES = {}
for one, other in [
    ("min", "max"), ("minimum", "maximum"), ("any", "all"), ("floor", "ceil"),
    ("argmin", "argmax"), ("nanmin", "nanmax"), ("zeros", "ones"), ("log", "log1p"),
    ("zeros_like", "ones_like"), ("cos", "sin"), ("logical_and", "logical_or"),
]:  # fmt: skip
    OPPOSITES |= {one: other, other: one}
TEXTS = (ast.JoinedStr, ast.List, ast.Tuple)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _operators(node):
    """Yield kinds and replacements of an operator."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for new in COMPARED[type(operator)]:
                changed = copy.copy(node)
                changed.ops = [*node.ops[:i], new(), *node.ops[i + 1 :]]
                yield "comparison", changed
    elif isinstance(node, ast.BoolOp):
        changed = copy.copy(node)
        changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "and, or", changed
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield "sign, not", node.operand
    elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        if any(isinstance(side, TEXTS) for side in (node.left, node.right)):
            return
        sides = (node.left, node.right)
        if any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides):
            return
        changed = copy.copy(node)
        changed.op = COMPUTED[type(node.op)]()
        yield "arithmetic", changed
        if isinstance(node.op, ast.Div):
            yield "arithmetic", node.left


def _values(node):
    """Yield kinds and replacements of a constant, a name or a call."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield "constant", ast.Constant(node.value + 1)
        yield "constant", ast.Constant(node.value - 1)
    elif isinstance(node, ast.IfExp):
        yield "condition", ast.IfExp(ast.Not(), node.body, node.orelse)
        yield "condition", node.body
        yield "condition", node.orelse
    elif isinstance(node, ast.Call):
        function = node.func
        changed = copy.copy(node)
        if isinstance(function, ast.Attribute) and function.attr in OPPOSITES:
            changed.func = copy.copy(function)
            changed.func.attr = OPPOSITES[function.attr]
            yield "function", changed
        elif isinstance(function, ast.Name) and function.id in OPPOSITES:
            changed.func = ast.Name(OPPOSITES[function.id], ast.Load())
            yield "function", changed
        elif isinstance(function, ast.Attribute) and function.attr == "copy":
            yield "function", function.value


def _statements(node):
    """Yield kinds and replacements of a statement."""
    called = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    if called or isinstance(node, ast.Raise):
        yield "statement", ast.Pass()
    elif isinstance(node, ast.AugAssign) and type(node.op) in COMPUTED:
        if isinstance(node.value, TEXTS):
            return
        changed = copy.copy(node)
        changed.op = COMPUTED[type(node.op)]()
        yield "arithmetic", changed
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "returned value", ast.Return(ast.Constant(None))
    elif isinstance(node, ast.If | ast.While):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        yield "condition", changed
    elif isinstance(node, ast.Continue):
        yield "statement", ast.Break()


def replacements(node):
    """Return pairs of a kind of change and the node that replaces this one."""
    found = [*_operators(node), *_values(node), *_statements(node)]
    for k, (kind, new) in enumerate(found):
        if isinstance(new, ast.IfExp) and isinstance(new.test, ast.Not):
            negated = ast.UnaryOp(ast.Not(), node.test)
            found[k] = (kind, ast.IfExp(negated, node.body, node.orelse))
    return found


def _skipped(parent, field, node):
    """Tell whether a part of the tree is text, typing or layout."""
    if field in ("annotation", "returns", "decorator_list", "slice_annotation"):
        return True
    if isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom | ast.AnnAssign):
        return True
    if isinstance(node, ast.Assign):
        names = [getattr(target, "id", "") for target in node.targets]
        return "__all__" in names
    return isinstance(node, ast.keyword) and node.arg == "stacklevel"


def places(tree):
    """Yield (parent, field, index or None, node, names, owner) in a fixed order."""

    def visit(node, names, owner):
        for field, value in ast.iter_fields(node):
            several = isinstance(value, list)
            for i, child in enumerate(value if several else [value]):
                if not isinstance(child, ast.AST) or _skipped(node, field, child):
                    continue
                yield node, field, i if several else None, child, names, owner
                inner, holder = names, owner
                if isinstance(child, (*FUNCTIONS, ast.ClassDef)):
                    inner, holder = (*names, child.name), child
                yield from visit(child, inner, holder)

    yield from visit(tree, (), None)


def _text(node):
    # The head of a compound statement is enough to know it.
    return " ".join(ast.unparse(node).partition("\n")[0].split())


def _body(node):
    return node.body[0].lineno, node.end_lineno


def _lines(node, field_owner, tree, parents):
    """Return the lines whose tests are asked: those of the node, or of its owner.

    Defaults, class attributes and constants of a module run on import. Tests that run
    the function, the class or the module are asked.
    """
    function = next((p for p in parents if isinstance(p, FUNCTIONS)), None)
    if function is not None and node.lineno >= function.body[0].lineno:
        if isinstance(node, ast.If | ast.While):
            return node.test.lineno, node.test.end_lineno
        return node.lineno, node.end_lineno
    if function is not None:
        return _body(function)
    if isinstance(field_owner, ast.ClassDef):
        return field_owner.lineno, field_owner.end_lineno
    return 1, 10**6


def mutants_of(source, file):
    """Return all mutants of a file."""
    tree = ast.parse(source)
    found, counts, chain = [], Counter(), {}
    for site, (parent, _, _, node, names, owner) in enumerate(places(tree)):
        chain[node] = (node, *chain.get(parent, ()))
        if not hasattr(node, "lineno"):
            continue
        for k, (kind, new) in enumerate(replacements(node)):
            where = ".".join(names) or "module"
            key = f"{file}: {where}: {_text(node)} -> {_text(new)}"
            counts[key] += 1
            if counts[key] > 1:
                key += f" #{counts[key]}"
            lines = _lines(node, owner, tree, chain[node][1:])
            found.append(Mutant(key, file, kind, node.lineno, lines, (site, k)))
    return found


def control_of(source, file, draw):
    """Return a mutant of no effect: an unused local name in a function, or None."""
    tree = ast.parse(source)
    sites = [
        (site, node, names)
        for site, (*_, node, names, _) in enumerate(places(tree))
        if isinstance(node, FUNCTIONS)
    ]
    if not sites:
        return None
    site, node, names = sites[draw % len(sites)]
    where = ".".join((*names, node.name))
    key = f"{file}: {where}: control"
    return Mutant(key, file, "control", node.lineno, _body(node), (site, None))


def mutated(source, site):
    """Return the tree of a mutant."""
    tree = ast.parse(source)
    number, k = site
    parent, field, i, node, *_ = next(islice(places(tree), number, None))
    if k is None:
        unused = ast.parse("unused_name_of_control = 0").body[0]
        ast.copy_location(unused, node.body[-1])
        documented = ast.get_docstring(node) is not None and len(node.body) > 1
        node.body.insert(int(documented), unused)
        return ast.fix_missing_locations(tree)
    new = ast.copy_location(replacements(node)[k][1], node)
    if i is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[i] = new
    return ast.fix_missing_locations(tree)
