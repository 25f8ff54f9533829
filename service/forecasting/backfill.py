"""The backfilled past: every vote at the instant at which it would have been cast, with the data of that instant.

Fits are those of each month's beginning, the track record counts only what had been settled, and no market, call or
headline uses a bar that was not complete. The code that votes is the same as live; only the clock is a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from service.errors import NoVoters
from service.forecasting.apex.call import EVERY_S, Call, fuse, thresholds_of
from service.forecasting.apex.gathering import odds_of_up, poll_layers
from service.forecasting.apex.scores import ResolvedCall, record_of, resolved_calls
from service.forecasting.densities.fits import CalendarFit
from service.forecasting.news import simulated
from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import score_at
from service.forecasting.news.stories import read, stories
from service.forecasting.predictions import Prediction, series
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.predictions.settling import resolved, settle_past
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.price_record.past import PastPrices, backfill_prices
from service.forecasting.voters.context import recall
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.input_history import InputHistory, survey
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.panel import Panel, embedded_panel
from service.forecasting.voters.resolved import Resolved
from service.forecasting.voters.track_record import TrackRecord, build
from service.forecasting.voters.training import fit
from service.market.assets import ASSETS, Calendar
from service.market.bars import Bars
from service.market.instants import DAY
from service.market.months import month_starts

ASSET = "btc"  # the asset of apex's calls
NEWS_BEFORE_S = 14 * DAY  # longer than any look-back of the news
MONTH_S = 32 * DAY
COUNT_EVERY_S = 2 * DAY


@dataclass(frozen=True)
class BackfilledPast:
    """The backfilled markets, calls, headlines and price forecasts; `record` is the track record at the end."""

    record: TrackRecord
    markets: tuple[Prediction, ...]
    calls: tuple[Call, ...]
    headlines: tuple[ScoredHeadline, ...]
    prices: PastPrices


def backfill(
    hourly: Mapping[str, Bars],
    since: int,
    until: int,
    newest: Fits,
    outside: SimulatedMarket,
    quorum: int,
    swarm: Mapping[int, float],
) -> BackfilledPast:
    """The markets, calls and headlines from `since` to `until`, and the price forecasts of every hour between.

    Parameters
    ----------
    hourly : mapping of str to Bars
        Hourly bars by asset, from the beginning of the training history on.
    since, until : int
        Unix seconds: the beginning of a day, and a whole hour.
    newest : Fits
        The fits of the month of `until`, or later ones where that began with too little history.
    outside : SimulatedMarket
        The outside market that quotes every market.
    quorum : int
        Minimum number of votes that open a market.
    swarm : mapping of int to float
        Net position of the strategies in bitcoin, in [-1, 1], by the second at which an hour was complete.
    """
    complete = {asset: past for asset, bars in hourly.items() if len(past := bars.until(until))}
    headlines = read(simulated.write(complete, since - NEWS_BEFORE_S, until))
    panel = embedded_panel(quorum, zero_clock)
    walk = _Walk(complete, survey(complete), stories(headlines), until, newest, outside, panel, swarm)
    for now in range(since, until + 1, EVERY_S):
        walk.step(now)
    walk.count(until)
    prices = backfill_prices(walk.inputs, complete, walk.densities, since, until)
    return BackfilledPast(walk.record, tuple(walk.markets.values()), tuple(walk.calls), tuple(headlines), prices)


@dataclass
class _Walk:
    """The state of a walk through the past."""

    hourly: Mapping[str, Bars]
    inputs: InputHistory
    stories: tuple[ScoredHeadline, ...]
    until: int
    newest: Fits
    outside: SimulatedMarket
    panel: Panel
    swarm: Mapping[int, float]
    fits: Fits | None = None
    densities: dict[int, Mapping[Calendar, CalendarFit]] = field(default_factory=dict)
    record: TrackRecord = field(default_factory=TrackRecord)
    apex_record: TrackRecord = field(default_factory=TrackRecord)
    markets: dict[str, Prediction] = field(default_factory=dict)
    settled: list[tuple[int, Resolved]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    resolved: dict[int, ResolvedCall] = field(default_factory=dict)

    def step(self, now: int) -> None:
        """Do the work of the unix second `now`."""
        self.refit(now)
        if now % COUNT_EVERY_S == 0:
            self.count(now)
        opens = now % series.EVERY_S == 0
        contexts = recall(self.inputs, self.hourly, now, ASSETS if opens else (ASSET,))
        knowledge = Knowledge(contexts, self.fits, self.record)
        if opens:
            self.open(now, knowledge)
        if ASSET in contexts:
            self.call(now, knowledge)

    def refit(self, now: int) -> None:
        """Fit the voters to the questions decided before the month of `now`, as the job does at its beginning."""
        month = month_starts(now - MONTH_S, now + 1)[-1]
        if self.fits is None or self.fits.slot < month:
            self.fits = self.newest if self.newest.slot == month else fit(self.hourly, month)
            self.densities[month] = self.fits.densities

    def count(self, now: int) -> None:
        """Renew the track records from everything settled by `now`."""
        self.record = build([question for at, question in self.settled if at <= now], now)
        waiting = [call for call in self.calls if call.at not in self.resolved]
        self.resolved |= {row.call.at: row for row in resolved_calls(waiting, self.hourly, now)}
        self.apex_record = record_of([self.resolved[call.at] for call in self.calls if call.at in self.resolved], now)

    def open(self, now: int, knowledge: Knowledge) -> None:
        """Open the markets that are due and vote on them; the outside market is priced after the votes."""
        for due in series.opening(now, knowledge.contexts, self.markets):
            market = replace(due, backfilled=True)
            try:
                result = self.panel.ask(market.question, now, knowledge)
            except NoVoters:
                continue
            commitment = commitment_of(result, knowledge)
            odds = self.outside.quote(market, knowledge, now)
            settlement = settle_past(market, self.hourly, self.until)
            market = replace(market, commitment=commitment, odds=odds, settlement=settlement)
            self.markets[market.id] = market
            if settlement:
                self.settled += [(settlement.resolved_at, question) for question in resolved([market])]

    def call(self, now: int, knowledge: Knowledge) -> None:
        """Make apex's call on bitcoin's next day."""
        inputs = poll_layers(
            ASSET,
            now,
            knowledge,
            self.panel,
            news=score_at(self.stories, now),
            odds_p=odds_of_up(ASSET, now, self.newly_opened(now)),
            swarm=self.swarm.get(now),
        )
        thresholds = thresholds_of(self.calls)
        self.calls.append(fuse(inputs, self.apex_record.direction, thresholds, backfilled=True))

    def newly_opened(self, now: int) -> Iterator[Prediction]:
        """The markets of the last day, the newest first."""
        return takewhile(lambda market: market.created_at >= now - DAY, reversed(self.markets.values()))


def zero_clock() -> float:
    """A timer that stands still: no time passes while the past is backfilled."""
    return 0.0
