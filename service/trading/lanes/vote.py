"""The pool's forecast of an asset, on which the consensus lane trades."""

from __future__ import annotations

from typing import NamedTuple


class LaneVote(NamedTuple):
    """`volatility` is that of the coming week, as a fraction a year; `p_up` is P(the price is higher in a day)."""

    volatility: float
    p_up: float
