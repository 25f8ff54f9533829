"""The longer texts and the tables of texts, in English; see texts.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

TEXTS: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
