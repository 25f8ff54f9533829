"""New records: a new all-time high, a new low of the month, a 52-week high, the highest close ever."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import numpy as np

from service.market.assets import asset_of, tick_of, trading_days
from service.market.bars import Bars
from service.market.instants import DAY, utc
from service.questions.amounts import find_amounts
from service.questions.circumstances import Setting
from service.questions.clause import Clause
from service.questions.criterion import Criterion, checked, invalid, price
from service.questions.kinds.levels import close, touch
from service.questions.kinds.paths import DaysBeyond
from service.questions.numerals import first_value
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL

UNITS = ("day", "week", "month", "quarter", "year")
LENGTH_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
# Words and kinds beside which a record is a level to compare with, not one to set.
LOWEST = {"low", "lows", "lowest", "bottom"}
BESIDE_RECORD = {"stay", "above", "below", "between", "from", "width"}
HOW = "For example: Will bitcoin hit a new low of the month by Friday?"


def with_period(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a record and its period as one token: "52-week high", "new low of the month".

    Its value is "high:year" for the year so far, "high:52week" for that length of time before now.
    """
    for place, token in enumerate(tokens):
        if token.kind == "record" and token.value is not None:
            return _with_count(tokens, place) if ":" in str(token.value) else _with_unit(tokens, place)
    return list(tokens)


def _with_count(tokens: Sequence[Token], place: int) -> list[Token]:
    """Example: "52-week high" with its number, "weekly high" without one."""
    side, _, unit = str(tokens[place].value).partition(":")
    before = place - (tokens[place - 1].text == "-")
    amount = next((amount for amount in find_amounts(tokens) if amount.after == before), None)
    if amount is None or unit not in UNITS:
        return list(tokens)
    period = replace(tokens[place], value=f"{side}:{amount.values[0]:g}{unit}")
    return [*tokens[: amount.first], period, *tokens[place + 1 :]]


def _with_unit(tokens: Sequence[Token], place: int) -> list[Token]:
    """A record "of the month", "for the year", Portuguese "de 30 dias".

    "This month" is its deadline and, of a close, also its period.
    """
    unit = place + 1
    while unit < len(tokens) and tokens[unit].kind in ("the", "during", "a", "this"):
        unit += 1
    kinds = [token.kind for token in tokens[place + 1 : unit]]
    is_close = str(tokens[place].value).endswith("close")
    length = tokens[unit : unit + 2]
    if {*kinds} == {"the"} and [token.kind for token in length] == ["number", "unit"] and length[1].value in UNITS:
        period = replace(tokens[place], value=f"{tokens[place].value}:{first_value(length[0]):g}{length[1].value}")
        return [*tokens[:place], period, *tokens[unit + 2 :]]
    if not kinds or unit == len(tokens) or tokens[unit].value not in UNITS or ("this" in kinds and not is_close):
        return list(tokens)
    period = replace(tokens[place], value=f"{tokens[place].value}:{tokens[unit].value}")
    return [*tokens[:place], period, *tokens[place + 1 if "this" in kinds else unit + 1 :]]


def of_record(clause: Clause, setting: Setting, *, is_deadline_named: bool = False) -> Criterion | None:
    """The criterion of a question about a record of all stored prices, of a period or of closes; None for any other.

    The period of a weekly high is the week of the deadline, if one is named.
    """
    records = [token for token in clause.tokens if token.kind == "record" and token.value is not None]
    if not records or clause.amounts or clause.kinds & {"average", "halfyear", "fraction", "multiple", "mid"}:
        return None
    side, _, period = str(records[0].value).partition(":")
    against = clause.kinds & (BEAR if side.startswith("high") else BULL)
    if side.endswith("close"):
        return _of_closes(setting, side.removesuffix(" close"), period)
    by_close = "close" in clause.kinds
    if not period:
        is_compared = against or clause.kinds & BESIDE_RECORD or any(token.text in LOWEST for token in clause.tokens)
        is_one = len({token.value for token in records}) == 1
        return None if is_compared or not is_one else beyond_record(setting, side, by_close=by_close)
    if is_deadline_named and (start := _begin(period, setting.deadline)) > setting.now:
        raise invalid(
            f"The {side} of a period from {start:%Y-%m-%d %H:%M} UTC on is not known yet. Name the level in USD.",
            "level",
        )
    if against:
        raise invalid(f"Ask whether the price reaches a new {side} of the period. {HOW}")
    return _of_period(setting, side, _begin(period, setting.now), by_close=by_close)


