"""Crop, size and colours of the images that are read."""

from dataclasses import dataclass

import numpy as np

from skrobust._validation import check_flag, invalid
from skrobust.datasets._face_crop import FaceCrop
from skrobust.datasets.image_files import check_resize, pillow


@dataclass(frozen=True)
class ImageOptions:
    """Treatment of each image after it is decoded.

    Parameters
    ----------
    resize : (int, int) or None
        (height, width) in pixels.
    crop : callable or None
        Applied before ``resize``.
    convert : bool
        Whether images of other colours become red, green and blue.
    """

    resize: tuple | None = None
    crop: object = None
    convert: bool = False

    @classmethod
    def checked(cls, caller, *, resize, crop, convert=False, one_size=True):
        """Return the options, or raise before anything is read."""
        if isinstance(crop, str) and crop == "face":
            crop = FaceCrop()
        if crop is not None and (not callable(crop) or isinstance(crop, type)):
            raise invalid("crop", caller, "a callable, 'face' or None", crop)
        if crop is not None and resize is None and one_size:
            raise ValueError(f"{caller} needs resize=(height, width) beside crop.")
        check_flag(convert, "convert", caller)
        return cls(check_resize(resize, caller), crop, convert)

    def finish(self, image, caller):
        """Return an image cropped, and resized by Pillow's bicubic filter."""
        image = image if self.crop is None else self.crop(image)
        if self.resize is None or image.shape[:2] == self.resize:
            return image
        Image = pillow(caller)
        size = self.resize[::-1]
        return np.asarray(Image.fromarray(image).resize(size, Image.Resampling.BICUBIC))
