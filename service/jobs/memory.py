"""What a job process keeps in memory, so that it computes once what the same bars, calls or markets give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import eq
from threading import Lock
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from sqlalchemy import Connection

from service.documents import DocumentHeader, RecordHeader
from service.forecasting.apex.call import Call
from service.forecasting.apex.document import ResolvedCall, outcome_of
from service.forecasting.backfill import ASSET
from service.forecasting.predictions.scores.betting import ShadowDocument, shadow_document
from service.forecasting.predictions.scores.columns import MarketColumns, counted_questions
from service.forecasting.predictions.scores.forecasters import (
    CountedMarkets,
    ForecasterEntry,
    counted_markets,
    own_entries,
)
from service.forecasting.predictions.scores.streaks import StreaksDocument, streaks_document
from service.forecasting.predictions.scores.versus import AiVsMarketDocument, ai_vs_market_document
from service.market.assets import LONGEST_CLOSURE_S
from service.market.bars import Bars, equal
from service.market.instants import DAY
from service.store import bars, forecasts
from service.store.bars import HourlyBars
from service.store.listings import Listed, ListedMarkets
from service.store.pages import apex_calls
from service.trading.accounts import TERMS, AccountTerms
from service.trading.arena import Arena, advance, block_start, end_of, unused_arena

S = TypeVar("S")
T = TypeVar("T")


class Memory(Generic[S, T]):
    """Holds what was seen last with what was computed from it."""

    def __init__(self, compute: Callable[[S], T], are_equal: Callable[[S, S], bool] = eq) -> None:
        self._compute = compute
        self._are_equal = are_equal
        self._memo: tuple[S, T] | None = None
        self._lock = Lock()

    def of(self, key: S) -> T:
        """What follows from `key`; neither may be changed afterwards."""
        with self._lock:
            if self._memo is None or not self._are_equal(key, self._memo[0]):
                self._memo = key, self._compute(key)
            return self._memo[1]


def same_bars(hourly: Mapping[str, Bars], others: Mapping[str, Bars]) -> bool:
    return hourly.keys() == others.keys() and all(equal(bars, others[asset]) for asset, bars in hourly.items())


class ArenaMemory:
    """Gives the arena after hourly bars; computes again what follows the last complete block, or all after a change."""

    def __init__(self, terms: AccountTerms = TERMS) -> None:
        self._terms = terms
        self._hours: Mapping[str, Bars] = {}
        self._arena = unused_arena(0, terms)  # after these hours

    def after(self, hours: Mapping[str, Bars]) -> Arena:
        """The arena after these complete one-hour bars, anchored at the first of them."""
        anchor = min((int(bars.time[0]) for bars in hours.values() if len(bars)), default=0)
        if anchor != self._arena.anchor or not same_bars(_until(hours, self._arena.as_of), self._hours):
            self._arena, self._hours = unused_arena(anchor, self._terms), {}
        complete_hours = _until(hours, block_start(anchor, end_of(hours, anchor)))
        self._arena, self._hours = advance(self._arena, complete_hours), complete_hours
        return advance(self._arena, hours)


def _until(hours: Mapping[str, Bars], instant: int) -> dict[str, Bars]:
    return {asset: bars.until(instant) for asset, bars in hours.items()}


class CallHistory(NamedTuple):
    """All calls, those that were right or wrong with their outcomes, and the hourly bars from before the first on."""

    calls: Sequence[Call]
    outcomes: Sequence[ResolvedCall]
    hourly: Bars


class CallMemory:
    """Holds the calls, which never change, and outcomes that later bars cannot change."""

    def __init__(self) -> None:
        self._calls: list[Call] = []
        self._final: dict[int, ResolvedCall | None] = {}  # by the instant of the call; None if void
        self._revision = 0  # of the bars that decided them
        self._lock = Lock()

    def read(self, db: Connection, hourly_bars: HourlyBars, slot: int) -> CallHistory:
        """The calls, and the outcomes of those whose day is over at the world second `slot`."""
        with self._lock:
            since = self._calls[-1].at + 1 if self._calls else 0
            self._calls += [Call.from_plain(plain) for plain in apex_calls.since(db, since)]
            first = self._calls[0].at if self._calls else slot
            # Before the bars are read: bars of a later revision are resolved again at the next time.
            if (revision := bars.bars_revision(db, ASSET)) != self._revision:
                self._revision, self._final = revision, {}
            hourly = hourly_bars.load(db, {ASSET: first - LONGEST_CLOSURE_S}, slot)
            outcomes = self._resolve(hourly[ASSET], slot)
            return CallHistory(tuple(self._calls), outcomes, hourly[ASSET])

    def _resolve(self, hourly: Bars, slot: int) -> list[ResolvedCall]:
        new: dict[int, ResolvedCall | None] = {}
        for call in self._calls:
            if call.at not in self._final and (outcome := outcome_of(call, hourly, slot)):
                new[call.at] = None if outcome == "void" else ResolvedCall(call, outcome == "yes")
        by_instant = self._final | new
        if len(hourly):
            final_before = hourly.as_of - DAY - bars.CHANGING_S
            self._final |= {at: result for at, result in new.items() if at < final_before}
        return [result for call in self._calls if (result := by_instant.get(call.at))]


SEED = 20_260_401  # of the permutation test: the same markets give the same documents


@dataclass(frozen=True)
class Scores:
    """Three documents, and what the table of forecasters is made of."""

    streaks: StreaksDocument
    shadow: ShadowDocument
    versus: AiVsMarketDocument
    market_counts: CountedMarkets
    entries: list[ForecasterEntry]


_SeenMarkets = tuple[Listed, RecordHeader, RecordHeader, int]


class ScoreMemory:
    """Computes scores only where the markets have changed: most hours settle nothing and open nothing."""

    def __init__(self) -> None:
        self._markets = ListedMarkets()
        self._scores = Memory[_SeenMarkets, Scores](lambda key: compute(key[0].columns(), *key[1:]), _are_same_markets)

    def read(self, db: Connection, header: DocumentHeader, priced_header: DocumentHeader) -> Scores:
        """The scores of everything listed; `priced_header` is the header of the documents that show outside odds.

        The statements of `db` must all see the data of one instant.
        """
        markets, callers = self._markets.load(db), forecasts.count_entrants(db)
        seq = markets.ledger_seq
        head, priced_head = (RecordHeader(**vars(part), ledger_seq=seq) for part in (header, priced_header))
        scores = self._scores.of((markets, head, priced_head, callers))
        return replace(
            scores,
            streaks=replace(scores.streaks, **vars(head)),
            shadow=replace(scores.shadow, **vars(priced_head)),
            versus=replace(scores.versus, **vars(priced_head)),
        )


def _are_same_markets(key: _SeenMarkets, before: _SeenMarkets) -> bool:
    is_settled_alike = key[0].settled_columns is before[0].settled_columns and key[3] == before[3]
    return is_settled_alike and key[0].open_predictions == before[0].open_predictions


def compute(markets: MarketColumns, header: RecordHeader, priced_header: RecordHeader, callers: int) -> Scores:
    """The scores of markets and challenges, which `callers` forecast too."""
    # Streaks are of markets alone: a caller may open a challenge on what is certain to happen.
    questions = counted_questions(markets.where(~markets.is_challenge))
    market_counts = counted_markets(markets, callers)
    return Scores(
        streaks=streaks_document(questions, header),
        shadow=shadow_document(markets, priced_header),
        versus=ai_vs_market_document(markets, priced_header, np.random.default_rng(SEED)),
        market_counts=market_counts,
        entries=own_entries(market_counts),
    )
