"""Which questions of outside markets are taken over, and how their own wording is read.

An import is resolved by its own market, so it is taken only where the question that is understood is the one that
market settles: a reading with a reservation is no import. Deadline and criterion of the market rule over its title.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from service.errors import InvalidRequest
from service.forecasting.predictions import Odds, PredictionMarket
from service.forecasting.predictions.series import near_copy
from service.forecasting.predictions.wording import plain, wording
from service.forecasting.questions import Question, understand
from service.forecasting.questions.canonical import canonical
from service.market.instants import DAY, HOUR, utc

SOONEST_S, FARTHEST_S = 2 * HOUR, 120 * DAY
LEAST_VOLUME_USD = 1_000.0
LEAST_P, MOST_P = 0.02, 0.98
MOST_A_DAY, MOST = 4, 40
YEAR_H = 365.25 * 24
# A move counts from the price now: from another instant only within this part of what is left until the deadline.
NOW_SHARE = 1 / 24

NOT_NAMED = "No deadline was named"

# How rules say that one price decides, and how they say that any on the way does.
BY_CLOSE = re.compile(r"final .close. price|\bat (?:the )?(?:market )?close\b", re.IGNORECASE)
BY_TOUCH = re.compile(r"final .(?:high|low). price|\bany (?:time|point|moment)\b", re.IGNORECASE)
AT_CLOSE = {"touch_above": "close_above", "touch_below": "close_below"}
ON_THE_WAY = {close: touch for touch, close in AT_CLOSE.items()}
MOVES = ("up", "down", "relative")


@dataclass(frozen=True)
class OutsideMarket:
    """A question of an outside market with its odds, as it stood at `fetched_at`.

    `group` is what the market adds to a title that it shares with others ("64,000", "$115,000 or above"), else empty.
    `yes_index` is the place of YES in `outcomes`; `p_yes`, `bid` and `ask` are of YES, in 0-1. `measured_from` is
    the unix second from whose price a move is measured, where the market names one.
    """

    source: Literal["polymarket", "kalshi"]
    market_id: str
    url: str | None
    question: str
    group: str
    outcomes: tuple[str, str]
    yes_index: int
    p_yes: float
    bid: float | None
    ask: float | None
    volume_usd: float
    deadline: int
    rules: str
    fetched_at: int
    measured_from: int | None = None

    @property
    def id(self) -> str:
        """What the market is called here."""
        return f"{self.source}-{self.market_id}"

    @property
    def odds(self) -> Odds:
        return Odds(
            source=self.source,
            market_id=self.market_id,
            url=self.url,
            p_yes=self.p_yes,
            bid=self.bid,
            ask=self.ask,
            volume_usd=self.volume_usd,
            fetched_at=self.fetched_at,
        )


@dataclass(frozen=True)
class Refusal:
    """A market that is not taken over, by its id, and why."""

    id: str
    reason: str


def choose(
    offered: Iterable[OutsideMarket],
    now: int,
    spots: Mapping[str, float],
    volatility: Mapping[str, float],
    existing: Sequence[PredictionMarket],
) -> tuple[list[PredictionMarket], list[Refusal]]:
    """The markets taken over at the unix second `now`, largest volume first, and those refused.

    `spots` are USD prices by asset, `volatility` that of each asset as a fraction a year, `existing` all prediction
    markets that are kept: at most 40 imports are open at once, 4 of them for one asset and day.
    """
    taken: list[PredictionMarket] = []
    refused: list[Refusal] = []
    for outside in sorted(offered, key=lambda one: (-one.volume_usd, one.id)):
        found = accept(outside, now, spots, volatility, [*existing, *taken])
        (taken if isinstance(found, PredictionMarket) else refused).append(found)
    return taken, refused


def accept(
    outside: OutsideMarket,
    now: int,
    spots: Mapping[str, float],
    volatility: Mapping[str, float],
    existing: Sequence[PredictionMarket],
) -> PredictionMarket | Refusal:
    """The prediction market made of an outside one beside those that are `existing`, or why there is none."""
    reason = _unfit(outside, now)
    if reason:
        return Refusal(outside.id, reason)
    try:
        read = understand(wording(outside.question, outside.group), utc(now), spots)
    except InvalidRequest as error:
        return Refusal(outside.id, f"its question is not understood: {error.detail}")
    reason = _misread(read, outside, now)
    if reason:
        return Refusal(outside.id, reason)
    market = _market(outside, _settled_as(read, outside, now), now)
    reason = _superfluous(market, now, volatility, existing)
    return Refusal(outside.id, reason) if reason else market


def _unfit(outside: OutsideMarket, now: int) -> str | None:
    """Why it is not worth reading, by its dates and odds alone."""
    if outside.deadline <= now:
        return "its end is past"
    if not now + SOONEST_S <= outside.deadline <= now + FARTHEST_S:
        return "its end is not between 2 hours and 120 days ahead"
    if outside.volume_usd < LEAST_VOLUME_USD:
        return "its volume is under 1,000 USD"
    if not LEAST_P <= outside.p_yes <= MOST_P:
        return "its price is not between 2 % and 98 %"
    return None


def _misread(read: Question, outside: OutsideMarket, now: int) -> str | None:
    """Why what was understood is not what the market settles."""
    if read.comparator == "open":
        return "its question names no criterion"
    if any(note.startswith(NOT_NAMED) for note in read.notes):
        return "its question names no deadline"
    if read.notes:
        return f"its question is read with a reservation: {read.notes[0]}"
    if abs(read.deadline.timestamp() - outside.deadline) > DAY:
        return "its end is more than a day from the one its question names"
    if read.comparator in MOVES and not _is_from_now(outside, now):
        return "its move is not measured from now on"
    return None


def _is_from_now(outside: OutsideMarket, now: int) -> bool:
    if outside.measured_from is None:
        return False
    return abs(now - outside.measured_from) <= NOW_SHARE * (outside.deadline - now)


def _settled_as(read: Question, outside: OutsideMarket, now: int) -> Question:
    """The question with the deadline of its market, decided at the close or on the way as the rules say."""
    by_close, by_touch = bool(BY_CLOSE.search(outside.rules)), bool(BY_TOUCH.search(outside.rules))
    comparator = read.comparator
    if by_close != by_touch:
        comparator = (AT_CLOSE if by_close else ON_THE_WAY).get(comparator, comparator)
    hours = (outside.deadline - now) / HOUR
    question = replace(read, comparator=comparator, deadline=utc(outside.deadline), horizon_hours=hours)
    return replace(question, canonical=canonical(question))


def _market(outside: OutsideMarket, question: Question, now: int) -> PredictionMarket:
    rules = plain(outside.rules)
    return PredictionMarket(
        id=outside.id,
        category="imported",
        question=question,
        rule=f"As {outside.source.title()} settles it{': ' + rules if rules else '.'}",
        resolver=outside.source,
        created_at=now,
        closes_at=outside.deadline,
        deadline=outside.deadline,
        backfilled=False,
    )


def _superfluous(
    market: PredictionMarket, now: int, volatility: Mapping[str, float], existing: Sequence[PredictionMarket]
) -> str | None:
    """Why those that are kept leave no room for it."""
    if any(one.id == market.id for one in existing):
        return "it has been taken over already"
    opened = [one for one in existing if one.deadline > now]
    imported = Counter(_day(one) for one in opened if one.category == "imported")
    if imported.total() >= MOST:
        return f"{MOST} imported questions are open already"
    if imported[_day(market)] >= MOST_A_DAY:
        return f"{MOST_A_DAY} imported questions of that asset and day are open already"
    if market.question.asset not in volatility:
        return f"the volatility of {market.question.asset} is not known"
    sigma = volatility[market.question.asset] * math.sqrt(market.question.horizon_hours / YEAR_H)
    copied = next((one.id for one in opened if near_copy(market, one, sigma)), None)
    return f"it nearly is {copied}" if copied else None


def _day(market: PredictionMarket) -> tuple[str, int]:
    return market.question.asset, market.deadline // DAY
