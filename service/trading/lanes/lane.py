"""What all lanes share: description and state, the market at one instant, events, and the way through bars."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from operator import itemgetter
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np

from service.documents import JsonRecord
from service.errors import NinefoldError
from service.market.bars import Bar, Bars, Prices
from service.market.instants import DAY, HOUR
from service.market.ta_lib import talib
from service.trading.accounts import TERMS, AccountTerms
from service.trading.performance import DAYS_A_YEAR
from service.trading.pools import Pool
from service.trading.rules import earlier, log_price, log_returns, ratio, z_score

# Counted in one-hour bars; hours in which the market is closed do not count.
TREND_FAST, TREND_SLOW = 48, 192
RANGE = 48
DEVIATION = 48
TRUE_RANGE = 24
WEEK = 7 * 24
MONTH = 30 * 24


class HourReading(NamedTuple):
    """The indicators of one asset at the close of one hour; NaN until their look-back is filled.

    `time` is the unix second of the hour's opening; `close`, `high`, `low` are USD. `trend`: fast less slow average,
    in average true ranges. `deviation`: distance of the log price from its mean in standard deviations;
    `deviation_before`: the same one hour earlier. `ceiling`, `floor`: the extremes of the preceding hours, USD.
    `true_range`: the average true range, USD. `volatility`: of the last week, as a fraction a year. `turnover`: mean
    USD traded in an hour over up to a month. `busy`: the mean of the last week over that.
    """

    time: int
    close: float
    high: float
    low: float
    trend: float
    deviation: float
    deviation_before: float
    ceiling: float
    floor: float
    true_range: float
    volatility: float
    turnover: float
    busy: float


def readings(hours: Bars, since: int = 0) -> list[HourReading]:
    """The rows of the complete `hours` (n,) that open at or after the unix second `since`, oldest first.

    `hours` must begin at the same bar every time: exponential averages depend on their whole history.
    """
    if not len(hours):
        return []
    true_range = talib.ATR(hours.high, hours.low, hours.close, TRUE_RANGE)
    deviation = z_score(log_price(hours), DEVIATION)
    traded_usd = hours.volume * hours.close
    turnover = rolling_mean(traded_usd, MONTH)
    columns = [
        hours.time,
        hours.close,
        hours.high,
        hours.low,
        ratio(talib.EMA(hours.close, TREND_FAST) - talib.EMA(hours.close, TREND_SLOW), true_range),
        deviation,
        earlier(deviation),
        earlier(talib.MAX(hours.high, RANGE)),
        earlier(talib.MIN(hours.low, RANGE)),
        true_range,
        _volatility(hours),
        turnover,
        ratio(rolling_mean(traded_usd, WEEK), turnover),
    ]
    first = int(np.searchsorted(hours.time, since))
    return [HourReading(*row) for row in zip(*(column[first:].tolist() for column in columns), strict=True)]


def _volatility(hours: Bars) -> Prices:
    """Annualised root mean square of a week's log returns, (n,), as a fraction; NaN before a full week of bars.

    It is scaled by the time that passed, not by the number of bars: metals have none over a weekend.
    """
    squares = np.nan_to_num(log_returns(hours)) ** 2
    years = (hours.time[WEEK:] - hours.time[:-WEEK]) / (DAYS_A_YEAR * DAY)
    yearly = np.full(len(hours), np.nan)
    yearly[WEEK:] = np.sqrt(np.maximum(rolling_mean(squares, WEEK)[WEEK:] * WEEK, 0) / years)
    return yearly


def rolling_mean(values: Prices, period: int) -> Prices:
    """The mean of the last `period` of `values` (n,), or of all of them where there are fewer."""
    total = np.cumsum(values)
    counts = np.minimum(np.arange(1, len(values) + 1), period)
    total[period:] -= total[:-period].copy()
    return total / counts


T = TypeVar("T")
S = TypeVar("S", bound="LaneState")

Venue = Literal["cex", "dex"]
Status = Literal["waiting", "in_market", "in_lp", "harvesting", "switching"]


class AlreadySeen(NinefoldError):
    """A lane was given a bar that it has already processed, or an earlier one; applying it would trade twice."""

    code = "already_seen"


@dataclass(frozen=True, kw_only=True)
class LaneState(JsonRecord):
    """The fields that the states of all lanes share, after the bar that was complete at the unix second `as_of`.

    USD: `cash`, and `equity`, everything together. `trades` counts closed positions and parts of them, `wins` those
    with a profit after costs; the profits add up to `won_usd`, the losses to `lost_usd`. `fees_usd` were paid on an
    exchange or earned in pools. `events` are those of this bar only.
    """

    lane: str
    started_at: int
    as_of: int
    cash: float
    equity: float
    trades: int = 0
    wins: int = 0
    won_usd: float = 0.0
    lost_usd: float = 0.0
    fees_usd: float = 0.0
    events: tuple[LaneEvent, ...] = ()

    @property
    def status(self) -> Status:
        raise NotImplementedError


@dataclass(frozen=True)
class Lane(ABC, Generic[S]):
    """A row of the table of lanes, whose state is an `S`. Increase `version` when its logic changes.

    `terms` are its capital and its costs.
    """

    name: str
    label: str
    logic: str
    venue: Venue
    version: int = field(default=1, kw_only=True)
    terms: AccountTerms = field(default=TERMS, kw_only=True)

    @property
    def bot_id(self) -> str:
        """The logic that produces the numbers: the name and the version."""
        return f"{self.name}-{self.version}"

    @abstractmethod
    def begin(self, at: int) -> S:
        """The state of a lane that starts at the unix second `at`; it accepts bars that end after it."""

    def load(self, body: Mapping[str, Any]) -> S:
        """The state from its stored JSON, which is that of `dataclasses.asdict`."""
        return type(self.begin(0)).from_plain(body)

    def step(self, state: S, moment: Moment) -> S:
        """The lane after one more bar. Raises AlreadySeen unless the bar is later than the last."""
        if moment.as_of <= state.as_of:
            end = f"the last bar of lane {self.name} ended at {state.as_of}"
            raise AlreadySeen(f"{end}; it refuses one that ended at {moment.as_of}")
        return self.advance(changed(state, events=()) if state.events else state, moment)

    @abstractmethod
    def advance(self, state: S, moment: Moment) -> S:
        """The lane after one more bar, from a state without events."""

    def walk(self, body: Mapping[str, Any] | None, at: int) -> Walk[S]:
        """The way from the stored state `body`, or from a start at the unix second `at` where nothing is stored."""
        return Walk(self, self.load(body) if body else self.begin(at))


class LaneBar(NamedTuple):
    """The equity of a lane in USD and its status when a bar was complete."""

    as_of: int
    equity: float
    status: Status


@dataclass
class Walk(Generic[S]):
    """A lane on its way through new bars: its state, its equity and status at each bar, its events as JSON."""

    lane: Lane[S]
    state: S
    bars: list[LaneBar] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def step(self, moment: Moment) -> None:
        """Go one bar further; raises AlreadySeen like the lane."""
        self.state = state = self.lane.step(self.state, moment)
        self.bars.append(LaneBar(moment.as_of, state.equity, state.status))
        if state.events:
            self.events.extend(asdict(event) for event in state.events)


@dataclass(frozen=True)
class LaneEvent:
    """An action of a lane at the unix second `time`.

    `subject` is the asset or the pool. `value_usd` is the amount moved, `cost_usd` its cost in fees, slippage and
    gas, `pnl_usd` the result of a closed position after all costs (None where no position was closed).
    """

    kind: Literal["trade", "harvest", "switch"]
    time: int
    subject: str
    note: str
    price: float
    value_usd: float
    cost_usd: float
    pnl_usd: float | None = None


@dataclass(frozen=True)
class Moment:
    """The market at one bar, the input of every lane.

    `bars` are the bars of this instant by asset; an asset that does not trade is absent. `readings` are those of each
    asset's last complete hour; a lane uses them only for assets that have a bar, which is what shows that the hour is
    over. `votes` are the pool's forecasts from the end of the last hour; an asset without one is absent. `pools` are
    the pools listed at this instant. `as_of` is the unix second at which the bars are complete, `step` their length in
    seconds.
    """

    as_of: int
    step: int
    bars: Mapping[str, Bar]
    readings: Mapping[str, HourReading]
    votes: Mapping[str, LaneVote]
    pools: Mapping[str, Pool]

    @property
    def time(self) -> int:
        """The unix second at which the bars open."""
        return self.as_of - self.step

    def ends_hour(self, since: int) -> bool:
        """Whether an hour has ended since the unix second `since`, the lane's `as_of`."""
        return self.as_of // HOUR > since // HOUR

    def fresh(self, since: int) -> dict[str, HourReading]:
        """The readings of hours that ended since then; none within an hour, and none of a closed market."""
        if not self.ends_hour(since):
            return {}
        last = since // HOUR * HOUR
        return {
            asset: reading
            for asset, reading in self.readings.items()
            if asset in self.bars and reading.time + HOUR > last
        }


