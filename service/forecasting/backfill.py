"""The backfilled past: every vote at the instant at which it would have been cast, with the data of that instant.

Fits are those of each month's beginning, the track record counts only what had been settled, and no market, call or
headline uses a bar that was not complete. The code that votes is the same as live; only the clock is a loop. No vote
depends on another one, so the markets of each month are voted on apart; then one walk through all of them weighs the
votes by the track record of their instant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import starmap, takewhile
from typing import Any

from service.errors import NoVoters
from service.forecasting.apex.call import EVERY_S, Call, fuse, thresholds_of
from service.forecasting.apex.layers import NetView, odds_of_up, poll_layers
from service.forecasting.apex.scores import ResolvedCall, record_of, resolved_calls
from service.forecasting.densities.density import Fits
from service.forecasting.densities.fitting import fit
from service.forecasting.densities.grid import complete_bars
from service.forecasting.news import simulated
from service.forecasting.news.headline import ScoredHeadline, read, stories
from service.forecasting.news.pulse import score_at
from service.forecasting.predictions import Prediction, series
from service.forecasting.predictions.commitments import commitment_of, weighed
from service.forecasting.predictions.open_markets import resolved, settle_past
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.price_record.book import PastPrices, backfill_prices
from service.forecasting.voters.context import Knowledge, recall
from service.forecasting.voters.inputs import InputHistory, survey
from service.forecasting.voters.panel import Panel, embedded_panel
from service.forecasting.voters.track_record import Resolved, TrackRecord, build
from service.market.bars import Bars
from service.market.instants import DAY
from service.market.months import ends, month_of, month_start, month_starts

ASSET = "btc"  # the asset of apex's calls
NEWS_BEFORE_S = 14 * DAY  # longer than any look-back of the news
COUNT_EVERY_S = 2 * DAY

Starmap = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Iterable[Any]]


@dataclass(frozen=True)
class BackfilledPast:
    """The backfilled markets, calls, headlines and price forecasts; `record` is the track record at the end."""

    record: TrackRecord
    markets: tuple[Prediction, ...]
    calls: tuple[Call, ...]
    headlines: tuple[ScoredHeadline, ...]
    prices: PastPrices


@dataclass(frozen=True)
class PastMonth:
    """The fits of a month, and the markets that it opened by their instant; each vote has the weight of no record."""

    fits: Fits
    openings: Mapping[int, Sequence[Prediction]]


def backfill(
    hourly: Mapping[str, Bars],
    since: int,
    until: int,
    newest: Fits,
    outside: SimulatedMarket | None,
    quorum: int,
    swarm: Mapping[int, NetView],
    mapper: Starmap = starmap,
) -> BackfilledPast:
    """The markets, calls and headlines from `since` to `until`, and the price forecasts of every hour between.

    `hourly` are the bars from the beginning of the training history on; `since` is the beginning of a day and `until` a
    whole hour, both unix seconds. `newest` are the fits of the month of `until`, or later ones where that began with
    too little history. `outside` quotes every market; it is None in the live world, whose past has no odds and no
    headlines. Fewer than `quorum` votes open no market. `swarm` has the positions of the strategies in bitcoin by the
    second at which an hour was complete. `mapper` gives the results of a function for each tuple of arguments, in their
    order; the calls may run at the same time.
    """
    complete = complete_bars(hourly, until)
    starts = month_starts(month_start(since), until + 1)
    inputs = survey(complete)
    parts = [(complete, inputs, max(start, since), until, newest, outside, quorum) for start in starts]
    months = dict(zip(starts, mapper(vote_month, parts), strict=True))
    headlines = read(simulated.write(complete, since - NEWS_BEFORE_S, until)) if outside else []
    walk = _Walk(complete, inputs, stories(headlines), months, embedded_panel(quorum, zero_clock), swarm)
    for now in range(since, until + 1, EVERY_S):
        walk.step(now)
    walk.count(until)
    fits = {start: month.fits for start, month in months.items()}
    prices = backfill_prices(walk.inputs, complete, fits, since, until)
    return BackfilledPast(walk.record, tuple(walk.markets.values()), tuple(walk.calls), tuple(headlines), prices)


def vote_month(
    hourly: Mapping[str, Bars],
    inputs: InputHistory,
    since: int,
    until: int,
    newest: Fits,
    outside: SimulatedMarket | None,
    quorum: int,
) -> PastMonth:
    """The markets that the month of `since` opens from then on; the parameters are those of `backfill`.

    `inputs` are those of the hourly bars.

    The voters are fitted to the questions decided before the month, as the job does at its beginning. Markets that the
    month before has opened may be opened again at the first instants.
    """
    month = month_start(since)
    fits = newest if newest.slot == month else fit(hourly, month)
    panel = embedded_panel(quorum, zero_clock)
    openings: dict[int, list[Prediction]] = {}
    ids: set[str] = set()
    for now in range(since, min(until + 1, ends(month_of(month))), series.EVERY_S):
        knowledge = Knowledge(recall(inputs, hourly, now), fits)
        openings[now] = []
        for due in series.opening(now, knowledge.contexts, ids):
            try:
                result = panel.ask(due.question, now, knowledge)
            except NoVoters:
                continue
            commitment, settlement = commitment_of(result, knowledge), settle_past(due, hourly, until)
            odds = outside.quote(due, knowledge, now) if outside else None
            market = replace(due, backfilled=True, commitment=commitment, odds=odds, settlement=settlement)
            openings[now].append(market)
        ids |= {market.id for market in openings[now]}
    return PastMonth(fits, openings)


@dataclass
class _Walk:
    """The state of a walk through the past."""

    hourly: Mapping[str, Bars]
    inputs: InputHistory
    stories: tuple[ScoredHeadline, ...]
    months: Mapping[int, PastMonth]
    panel: Panel
    swarm: Mapping[int, NetView]
    record: TrackRecord = field(default_factory=TrackRecord)
    apex_record: TrackRecord = field(default_factory=TrackRecord)
    markets: dict[str, Prediction] = field(default_factory=dict)
    questions: list[Resolved] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    outcomes: dict[int, ResolvedCall] = field(default_factory=dict)

    def step(self, now: int) -> None:
        """Do the work of the unix second `now`."""
        if now % COUNT_EVERY_S == 0:
            self.count(now)
        month = self.months[month_start(now)]
        self.open(month.openings.get(now, ()))
        contexts = recall(self.inputs, self.hourly, now, (ASSET,))
        if ASSET in contexts:
            self.call(now, Knowledge(contexts, month.fits, self.record))

    def count(self, now: int) -> None:
        """Renew the track records from everything settled by `now`."""
        self.record = build([question for question in self.questions if question.resolved_at <= now], now)
        open_calls = [call for call in self.calls if call.at not in self.outcomes]
        self.outcomes |= {row.call.at: row for row in resolved_calls(open_calls, self.hourly, now)}
        self.apex_record = record_of([self.outcomes[call.at] for call in self.calls if call.at in self.outcomes], now)

    def open(self, due: Sequence[Prediction]) -> None:
        """Weigh the votes of the markets that are not open already by the track record of now."""
        for prediction in due:
            if prediction.id in self.markets:
                continue
            market = weighed(prediction, self.record)
            self.markets[market.id] = market
            self.questions += resolved([market])

    def call(self, now: int, knowledge: Knowledge) -> None:
        newly_opened = takewhile(lambda market: market.created_at >= now - DAY, reversed(self.markets.values()))
        inputs = poll_layers(
            ASSET,
            now,
            knowledge,
            self.panel,
            news=score_at(self.stories, now),
            odds_p=odds_of_up(ASSET, now, newly_opened),
            swarm=self.swarm.get(now),
        )
        thresholds = thresholds_of(self.calls)
        self.calls.append(fuse(inputs, self.apex_record.of_band("day"), thresholds, backfilled=True))


def zero_clock() -> float:
    """A timer that stands still: no time passes while the past is backfilled."""
    return 0.0
