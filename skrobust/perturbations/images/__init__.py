"""Perturbations of images."""

from skrobust.perturbations.images._base import find_channel_axis, split_image_shape

__all__ = ["find_channel_axis", "split_image_shape"]
