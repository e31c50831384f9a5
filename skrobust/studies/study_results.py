"""Results of the deepfake study, from its detectors to its findings."""

from collections import defaultdict

from skrobust.studies.study_attacks import cells_of, group_cells
from skrobust.studies.study_chains import chain_cells, chain_numbers
from skrobust.studies.study_clips import clip_cells
from skrobust.studies.study_comparisons import compare_detectors, group_numbers
from skrobust.studies.study_findings import findings, weak_attacks
from skrobust.studies.study_numbers import (
    TOLERANCES,
    cell_numbers,
    detector_numbers,
)
from skrobust.studies.study_page import ATTACK_NAMES, budget_text


def study_results(tested, on_real, origin, size, clips, chains, store, say):
    """Return the tables of the study.

    Parameters
    ----------
    tested : dict of str to Detector
        Detectors on the images under test.
    on_real : dict of str to Detector
        The same on the faces of groups, empty without such.
    origin : dict of str to str
        A sentence on the weights of each.
    size : StudySize
        Budgets and steps.
    clips, chains : bool
        Whether clips are attacked as a whole, and encoded.
    store : KeptParts
        Where answers are kept.
    say : callable
        Called with a line on what was done.
    """
    rows = [detector_numbers(d, origin[name]) for name, d in tested.items()]
    cells, groups, found = [], [], defaultdict(dict)
    for name, detector in tested.items():
        for cell in cells_of(detector, size):
            found[cell["attack"], cell["norm"], cell["eps"]][name] = cell
            cells.append(cell_numbers(detector, cell))
            groups.append(_grouped(detector, cell, "Clips under test"))
            attack = ATTACK_NAMES.get(cell["attack"], cell["attack"])
            say(f"{name}, {attack}, {budget_text(cell)}{store.ending()}")
    for name, detector in on_real.items():
        for cell in group_cells(detector, size):
            groups.append(_grouped(detector, cell, "Further real faces"))
        say(f"{name}, groups of real faces{store.ending()}")
    comparisons = []
    if len(tested) > 1:
        comparisons = [compare_detectors(tested, by_name) for by_name in found.values()]
        say("comparisons")
    clip_rows, chain_rows, coded = [], [], defaultdict(dict)
    for name, detector in tested.items():
        if clips:
            for row in clip_cells(detector, size, store):
                clip_rows.append(row)
                say(f"{name}, clips, {row['over_time']}{store.ending()}")
        if chains:
            for cell in chain_cells(detector):
                coded[cell["attack"]][name] = cell
                chain_rows.append(chain_numbers(detector, cell))
            say(f"{name}, encodings{store.ending()}")
    chain_comparisons = []
    if len(tested) > 1:
        chain_comparisons = [compare_detectors(tested, one) for one in coded.values()]
    return {
        "tolerances": TOLERANCES,
        "detectors": rows,
        "cells": cells,
        "comparisons": comparisons,
        "clip_attacks": clip_rows,
        "chains": chain_rows,
        "chain_comparisons": chain_comparisons,
        "groups": [group for group in groups if group is not None],
        "weak_attacks": weak_attacks(cells),
        "findings": findings(cells, comparisons),
    }


def _grouped(detector, cell, part):
    numbers = group_numbers(detector, cell)
    return None if numbers is None else {"part": part, **numbers}
