"""Finds the dates in a sequence of tokens, also where the year is named by its distance: "December next year"."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from service.questions.dates import counted, named, periods
from service.questions.dates.counted import LEADING, TRAILING
from service.questions.dates.periods import FIRST_YEAR, LAST_YEAR, DateRange, out_of_calendar
from service.questions.dates.reading import Match, Today, units_ahead
from service.questions.dates.roles import AMOUNT_AFTER, NEAR_KINDS, PARTS, roles
from service.questions.tokens import Token

# Kinds between a pattern and its anchor, and how many tokens such a pattern has at most.
GAPS = {"the", "in"}
REACH = 6
# The most articles, commas and points between two elements of a pattern.
LONGEST_GAP = 4
# Kinds of dates that a year belongs to.
YEARLESS_KINDS = {"month", "glyphdate", "holiday", "season", "q", "halfyear", "slash"}
# Words for prices of a past month, beside which "this year" is the deadline: "its October high this year".
PAST = ("high", "low", "open")
# How many tokens before and behind a year its date is looked for in, and how many years are read.
YEAR_REACH, MOST_YEARS = 8, 3
# Kinds before "year" that make the number after it one.
NAMED_YEAR_LEADS = {"in", "by", "before", "after", "until", "on"}
DAY_NUMBER = re.compile(r"\d{1,2}\.?")
# A number after a day and a month is a level between these parts of the price: "eth by december 31 3000".
LEAST_LEVEL, MOST_LEVEL = 1 / 2, 10
# Kinds behind a number that make it a level or an hour.
NO_YEAR = AMOUNT_AFTER | {"zone", "hour"}
# Kinds of tokens that are a date with its year.
WHOLE_DATES = {"iso", "date", "glyphdate"}
Meaning = Callable[[Match, Today], DateRange | None]
# The ways to write a date: a pattern of roles and the function that computes its meaning. An element of a pattern is
# the role that a token must have, or several roles joined with "|". A name before ":" is the name of the token for the
# function; "?" marks an optional element, "!" one that must directly follow the element before it. Articles, commas and
# points between the other elements are skipped. The rule that matches most tokens wins; between equals, the first. The
# roles are those of `roles`: `part` is end, start, mid, early or late; `near` is this, next or last.
RULES: tuple[tuple[str, Meaning], ...] = (
    # 2026-12-31, 31.12.2026, 12/31, 12月31日
    ("weekday? iso:iso|compact", named.iso),
    ("stamp", named.stamp),
    ("weekday? date", named.numeric),
    ("slash", named.slashed),
    ("daymonth dot?", named.dotted),
    ("part? glyphdate part? year?", named.glyph_date),
    # December 31, 31 December 2026, November 24-30, the 15th
    ("month first:day|nth dash day:day|nth year?", named.month_day),
    ("first:day|nth dash day:day|nth month year?", named.month_day),
    ("weekday|holiday? month day:day|nth|dayword year?", named.month_day),
    ("weekday|daily|holiday? day:day|nth|ordinal|dayword month year?", named.month_day),
    ("by|before|until|lasting|on day:odd month", named.month_day),
    ("day:nth", named.day_of_month),
    ("bareday dot?", named.day_of_month),
    ("day:nth|day|ordinal the|dot near unit:monthly", named.day_of_month),
    ("day:nth|day|ordinal the unit:monthly near", named.day_of_month),
    ("day:nth near unit:monthly", named.day_of_month),
    ("day:nth|ordinal the unit:monthly", named.day_of_month),
    ("weekday near? day:nth|day", named.weekday_and_day),
    # end of December, December 2026, next December
    ("part? near? unit:monthly? month year?", named.month_name),
    ("month monthly? part? year?", named.month_name),
    ("month near:next|last", named.month_name),
    ("year month", named.month_name),
    # Q1 2027, 2027 Q1, 1Q27, the first quarter of 2027, H1
    ("part? year? q which:small year?", named.quarter_or_half),
    ("part? which:small q year?", named.quarter_or_half),
    ("part? which:ordinal|nth quarter|halfyear year?", named.quarter_or_half),
    ("which:small dot quarter year?", named.quarter_or_half),
    ("part? h which:small year?", named.quarter_or_half),
    # 2027, end of 2027, the year 2027
    ("part? yearly? year yearly? part?", named.whole_year),
    # this week, end of next month, next year's end, "close the month above …"
    ("near unit part?", counted.unit),
    ("this unit next", counted.unit),
    ("part? unit|weekend|weekday after next", counted.after_next),
    ("which:ordinal|nth|last member:weekday|weekend|unit|halfyear the|in whole:unit", counted.member_of_unit),
    ("which:ordinal|nth|last member:weekday|weekend|unit whole:unit!", counted.member_of_unit),
    ("whole:unit which:ordinal|nth|last member:weekday|weekend|unit", counted.member_of_unit),
    ("near? unit:monthly day:day quote suffix:word|filler?", named.day_of_month),
    ("unit near!", counted.unit),
    ("part near? unit near?", counted.unit),
    ("unit part", counted.unit),
    ("within the unit", counted.unit),
    ("closed", counted.unit),  # "close the month above …": this month
    # EOY, EOY 2027, end of day Friday
    ("near? year? unit? eo year?", counted.end_of_unit),
    # today, Friday, next Friday, Friday next week, Friday week, the weekend, French "la journée de demain"
    ("end? daily? rel", counted.relative_day),
    ("end? daily? near? weekday", counted.weekday),
    ("weekday near unit?", counted.weekday),
    ("near unit weekday", counted.weekday),
    ("weekday unit near", counted.weekday),
    ("weekday week", counted.weekday_week),
    ("weekday in a week", counted.weekday_week),
    ("a week on weekday", counted.weekday_week),
    ("in many:count|numword weekday", counted.count_of_weekdays),
    ("many:count|numword weekday later", counted.count_of_weekdays),
    ("part? near? weekend near?", counted.weekend),
    # this time tomorrow, this time next week, tomorrow at this time
    ("sametime on? rel|weekday", counted.same_time),
    ("sametime next unit|weekday", counted.same_time),
    ("rel|weekday in|on? sametime", counted.same_time),
    ("next unit in|on? sametime", counted.same_time),
    # Christmas, Christmas 2027, spring, early summer
    ("near? holiday year?", named.holiday),
    ("which:small|ordinal dot? holiday year?", named.sunday_of_advent),
    ("part? holiday week", named.holiday_week),
    ("week holiday!", named.holiday_week),
    ("holiday weekend", named.holiday_weekend),
    ("weekend holiday", named.holiday_weekend),
    ("part? near? season year?", named.season),
    ("year unit? season", named.season),
    # in three days, in two or three weeks, in a week or two, a week from now, the next 24 hours, two weeks ago
    ("count unit!", counted.duration),
    ("count:count|numword|a dash|or|list many:count|numword unit!", counted.some_units),
    ("in|within|during|by? a? unit! or|and many:count|numword", counted.some_units),
    ("in|within|during few:slash unit!", counted.some_units),
    ("count:count|a unit! later|ago", counted.duration),
    ("a unit! within", counted.duration),
    ("ago count:count|a unit", counted.duration),
    ("in|within|during|by? count:count|a larger:unit and? rest:count smaller:unit", counted.sum_of_durations),
    ("in|within|during|by? count:count|a unit and? a? half", counted.duration),
    ("in|within|during? next unit and a? half", counted.duration),
    ("in|within|during unit and a? half", counted.duration),
    ("next|last count unit", counted.duration),
    ("count:spanned next unit", counted.duration),
    ("in|within|during|by|between a unit", counted.duration),
    ("within unit", counted.duration),
    ("in:in|within|during|above? next units", counted.some_time),
    ("in|within|during|above english next unit", counted.duration),
)


class Element(NamedTuple):
    """One place of a pattern: the token's name, the roles it may have, whether it may be absent or must be adjacent."""

    name: str
    roles: frozenset[str]
    optional: bool
    adjacent: bool


