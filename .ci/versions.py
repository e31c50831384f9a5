"""Try the package with the lowest versions it declares, and with the newest.

    python .ci/versions.py floors              # core and main extras, this Python
    python .ci/versions.py newest --python python3.12 --python python3.13
    python .ci/versions.py floors --extras core --quick
    python .ci/versions.py constraints --extras main   # only print the floors

For each interpreter and each set of extras: a wheel is built once, from the source
distribution; it is installed into an environment of its own, and a selection of the
tests runs against the installed package, outside the tree, with warnings as errors.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The sets of extras, each in an environment of its own. Torch is one of its own, since
# its wheels take gigabytes on some machines.
EXTRAS = {
    "core": [],
    "main": ["report", "images", "imblearn", "boosting", "fast", "parquet", "plots"],
    "more": ["video", "faces", "interactive", "onnx", "text", "ann", "dask"],
    "torch": ["torch", "deepfake", "report", "images"],
}
# What the tests need beside an extra; newest, as they are no part of the package.
TOOLS = ["pytest>=8.2", "hypothesis", "jsonschema"]
TEST_TOOLS = {"core": TOOLS}  # of the others, with pandas and polars
# A few files of each family that can run with a set; without pandas, many cannot.
QUICK = """
metrics/test_stability metrics/test_confidence_interval metrics/test_scorers
sampling/test_samplers perturbations/test_engine attacks/test_targets
evaluation/test_evaluation
"""
CORE = f"""
{QUICK}
metrics/test_streaming metrics/test_comparison metrics/test_groups
metrics/test_registry metrics/test_messages sampling/test_peers_contract
sampling/test_operational sampling/test_designs sampling/test_unbiased
perturbations/test_text_languages attacks/test_regression attacks/test_spread
attacks/test_exact_trees attacks/test_over_batches evaluation/test_ratio_bounds
evaluation/test_batches evaluation/test_repairs certificates/test_linear_proof
certificates/test_tree_proof wrappers/test_functions parallel/test_tasks
datasets/test_batched_rows testing/test_assert_robust test_whole_file
"""
MAIN = f"""
{QUICK}
test_missing_values test_results_text metrics/test_groups metrics/test_registry
sampling/test_operational sampling/test_read_pool perturbations/test_compiled
perturbations/test_text perturbations/test_perturbed_estimators attacks/test_frames
attacks/test_exact_trees_libraries evaluation/test_batches evaluation/test_repairs
datasets/test_batched_rows datasets/test_image_sets datasets/test_links
certificates/test_tree_proof cli/test_spreadsheet_cells cli/test_start
cli/test_list_formats cli/test_sample_label cli/test_report
"""
MORE = """
wrappers/test_onnx_models perturbations/test_text perturbations/test_video_chain
datasets/test_videos parallel/test_tasks sampling/test_surprise_index
"""
TORCH = """
test_contracts nets/test_classifiers nets/test_face_nets nets/test_state_dicts
nets/test_mesonet attacks/test_nets attacks/test_minimal_norm_nets
attacks/test_net_logits attacks/test_reduced_precision certificates/test_torch_nets
certificates/test_net_proof datasets/test_image_sets wrappers/test_torch_modules
evaluation/test_batches cli/test_report
"""
TESTS = {"core": CORE, "main": MAIN, "more": MORE, "torch": TORCH}


def floors(extras, python):
    """Return the lowest declared version of each package, by its name.

    Parameters
    ----------
    extras : sequence of str
        Extras beside the dependencies of the package itself.
    python : str
        Version of the interpreter, such as ``"3.11"``.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    found = {}
    for text in wanted:
        requirement = _requirement(text)
        marker = requirement.marker
        if marker is not None and not marker.evaluate({"python_version": python}):
            continue
        lowest = [s.version for s in requirement.specifier if s.operator == ">="]
        if len(lowest) != 1:
            raise SystemExit(f"{text!r} has no floor; write it as name>=version.")
        known = found.setdefault(requirement.name, lowest[0])
        if known != lowest[0]:
            raise SystemExit(f"{text!r} and {known} are two floors of one package.")
    return found


