"""The product's own markets lived through: opened, voted on, quoted and settled at their instants, month after month.

The voters are refitted at the start of each month and weighed by what has resolved, as in the product. Old and new
templates are lived through with the same fits; each has a track record of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace

from service.errors import NoVoters
from service.forecasting.backfill import COUNT_EVERY_S, zero_clock
from service.forecasting.densities.fits import Fits
from service.forecasting.densities.fitting import fit
from service.forecasting.predictions import Odds, Prediction, series
from service.forecasting.predictions.commitments import commitment_of
from service.forecasting.predictions.settling import resolved, settle_past
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters.context import Context, recall
from service.forecasting.voters.forecast_inputs import build_inputs, p_yes
from service.forecasting.voters.input_history import survey
from service.forecasting.voters.knowledge import Knowledge
from service.forecasting.voters.panel import Panel, embedded_panel
from service.forecasting.voters.resolved import Resolved
from service.forecasting.voters.track_record import TrackRecord, build
from service.market.bars import Bars
from service.market.instants import DAY
from service.market.months import month_starts

Opening = Callable[[int, Mapping[str, Context], Container[str]], list[Prediction]]
MONTH_S = 32 * DAY  # longer than any month


@dataclass(frozen=True)
class LivedMarket:
    """A market with its votes, the `quotes` of outside markets by their name, and the outcome if it is settled.

    `plain` is P(YES) by plain volatility with a normal distribution, as the first edition's `vol` gave it.
    """

    market: Prediction
    quotes: Mapping[str, Odds]
    plain: float


@dataclass
class Templates:
    """One set of templates: its open and settled markets and its track record."""

    opening: Opening
    markets: dict[str, LivedMarket] = field(default_factory=dict)
    settled: list[tuple[int, Resolved]] = field(default_factory=list)
    record: TrackRecord = field(default_factory=TrackRecord)

    def count(self, now: int) -> None:
        """Renew the track record from everything settled by the unix second `now`."""
        self.record = build([question for at, question in self.settled if at <= now], now)

    def open(
        self,
        now: int,
        contexts: Mapping[str, Context],
        fits: Fits,
        panel: Panel,
        outsides: Mapping[str, SimulatedMarket],
        hourly: Mapping[str, Bars],
        until: int,
    ) -> None:
        """Open the markets that are due at `now`, and settle them by the bars until `until`."""
        knowledge = Knowledge(contexts, fits, self.record)
        for due in self.opening(now, contexts, self.markets):
            try:
                result = panel.ask(due.question, now, knowledge)
            except NoVoters:
                continue
            settlement = settle_past(due, hourly, until)
            market = replace(due, commitment=commitment_of(result, knowledge), settlement=settlement)
            quotes = {name: outside.quote(due, knowledge, now) for name, outside in outsides.items()}
            inputs = build_inputs(due.question, now, knowledge)
            plain = p_yes(due.question, inputs, [state.plain for state in inputs.states])
            self.markets[market.id] = LivedMarket(market, quotes, plain)
            if settlement:
                self.settled += [(settlement.resolved_at, question) for question in resolved([market])]


def live(
    hourly: Mapping[str, Bars],
    since: int,
    until: int,
    openings: Mapping[str, Opening],
    outsides: Mapping[str, SimulatedMarket],
) -> dict[str, list[LivedMarket]]:
    """The markets of each set of templates that were opened from `since` on and came out yes or no by `until`.

    `hourly` begins with the history that the voters are fitted to; `since` is the beginning of a day.
    """
    panel, inputs = embedded_panel(1, zero_clock), survey(hourly)
    sets = {name: Templates(opening) for name, opening in openings.items()}
    fits: Fits | None = None
    for now in range(since, until, series.EVERY_S):
        month = month_starts(now - MONTH_S, now + 1)[-1]
        if fits is None or fits.slot < month:
            fits = fit(hourly, month)
        contexts = recall(inputs, hourly, now)
        for templates in sets.values():
            if now % COUNT_EVERY_S == 0:
                templates.count(now)
            templates.open(now, contexts, fits, panel, outsides, hourly, until)
    return {
        name: [lived for lived in templates.markets.values() if lived.market.is_scored]
        for name, templates in sets.items()
    }
