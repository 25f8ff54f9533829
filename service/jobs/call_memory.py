"""The calls of apex with their outcomes; a job process reads and resolves only those that are new or not over."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

from sqlalchemy import Connection

from service.forecasting.apex.call import Call
from service.forecasting.apex.scores import ResolvedCall, outcome_of, resolved_call
from service.forecasting.backfill import ASSET
from service.market.assets import LONGEST_CLOSURE_S
from service.market.bars import Bars
from service.market.instants import DAY
from service.store import bars
from service.store.bars import HourlyBars
from service.store.pages import apex_calls


class CallHistory(NamedTuple):
    """All calls, those that were right or wrong with their outcomes, and the hourly bars from before the first on."""

    calls: Sequence[Call]
    resolved: Sequence[ResolvedCall]
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
            self._calls += [Call.from_plain(plain) for plain in apex_calls.since(db, self._next)]
            first = self._calls[0].at if self._calls else slot
            # Before the bars are read: bars of a later revision are resolved again at the next time.
            if (revision := bars.bars_revision(db, ASSET)) != self._revision:
                self._revision, self._final = revision, {}
            hourly = hourly_bars.load(db, {ASSET: first - LONGEST_CLOSURE_S}, slot)
            resolved = self._resolve(hourly[ASSET], slot)
            return CallHistory(tuple(self._calls), resolved, hourly[ASSET])

    @property
    def _next(self) -> int:
        """The first instant at which a call can be new."""
        return self._calls[-1].at + 1 if self._calls else 0

    def _resolve(self, hourly: Bars, slot: int) -> list[ResolvedCall]:
        new: dict[int, ResolvedCall | None] = {}
        for call in self._calls:
            if call.at not in self._final and (outcome := outcome_of(call, hourly, slot)):
                new[call.at] = resolved_call(call, outcome)
        by_instant = self._final | new
        if len(hourly):
            unchanging = hourly.as_of - DAY - bars.CHANGING_S
            self._final |= {at: resolved for at, resolved in new.items() if at < unchanging}
        return [resolved for call in self._calls if (resolved := by_instant.get(call.at))]
