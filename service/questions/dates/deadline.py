"""The deadline of a question: which of its dates counts, and whether it is within the limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from service.errors import InvalidQuestion
from service.questions.dates.clocks import Clock, without_clocks
from service.questions.dates.matching import Span, spans
from service.questions.dates.reading import Today
from service.questions.dates.roles import with_minutes
from service.questions.refusals import invalid
from service.questions.tokens import DASHES, Token
from service.questions.vocabulary import Language

SOONEST = timedelta(minutes=5)
FARTHEST = timedelta(days=2 * 366)
DEFAULT = timedelta(days=7)
DAY = timedelta(days=1)

# How strongly the word at a date suggests that it is the deadline; 0 means that it is not, as after "since" or "than".
FIRMLY = dict.fromkeys(("by", "before", "until", "lasting", "to"), 3)
LOOSELY = dict.fromkeys(("on", "in", "within", "during", "this", "next", "later", "above", "below", "between"), 2)
STRENGTH = {**FIRMLY, **LOOSELY, "from": 0, "because": 0, "than": 0}

SKIPPED = {"the", "approx"}
JOINING = {"to", "until", "lasting", "and", "between"}
POSTPOSITIONS = {"by", "before", "until", "in", "within", "during", "to", "later", *SKIPPED}


@dataclass(frozen=True)
class Deadline:
    """When the question is decided.

    `rest` are the tokens that are not part of a date, `preposition` is the kind of the word at the date.
    """

    at: datetime
    rest: list[Token]
    is_named: bool = True
    preposition: str = ""


@dataclass(frozen=True)
class Candidate:
    """A date with its preposition: the tokens from `first` up to but not including `after`."""

    first: int
    after: int
    span: Span
    word: Token
    strength: int

    def end(self, now: datetime) -> datetime:
        """The last second of the dates; after "before" and "until", for more than a day, the second before them."""
        dates = self.span.dates
        exclusive = self.word.kind in ("before", "lasting") or self.word.value == "start"
        if exclusive and dates.begin > now and dates.end - dates.begin > DAY:
            return dates.begin - timedelta(seconds=1)
        return dates.end

    def is_past(self, now: datetime) -> bool:
        return self.span.is_past or self.end(now) <= now


def find_deadline(tokens: Sequence[Token], now: datetime, language: Language, *, strict: bool = True) -> Deadline:
    """The deadline that the tokens name, or seven days from now.

    A day means its last second, 23:59:59 UTC. A week, month, quarter or year means its last day, and "before" one of
    these means the day before it begins. A date without a year is the next such date. A time without a zone is UTC.

    Parameters
    ----------
    now
        An aware datetime.
    strict
        Whether a text whose dates are all in the past is refused; if not, these dates are ignored.

    Raises
    ------
    InvalidQuestion
        If the deadline is in the past, less than five minutes or more than two years ahead.
    """
    timed, clock = without_clocks(with_minutes(tokens))
    today = Today(now, day_first=not language.month_first)
    candidates = _candidates(timed, spans(timed, today), language.postpositions)
    rest = _without(timed, candidates)
    chosen = _chosen(candidates, now, strict)
    if clock is not None:
        at = _at_clock(chosen, clock, now)
    elif chosen is not None:
        at = chosen.end(now).replace(microsecond=0)
    else:
        return Deadline((now + DEFAULT).replace(microsecond=0), rest, is_named=False)
    _refuse_unanswerable(at, now)
    return Deadline(at, rest, preposition=chosen.word.kind if chosen else "on")


def _candidates(tokens: Sequence[Token], dates: Sequence[Span], postpositions: bool) -> list[Candidate]:
    result: list[Candidate] = []
    for span in dates:
        candidate = _with_postposition(tokens, span) if postpositions else _with_preposition(tokens, span)
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
    """Whether "over", "under" or "between" before this date means time: "over the next three days"."""
    length = span.dates.end - span.dates.begin
    return word.kind not in ("above", "below", "between") or span.dates.exact or length > DAY


def _with_postposition(tokens: Sequence[Token], span: Span) -> Candidate:
    """The same for languages in which such words follow the date: "12月31日前", "yıl sonuna kadar"."""
    after, word = span.after, tokens[span.first]
    while after < len(tokens) and tokens[after].kind in POSTPOSITIONS:
        word = tokens[after] if tokens[after].kind in STRENGTH else word
        after += 1
    return Candidate(span.first, after, span, word, STRENGTH.get(word.kind, 1))


def _is_range(tokens: Sequence[Token], earlier: Candidate, later: Candidate) -> bool:
    """Whether the two are the ends of one range: "from Monday to Friday", "between May 1 and May 9"."""
    gap = [token for token in tokens[earlier.after : later.span.first] if token.kind != "the"]
    return len(gap) == 1 and (gap[0].kind in JOINING or gap[0].text in DASHES)


def _without(tokens: Sequence[Token], candidates: Sequence[Candidate]) -> list[Token]:
    covered = {place for candidate in candidates for place in range(candidate.first, candidate.after)}
    return [token for place, token in enumerate(tokens) if place not in covered]


def _chosen(candidates: Sequence[Candidate], now: datetime, strict: bool) -> Candidate | None:
    """The date that is most strongly the deadline and not past, the first of equals; None if there is none."""
    eligible = [candidate for candidate in candidates if candidate.strength > 0]
    ahead = [candidate for candidate in eligible if not candidate.is_past(now)]
    if strict and eligible and not ahead:
        raise _past(now)
    return max(ahead, key=lambda candidate: candidate.strength, default=None)


def _at_clock(chosen: Candidate | None, clock: Clock, now: datetime) -> datetime:
    """That time on the chosen day; without a chosen day, today, or tomorrow if the time has passed."""
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
        raise invalid("The deadline is less than five minutes away. Name a later one.")
    if at > now + FARTHEST:
        raise invalid(f"The deadline is more than two years away. Name one no later than {now + FARTHEST:%Y-%m-%d}.")


def _past(now: datetime) -> InvalidQuestion:
    return invalid(f"The deadline is in the past: the time is {now:%Y-%m-%d %H:%M} UTC. Name a later date.")