class Span(NamedTuple):
    """A date in the text: the tokens from `first` up to but not including `after`, and the days they mean."""

    first: int
    after: int
    dates: DateRange
    is_past: bool


class Text(NamedTuple):
    """The tokens with their roles, and whether each may be skipped inside a date."""

    tokens: Sequence[Token]
    roles: Sequence[frozenset[str]]
    fillers: Sequence[bool]


@cache
def rules_for(roles: frozenset[str]) -> list[tuple[list[Element], Meaning]]:
    """The rules that a token with these roles may begin."""
    result = []
    for text, meaning in RULES:
        elements = _elements(text)
        certain = next(place for place, element in enumerate(elements) if not element.optional)
        if any(element.roles & roles for element in elements[: certain + 1]):
            result.append((elements, meaning))
    return result


@cache
def _elements(pattern: str) -> list[Element]:
    return [_element(word) for word in pattern.split()]


def _element(word: str) -> Element:
    name, _, choices = word.rstrip("?!").rpartition(":")
    return Element(name or choices, frozenset(choices.split("|")), word.endswith("?"), word.endswith("!"))


def spans(tokens: Sequence[Token], today: Today, *, postpositions: bool = False) -> list[Span]:
    """The dates in the tokens, from left to right, without overlaps."""
    text = Text(tokens, roles(tokens), [_is_skipped(tokens, place) for place in range(len(tokens))])
    result: list[Span] = []
    place = 0
    while place < len(tokens):
        span = _longest(text, place, today)
        if span:
            span = (_trailed(text, span, today) if postpositions else None) or _led(text, span, today) or span
            while result and result[-1].after > span.first:
                result.pop()
            result.append(span)
        place = span.after if span else place + 1
    return result


