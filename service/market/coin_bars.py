"""The bars of another coin: a long past by the hour, and shorter bars since it was asked about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from service.market.bars import Bars, merge, resample
from service.market.instants import DAY, HOUR

LEAST_DAYS = 90
LIVELY_DAYS = 30  # over which a coin must trade in most hours
LEAST_LIVELY = 0.9  # share of the hours with a bar


@dataclass(frozen=True)
class CoinBars:
    """Bars of an hour, and `fine` ones as short as those of the feed; `source` says where the newest came from."""

    hourly: Bars
    fine: Bars
    source: str = ""

    @cached_property
    def built(self) -> Bars:
        """The complete hours of the fine bars; the first one may lack its beginning and is left out."""
        hours = resample(self.fine, HOUR)
        starts = int(self.fine.time[0]) if len(self.fine) else 0
        return hours.since(starts + -starts % HOUR)

    @cached_property
    def hours(self) -> Bars:
        """All complete hours."""
        return merge(self.built, self.hourly)

    @property
    def refusal(self) -> str:
        """Why these bars are too few to forecast from; empty if they are enough."""
        hours = self.hours
        days = (hours.as_of - int(hours.time[0])) / DAY if len(hours) else 0.0
        if days < LEAST_DAYS:
            return f"has {int(days)} days of hourly prices at the exchanges of this service; {LEAST_DAYS} are needed"
        share = len(hours.since(hours.as_of - LIVELY_DAYS * DAY)) / (LIVELY_DAYS * DAY / HOUR)
        if share < LEAST_LIVELY:
            return f"traded in only {share:.0%} of the hours of the last {LIVELY_DAYS} days; 90% are needed"
        return ""