def changed(state: T, **changes: Any) -> T:
    """A copy of a frozen state with other values; `dataclasses.replace` takes eight times as long, at every bar."""
    copy = object.__new__(type(state))
    object.__setattr__(copy, "__dict__", state.__dict__ | changes)
    return copy


class LaneVote(NamedTuple):
    """`volatility` is that of the coming week, as a fraction a year; `p_up` is P(the price is higher in a day)."""

    volatility: float
    p_up: float


Votes = Mapping[int, Mapping[str, LaneVote]]


def moments(
    hours: Mapping[str, Bars], marks: Mapping[str, Bars], after: int, *, votes: Votes, pools: Mapping[str, Pool]
) -> Iterator[Moment]:
    """Every instant at which an asset has a bar that was complete after the unix second `after`, oldest first.

    `hours` are the complete one-hour bars of each asset, always from the same first one on; `marks` the shortest bars
    of this world, of an hour or less and all of one step, at least those that ended after `after`. The live world has
    short bars of a few days only: before the first of them each hour is a moment. `votes` maps the end of an hour to
    the pool's forecasts of that hour; every moment has the same `pools`.
    """
    turn = max(after, min((int(bars.time[0]) for bars in marks.values() if len(bars)), default=after))
    early = {asset: bars.since(after).until(turn) for asset, bars in hours.items()}
    histories: dict[str, list[HourReading]] = {}
    for asset, hourly in hours.items():
        before = hourly.until(after)
        since = int(before.time[-1]) if len(before) else 0  # from the last hour that was complete then on
        histories[asset] = readings(hourly, since)
    hour, latest = -1, {}
    for as_of, bars in chain(_instants(early, after), _instants(marks, turn)):
        if as_of // HOUR != hour:
            hour = as_of // HOUR
            counts = {asset: bisect_right(rows, as_of - HOUR, key=itemgetter(0)) for asset, rows in histories.items()}
            latest = {asset: histories[asset][count - 1] for asset, count in counts.items() if count}
        step = as_of - next(iter(bars.values())).time
        yield Moment(as_of, step, bars, latest, votes.get(hour * HOUR, {}), pools)


def _instants(marks: Mapping[str, Bars], after: int) -> Iterator[tuple[int, dict[str, Bar]]]:
    """(as_of, bars) of each instant; computed day by day, so that a year is never in memory at once."""
    filled = {asset: new for asset, bars in marks.items() if len(new := bars.since(after - bars.step + 1))}
    if not filled:
        return
    start = min(int(bars.time[0]) for bars in filled.values())
    end = max(bars.as_of for bars in filled.values())
    for day in range(start, end, DAY):
        instants: dict[int, dict[str, Bar]] = {}
        for asset, bars in filled.items():
            first, last = np.searchsorted(bars.time, (day, day + DAY)).tolist()
            for row in bars[first:last].rows():
                instants.setdefault(row[0] + bars.step, {})[asset] = Bar(*row)
        yield from sorted(instants.items())
