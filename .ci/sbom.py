"""Write the packages of an environment as a bill of materials (CycloneDX 1.6, JSON).

    python .ci/sbom.py sbom.json                # the package and all that it needs here
    python .ci/sbom.py sbom.json --extras report,torch

Listed is what is installed of the dependencies, of the extras that are named (all,
where none is), and of what those need in turn, each with its version, licence and what
it depends on. The same environment gives the same file.
"""

import argparse
import json
import re
import uuid
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = "skrobust"


def canonical(name):
    """Return the name of a package as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(found, extras):
    """Return the names of the installed packages that a distribution needs."""
    names = set()
    for text in found.requires or ():
        one = Requirement(text)
        cases = [{"extra": extra} for extra in ("", *extras)]
        wanted = one.marker is None or any(map(one.marker.evaluate, cases))
        if wanted and canonical(one.name) != ROOT:
            names.add((canonical(one.name), tuple(sorted(one.extras))))
    return names


def collect(extras):
    """Return the distributions by name, and the names that each depends on."""
    found, depends, waiting = {}, {}, [(ROOT, tuple(extras))]
    while waiting:
        name, own = waiting.pop()
        try:
            one = distribution(name)
        except PackageNotFoundError:  # an extra that is not installed
            continue
        more = needed(one, own)
        new = {key for key, _ in more} - depends.get(name, set())
        if name in found and not new:
            continue
        found[name] = one
        depends.setdefault(name, set()).update(new)
        waiting += sorted(more)
    return found, depends


def reference(found, name):
    """Return the package URL of a distribution."""
    return f"pkg:pypi/{name}@{found[name].version}"


def component(found, name):
    """Return a distribution as a component."""
    facts = found[name].metadata
    entry = {
        "type": "library",
        "bom-ref": reference(found, name),
        "name": facts["Name"],
        "version": found[name].version,
        "purl": reference(found, name),
    }
    if facts.get("License-Expression"):
        entry["licenses"] = [{"expression": facts["License-Expression"]}]
    else:
        lines = [c for c in facts.get_all("Classifier", ()) if c.startswith("License")]
        names = [line.rpartition("::")[2].strip() for line in lines]
        text = (facts.get("License") or "").strip()
        names = names or ([text] if text and "\n" not in text else [])
        if names:
            entry["licenses"] = [{"license": {"name": name}} for name in names]
    return entry


def bill(extras):
    """Return the bill of materials as plain data."""
    found, depends = collect(extras)
    names = sorted(found)
    parts = [component(found, name) for name in names if name != ROOT]
    tree = [
        {
            "ref": reference(found, name),
            "dependsOn": [
                reference(found, k) for k in sorted(depends[name] & set(found))
            ],
        }
        for name in names
    ]
    content = json.dumps([parts, tree], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {"component": component(found, ROOT)},
        "components": parts,
        "dependencies": tree,
    }


def main():
    """Read the arguments and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--extras", help="separated by commas")
    given = parser.parse_args()
    known = distribution(ROOT).metadata.get_all("Provides-Extra", ())
    extras = given.extras.split(",") if given.extras else known
    unknown = sorted(set(extras) - set(known))
    if unknown:
        raise SystemExit(f"There is no extra {unknown[0]!r}; {', '.join(known)} are.")
    facts = bill(extras)
    Path(given.out).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(f"{len(facts['components'])} packages written to {given.out}")


if __name__ == "__main__":
    main()