def _begin(period: str, now: datetime) -> datetime:
    """The beginning of the period so far, or of the time before now."""
    unit = period.lstrip("0123456789.")
    if unit != period:
        days = float(period.removesuffix(unit)) * LENGTH_DAYS.get(unit, 91)
        if not 1 <= days <= 3660:
            raise invalid(f"Name a period from a day to ten years. {HOW}", "deadline")
        return now - timedelta(days=days)
    today = datetime.combine(now.date(), time(), UTC)
    month = {"month": now.month, "quarter": now.month - (now.month - 1) % 3, "year": 1}
    if unit in month:
        return today.replace(month=month[unit], day=1)
    return today - timedelta(days=now.weekday()) if unit == "week" else today


def beyond_record(setting: Setting, side: str, *, by_close: bool) -> Criterion | None:
    """A price beyond all stored ones; None where none are stored."""
    record = setting.history.record(setting.asset)
    if record is None:
        return None
    extreme = max(record.high, setting.spot) if side == "high" else min(record.low, setting.spot)
    return _beyond(setting, side, extreme, by_close=by_close).noted(
        f"The {side}est price of {asset_of(setting.asset).name} stored since {record.since:%Y-%m-%d} is "
        f"{price(extreme)} USD. Earlier prices are not known."
    )


def _of_period(setting: Setting, side: str, since: datetime, *, by_close: bool) -> Criterion:
    """A price beyond all stored ones since an instant."""
    bars, name = setting.history.hourly(setting.asset, since), asset_of(setting.asset).name
    if not reaches_back(setting, bars, since):
        raise invalid(f"The prices of {name} since {since:%Y-%m-%d} are not stored. Name the level in USD.", "level")
    prices = [setting.spot, *(bars.high if side == "high" else bars.low).tolist()]
    extreme = max(prices) if side == "high" else min(prices)
    return _beyond(setting, side, extreme, by_close=by_close).noted(
        f"The {side}est price of {name} since {since:%Y-%m-%d} is {price(extreme)} USD."
    )


def _beyond(setting: Setting, side: str, extreme: float, *, by_close: bool) -> Criterion:
    """A price beyond the extreme one by a step of the price."""
    step = tick_of(setting.asset, setting.spot)
    level = checked(extreme + step if side == "high" else extreme - step, setting.spot)
    return close(level, side == "high") if by_close else touch(level, side == "high")


def reaches_back(setting: Setting, bars: Bars, since: datetime) -> bool:
    """Whether a trading day has prices stored before it ends at the latest five days after `since`."""
    start = int(since.timestamp())
    ends = trading_days(setting.asset, start, min(start + 10 * DAY, int(setting.now.timestamp())))
    return not ends or (len(bars) > 0 and int(bars.time[0]) < ends[0])


def _of_closes(setting: Setting, side: str, period: str) -> Criterion:
    """A day that closes beyond the closes of all days of the period, or of all stored days."""
    is_all = period in ("", "all")
    since = datetime.fromtimestamp(0, UTC) if is_all else _begin(period, setting.now)
    bars, name = setting.history.hourly(setting.asset, since), asset_of(setting.asset).name
    now = int(setting.now.timestamp())
    if not trading_days(setting.asset, now, int(setting.deadline.timestamp())):
        raise invalid("No trading day ends by the deadline. Name a later one.", "deadline")
    ends = [end for end in trading_days(setting.asset, int(bars.time[0]), now) if end <= now] if len(bars) else []
    if not ends or not (is_all or reaches_back(setting, bars, since)):
        raise invalid(f"The daily closes of {name} of that period are not stored. Name the level in USD.", "level")
    closes = bars.close[np.searchsorted(bars.time + bars.step, ends, side="right") - 1]
    extreme = float(closes.max() if side == "high" else closes.min())
    note = (
        f"The {side}est stored daily close of {name}, since {utc(ends[0] - 1):%Y-%m-%d}, is {price(extreme)} USD."
        f"{' Earlier ones are not known.' if is_all else ''}"
    )
    return Criterion(DaysBeyond.names[side != "high"], checked(extreme, setting.spot), days=1).noted(note)
