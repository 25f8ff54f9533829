"""The past, lived through: every vote cast on the instant it would have been cast, with what was known then.

Fits are those of each month's beginning, the track record is that of what had been settled, and no market, call or
headline sees a bar that was not complete. It is the code that votes live; only the clock is a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from service.errors import NoVoters
from service.forecasting.apex.call import EVERY_S, Call, consult
from service.forecasting.apex.hearing import hear, odds_of_up
from service.forecasting.apex.scores import ResolvedCall, record_of, resolved_calls
from service.forecasting.context import Context, recall
from service.forecasting.fits import Fits
from service.forecasting.news import simulated
from service.forecasting.news.headline import ScoredHeadline
from service.forecasting.news.pulse import score_at
from service.forecasting.news.stories import read, stories
from service.forecasting.oracle import voters
from service.forecasting.panel import Panel, survey
from service.forecasting.predictions import Commitment, Odds, PredictionMarket, Settled, Settlement, outside, series
from service.forecasting.predictions.settling import resolved, settle_past
from service.forecasting.predictions.votes import commit
from service.forecasting.record import Record, Resolved, build
from service.forecasting.training import fit
from service.forecasting.walk_forward import month_starts
from service.market.assets import ASSETS
from service.market.bars import Bars
from service.market.instants import DAY

ASSET = "btc"  # what apex speaks about
VOTERS = voters()
# Headlines are remembered for longer than any look-back of the news has.
NEWS_BEFORE_S = 14 * DAY
MONTH_S = 32 * DAY
LEARNT_EVERY_S = 2 * DAY


@dataclass(frozen=True)
class LivedMarket:
    """A market of the past; without a settlement it is still open."""

    market: PredictionMarket
    commitment: Commitment
    odds: Odds
    settlement: Settlement | None


@dataclass(frozen=True)
class Past:
    """What came of living through the past; `record` is the one that holds at its end."""

    record: Record
    markets: tuple[LivedMarket, ...]
    calls: tuple[Call, ...]
    headlines: tuple[ScoredHeadline, ...]


def relive(
    hourly: Mapping[str, Bars], since: int, until: int, newest: Fits, seed: int, quorum: int, swarm: Mapping[int, float]
) -> Past:
    """The markets, calls and headlines from `since`, the beginning of a day, to `until`, unix seconds on an hour.

    `newest` are the fits of the month of `until`, or later ones where that began with too little history. `seed` is
    that of the simulated outside market, `quorum` the fewest votes that open a market, `swarm` the net position of
    the strategies in bitcoin, in [-1, 1], by the second at which an hour was complete.
    """
    known = {asset: past for asset, bars in hourly.items() if len(past := bars.until(until))}
    printed = read(simulated.write(known, since - NEWS_BEFORE_S, until))
    walk = _Walk(known, survey(known), stories(printed), until, newest, seed, quorum, swarm)
    for now in range(since, until + 1, EVERY_S):
        walk.live(now)
    walk.learn(until)
    return Past(walk.record, tuple(walk.markets.values()), tuple(walk.calls), tuple(printed))


@dataclass
class _Walk:
    """Somebody who walks through the past and remembers."""

    hourly: Mapping[str, Bars]
    panel: Panel
    stories: tuple[ScoredHeadline, ...]
    until: int
    newest: Fits
    seed: int
    quorum: int
    swarm: Mapping[int, float]
    fits: Fits | None = None
    record: Record = field(default_factory=Record)
    apex_record: Record = field(default_factory=Record)
    markets: dict[str, LivedMarket] = field(default_factory=dict)
    settled: list[tuple[int, Resolved]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    resolved: dict[int, ResolvedCall] = field(default_factory=dict)

    def live(self, now: int) -> None:
        """What was done at the unix second `now`."""
        self.refit(now)
        if now % LEARNT_EVERY_S == 0:
            self.learn(now)
        opens = now % series.EVERY_S == 0
        known = recall(self.panel, self.hourly, now, ASSETS if opens else (ASSET,))
        if opens:
            self.open(now, known)
        if ASSET in known:
            self.call(now, known)

    def refit(self, now: int) -> None:
        """Learn from what had been decided before the month of `now`, as the job does at its beginning."""
        month = month_starts(now - MONTH_S, now + 1)[-1]
        if self.fits is None or self.fits.slot < month:
            self.fits = self.newest if self.newest.slot == month else fit(self.hourly, month)

    def learn(self, now: int) -> None:
        """Count what had been settled by `now`."""
        self.record = build([one for at, one in self.settled if at <= now], now)
        waiting = [call for call in self.calls if call.at not in self.resolved]
        self.resolved |= {one.call.at: one for one in resolved_calls(waiting, self.hourly, now)}
        self.apex_record = record_of([self.resolved[call.at] for call in self.calls if call.at in self.resolved], now)

    def open(self, now: int, known: Mapping[str, Context]) -> None:
        """Open the markets whose time has come, vote on them, and only then look at the outside market."""
        for due in series.opening(now, known, self.markets):
            market = replace(due, backfilled=True)
            try:
                commitment = commit(
                    market, now, known, self.fits, VOTERS, self.record, quorum=self.quorum, timer=_no_time
                )
            except NoVoters:
                continue
            odds = outside.quote(market, known, now, self.seed)
            settlement = settle_past(market, self.hourly, self.until)
            self.markets[market.id] = LivedMarket(market, commitment, odds, settlement)
            if settlement:
                taught = resolved([Settled(market, commitment, odds, settlement)])
                self.settled += [(settlement.resolved_at, one) for one in taught]

    def call(self, now: int, known: Mapping[str, Context]) -> None:
        """Ask apex for bitcoin's next day."""
        inputs = hear(
            ASSET,
            now,
            known,
            self.fits,
            self.record,
            VOTERS,
            news=score_at(self.stories, now),
            odds_p=odds_of_up(ASSET, now, self.newly_opened(now)),
            swarm=self.swarm.get(now),
            timer=_no_time,
        )
        self.calls.append(consult(inputs, self.apex_record.direction, backfilled=True))

    def newly_opened(self, now: int) -> Iterator[tuple[PredictionMarket, Odds]]:
        """The markets of the last day with their odds."""
        newest_first = reversed(self.markets.values())
        recent = takewhile(lambda one: one.market.created_at >= now - DAY, newest_first)
        return ((one.market, one.odds) for one in recent)


def _no_time() -> float:
    """Nobody waits in the past."""
    return 0.0
