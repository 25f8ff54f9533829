"""The deadline of a question: which of its dates counts, and whether it is within the limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta

from service.errors import InvalidQuestion
from service.questions.criterion import Assumption, invalid
from service.questions.dates.clocks import DAY_END, Clock, without_clocks
from service.questions.dates.matching import Span, is_year, spans
from service.questions.dates.periods import UNSURE_NOTE, DateRange
from service.questions.dates.reading import Today
from service.questions.dates.roles import PARTS, with_units
from service.questions.lexicon import forms
from service.questions.tokens import DASHES, Token
from service.questions.vocabulary import Language

SOONEST = timedelta(minutes=5)
FARTHEST = timedelta(days=2 * 366)
DEFAULT = timedelta(days=7)
DAY = timedelta(days=1)
# From this time on, "until the morning" means the next one.
DAWN = time(6)

# A note names a deadline farther away than this: it may have been understood as one of next year.
NEARLY_A_YEAR = timedelta(days=300)

FILLERS = {"the", "approx"}
WHOLE_SEASON = {"season", "the", "this", "next"}
# Words for "about" that precede a date rather than follow a price.
ABOUT = forms("about")
# Kinds of the words of an event before its date, and how many they are at most.
EVENT, LONGEST_EVENT = {"word", "topic", "act", "the", "filler", "other"}, 6
JOINTS = {"to", "until", "lasting", "and", "between"}
POSTPOSITIONS = {"by", "before", "from", "until", "in", "within", "during", "to", "later", *FILLERS}
# How strongly the word at a date suggests that it is the deadline; 0 means that it is not, as after "since" or "than".
FIRMLY = dict.fromkeys(("by", "before", "until", "lasting", "to"), 3)
LOOSELY = dict.fromkeys(("on", "in", "within", "during", "this", "next", "later", "above", "below", "between"), 2)
STRENGTH = {**FIRMLY, **LOOSELY, "after": 1, "from": 0, "because": 0, "than": 0}


@dataclass(frozen=True)
class Deadline:
    """When the question is decided.

    `rest` are the tokens that are not part of a date, `preposition` is the kind of the word at the date. `start` is the
    first instant of a period that is still to come: "in December"; `since` that of a day, week, month or year, also of
    one that has begun. `notes` say what is uncertain about it, `others` are other dates after today that may be meant.
    """

    at: datetime
    rest: list[Token]
    is_named: bool = True
    preposition: str = ""
    start: datetime | None = None
    since: datetime | None = None
    notes: tuple[str, ...] = ()
    others: tuple[DateRange, ...] = ()


def find_deadline(
    tokens: Sequence[Token],
    now: datetime,
    language: Language,
    *,
    is_strict: bool = True,
    run: int | None = None,
    is_week_over: bool = False,
) -> Deadline:
    """The deadline that the tokens name, or seven days from the aware datetime `now`.

    A day means its last second, 23:59:59 UTC. A week, month, quarter or year means its last day, and "before" one of
    these means the day before it begins. A date without a year is the next such date. A time without a zone is UTC.

    If not `is_strict`, dates in the past are ignored where there is no other. `run` is a number of days in a row, which
    end so many days after the day from which they are counted. If `is_week_over`, "this week" is the coming one: the
    trading hours of this one are over, or little of it is left.

    Raises InvalidQuestion if the deadline is in the past, less than five minutes or more than two years ahead.
    """
    plain, clock = without_clocks(with_units(tokens))
    today = Today(now, not language.month_first, is_week_over)
    dates = spans(plain, today, postpositions=language.postpositions)
    candidates = _candidates(plain, dates, language.postpositions)
    rest = _without(plain, candidates)
    if run_of_days := _run_from(candidates, now, run):
        candidates = [run_of_days]
    chosen = _chosen(candidates, now, is_strict)
    chosen = _inner(chosen, candidates) if chosen else None
    if clock is not None:
        at = _at_clock(chosen, clock, now)
    elif chosen is not None:
        at = chosen.end(now).replace(microsecond=0)
    else:
        return Deadline((now + DEFAULT).replace(microsecond=0), rest, is_named=False)
    _refuse_unanswerable(at, now)
    notes = [*(clock.notes if clock else ()), *(_notes_of_choice(chosen, candidates, now) if chosen else ())]
    is_day = at.time() == DAY_END and (clock is None or not clock.is_day_end)
    names_year = chosen is not None and _names_year(plain, chosen.span)
    text = f"{at:%Y-%m-%d}" if is_day else f"{at:%Y-%m-%d %H:%M} UTC"
    assumptions = _assumptions(notes, text, is_year_assumed=not names_year and at - now > NEARLY_A_YEAR)
    if any(token.kind == "fiscal" for token in plain):
        assumptions.append(Assumption("Years and quarters are those of the calendar.", "deadline"))
    start = chosen.start(now) if chosen else None
    is_limit = clock is not None and (bool(clock.preposition) or clock.at != DAY_END)
    since = _since(plain, chosen, today) if chosen and not is_limit else None
    others = _others(chosen, candidates, now) if chosen else ()
    return Deadline(at, rest, True, _preposition(plain, chosen, clock), start, since, tuple(assumptions), others)


def _names_year(tokens: Sequence[Token], span: Span) -> bool:
    """Whether a date names its year, or is counted from now."""
    words = tokens[span.first : span.after]
    return span.dates.exact or any(is_year(token) or token.kind in ("iso", "date", "stamp") for token in words)


def _since(tokens: Sequence[Token], chosen: Candidate, today: Today) -> datetime | None:
    """The first instant of the day, week, month or year in which something is to happen; None for a time "by" it."""
    words = tokens[chosen.first : chosen.after]
    is_part = any(token.kind in PARTS - {"end"} or token.kind == "eo" or token.text in DASHES for token in words)
    if chosen.is_limit or chosen.span.dates.exact or is_part:
        return None
    if not any(token.kind == "end" for token in words):
        return chosen.span.dates.start
    of_end = [token for token in words if token.kind not in ("end", "the")]  # "end December red", "end the year red"
    dates = spans([*[Token("this", "")] * (of_end[0].kind == "unit"), *of_end], today)
    return dates[0].dates.start if len(dates) == 1 else None


def _preposition(tokens: Sequence[Token], chosen: Candidate | None, clock: Clock | None) -> str:
    """The kind of the word at the date or, if that says more, at the time: "until 5pm on Friday"."""
    of_date = _kind_of_word(tokens, chosen) if chosen else "on"
    of_clock = clock.preposition if clock else ""
    return of_clock if STRENGTH.get(of_clock, 0) > STRENGTH.get(of_date, 1) else of_date


def _kind_of_word(tokens: Sequence[Token], chosen: Candidate) -> str:
    """The kind of the word at the date; "for two weeks" lasts until its end, unlike "during the next two weeks"."""
    is_next = any(token.kind in ("next", "this") for token in tokens[chosen.first : chosen.after])
    if chosen.span.dates.exact and chosen.word.kind == "in" and is_next:
        return "within"  # "in the next 48 hours"
    if chosen.span.dates.exact and chosen.word.kind == "during" and not is_next:
        return "lasting"  # "for two weeks"
    return "on" if chosen.word.text == "に" and not chosen.span.dates.is_period else chosen.word.kind


def _assumptions(notes: Sequence[str], text: str, *, is_year_assumed: bool) -> list[Assumption]:
    """What the reader of the question should check about its deadline, which is written as `text`."""
    specific = [note for note in dict.fromkeys(notes) if note and note != UNSURE_NOTE]
    if (UNSURE_NOTE in notes or is_year_assumed) and not any("{deadline}" in note for note in specific):
        specific.append(UNSURE_NOTE)
    code = "deadline" if any(notes) else "year"
    return [Assumption(note.format(deadline=text), code) for note in specific]


def _notes_of_choice(chosen: Candidate, candidates: Sequence[Candidate], now: datetime) -> list[str]:
    """Notes of a date, of a period, which may be meant up to its begin or its end, and of past dates."""
    dates, notes = chosen.span.dates, [chosen.span.dates.note]
    if dates.is_period:
        is_unsure = chosen.word.kind == "by" or (chosen.is_exclusive and dates.start <= now)
    else:
        is_unsure = chosen.word.kind == "before" and not dates.exact  # "before January 1": up to the day before?
    if is_unsure:
        notes.append(UNSURE_NOTE)
    if past := next((candidate for candidate in candidates if candidate.strength > 0 and candidate.span.is_past), None):
        notes.append(f"The past date {past.span.dates.end:%Y-%m-%d} was ignored.")
    return notes


def _others(chosen: Candidate, candidates: Sequence[Candidate], now: datetime) -> tuple[DateRange, ...]:
    """Other dates after today that may be meant; "next week" in "on Friday next week" only says which Friday."""
    result, dates = list[DateRange](), chosen.span.dates
    for candidate in candidates:
        other, end = candidate.span.dates, candidate.end(now)
        is_begin = candidate.word.kind == "from" and dates.start <= other.start <= dates.end  # "next week from Monday"
        is_named = candidate.strength > 0 or candidate.word.kind in ("than", "from")
        if is_named and not is_begin and end.date() > now.date() and end.date() != chosen.end(now).date():
            result += [] if _contains(other, dates) else [other]
    return tuple(result)


def _contains(outer: DateRange, inner: DateRange) -> bool:
    return outer.start <= inner.start <= inner.end <= outer.end


def _inner(chosen: Candidate, candidates: Sequence[Candidate]) -> Candidate:
    """The one day inside a chosen period: "next week on Friday"; else the period itself."""
    dates = chosen.span.dates
    named = (candidate for candidate in candidates if candidate.strength > 0 and not candidate.span.dates.exact)
    days = [day for day in named if not day.span.dates.is_period and _contains(dates, day.span.dates)]
    return days[0] if dates.is_period and len(days) == 1 else chosen


def _candidates(tokens: Sequence[Token], date_spans: Sequence[Span], postpositions: bool) -> list[Candidate]:
    result: list[Candidate] = []
    for span in date_spans:
        candidate = _with_postposition(tokens, span) if postpositions else _with_preposition(tokens, span)
        if result and _is_range(tokens, result[-1], candidate):
            earlier = result.pop()
            is_certain = tokens[earlier.span.first].kind == tokens[span.first].kind == "iso"
            note = span.dates.note or ("" if is_certain else UNSURE_NOTE)
            dates = replace(span.dates, start=earlier.span.dates.start, note=note)
            first, after = _between(tokens, earlier.first, span.after, postpositions)
            span = span._replace(dates=dates)
            candidate = Candidate(first, after, span, Token("until", ""), FIRMLY["until"])
        kinds = {token.kind for token in tokens[span.first : span.after]}
        if candidate.word.kind in ("by", "until") and "season" in kinds and kinds <= WHOLE_SEASON:
            candidate = replace(candidate, word=replace(candidate.word, value="start"))  # "by summer"
        result.append(candidate)
    return result


def _between(tokens: Sequence[Token], first: int, after: int, postpositions: bool) -> tuple[int, int]:
    """The first place of a range of dates and the one after it with its "between": "between Christmas and New Year"."""
    places = range(after, len(tokens)) if postpositions else range(first - 1, -1, -1)
    place = next((place for place in places if tokens[place].kind != "the"), None)
    if place is None or tokens[place].kind != "between":
        return first, after
    return (first, place + 1) if postpositions else (place, after)


def _with_preposition(tokens: Sequence[Token], span: Span) -> Candidate:
    own_word = tokens[span.first]
    places = (place for place in range(span.first - 1, -1, -1) if tokens[place].text != "'")  # "prima dell'8"
    place = next((place for place in places if tokens[place].kind not in FILLERS), -1)
    place = _limit_of_event(tokens, place)
    if place > 0 and tokens[place].kind == "on" and tokens[place - 1].kind in ("by", "before", "until", "lasting"):
        place -= 1  # "antes do dia 12"
    word = tokens[place] if place >= 0 else own_word
    if place < 0 or word.kind not in STRENGTH or not _belongs(word, span):
        is_approximate = span.first > 0 and tokens[span.first - 1].text in ABOUT  # "around Christmas"
        return Candidate(span.first - is_approximate, span.after, span, own_word, STRENGTH.get(own_word.kind, 1))
    strength = STRENGTH[word.kind] and max(STRENGTH[word.kind], STRENGTH.get(own_word.kind, 1))
    return Candidate(place, span.after, span, word, strength)


def _limit_of_event(tokens: Sequence[Token], place: int) -> int:
    """The place of "before" in "before the Fed meeting on December 9", else `place`, that of the word at the date."""
    first = place - (place >= 0 and tokens[place].kind == "on")
    while first >= 0 and tokens[first].kind in EVENT and place - first < LONGEST_EVENT:
        first -= 1
    return first if 0 <= first < place - 1 and tokens[first].kind in ("before", "by") else place


def _belongs(word: Token, span: Span) -> bool:
    """Whether "over", "under" or "between" before this date means time: "over the next three days"."""
    if word.text == "max":
        return span.dates.exact  # "90k max this year"
    if word.text.endswith("range"):
        return False  # "a 5k range this week"
    return word.kind not in ("above", "below", "between") or span.dates.exact or span.dates.is_period


def _with_postposition(tokens: Sequence[Token], span: Span) -> Candidate:
    """The same for languages in which such words follow the date: "12月31日前", "yıl sonuna kadar"."""
    after, word = span.after, tokens[span.first]
    while after < len(tokens) and _follows_date(tokens, after):
        word = tokens[after] if tokens[after].kind in STRENGTH else word
        word = replace(word, kind="from") if word.text == "から" else word  # "to" in a range
        after += 1
    return Candidate(span.first, after, span, word, STRENGTH.get(word.kind, 1))


def _follows_date(tokens: Sequence[Token], place: int) -> bool:
    """Whether a token belongs to the date before it: a postposition, or the den of "Noel'den sonra".

    "Around" and "exactly" between a date and a price belong to the price.
    """
    token = tokens[place]
    if token.text == "'" and token.is_glued:  # "2028'den önce"
        return [later.kind for later in tokens[place + 1 : place + 3]] in (["filler", "before"], ["filler", "later"])
    if token.kind in POSTPOSITIONS:
        return not (token.kind == "approx" and token.value is not None)
    is_last = place + 1 == len(tokens) or tokens[place + 1].kind not in {"before", "later", "until"}
    return token.kind == "filler" and token.is_glued and not is_last


def _is_range(tokens: Sequence[Token], earlier: Candidate, later: Candidate) -> bool:
    """Whether the two are the ends of one range: "from Monday to Friday", "pazartesiden cumaya kadar"."""
    gap = [token for token in tokens[earlier.span.after : later.span.first] if token.kind != "the"]
    if len(gap) == 1:
        return gap[0].kind in JOINTS or gap[0].text in DASHES or earlier.word.kind == "from"
    return not gap and later.word.kind == "until"


def _without(tokens: Sequence[Token], candidates: Sequence[Candidate]) -> list[Token]:
    inside = {place for candidate in candidates for place in range(candidate.first, candidate.after)}
    return [token for place, token in enumerate(tokens) if place not in inside]


def _run_from(candidates: Sequence[Candidate], now: datetime, days: int | None) -> Candidate | None:
    """The days of "3 green days in a row starting tomorrow"; None where another date is named."""
    if days is None or len(candidates) != 1 or candidates[0].word.kind != "from" or candidates[0].end(now) <= now:
        return None
    dates = candidates[0].span.dates
    dates = replace(dates, end=dates.start + days * DAY - timedelta(seconds=1), note=UNSURE_NOTE)
    return replace(candidates[0], span=candidates[0].span._replace(dates=dates), word=Token("in", ""), strength=2)


def _chosen(candidates: Sequence[Candidate], now: datetime, is_strict: bool) -> Candidate | None:
    """The date that is most strongly the deadline and not past, the first of equals; None if there is none."""
    options = [candidate for candidate in candidates if candidate.strength > 0 and not candidate.is_after]
    future = [candidate for candidate in options if candidate.end(now) > now]
    if is_strict and options and not future:
        raise _past(now)
    opens = [candidate for candidate in candidates if candidate.is_after or candidate.word.kind == "from"]
    if not future and any(candidate.end(now) > now for candidate in opens):
        raise invalid(
            "The question names only a time after which it counts. Add the date by which it is decided.", "deadline"
        )
    return max(future, key=lambda candidate: candidate.strength, default=None)


def _at_clock(chosen: Candidate | None, clock: Clock, now: datetime) -> datetime:
    """That time on the chosen day; without a chosen day, today, or tomorrow if the time has passed."""
    day = chosen.end(now).date() if chosen else now.astimezone(clock.zone).date()
    at = datetime.combine(day, clock.at, clock.zone)
    has_passed = at <= now + SOONEST or (clock.is_next_morning and now.astimezone(clock.zone).time() >= DAWN)
    if chosen is None and has_passed and not clock.is_day_end:
        at = datetime.combine(day + DAY, clock.at, clock.zone)
    return at.astimezone(UTC)


def _refuse_unanswerable(at: datetime, now: datetime) -> None:
    if at <= now:
        raise _past(now)
    if at < now + SOONEST:
        raise invalid("The deadline is less than five minutes away. Name a later one.", "deadline")
    if at > now + FARTHEST:
        raise invalid(
            f"The deadline is more than two years away. Name one no later than {now + FARTHEST:%Y-%m-%d}.", "deadline"
        )


def _past(now: datetime) -> InvalidQuestion:
    return invalid(f"The deadline is in the past: the time is {now:%Y-%m-%d %H:%M} UTC. Name a later date.", "deadline")


@dataclass(frozen=True)
class Candidate:
    """A date with its preposition: the tokens from `first` up to but not including `after`."""

    first: int
    after: int
    span: Span
    word: Token
    strength: int

    @property
    def is_limit(self) -> bool:
        """Whether the word at the dates says that they are the last ones.

        "To" is no limit: Italian "a dicembre", French "au premier trimestre", Japanese "12月に" also mean "in".
        """
        return self.word.kind in FIRMLY.keys() - {"to"} and bool(self.word.text)

    @property
    def is_exclusive(self) -> bool:
        """Whether the word at the dates means the time before they begin."""
        return self.word.kind in ("before", "lasting") or self.word.value == "start"

    def end(self, now: datetime) -> datetime:
        """The last second of the dates; after "before" and "until", for more than a day, the second before them."""
        dates = self.span.dates
        if self.is_exclusive and dates.start > now and dates.is_period:
            return dates.start - timedelta(seconds=1)
        return dates.end

    @property
    def is_after(self) -> bool:
        """Whether only the time after the dates is meant: "after Christmas"."""
        return self.word.kind in ("after", "later") and not self.span.dates.exact

    def start(self, now: datetime) -> datetime | None:
        """The first instant of a coming period in which something is to happen; None for a date up to which it is."""
        dates = self.span.dates
        return dates.start if dates.is_period and dates.start > now and not self.is_limit else None
