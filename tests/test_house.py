"""The floors of the house, and what an import may load."""

import ast
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "skrobust"

# Lowest first. A room may import rooms of lower floors, and itself.
FLOORS = [
    {"_array_checks", "_column_numbers", "_compiled", "_containers", "_deprecation",
     "_folder_links", "_guarded_rows", "_keyed_noise",
     "_loader_workers", "_norms", "_one_line", "_optional", "_parallel", "_parameters",
     "_parquet", "_repeated_answers",
     "_responses", "_results", "_results_text", "_safe_terminal", "_sealed",
     "_stacklevel", "_tabs_html",
     "_text_units", "_validation", "_whole_file"},
    {"base"},
    {"metrics"},
    {"_differentiable"},
    {"perturbations", "attacks", "sampling", "nets", "datasets"},
    {"certificates", "wrappers"},
    {"evaluation", "testing"},
    {"plots"},
    {"report"},
    {"studies"},
    {"cli"},
]  # fmt: skip
# The few neighbours on the lowest floor that may lean on one another.
WITHIN_LOWEST = {
    "_array_checks": {"_containers", "_validation"},
    "_containers": {"_column_numbers"},
    "_folder_links": {"_validation"},
    "_keyed_noise": {"_compiled", "_containers", "_validation"},
    "_norms": {"_keyed_noise"},
    "_parameters": {"_validation"},
    "_guarded_rows": {"_containers"},
    "_repeated_answers": {"_containers", "_keyed_noise", "_responses", "_stacklevel"},
    "_responses": {
        "_array_checks",
        "_containers",
        "_guarded_rows",
        "_loader_workers",
        "_stacklevel",
        "_validation",
    },
    "_parallel": {"_optional", "_safe_terminal"},
    "_parquet": {"_folder_links", "_optional"},
    "_results": {"_optional", "_results_text", "_tabs_html"},
    "_sealed": {"_whole_file"},
    "_validation": {"_containers"},
}
# Names that may occur in several folders, since they mean the same in each.
SAME_MEANING = {
    "__init__",  # what the folder offers
    "base",  # the base class of the folder
    "presets",  # lists of conditions
}
DOORS = {"__init__", "__main__"}


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports_of(path):
    modules = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            modules.append(node.module or "")
        elif isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
    return modules


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_arrows_point_down(path):
    floor = {room: i for i, rooms in enumerate(FLOORS) for room in rooms}
    room = room_of(path)
    if room in DOORS:
        return
    assert room in floor, f"{room} has no floor; give it one in FLOORS"
    for module in imports_of(path):
        if not module.startswith("skrobust."):
            continue
        other = module.split(".")[1]
        if other == room or other in WITHIN_LOWEST.get(room, ()):
            continue
        assert floor[other] < floor[room], f"{path.name} imports {module}, upwards"


# Imported when an attack is told to go on with stronger ones.
FINISHERS = {"skrobust.attacks._hop_skip_jump", "skrobust.attacks._square"}


@pytest.mark.parametrize("family", [p.parent.name for p in PACKAGE.glob("*/core")])
def test_folders_of_a_family_lean_on_its_core_alone(family):
    folders = {p.parent.name for p in (PACKAGE / family).glob("*/__init__.py")}
    for path in sorted((PACKAGE / family).glob("*/**/*.py")):
        own = path.relative_to(PACKAGE / family).parts[0]
        for module in set(imports_of(path)) - FINISHERS:
            if module.startswith(f"skrobust.{family}"):
                inside = [*module.split("."), ""][2]
                assert inside in folders, f"{path.name} imports {module}, upwards"
                assert inside in (own, "core"), f"{path.name} imports {module}"


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_no_private_imports_across_families(path):
    room = room_of(path)
    for module in imports_of(path):
        if not module.startswith("skrobust."):
            continue
        family, *inside = module.split(".")[1:]
        if family != room:
            assert not any(part.startswith("_") for part in inside), module


def test_each_file_name_has_one_meaning():
    places = {}
    for path in PACKAGE.rglob("*.py"):
        places.setdefault(path.stem.lstrip("_"), []).append(path)
    places.pop("init__")
    twice = {
        name: [str(p.relative_to(PACKAGE)) for p in paths]
        for name, paths in places.items()
        if len(paths) > 1 and name not in SAME_MEANING
    }
    assert not twice


def test_no_file_shadows_the_standard_library():
    names = {path.stem for path in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    assert not names & set(sys.stdlib_module_names)


def test_files_are_short():
    long = {
        str(path.relative_to(PACKAGE)): n
        for path in PACKAGE.rglob("*.py")
        if (n := len(path.read_text().splitlines())) > 400
    }
    assert not long


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_no_private_scikit_learn(path):
    for module in imports_of(path):
        if module.startswith("sklearn"):
            parts = module.split(".")
            assert not any(part.startswith("_") for part in parts), module


MODULES = ["skrobust", "skrobust.attacks", "skrobust.metrics", "skrobust.perturbations",
           "skrobust.sampling", "skrobust.nets", "skrobust.datasets",
           "skrobust.certificates", "skrobust.evaluation", "skrobust.plots",
           "skrobust.studies", "skrobust.testing", "skrobust.wrappers",
           "skrobust.cli"]  # fmt: skip
HEAVY = ["torch", "numba", "av", "cv2", "PIL", "skorch", "matplotlib", "imblearn",
         "jinja2", "skops", "onnxruntime", "ai_edge_litert",
         "transformers"]  # fmt: skip


@pytest.fixture(scope="module")
def loaded():
    """Return by module the heavy packages that its import adds, in a fresh process."""
    code = f"""
import importlib, json, sys
loaded = {{}}
for module in {MODULES!r}:
    before = set(sys.modules)
    importlib.import_module(module)
    loaded[module] = [m for m in {HEAVY!r} if m in sys.modules and m not in before]
print(json.dumps(loaded))
"""
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return json.loads(out.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_light_imports(module, loaded):
    assert loaded[module] == []


def test_families_are_attributes():
    import skrobust

    assert skrobust.metrics.accuracy_stability_index([0.5, 0.5]) == 1
    assert set(skrobust.__all__) <= set(dir(skrobust))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = skrobust.nothing


@pytest.mark.parametrize(
    "family",
    ["attacks", "base", "certificates", "datasets", "evaluation", "metrics", "nets",
     "perturbations", "plots", "sampling", "studies", "testing", "wrappers"],
)  # fmt: skip
def test_all_is_sorted_and_there(family):
    import importlib

    module = importlib.import_module(f"skrobust.{family}")
    assert list(module.__all__) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name).__doc__, name