def _is_skipped(tokens: Sequence[Token], place: int) -> bool:
    """Articles, commas and points, and the marks of "31-Dec-2026" and "Dec/31/2026"."""
    token = tokens[place]
    if token.kind in ("the", "fiscal") or token.text in (",", "."):
        return True
    return token.text in ("-", "/") and token.is_glued and place + 1 < len(tokens) and tokens[place + 1].is_glued


def _longest(text: Text, place: int, today: Today) -> Span | None:
    """The longest date that begins at `place`; of equally long ones, the one of the first rule."""
    rules = rules_for(text.roles[place])
    matches = [(*match, meaning) for elements, meaning in rules if (match := _match(elements, text, place))]
    for after, names, meaning in sorted(matches, key=lambda match: -match[0]):
        if dates := meaning(names, today):
            return Span(place, after, dates, "ago" in names or ("last" in names and "which" not in names))
    return None


def _led(text: Text, anchor: Span, today: Today) -> Span | None:
    end, days = anchor.first, _anchored(text.tokens, anchor)
    while end and text.tokens[end - 1].kind in GAPS:
        end -= 1
    for first in range(max(0, end - REACH), end):
        for pattern, meaning in LEADING if text.tokens[first].kind not in GAPS else ():
            match = _match(_elements(pattern), text, first)
            if match and end <= match[0] <= anchor.first and (dates := meaning(match[1], days)):
                return Span(first, anchor.after, dates, anchor.is_past and dates.end <= today.now)
    return None


def _trailed(text: Text, anchor: Span, today: Today) -> Span | None:
    first, days = anchor.after, _anchored(text.tokens, anchor)
    while first < len(text.tokens) and (text.tokens[first].kind in (*GAPS, "filler") or text.tokens[first].text == "'"):
        first += 1
    for pattern, meaning in TRAILING:
        match = _match(_elements(pattern), text, first)
        if match and (dates := meaning(match[1], days)):
            return Span(anchor.first, match[0], dates, anchor.is_past and dates.end <= today.now)
    return None


def _anchored(tokens: Sequence[Token], anchor: Span) -> DateRange:
    """The days of the anchor; "a week after New Year" is counted from January 1."""
    if any(token.value == "new year" for token in tokens[anchor.first : anchor.after]):
        return periods.day((anchor.dates.end + timedelta(seconds=1)).date())
    return anchor.dates


def _match(elements: Sequence[Element], text: Text, first: int) -> tuple[int, Match] | None:
    """The end of the match that begins at `first`, and its tokens by kind and by name."""
    places = _places(elements, 0, text, first)
    if not places:
        return None
    names: Match = {}
    for element, place in zip(elements, places, strict=True):
        if place is not None:
            names[text.tokens[place].kind] = names[element.name] = text.tokens[place]
    return max(place for place in places if place is not None) + 1, names


def _places(elements: Sequence[Element], index: int, text: Text, place: int) -> tuple[int | None, ...] | None:
    """The places of the elements from `index` on, which begin at `place`: None for those that are absent."""
    if index == len(elements):
        return ()
    element, current = elements[index], place
    while current < len(text.tokens):
        if not element.roles.isdisjoint(text.roles[current]):
            rest = _places(elements, index + 1, text, current + 1)
            if rest is not None:
                return (current, *rest)
        if index == 0 or element.adjacent or not text.fillers[current] or current - place >= LONGEST_GAP:
            break
        current += 1
    rest = _places(elements, index + 1, text, place) if element.optional else None
    return None if rest is None else (None, *rest)


