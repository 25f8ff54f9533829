"""Finds the dates in a sequence of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Named, Today
from service.questions.dates.roles import roles
from service.questions.dates.rules import RULES, Meaning
from service.questions.tokens import Token


class Element(NamedTuple):
    """One place of a pattern: the token's name, the roles it may have, whether it may be absent."""

    name: str
    roles: frozenset[str]
    optional: bool


class Span(NamedTuple):
    """A date in the text: the tokens from `first` up to but not including `after`, and the days they mean."""

    first: int
    after: int
    dates: DateRange
    is_past: bool


Roles = Sequence[frozenset[str]]


class Rule(NamedTuple):
    """A row of the table; the smaller `rank` wins between two that match equally many tokens."""

    rank: int
    elements: tuple[Element, ...]
    meaning: Meaning


@cache
def rules_by_role() -> dict[str, list[Rule]]:
    """The rules under each role that their first token may have."""
    by_role: dict[str, list[Rule]] = {}
    for rank, (text, meaning) in enumerate(RULES):
        rule = Rule(rank, tuple(_element(word) for word in text.split()), meaning)
        for role in _first_roles(rule.elements):
            by_role.setdefault(role, []).append(rule)
    return by_role


def _first_roles(elements: Sequence[Element]) -> set[str]:
    certain = next(place for place, element in enumerate(elements) if not element.optional)
    return {role for element in elements[: certain + 1] for role in element.roles}


def _element(word: str) -> Element:
    name, _, wanted = word.rstrip("?").rpartition(":")
    return Element(name or wanted, frozenset(wanted.split("|")), word.endswith("?"))


def spans(tokens: Sequence[Token], today: Today) -> list[Span]:
    """The dates in the tokens, from left to right, without overlaps."""
    played = roles(tokens)
    result: list[Span] = []
    place = 0
    while place < len(tokens):
        span = _longest(tokens, played, place, today)
        if span:
            result.append(span)
        place = span.after if span else place + 1
    return result


def _longest(tokens: Sequence[Token], played: Roles, place: int, today: Today) -> Span | None:
    best: tuple[int, int, Named, Meaning] | None = None
    for role in played[place]:
        for rule in rules_by_role().get(role, ()):
            match = _match(rule.elements, tokens, played, place)
            if match and (best is None or (match[0], -rule.rank) > best[:2]):
                best = (match[0], -rule.rank, match[1], rule.meaning)
    if best is None:
        return None
    after, _, named, meaning = best
    dates = meaning(named, today)
    return Span(place, after, dates, "last" in named or "ago" in named) if dates else None


def _match(elements: Sequence[Element], tokens: Sequence[Token], played: Roles, place: int) -> tuple[int, Named] | None:
    """The end of the match and its tokens by kind and by name; the first element must be at `place`."""
    if not elements:
        return place, {}
    element, *rest = elements
    here = place
    while here < len(tokens):
        if element.roles & played[here]:
            match = _match(rest, tokens, played, here + 1)
            if match:
                return match[0], {tokens[here].kind: tokens[here], element.name: tokens[here], **match[1]}
        if here == 0 or not _is_skipped(tokens, here):
            break
        here += 1
    return _match(rest, tokens, played, place) if element.optional else None


def _is_skipped(tokens: Sequence[Token], place: int) -> bool:
    """Articles, commas and points, and the hyphens of "31-Dec-2026"."""
    token = tokens[place]
    if token.kind == "the" or token.text in (",", "."):
        return True
    return token.text == "-" and token.glued and place + 1 < len(tokens) and tokens[place + 1].glued
