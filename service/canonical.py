"""JSON as text in one form: keys sorted, no spaces, no NaN."""

from __future__ import annotations

import json
from typing import Any


def write(body: Any) -> str:
    """The canonical text of a JSON value; ValueError when it holds a NaN or an infinity."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def read(text: str) -> Any:
    return json.loads(text)