def _requirement(text):
    try:
        from packaging.requirements import Requirement
    except ImportError:  # pip carries it
        from pip._vendor.packaging.requirements import Requirement
    return Requirement(text)


def run(words, **settings):
    """Run a command, shown before; end with its exit code where it fails."""
    print("+", *words, flush=True)
    done = subprocess.run([str(word) for word in words], check=False, **settings)
    if done.returncode:
        raise SystemExit(done.returncode)


def build(python, folder):
    """Return a wheel that is built from the source distribution, both in a folder."""
    tools = folder / "tools"
    environment(python, tools)
    pip(tools, "build")
    run([tools / "bin/python", "-m", "build", "--outdir", folder / "dist", ROOT])
    return next((folder / "dist").glob("*.whl"))


def environment(python, place):
    """Make an environment of an interpreter."""
    if Path(python).resolve() == Path(sys.executable).resolve():
        venv.create(place, with_pip=True, clear=True)
    else:
        run([python, "-m", "venv", "--clear", place])


def pip(place, *words):
    """Install packages into an environment."""
    quiet = ["--quiet", "--disable-pip-version-check", "--prefer-binary"]
    run([place / "bin/python", "-m", "pip", "install", *quiet, *words])


def version_of(python):
    """Return the version of an interpreter, such as 3.11."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.check_output([python, "-c", code], text=True).strip()


def check(kind, extras, python, wheel, folder, tests):
    """Install a set of extras in the lowest or newest versions, and run tests."""
    version, names = version_of(python), EXTRAS[extras]
    place = folder / f"{kind}-{extras}-{version}"
    environment(python, place)
    what = f"skrobust[{','.join(names)}] @ {wheel.as_uri()}" if names else str(wheel)
    words = [what, *TEST_TOOLS.get(extras, [*TOOLS, "pandas", "polars"])]
    if kind == "floors":
        listed = folder / f"{place.name}.txt"
        tools = floors(["test"], version)
        lowest = {"polars": tools["polars"]} | floors(names, version)
        listed.write_text("".join(f"{n}=={v}\n" for n, v in lowest.items()))
        words += ["--constraint", listed]
    else:
        words += ["--upgrade"]
    pip(place, *words)
    run([place / "bin/python", "-m", "pip", "list", "--disable-pip-version-check"])
    outside = folder / "outside"  # so that the tree is not imported
    outside.mkdir(exist_ok=True)
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    clean |= {"OMP_NUM_THREADS": "1"}
    code = "import skrobust; print(skrobust.__version__, skrobust.__file__)"
    run([place / "bin/python", "-W", "error", "-c", code], cwd=outside, env=clean)
    if "report" in names:
        demo = ["demo", "--quick", "--quiet", "--out", f"{place.name}.html"]
        run([place / "bin/skrobust", *demo], cwd=outside, env=clean)
        run([place / "bin/skrobust", "doctor"], cwd=outside, env=clean)
    settings = ["-q", "-p", "no:cacheprovider", "-m", "not slow"]
    paths = [ROOT / "tests" / f"{test}.py" for test in tests.split()]
    run(
        [place / "bin/pytest", "-c", ROOT / "pyproject.toml", *settings, *paths],
        cwd=outside,
        env=clean,
    )


def main():
    """Read the arguments and run the checks."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kind", choices=["floors", "newest", "constraints"])
    parser.add_argument("--extras", action="append", choices=list(EXTRAS))
    parser.add_argument("--python", action="append", metavar="PROGRAM")
    parser.add_argument("--quick", action="store_true", help="few tests")
    parser.add_argument("--folder", help="folder of the environments, which is kept")
    given = parser.parse_args()
    sets, pythons = given.extras or ["core", "main"], given.python or [sys.executable]
    if given.kind == "constraints":
        names = [name for one in sets for name in EXTRAS[one]]
        for name, version in floors(names, version_of(pythons[0])).items():
            print(f"{name}=={version}")
        return
    with tempfile.TemporaryDirectory() as own:
        folder = Path(given.folder or own).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        wheel = build(pythons[0], folder)
        for python in pythons:
            for extras in sets:
                tests = QUICK if given.quick else TESTS[extras]
                check(given.kind, extras, python, wheel, folder, tests)


if __name__ == "__main__":
    main()
