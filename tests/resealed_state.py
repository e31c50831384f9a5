"""State of a sampler that was changed and sealed again."""

import json

from skrobust._sealed import SEAL, seal


def resealed(state):
    """Return the text of a state as if it had been written so."""
    return json.dumps(seal({name: v for name, v in state.items() if name != SEAL}))
