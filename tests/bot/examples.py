"""Documents of the API with round numbers, which tests look for in the bot's messages."""

from __future__ import annotations

import copy
import json
from pathlib import Path

_DOCUMENTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def __getattr__(name: str) -> object:
    """A copy of the document with this name."""
    try:
        return copy.deepcopy(_DOCUMENTS[name])
    except KeyError:
        raise AttributeError(name) from None
