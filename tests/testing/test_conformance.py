"""Conformance of image corruptions: its pictures, statistics, table and verdict."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrobust.perturbations import GlassBlur
from skrobust.testing import measure_conformance
from skrobust.testing._measure_conformance import published_statistics
from skrobust.testing.dead_leaves import dead_leaves
from skrobust.testing.picture_statistics import picture_statistics


def test_pictures_can_be_generated_again():
    few, many = dead_leaves(2, 32), dead_leaves(3, 32)
    assert np.array_equal(few, many[:2])
    assert not np.array_equal(many[0], many[1])
    # The table was measured on these.
    assert [int(p.sum()) for p in many] == SUMS
    assert (dead_leaves(4, 28, grey=True)[:, :3] == 0).all()  # black at the border


SUMS = [386636, 413146, 348955]


def test_statistics_by_hand():
    clean = np.full((2, 16, 16, 3), 100, dtype=np.uint8)
    clean[:, ::2] = 150
    same = picture_statistics(clean, clean)
    assert same.tolist() == [[60, pytest.approx(1), 0, 0]] * 2
    psnr, _, mean, spread = picture_statistics(clean, clean + 10).T
    assert psnr == pytest.approx(20 * np.log10(255 / 10))
    assert mean == pytest.approx(10 / 255)
    assert spread == pytest.approx(0)
    flat = np.full_like(clean, 125)
    psnr, similar, _, spread = picture_statistics(clean, flat).T
    assert psnr == pytest.approx(20 * np.log10(255 / 25))
    assert spread == pytest.approx(-25 / 255)
    assert (similar < 0.1).all()


def test_the_table_is_complete():
    for side, n_kinds, n in ((28, 15, 200), (32, 19, 200), (224, 19, 20)):
        table = published_statistics(side)
        assert len(table) == n_kinds * (1 if side == 28 else 5)
        for count, means, sds in table.values():
            assert count == n
            assert np.isfinite(means).all()
            assert (sds >= 0).all()


@pytest.mark.parametrize(
    "kind",
    [
        *("gaussian_noise", "defocus_blur", "glass_blur", "motion_blur", "zoom_blur"),
        *("snow", "fog", "elastic_transform", "pixelate", "speckle_noise"),
        *("gaussian_blur", "spatter", "saturate", "brightness", "contrast"),
    ],
)
def test_presets_conform_at_32_pixels(kind):
    found = measure_conformance(kinds=[kind], severities=(2, 5))
    assert found.ok, found.to_frame().to_string()


def test_mnist_c_conforms():
    found = measure_conformance(side=28)
    assert found.ok, found.verdict
    assert found.verdict == "15 of 15 kinds agree with the published."


@pytest.mark.slow
def test_presets_conform_at_224_pixels():
    found = measure_conformance(side=224, severities=(1, 3, 5))
    assert set(found.deviating) <= {"frost"}, found.to_frame().to_string()


def test_a_deviation_is_found():
    """Swaps in place of the published copies, which one mean over kinds hides."""

    def swaps(image, kind, severity):
        return GlassBlur(severity, random_state=0).perturb(None, image[None])[0]

    found = measure_conformance(swaps, kinds=["glass_blur"], severities=(3,))
    assert found.deviating == ["glass_blur"]
    assert not found.ok
    assert found.verdict.endswith("glass_blur deviates.")
    assert (found.psnr < found.published_psnr).all()


def test_small_deviations_are_no_deviations():
    def contrast(image, kind, severity, shift=0.0):
        factor = (0.75, 0.5, 0.4, 0.3, 0.15)[severity - 1]
        mean = image.mean(axis=(0, 1))
        return (image - mean) * factor + mean + shift

    def brighter(image, kind, severity):
        return contrast(image, kind, severity, shift=4)

    assert measure_conformance(contrast, kinds=["contrast"], severities=(2,)).ok
    assert not measure_conformance(brighter, kinds=["contrast"], severities=(2,)).ok


@settings(max_examples=5, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(["brightness", "contrast", "fog"]), min_size=1,
             unique=True),
    st.sets(st.integers(1, 5), min_size=1, max_size=2), st.integers(-40, 40),
)  # fmt: skip
def test_rows_stand_for_themselves_and_differences_are_what_was_added(
    kinds, severities, shift
):
    def half(image, kind, severity):
        return image.astype(int) // 2 + 60 + 5 * severity

    def moved(image, kind, severity):
        return half(image, kind, severity) + shift

    severities = sorted(severities)
    whole = measure_conformance(half, kinds=kinds, severities=severities)
    rows = [
        measure_conformance(half, kinds=[kind], severities=[severity])
        for kind, severity in zip(whole.kind, whole.severity, strict=True)
    ]
    assert sorted(whole.kind.tolist()) == sorted(kinds * len(severities))
    for name in ("psnr", "ssim", "mean", "spread", "published_psnr", "agrees"):
        np.testing.assert_array_equal(
            whole[name], np.concatenate([r[name] for r in rows])
        )
    other = measure_conformance(moved, kinds=kinds, severities=severities)
    np.testing.assert_allclose(other.mean - whole.mean, shift / 255, atol=1e-12)
    np.testing.assert_allclose(other.spread, whole.spread, atol=1e-12)


def test_errors():
    with pytest.raises(ValueError, match="'side' parameter of measure_conformance"):
        measure_conformance(side=64)
    with pytest.raises(ValueError, match="'kinds' parameter"):
        measure_conformance(kinds=["rain"])
    for bad in ((0, 1), [], [True], 3):
        with pytest.raises(ValueError, match="'severities' parameter"):
            measure_conformance(severities=bad)
    with pytest.raises(ValueError, match=r"'corrupt' parameter.*shape"):
        measure_conformance(lambda image, kind, severity: image[0], kinds=["fog"])
    with pytest.raises(ValueError, match="'corrupt' parameter"):
        measure_conformance(lambda image, kind, severity: image * np.nan, kinds=["fog"])
