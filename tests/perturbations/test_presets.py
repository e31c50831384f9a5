"""Presets are registered where they are defined, and strengths declared once."""

import numpy as np
import pytest

from skrobust.perturbations import FeatureNoise, Strength, get_preset, get_preset_names
from skrobust.perturbations import presets as registry
from skrobust.perturbations.presets import find_preset, register_preset
from skrobust.perturbations.severity_grid import severity_grid


def test_names_by_kind():
    names = get_preset_names()
    assert names == sorted(names)
    assert [n for kind in registry.KINDS for n in get_preset_names(kind)] == [
        *("asi68", "cifar_c", "imagenet_c", "mnist_c", "video_chain"),
        *("series", "tabular", "text"),
    ]
    with pytest.raises(ValueError, match="'kind' parameter of get_preset_names"):
        get_preset_names("videos")


def test_keywords_come_from_the_signature():
    assert find_preset("text").keywords == ("severities", "random_state")
    assert find_preset("asi68").keywords[:2] == ("both_orders", "include")


def test_a_new_preset_is_found_by_its_name(monkeypatch):
    monkeypatch.setattr(registry, "_PRESETS", dict(registry._PRESETS))

    @register_preset("table")
    def sensors(severities=(1, 3), *, random_state=None):
        return severity_grid(
            {"noise": FeatureNoise()}, severities, "sensors", random_state
        )

    assert "sensors" in get_preset_names("table")
    names = [condition.name for condition in get_preset("sensors", severities=(2, 4))]
    assert names == ["CLEAN", "noise-2", "noise-4"]
    with pytest.raises(ValueError, match="does not take 'columns'; it takes random_s"):
        get_preset("sensors", columns=None)
    with pytest.raises(ValueError, match="two presets of the name 'sensors'"):
        register_preset("table", name="sensors")(lambda: [])


def test_strength_between_levels_and_sizes():
    std = Strength((1, 2, 3, 4, 5), (10, 20, 30, 40, 50))
    assert std.at(0, (32, 32)) == 0
    assert std.at(2.5, (32, 32)) == 2.5
    assert std.at(2.5, (16, 64)) == 2.5  # a side of 32 as well
    assert std.at(2, (224, 224)) == 20
    assert 2 < std.at(2, (64, 64)) < 20
    assert std.in_force(7, None) == 7
    bits = Strength((4, 3, 2, 1, 1), zero=np.inf, measure=lambda bits: 2.0**-bits)
    assert bits.at(0) == 0
    assert bits.at(1) == 2**-4
    assert bits.in_force(3, None) == 2**-3
