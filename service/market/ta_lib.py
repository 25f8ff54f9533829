"""TA-Lib by itself: where pandas is installed it would load it, half a second and 50 MB, to take Series as well."""

from __future__ import annotations

import sys
from types import ModuleType


def _alone() -> ModuleType:
    """TA-Lib, loaded as where there is no pandas."""
    known = sys.modules.get("pandas")
    sys.modules["pandas"] = None
    try:
        import talib
    finally:
        del sys.modules["pandas"]
        if known is not None:
            sys.modules["pandas"] = known
    return talib


talib = _alone()
