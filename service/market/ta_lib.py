"""TA-Lib without pandas, which it would otherwise import where it is installed (0.5 s and 50 MB)."""

from __future__ import annotations

import sys
from types import ModuleType


def _import_without_pandas() -> ModuleType:
    """TA-Lib, imported while an import of pandas fails."""
    pandas = sys.modules.get("pandas")
    sys.modules["pandas"] = None  # pyright: ignore[reportArgumentType]  # documented: None makes the import fail
    try:
        import talib
    finally:
        del sys.modules["pandas"]
        if pandas is not None:
            sys.modules["pandas"] = pandas
    return talib


talib = _import_without_pandas()
