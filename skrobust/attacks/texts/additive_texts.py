"""Models whose scores add up over the words of a text."""

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from skrobust._responses import unwrap

_LINEAR = (
    "LinearSVC", "LogisticRegression", "LogisticRegressionCV",
    "PassiveAggressiveClassifier", "Perceptron", "RidgeClassifier", "RidgeClassifierCV",
    "SGDClassifier",
)  # fmt: skip
_BAYES = ("MultinomialNB",)
_PATTERN = r"(?u)\b\w\w+\b"


def adds_up(estimator):
    """Say whether each word of a text adds its own part to the scores of the classes.

    That is so for linear models and multinomial naive Bayes over counts of single
    words, perhaps times the inverse document frequency, without normalisation.
    """
    steps, model = unwrap(estimator)
    kinds = [type(step) for _, step in steps]
    if not kinds or kinds[0] not in (CountVectorizer, TfidfVectorizer):
        return False
    first = steps[0][1]
    counts = (
        first.analyzer == "word"
        and tuple(first.ngram_range) == (1, 1)
        and not first.binary
        and first.tokenizer is None
        and first.preprocessor is None
        and first.token_pattern == _PATTERN
    )
    weighers = [first] if kinds[0] is TfidfVectorizer else []
    for kind, (_, step) in zip(kinds[1:], steps[1:], strict=True):
        if kind.__name__ == "TfidfTransformer":
            weighers.append(step)
        elif kind.__name__ != "MaxAbsScaler":
            return False
    plain = all(w.norm is None and not w.sublinear_tf for w in weighers)
    own = type(model).__module__.startswith("sklearn.")
    known = type(model).__name__ in (*_LINEAR, *_BAYES)
    return counts and plain and own and known
