"""Rows as an array of numbers, checked by scikit-learn for shape and names."""

from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from skrobust._array_checks import number_array
from skrobust._containers import is_frame, named_once
from skrobust._validation import invalid


def checked_numbers(estimator, X, *, reset=False):
    """Return rows as an array of numbers, which may hold NaN and infinity.

    Parameters
    ----------
    estimator : object
        Whose number and names of features are compared, where it has them.
    X : array-like, data frame or tensor of shape (n_samples, ...)
        Rows.
    reset : bool, default=False
        Whether the estimator learns number and names of its features.

    Returns
    -------
    ndarray of shape (n_samples, ...)
        Of booleans, integers or floats.

    Raises
    ------
    TypeError, ValueError
        In one sentence, for what are no rows of numbers.
    """
    caller = type(estimator).__name__
    fitted = reset or hasattr(estimator, "n_features_in_")
    how = {"dtype": "numeric", "allow_nd": True, "ensure_all_finite": False}
    values = number_array(X, "X", caller)
    if X is None or not values.ndim:
        raise invalid("X", caller, "an array of rows", X)
    if is_frame(X) and fitted:  # the names are those of the frame
        validate_data(estimator, named_once(X), reset=reset, skip_check_array=True)
    elif fitted:
        return validate_data(estimator, values, reset=reset, **how)
    return check_array(values, input_name="X", estimator=caller, **how)
