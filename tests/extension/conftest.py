"""The files of this folder are copied by a test and are no tests themselves."""

collect_ignore_glob = ["*.py"]
