"""The backfilled past: every vote at the instant at which it would have been cast, with the data of that instant.

Fits are those of each month's beginning, the track record counts only what had been settled, and no market, call or
headline uses a bar that was not complete. The code that votes is the same as live. No vote depends on another one, so
the markets of each month are voted on apart; then one loop weighs the votes by the track record of their instant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import starmap, takewhile
from typing import Any

from service.errors import NoVoters
from service.forecasting.apex.call import EVERY_S, Call, fuse, thresholds_of
from service.forecasting.apex.document import ResolvedCall, record_of, resolved_calls
from service.forecasting.apex.layers import NetView, odds_of_up, poll_layers
from service.forecasting.densities.density import Fits
from service.forecasting.densities.fitting import fit
from service.forecasting.densities.grid import complete_bars
from service.forecasting.news import simulated
from service.forecasting.news.headline import ScoredHeadline, read, stories
from service.forecasting.news.pulse import LOOK_BACK_S, score_at
from service.forecasting.predictions import Prediction, series
from service.forecasting.predictions.commitments import commitment_of, weighed
from service.forecasting.predictions.open_markets import resolved, settle_past
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.price_record.book import PastPrices, backfill_prices
from service.forecasting.voters.context import Knowledge, recall
from service.forecasting.voters.inputs import InputHistory, survey
from service.forecasting.voters.panel import embedded_panel
from service.forecasting.voters.track_record import Resolved, TrackRecord, build
from service.market.bars import Bars
from service.market.instants import DAY
from service.market.months import ends, month_of, month_start, month_starts

ASSET = "btc"  # the asset of apex's calls
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
    headlines = read(simulated.write(complete, since - LOOK_BACK_S, until)) if outside else []
    history, panel = stories(headlines), embedded_panel(quorum, zero_clock)
    markets: dict[str, Prediction] = {}
    questions: list[Resolved] = []
    calls: list[Call] = []
    outcomes: dict[int, ResolvedCall] = {}

    def records(now: int) -> tuple[TrackRecord, TrackRecord]:
        """The track records of the voters and of the layers, from everything settled by `now`."""
        open_calls = [call for call in calls if call.at not in outcomes]
        outcomes.update({row.call.at: row for row in resolved_calls(open_calls, complete, now)})
        decided = [outcomes[call.at] for call in calls if call.at in outcomes]
        return build([question for question in questions if question.resolved_at <= now], now), record_of(decided, now)

    record = apex_record = TrackRecord()
    for now in range(since, until + 1, EVERY_S):
        if now % COUNT_EVERY_S == 0:
            record, apex_record = records(now)
        fits, openings = months[month_start(now)]
        for prediction in openings.get(now, ()):
            if prediction.id not in markets:
                market = weighed(prediction, record)
                markets[market.id] = market
                questions += resolved([market])
        contexts = recall(inputs, complete, now, (ASSET,))
        if ASSET in contexts:
            newest_first = reversed(markets.values())
            newly_opened = takewhile(lambda market, day_before=now - DAY: market.created_at >= day_before, newest_first)
            layer_inputs = poll_layers(
                ASSET,
                now,
                Knowledge(contexts, fits, record),
                panel,
                news=score_at(history, now),
                odds_p=odds_of_up(ASSET, now, newly_opened),
                swarm=swarm.get(now),
            )
            band, thresholds = apex_record.of_band("day"), thresholds_of(calls)
            calls.append(fuse(layer_inputs, band, thresholds, backfilled=True))
    record, _ = records(until)
    prices = backfill_prices(inputs, complete, {start: fits for start, (fits, _) in months.items()}, since, until)
    return BackfilledPast(record, tuple(markets.values()), tuple(calls), tuple(headlines), prices)


def vote_month(
    hourly: Mapping[str, Bars],
    inputs: InputHistory,
    since: int,
    until: int,
    newest: Fits,
    outside: SimulatedMarket | None,
    quorum: int,
) -> tuple[Fits, dict[int, list[Prediction]]]:
    """The fits of the month of `since`, and the markets that it opens from then on, by their instant.

    The parameters are those of `backfill`; `inputs` are those of the hourly bars. The fits are to questions decided
    before the month, as the job's are. Each vote has the weight of no record, and markets that the month before has
    opened may be opened again at the first instants.
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
    return fits, openings


def zero_clock() -> float:
    """A timer that stands still: no time passes while the past is backfilled."""
    return 0.0
