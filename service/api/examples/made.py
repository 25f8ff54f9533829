"""What the examples have in common."""

from __future__ import annotations

AS_OF = "2026-11-21T12:05:00Z"
ASSETS = ("btc", "eth", "sol", "bnb", "xrp", "gold", "silver")
BARS = "simulated (seed 42)"
MADE = {
    "timestamp": AS_OF,
    "as_of": AS_OF,
    "stale_after": "2026-11-21T12:20:00Z",
    "world": "simulated",
    "sources": {"btc": BARS},
}
