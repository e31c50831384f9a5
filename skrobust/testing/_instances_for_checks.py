"""Instances of a class for its contract checks."""

from skrobust._validation import invalid


def instances_for_checks(class_):
    """Return instances of a class, small and fast, on which contracts are checked.

    Parameters
    ----------
    class_ : type
        A class of skrobust or your own. Its classmethod ``_get_test_params`` returns a
        list of dicts of constructor parameters; without one its defaults are used.

    Returns
    -------
    instances : list of object
        One for each dict.

    Examples
    --------
    >>> from skrobust.attacks import FGSM
    >>> from skrobust.testing import check_attack, instances_for_checks
    >>> for attack in instances_for_checks(FGSM):
    ...     check_attack(attack)
    """
    if not isinstance(class_, type):
        raise invalid("class_", "instances_for_checks", "a class", class_)
    get_params = getattr(class_, "_get_test_params", None)
    params = [{}] if get_params is None else get_params()
    return [class_(**one) for one in params]
