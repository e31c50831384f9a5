"""Installed and missing packages.

This module needs none of the packages that the other commands need.
"""

import importlib
import importlib.metadata
import os
import platform

# Package, module, the extra that installs it, and its use.
NEEDED = (
    ("numpy", "numpy", None, "everything"),
    ("scipy", "scipy", None, "everything"),
    ("scikit-learn", "sklearn", None, "everything"),
    ("joblib", "joblib", None, "everything"),
    ("click", "click", "report", "the command line"),
    ("jinja2", "jinja2", "report", "reports"),
    ("matplotlib", "matplotlib", "report", "pictures"),
    ("pandas", "pandas", "report", "tables"),
    ("skops", "skops", "report", "model files"),
    ("tqdm", "tqdm", "report", "progress bars"),
)
OPTIONAL = (
    ("torch", "torch", "torch", "gradient attacks on nets"),
    ("skorch", "skorch", "torch", "nets as estimators"),
    ("imbalanced-learn", "imblearn", "imblearn", "noise training in pipelines"),
    ("xgboost", "xgboost", "boosting", "exact attacks on its trees"),
    ("lightgbm", "lightgbm", "boosting", "exact attacks on its trees"),
    ("catboost", "catboost", "boosting", "exact attacks on its trees"),
    ("onnxruntime", "onnxruntime", "onnx", "ONNX models"),
    ("ai-edge-litert", "ai_edge_litert", "tflite", "tflite models"),
    ("Pillow", "PIL", "images", "folders of images"),
    ("numba", "numba", "fast", "faster image perturbations"),
    ("pyarrow", "pyarrow", "parquet", "parquet files"),
    ("icu4py", "icu4py", "text", "words of Chinese, Japanese and Thai"),
    ("av", "av", "video", "videos"),
    ("h5py", "h5py", "deepfake", "published weights of detectors"),
    ("opencv-python-headless", "cv2", "faces", "face crops"),
    ("plotly", "plotly", "interactive", "turning surfaces"),
    ("dask", "dask", "dask", "work on several machines"),
)


def doctor_facts():
    """Return versions, devices, what is missing and how to install it.

    Returns
    -------
    dict
        ``ok`` is False where something that the commands need is missing or broken;
        optional packages do not count.
    """
    packages = [_package(*row, required=row in NEEDED) for row in (*NEEDED, *OPTIONAL)]
    missing = [row for row in packages if row["problem"]]
    return {
        "format": "skrobust doctor 1",
        "ok": not any(row["required"] for row in missing),
        "skrobust": importlib.import_module("skrobust").__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "devices": _devices(),
        "packages": packages,
        "install": list(dict.fromkeys(row["install"] for row in missing)),
    }


def _package(name, module, extra, use, *, required):
    version = problem = install = None
    try:
        importlib.import_module(module)
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        version = "unknown"
    except Exception as error:  # a broken package may raise anything
        absent = isinstance(error, ImportError) and error.name == module
        problem = "missing" if absent else f"broken: {' '.join(str(error).split())}"
        what = f"'skrobust[{extra}]'" if extra else "skrobust"
        install = f"pip install {what}"
    facts = {"name": name, "version": version, "required": required, "use": use}
    return {**facts, "problem": problem, "install": install}


def _devices():
    try:
        torch = importlib.import_module("torch")
        n = torch.cuda.device_count()
        found = [f"cuda:{i} {torch.cuda.get_device_name(i)}" for i in range(n)]
        if torch.backends.mps.is_available():
            found.append("mps")
    except Exception:  # no torch, or one without its driver
        found = []
    return ["cpu", *found]


def doctor_text(facts):
    """Return the facts as lines."""
    lines = [
        f"skrobust {facts['skrobust']}, Python {facts['python']}, {facts['system']}",
        f"devices: {', '.join(facts['devices'])} ({facts['cpus']} cores)",
    ]
    width = max(len(row["name"]) for row in facts["packages"])
    for row in facts["packages"]:
        state = row["version"] or row["problem"]
        kind = "" if row["required"] else ", optional"
        lines.append(f"  {row['name'].ljust(width)}  {state}  ({row['use']}{kind})")
    lines += [f"to install what is missing: {text}" for text in facts["install"]]
    state = ("something", "is missing") if not facts["ok"] else ("all", "is there")
    lines.append("{} that the commands need {}".format(*state))
    return "\n".join(lines)