def with_years(tokens: Sequence[Token], today: Today) -> list[Token]:
    """The tokens with the number of the year behind the date that "next year" stands beside, before or after it."""
    result, places = list(tokens), [place for place, pair in enumerate(pairwise(tokens)) if _names_year(pair)]
    for place in reversed(places[:MOST_YEARS]):
        match = {token.kind: token for token in result[place : place + 2]}
        if "this" in match and any(
            token.value in PAST for token in result[max(0, place - YEAR_REACH) : place + YEAR_REACH]
        ):
            continue
        year = today.now.year + units_ahead(match)
        result = _dated(result[:place], result[place + 2 :], year, today) or result
    return result


def refuse_far_years(tokens: Sequence[Token]) -> None:
    """Refuse a year outside of the calendar wherever it stands: "im Jahr 9999", "9999年".

    In "eth within the year 3000" the number is a level.
    """
    words = [Token("", ""), *(token for token in tokens if token.kind != "the"), Token("", "")]
    for lead, before, token, after, behind in zip(words, words[1:], words[2:], words[3:], words[4:], strict=False):
        is_led = before.value == "year" and before.kind == "unit" and lead.kind in NAMED_YEAR_LEADS
        is_followed = after.value == "year" and after.kind == "unit" and behind.kind not in PARTS | NEAR_KINDS
        is_named = token.kind in WHOLE_DATES or is_followed or (is_led and after.kind not in AMOUNT_AFTER)
        years = [int(digits) for digits in re.findall(r"(?<!\d)\d{4}(?!\d)", token.text)] if is_named else []
        if any(not FIRST_YEAR <= year <= LAST_YEAR for year in years):
            raise out_of_calendar()


def refuse_far_dates(tokens: Sequence[Token], spot: float) -> None:
    """Refuse a day of a month in a year outside of the calendar: "December 31, 9999"; near the price it is a level."""
    words = [*(token for token in tokens if token.kind not in ("the", "mark")), Token("", "")]
    for first, second, number, behind in zip(words, words[1:], words[2:], words[3:], strict=False):
        names_month = [first.kind, second.kind].count("month") == 1
        is_day = names_month and any(
            token.kind == "nth" or DAY_NUMBER.fullmatch(token.text) for token in (first, second)
        )
        if is_day and re.fullmatch(r"\d{4}", number.text) and behind.kind not in NO_YEAR:
            is_level = LEAST_LEVEL <= int(number.text) / spot <= MOST_LEVEL
            if not (is_level or FIRST_YEAR <= int(number.text) <= LAST_YEAR):
                raise out_of_calendar()


def _names_year(pair: Sequence[Token]) -> bool:
    """Example: "Next year", "l'année prochaine"."""
    words = {(token.kind, token.value) for token in pair}
    return ("unit", "year") in words and any(kind in NEAR_KINDS for kind, _ in words)


def _dated(before: list[Token], behind: list[Token], year: int, today: Today) -> list[Token] | None:
    """The tokens with the year in the last date before, else in the first date behind; None without such a date."""
    window = before[-YEAR_REACH:]
    for span in spans(window, today)[-1:]:
        if _lacks_year(window[span.first : span.after], window[span.after :]):
            return [*before[:-YEAR_REACH], *_with_year(window, span, year), *behind]
    window = behind[:YEAR_REACH]
    for span in spans(window, today)[:1]:
        if _lacks_year(window[span.first : span.after], window[: span.first]):
            return [*before, *_with_year(window, span, year), *behind[YEAR_REACH:]]
    return None


def _lacks_year(words: Sequence[Token], gap: Sequence[Token]) -> bool:
    """Whether a date in these words names no year, and nothing but articles is between it and the year."""
    is_dated = any(token.kind in YEARLESS_KINDS for token in words) and not any(map(is_year, words))
    return is_dated and all(token.kind in GAPS for token in gap)


def is_year(token: Token) -> bool:
    """Whether a token of a date names its year."""
    return token.kind == "shortyear" or "年" in token.text or (token.kind == "number" and len(token.text) == 4)


def _with_year(tokens: list[Token], span: Span, year: int) -> list[Token]:
    """The tokens with the year at the end of the date, within the text of a Chinese or Japanese one."""
    glyphs = next((place for place in range(span.first, span.after) if tokens[place].kind == "glyphdate"), None)
    if glyphs is None:
        end = span.after - (tokens[span.after - 1].kind == "unit")  # Turkish "aralık ayında"
        return [*tokens[:end], Token("number", str(year)), *tokens[end:]]
    token = tokens[glyphs]
    return [*tokens[:glyphs], replace(token, text=f"{year}年{token.text}"), *tokens[glyphs + 1 :]]
