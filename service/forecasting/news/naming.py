"""The assets that a headline names.

In the title of a market page "gold" is the metal and "ether" the coin more often than in a question, so the words here
are few and English. Names that only look like an asset are skipped.
"""

from __future__ import annotations

import re

from service.market.assets import ASSETS

NAMES: dict[str, str] = {
    "btc": r"bitcoins?|btc|xbt|wbtc|satoshis?",
    "eth": r"ethereum|ether|eth|weth",
    "sol": r"solana|sol",
    "bnb": r"bnb|binance coin",
    "xrp": r"xrp|ripple",
    "gold": r"gold|bullion|xau|paxg",
    "silver": r"silver|xag",
}
LOOKALIKES = re.compile(
    r"\b(?:bitcoin (?:cash|sv|gold|core|magazine|pizza)|ethereum classic|ether\.?fi|eth zurich|ripple effects?"
    r"|digital gold|black gold|gold (?:medal\w*|rush|standard|coast|card|star|cup)"
    r"|silver (?:medal\w*|linings?|bullets?|screen|spoon|surfer|spring|lake))\b",
    re.IGNORECASE,
)
NAMED = re.compile("|".join(rf"(?P<{asset}>\b(?:{words})\b)" for asset, words in NAMES.items()), re.IGNORECASE)


def named(title: str) -> tuple[str, ...]:
    """The assets that a plain title names, each once, in the order of the market's.

    >>> named("Silver and BTC rise, Bitcoin Cash falls")
    ('btc', 'silver')
    """
    names = {match.lastgroup for match in NAMED.finditer(LOOKALIKES.sub(" ", title))}
    return tuple(asset for asset in ASSETS if asset in names)
