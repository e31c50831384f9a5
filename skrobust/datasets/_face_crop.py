"""Crop of the largest face, by detectors of OpenCV."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from skrobust._array_checks import number_array
from skrobust._optional import require
from skrobust._validation import check_count, check_number, invalid

_CASCADE = "haarcascade_frontalface_default.xml"


@dataclass(frozen=True)
class FaceCrop:
    """Crop of the largest face of an image, as a square with a margin.

    The square has ``margin`` times the longer side of the detector's box and the same
    middle; where it reaches beyond the image it is cut there, as in the code of
    FaceForensics++.

    Parameters
    ----------
    margin : float, default=1.3
        Side of the square over the longer side of the box, at least 1.
    model : str, path or None, default=None
        File of a YuNet model (``face_detection_yunet_*.onnx``); None: the Haar cascade
        for frontal faces that comes with OpenCV 4 (OpenCV 5 has none).
    min_size : int, default=24
        Smallest side of a face in pixels.

    Raises
    ------
    ValueError
        When called: for parameters that are none of these, an image of another shape,
        and one without a face.
    ImportError
        Without OpenCV (``pip install 'skrobust[faces]'``).

    Notes
    -----
    The published sets were cropped with other detectors (dlib in FaceForensics++), so
    the crops differ by some pixels; the detector is our choice. The Haar cascade (Viola
    and Jones, CVPR 2001) finds frontal faces only and takes some things for faces that
    are none; look at the crops.

    References
    ----------
    Roessler et al., "FaceForensics++" (ICCV 2019), margin 1.3; Wu, Peng, Yu, "YuNet"
    (Machine Intelligence Research, 2023).

    Examples
    --------
    >>> from skrobust.datasets import FaceCrop
    >>> FaceCrop(margin=1.3).square((40, 20, 50, 60), height=200, width=300)
    (26, 11, 78, 78)
    """

    margin: float = 1.3
    model: str | None = None
    min_size: int = 24

    def square(self, box, *, height, width):
        """Return the square around a box, cut at the borders of the image.

        Parameters
        ----------
        box : (left, top, width, height)
            Of a face, in pixels.
        height, width : int
            Of the image.

        Returns
        -------
        (left, top, width, height) : tuple of int
            Of the crop.

        Raises
        ------
        ValueError
            For a box whose middle is not on the image, or whose sides are not positive.
        """
        margin = check_number(self.margin, "margin", "FaceCrop", low=1)
        height = check_count(height, "height", "FaceCrop")
        width = check_count(width, "width", "FaceCrop")
        box = number_array(box, "box", "FaceCrop").astype(np.float64)
        if box.shape != (4,):
            raise invalid("box", "FaceCrop", "(left, top, width, height)", box.shape)
        left, top, box_width, box_height = box.tolist()
        if not _on_image(np.array([box], dtype=np.float64), height, width)[0]:
            rule = (
                f"positive sides, and its middle on the image of {height:g} x {width:g}"
            )
            shown = (left, top, box_width, box_height)
            raise ValueError(f"FaceCrop needs a box with {rule}. Got {shown} instead.")
        # Beyond twice the image a square is the image, whatever its side.
        side = int(min(margin * max(box_width, box_height), 2 * (height + width)))
        x = max(int(left + box_width / 2) - side // 2, 0)
        y = max(int(top + box_height / 2) - side // 2, 0)
        return x, y, min(width - x, side), min(height - y, side)

    def check(self):
        """Raise unless the parameters are valid and the detector is at hand.

        Raises
        ------
        ValueError
            For parameters that are none of those above.
        ImportError
            Without OpenCV, or without a cascade where no model is given.
        """
        check_number(self.margin, "margin", "FaceCrop", low=1)
        check_number(self.min_size, "min_size", "FaceCrop", low=1)
        cv2 = require("cv2", "FaceCrop", extra="faces")
        if self.model is None:
            _cascade(cv2)
        elif not Path(self.model).is_file():
            raise invalid("model", "FaceCrop", "the path of a YuNet file", self.model)

    def __call__(self, image):
        """Return the part of an image of shape (height, width, 3) with the face."""
        image = np.asarray(image)
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            rule = "uint8 of shape (height, width, 3)"
            raise invalid("image", "FaceCrop", rule, (image.dtype, image.shape))
        self.check()
        cv2 = require("cv2", "FaceCrop", extra="faces")
        find = self._by_cascade if self.model is None else self._by_model
        boxes = np.asarray(find(cv2, image)).reshape(-1, 4)
        boxes = boxes[boxes[:, 2:].min(axis=1) >= self.min_size]
        if not len(boxes):
            raise ValueError("it shows no face that the detector finds")
        boxes = boxes[_on_image(boxes, *image.shape[:2])]
        if not len(boxes):
            raise ValueError("the detector finds faces off the image only")
        largest = boxes[(boxes[:, 2] * boxes[:, 3]).argmax()]
        height, width = image.shape[:2]
        x, y, w, h = self.square(largest, height=height, width=width)
        return image[y : y + h, x : x + w]

    def _by_cascade(self, cv2, image):
        grey = cv2.cvtColor(np.ascontiguousarray(image), cv2.COLOR_RGB2GRAY)
        return cv2.CascadeClassifier(_cascade(cv2)).detectMultiScale(
            grey, scaleFactor=1.1, minNeighbors=5, minSize=(int(self.min_size),) * 2
        )

    def _by_model(self, cv2, image):
        size = image.shape[1::-1]
        detector = cv2.FaceDetectorYN.create(str(self.model), "", size)
        _, found = detector.detect(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
        return np.empty((0, 4)) if found is None else found[:, :4]


def _cascade(cv2):
    """Return the file of the cascade that comes with OpenCV, or raise."""
    path = Path(getattr(getattr(cv2, "data", None), "haarcascades", "")) / _CASCADE
    if not hasattr(cv2, "CascadeClassifier") or not path.exists():
        raise ImportError(
            f"FaceCrop finds no Haar cascade in OpenCV {cv2.__version__}; install "
            "OpenCV 4 with `pip install 'skrobust[faces]'`, or pass the file of a "
            "YuNet model."
        )
    return str(path)


def _on_image(boxes, height, width):
    """Return which boxes have positive sides, and their middle on the image."""
    middle = boxes[:, :2] + boxes[:, 2:] / 2
    inside = (middle >= 0) & (middle < (width, height))  # not for NaN
    return (inside & (boxes[:, 2:] > 0)).all(axis=1)
