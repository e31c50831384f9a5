"""What every message has in common."""

import pytest


def check_one_sentence(call, sentence):
    """Check that a call raises a sentence that is neither bare nor endless."""
    with pytest.raises((ValueError, TypeError), match=sentence) as caught:
        call()
    text = str(caught.value)
    assert 20 < len(text) < 600
    assert "\n\n\n" not in text
