"""Finds the dates in a sequence of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from typing import NamedTuple

from service.questions.dates import periods
from service.questions.dates.compounds import LEADING, TRAILING, Compound
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Named, Today
from service.questions.dates.roles import roles
from service.questions.dates.rules import RULES, Meaning
from service.questions.tokens import Token


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


# Kinds between a pattern and its anchor, kinds that end such a pattern, and how many tokens it has at most.
GAPS = {"the", "in"}
LEADERS = {"before", "after", "from", "until", "weekday", "weekend", "unit", "halfyear"}
REACH = 6
# The most articles, commas and points between two elements of a pattern.
MOST_SKIPPED = 4


class Rule(NamedTuple):
    """A row of the table; the smaller `rank` wins between two that match equally many tokens."""

    rank: int
    elements: tuple[Element, ...]
    meaning: Meaning


class Text(NamedTuple):
    """The tokens with their roles, and whether each may be skipped inside a date."""

    tokens: Sequence[Token]
    roles: Sequence[frozenset[str]]
    skipped: Sequence[bool]


@cache
def rules_by_role() -> dict[str, list[Rule]]:
    """The rules under each role that their first token may have."""
    by_role: dict[str, list[Rule]] = {}
    for rank, (text, meaning) in enumerate(RULES):
        rule = Rule(rank, tuple(_element(word) for word in text.split()), meaning)
        for role in _first_roles(rule.elements):
            by_role.setdefault(role, []).append(rule)
    return by_role


@cache
def rules_for(roles: frozenset[str]) -> tuple[Rule, ...]:
    """The rules that a token with these roles may begin."""
    return tuple({rule.rank: rule for role in roles for rule in rules_by_role().get(role, ())}.values())


@cache
def compounds(trailing: bool) -> tuple[tuple[tuple[Element, ...], Compound], ...]:
    """The patterns of compound dates with their meanings: after the anchor, or before it."""
    table = TRAILING if trailing else LEADING
    return tuple((tuple(_element(word) for word in text.split()), meaning) for text, meaning in table)


def _first_roles(elements: Sequence[Element]) -> set[str]:
    certain = next(place for place, element in enumerate(elements) if not element.optional)
    return {role for element in elements[: certain + 1] for role in element.roles}


def _element(word: str) -> Element:
    name, _, wanted = word.rstrip("?!").rpartition(":")
    return Element(name or wanted, frozenset(wanted.split("|")), word.endswith("?"), word.endswith("!"))


def spans(tokens: Sequence[Token], today: Today, *, postpositions: bool = False) -> list[Span]:
    """The dates in the tokens, from left to right, without overlaps."""
    text = Text(tokens, roles(tokens), [_is_skipped(tokens, place) for place in range(len(tokens))])
    result: list[Span] = []
    place = 0
    while place < len(tokens):
        span = _longest(text, place, today)
        if span:
            span = _compound(text, span, postpositions) or span
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
    return token.text in ("-", "/") and token.glued and place + 1 < len(tokens) and tokens[place + 1].glued


def _longest(text: Text, place: int, today: Today) -> Span | None:
    """The longest date that begins at `place`; of equally long ones, the one of the first rule."""
    matches: list[tuple[int, int, Named, Meaning]] = []
    for rule in rules_for(text.roles[place]):
        match = _match(rule.elements, text, place)
        if match:
            matches.append((-match[0], rule.rank, match[1], rule.meaning))
    for end, _, named, meaning in sorted(matches, key=lambda match: match[:2]):
        dates = meaning(named, today)
        if dates:
            return Span(place, -end, dates, "ago" in named or ("last" in named and "which" not in named))
    return None


def _compound(text: Text, anchor: Span, postpositions: bool) -> Span | None:
    """The date that the words around the anchor make of it, if any."""
    span = _trailed(text, anchor) if postpositions else None
    return span or _led(text, anchor)


def _led(text: Text, anchor: Span) -> Span | None:
    tokens, end = text.tokens, anchor.first
    while end and tokens[end - 1].kind in GAPS:
        end -= 1
    if not end or tokens[end - 1].kind not in LEADERS:
        return None
    for first in range(max(0, end - REACH), end):
        for elements, meaning in compounds(trailing=False) if tokens[first].kind not in GAPS else ():
            match = _match(elements, text, first)
            dates = meaning(match[1], _anchored(tokens, anchor)) if match and match[0] >= end else None
            if dates:
                return Span(first, anchor.after, dates, anchor.is_past)
    return None


def _trailed(text: Text, anchor: Span) -> Span | None:
    first = anchor.after
    while first < len(text.tokens) and (text.tokens[first].kind in (*GAPS, "filler") or text.tokens[first].text == "'"):
        first += 1
    for elements, meaning in compounds(trailing=True):
        match = _match(elements, text, first)
        dates = meaning(match[1], _anchored(text.tokens, anchor)) if match else None
        if match and dates:
            return Span(anchor.first, match[0], dates, anchor.is_past)
    return None


def _anchored(tokens: Sequence[Token], anchor: Span) -> DateRange:
    """The days of the anchor; "a week after New Year" is counted from January 1."""
    if any(token.value == "new year" for token in tokens[anchor.first : anchor.after]):
        return periods.day((anchor.dates.end + timedelta(seconds=1)).date())
    return anchor.dates


def _match(elements: Sequence[Element], text: Text, first: int) -> tuple[int, Named] | None:
    """The end of the match that begins at `first`, and its tokens by kind and by name."""
    places = _places(elements, 0, text, first)
    if not places:
        return None
    named: Named = {}
    for element, place in zip(elements, places, strict=True):
        if place is not None:
            named[text.tokens[place].kind] = named[element.name] = text.tokens[place]
    return max(place for place in places if place is not None) + 1, named


def _places(elements: Sequence[Element], index: int, text: Text, place: int) -> tuple[int | None, ...] | None:
    """The places of the elements from `index` on, which begin at `place`: None for those that are absent."""
    if index == len(elements):
        return ()
    element, here = elements[index], place
    while here < len(text.tokens):
        if not element.roles.isdisjoint(text.roles[here]):
            rest = _places(elements, index + 1, text, here + 1)
            if rest is not None:
                return (here, *rest)
        if index == 0 or element.adjacent or not text.skipped[here] or here - place >= MOST_SKIPPED:
            break
        here += 1
    rest = _places(elements, index + 1, text, place) if element.optional else None
    return None if rest is None else (None, *rest)
