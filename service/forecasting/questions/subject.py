"""Which asset the question is about, and which other one it is compared with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.forecasting.questions.refusals import NAMES, invalid
from service.forecasting.questions.tokens import Token
from service.market.assets import ASSETS

# "More" and "than" where they stand apart: "¿Subirá más el oro que la plata?"
MORE = {"more", "mas", "plus", "mais", "mehr", "starker", "больше", "сильнее", "faster"}
THAN = {"than", "que", "als", "чем", "do que", "que el", "que le", "que l"}
COMPARING = {"outperform", "underperform", "versus", "better", "which"}


@dataclass(frozen=True)
class Subject:
    """The asset asked about, with the one it is compared with, if any; `left_out` are those beside it not read."""

    asset: str
    other: str | None = None
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def find_subject(main: Sequence[Token], around: Sequence[Token], spots: Mapping[str, float]) -> Subject:
    """The first market named in `main`, else in what stands around it.

    A market that is not followed, or of which this world has no price, is refused.
    """
    said = main if _markets(main) else [*around, *main]
    named = _markets(said)
    followed = list(dict.fromkeys(str(token.value) for token in named if token.kind == "asset"))
    if not named or (named[0].kind == "other" and not _is_aside(said, named[0], followed)):
        raise invalid(f"That market is not followed here. Ask about one of {NAMES}.")
    if not followed:
        return Subject(available("btc", spots), notes=("The whole crypto market is read as Bitcoin, its stand-in.",))
    asset = available(followed[0], spots)
    if not _compares(said, followed):
        return Subject(asset, left_out=tuple(followed[1:]), notes=_only(followed))
    if len(followed) != 2 or any(token.kind == "other" for token in named):
        raise invalid(f"Compare exactly two of {NAMES}.")
    return Subject(asset, available(followed[1], spots))


def _markets(tokens: Sequence[Token]) -> list[Token]:
    """The markets named; those that stand for all of crypto only where no other is."""
    named = [token for token in tokens if token.kind in ("asset", "other")]
    return named or [token for token in tokens if token.kind == "widely"]


def _is_aside(main: Sequence[Token], other: Token, followed: Sequence[str]) -> bool:
    """Whether a market that is not followed is only mentioned: a stablecoin a price is quoted in."""
    return bool(followed) and other.text in ("usdc", "tether") and main[-1] is not other


def _compares(main: Sequence[Token], followed: Sequence[str]) -> bool:
    kinds = {token.kind for token in main}
    if "overtake" in kinds or is_flip(main):
        raise invalid(
            "One asset overtaking another in market value is not followed here. "
            "Ask which returns more: Will ethereum outperform bitcoin this month?"
        )
    several = len(followed) > 1 or any(token.kind == "other" for token in main)
    if not several:
        return False
    ratio = any(token.text == "ratio" for token in main)
    return bool(kinds & COMPARING) or ratio or _is_choice(main) or _is_pair(main) or _is_more_than(main)


def is_flip(main: Sequence[Token]) -> bool:
    """ "Flip bitcoin" overtakes it, "flip 100k" breaks a level."""
    return any(
        main[place].text.startswith("flip") and main[place + 1].kind == "asset" for place in range(len(main) - 1)
    )


def _is_choice(main: Sequence[Token]) -> bool:
    """ "Bitcoin or gold?": an "or" between two markets."""
    places = [place for place, token in enumerate(main) if token.kind in ("asset", "other")]
    return any(token.kind == "or" for token in main[places[0] : places[-1]])


def _is_pair(main: Sequence[Token]) -> bool:
    """ "ETH/BTC": two markets with a slash between."""
    return any(
        main[place].text == "/" and main[place - 1].kind == main[place + 1].kind == "asset"
        for place in range(1, len(main) - 1)
    )


def _is_more_than(main: Sequence[Token]) -> bool:
    """ "Gain more than ether", "rise more, gold than silver": a market where a level would stand."""
    said = [token for token in main if token.kind != "the"]
    places = [place for place, token in enumerate(said) if token.kind in ("asset", "other")]
    if any(said[place - 1].kind in ("above", "below", "exceed") for place in places if place):
        return True
    between = said[places[0] : places[-1]]
    return any(token.text in MORE for token in said) and any(token.text in THAN for token in between)


def _only(followed: Sequence[str]) -> tuple[str, ...]:
    if len(followed) < 2:
        return ()
    first, *rest = (ASSETS[asset].name for asset in followed)
    return (f"Only {first} was read; ask about {' and '.join(rest)} separately.",)


def available(asset: str, spots: Mapping[str, float]) -> str:
    """The asset, if this world has a price of it."""
    if asset in spots and math.isfinite(spots[asset]) and spots[asset] > 0:
        return asset
    names = ", ".join(ASSETS[known].name for known in ASSETS if known in spots) or "none yet"
    raise invalid(f"This world has no price of {ASSETS[asset].name}. Prices here: {names}.")
