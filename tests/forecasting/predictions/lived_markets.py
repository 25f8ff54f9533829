"""The product's own markets lived through: opened, voted on, quoted and settled at their instants, month after month.

The voters are refitted at the start of each month and weighed by what has resolved, as in the product.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from service.errors import NoVoters
from service.forecasting.backfill import COUNT_EVERY_S, zero_clock
from service.forecasting.densities.density import Fits
from service.forecasting.densities.fitting import fit
from service.forecasting.predictions import Odds, Prediction, series
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.predictions.open_markets import resolved, settle_past
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters.context import Knowledge, recall
from service.forecasting.voters.inputs import survey
from service.forecasting.voters.panel import embedded_panel
from service.forecasting.voters.track_record import Resolved, TrackRecord, build
from service.market.bars import Bars
from service.market.instants import DAY
from service.market.months import month_starts

MONTH_S = 32 * DAY  # longer than any month


@dataclass(frozen=True)
class LivedMarket:
    """A market with its votes, the `quotes` of outside markets by their name, and its settlement if there is one."""

    market: Prediction
    quotes: Mapping[str, Odds]


def live(
    hourly: Mapping[str, Bars], since: int, until: int, outsides: Mapping[str, SimulatedMarket]
) -> list[LivedMarket]:
    """The markets that were opened from `since` on and came out yes or no by `until`.

    `hourly` begins with the history that the voters are fitted to; `since` is the beginning of a day.
    """
    panel, inputs = embedded_panel(1, zero_clock), survey(hourly)
    markets: dict[str, LivedMarket] = {}
    outcomes: list[Resolved] = []
    record, fits = TrackRecord(), None
    for now in range(since, until, series.EVERY_S):
        fits = _renewed(fits, hourly, now)
        if now % COUNT_EVERY_S == 0:
            record = build([question for question in outcomes if question.resolved_at <= now], now)
        knowledge = Knowledge(recall(inputs, hourly, now), fits, record)
        for due in series.opening(now, knowledge.contexts, markets):
            try:
                result = panel.ask(due.question, now, knowledge)
            except NoVoters:
                continue
            settlement = settle_past(due, hourly, until)
            market = replace(due, commitment=commitment_of(result, knowledge), settlement=settlement)
            quotes = {name: outside.quote(due, knowledge, now) for name, outside in outsides.items()}
            markets[market.id] = LivedMarket(market, quotes)
            outcomes += resolved([market])
    return [history for history in markets.values() if history.market.is_scored]


def _renewed(fits: Fits | None, hourly: Mapping[str, Bars], now: int) -> Fits:
    """The fits of the month of `now`."""
    month = month_starts(now - MONTH_S, now + 1)[-1]
    return fits if fits and fits.slot >= month else fit(hourly, month)
