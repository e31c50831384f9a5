"""Image and video data sets on disk, read lazily."""

from skrobust.datasets._batched_rows import BatchedRows
from skrobust.datasets._celeb_df import load_celeb_df
from skrobust.datasets._face_crop import FaceCrop
from skrobust.datasets._faceforensics import load_faceforensics
from skrobust.datasets._image_set import ImageSet
from skrobust.datasets._lazy_images import LazyImages
from skrobust.datasets._load_image_folder import load_image_folder
from skrobust.datasets._load_video_folder import load_video_folder
from skrobust.datasets._sample_frames import sample_frames
from skrobust.datasets._uadfv import load_uadfv

__all__ = [
    "BatchedRows",
    "FaceCrop",
    "ImageSet",
    "LazyImages",
    "load_celeb_df",
    "load_faceforensics",
    "load_image_folder",
    "load_uadfv",
    "load_video_folder",
    "sample_frames",
]
