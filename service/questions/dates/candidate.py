"""A date of the question that may be its deadline."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from service.questions.dates.matching import Span
from service.questions.tokens import Token

DAY = timedelta(days=1)
# How strongly the word at a date suggests that it is the deadline; 0 means that it is not, as after "since" or "than".
FIRMLY = dict.fromkeys(("by", "before", "until", "lasting", "to"), 3)
LOOSELY = dict.fromkeys(("on", "in", "within", "during", "this", "next", "later", "above", "below", "between"), 2)
STRENGTH = {**FIRMLY, **LOOSELY, "after": 1, "from": 0, "because": 0, "than": 0}


@dataclass(frozen=True)
class Candidate:
    """A date with its preposition: the tokens from `first` up to but not including `after`."""

    first: int
    after: int
    span: Span
    word: Token
    strength: int

    @property
    def is_exclusive(self) -> bool:
        """Whether the word at the dates means the time before they begin."""
        return self.word.kind in ("before", "lasting") or self.word.value == "start"

    def end(self, now: datetime) -> datetime:
        """The last second of the dates; after "before" and "until", for more than a day, the second before them."""
        dates = self.span.dates
        if self.is_exclusive and dates.begin > now and dates.end - dates.begin > DAY:
            return dates.begin - timedelta(seconds=1)
        return dates.end

    @property
    def is_after(self) -> bool:
        """Whether only the time after the dates is meant: "after Christmas"."""
        return self.word.kind in ("after", "later") and not self.span.dates.exact

    def begin(self, now: datetime) -> datetime | None:
        """The first instant of a coming period in which something is to happen; None for a date up to which it is."""
        dates = self.span.dates
        # "To" is no limit: Italian "a dicembre", French "au premier trimestre", Japanese "12月に" also mean "in".
        is_limit = self.word.kind in FIRMLY.keys() - {"to"} and bool(self.word.text)
        return None if is_limit or dates.exact or dates.end - dates.begin <= DAY or dates.begin <= now else dates.begin

    def is_past(self, now: datetime) -> bool:
        return self.span.is_past or self.end(now) <= now
