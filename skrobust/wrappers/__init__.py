"""Models of other libraries as fitted estimators; importing this loads none of them."""

from skrobust.wrappers._http_endpoint import HTTPEndpoint
from skrobust.wrappers._wrap import wrap
from skrobust.wrappers._wrapped_classifier import WrappedClassifier
from skrobust.wrappers._wrapped_regressor import WrappedRegressor

__all__ = [
    "HTTPEndpoint",
    "WrappedClassifier",
    "WrappedRegressor",
    "wrap",
]
