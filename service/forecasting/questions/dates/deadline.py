"""The deadline of a question: which of its dates counts, and whether it can be answered by then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from service.forecasting.questions.dates.clocks import Clock, without_clocks
from service.forecasting.questions.dates.matching import Span, spans
from service.forecasting.questions.dates.reading import Today
from service.forecasting.questions.dates.roles import DASHES, with_minutes
from service.forecasting.questions.refusals import invalid
from service.forecasting.questions.tokens import Token

SOONEST = timedelta(minutes=5)
FARTHEST = timedelta(days=2 * 366)
DEFAULT = timedelta(days=7)
DAY = timedelta(days=1)

# How strongly the word at a date makes it the deadline; a date after "since" or "than" is none.
FIRMLY = dict.fromkeys(("by", "before", "until", "lasting", "to"), 3)
LOOSELY = dict.fromkeys(("on", "in", "within", "during", "this", "next", "later", "above", "below", "between"), 2)
STRENGTH = {**FIRMLY, **LOOSELY, "from": 0, "because": 0, "than": 0}

SKIPPED = {"the", "approx"}
JOINING = {"to", "until", "lasting", "and", "between"}
POSTPOSITIONS = {"by", "before", "until", "in", "within", "during", "to", "later", *SKIPPED}
# Languages that put such words behind the date, and those that write the month before the day.
POSTPOSED = {"Chinese", "Japanese", "Turkish"}
MONTH_FIRST = {"English", "Chinese", "Japanese"}


@dataclass(frozen=True)
class Deadline:
    """When the question is decided; `rest` are the tokens that name no date, `preposition` the word at the date."""

    at: datetime
    rest: list[Token]
    is_named: bool = True
    preposition: str = ""


@dataclass(frozen=True)
class Candidate:
    """A date with the words at it that belong to it, all of them from `first` up to but not including `after`."""

    first: int
    after: int
    span: Span
    word: Token
    strength: int

    def end(self, now: datetime) -> datetime:
        """The last second of the period, or the one before a longer one begins after "before" or "until"."""
        period = self.span.period
        exclusive = self.word.kind in ("before", "lasting") or self.word.value == "start"
        if exclusive and period.begin > now and period.end - period.begin > DAY:
            return period.begin - timedelta(seconds=1)
        return period.end

    def is_past(self, now: datetime) -> bool:
        return self.span.is_past or self.end(now) <= now


def find_deadline(tokens: Sequence[Token], now: datetime, language: str, *, strict: bool = True) -> Deadline:
    """The deadline that the tokens name, or seven days from now.

    A day means its last second, 23:59:59 UTC; a week, month, quarter or year means its last day, and "before"
    one of these the day before it begins. Dates without a year are the next to come. Times without a zone are
    UTC. A deadline in the past, less than five minutes or more than two years ahead is refused; when not
    `strict`, dates in the past are passed over.
    """
    timed, clock = without_clocks(with_minutes(tokens))
    found = _candidates(timed, spans(timed, Today(now, language not in MONTH_FIRST)), language in POSTPOSED)
    rest = _without(timed, found)
    chosen = _chosen(found, now, strict)
    if chosen is None and clock is None:
        return Deadline((now + DEFAULT).replace(microsecond=0), rest, is_named=False)
    at = chosen.end(now).replace(microsecond=0) if clock is None else _at_clock(chosen, clock, now)
    _refuse_unanswerable(at, now)
    return Deadline(at, rest, preposition=chosen.word.kind if chosen else "on")


def _candidates(tokens: Sequence[Token], found: Sequence[Span], postposed: bool) -> list[Candidate]:
    result: list[Candidate] = []
    for span in found:
        candidate = _with_postposition(tokens, span) if postposed else _with_preposition(tokens, span)
        if result and _is_range(tokens, result[-1], candidate):
            candidate = Candidate(result.pop().first, span.after, span, Token("until", ""), FIRMLY["until"])
        result.append(candidate)
    return result


def _with_preposition(tokens: Sequence[Token], span: Span) -> Candidate:
    own = tokens[span.first]
    place = next((place for place in range(span.first - 1, -1, -1) if tokens[place].kind not in SKIPPED), -1)
    word = tokens[place] if place >= 0 else own
    if place < 0 or word.kind not in STRENGTH or not _belongs(word, span):
        return Candidate(span.first, span.after, span, own, STRENGTH.get(own.kind, 1))
    strength = STRENGTH[word.kind] and max(STRENGTH[word.kind], STRENGTH.get(own.kind, 1))
    return Candidate(place, span.after, span, word, strength)


def _belongs(word: Token, span: Span) -> bool:
    """Whether "over", "under" or "between" before this date speaks of time: "over the next three days"."""
    length = span.period.end - span.period.begin
    return word.kind not in ("above", "below", "between") or span.period.exact or length > DAY


def _with_postposition(tokens: Sequence[Token], span: Span) -> Candidate:
    """The same where such words stand behind: "12月31日前", "yıl sonuna kadar"."""
    after, word = span.after, tokens[span.first]
    while after < len(tokens) and tokens[after].kind in POSTPOSITIONS:
        word = tokens[after] if tokens[after].kind in STRENGTH else word
        after += 1
    return Candidate(span.first, after, span, word, STRENGTH.get(word.kind, 1))


def _is_range(tokens: Sequence[Token], earlier: Candidate, later: Candidate) -> bool:
    """Whether the two are one stretch: "from Monday to Friday", "between May 1 and May 9"."""
    said = [token for token in tokens[earlier.after : later.span.first] if token.kind != "the"]
    return len(said) == 1 and (said[0].kind in JOINING or said[0].text in DASHES)


def _without(tokens: Sequence[Token], found: Sequence[Candidate]) -> list[Token]:
    covered = {place for one in found for place in range(one.first, one.after)}
    return [token for place, token in enumerate(tokens) if place not in covered]


def _chosen(found: Sequence[Candidate], now: datetime, strict: bool) -> Candidate | None:
    """The date that most strongly is the deadline, the earlier-named of equals; a past one only if all are."""
    named = [one for one in found if one.strength > 0]
    ahead = [one for one in named if not one.is_past(now)]
    if strict and named and not ahead:
        raise _past(now)
    return max(ahead, key=lambda one: one.strength, default=None)


def _at_clock(chosen: Candidate | None, clock: Clock, now: datetime) -> datetime:
    """That time of the day chosen; without one of today or, once it has passed, of tomorrow."""
    zone = ZoneInfo(clock.zone)
    day = chosen.end(now).date() if chosen else now.astimezone(zone).date()
    at = datetime.combine(day, clock.at, zone)
    if chosen is None and at <= now + SOONEST:
        at = datetime.combine(day + DAY, clock.at, zone)
    return at.astimezone(UTC)


def _refuse_unanswerable(at: datetime, now: datetime) -> None:
    if at <= now:
        raise _past(now)
    if at < now + SOONEST:
        raise invalid("That deadline is less than five minutes away. Name a later one.")
    if at > now + FARTHEST:
        raise invalid(f"That deadline is more than two years away. Name one until {now + FARTHEST:%Y-%m-%d}.")


def _past(now: datetime) -> Exception:
    return invalid(f"That deadline is past: it is {now:%Y-%m-%d %H:%M} UTC now. Name a later date.")
