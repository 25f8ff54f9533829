"""A date whose year is named by its distance from the present one: December next year, 明年12月."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from service.questions.dates.matching import GAPS, Span, spans
from service.questions.dates.reading import Today, units_ahead
from service.questions.dates.roles import NEAR_KINDS
from service.questions.tokens import Token

# Kinds of dates that a year belongs to.
YEARLESS_KINDS = {"month", "glyphdate", "holiday", "season", "q", "halfyear", "slash"}
# Words for prices of a past month, beside which "this year" is the deadline: "its October high this year".
PAST = ("high", "low", "open")
# How many tokens before and behind a year its date is looked for in, and how many years are read.
REACH, MOST_YEARS = 8, 3


def with_years(tokens: Sequence[Token], today: Today) -> list[Token]:
    """The tokens with the number of the year behind the date that "next year" stands beside, before or after it."""
    result, places = list(tokens), [place for place, pair in enumerate(pairwise(tokens)) if _names_year(pair)]
    for place in reversed(places[:MOST_YEARS]):
        match = {token.kind: token for token in result[place : place + 2]}
        if "this" in match and any(token.value in PAST for token in result[max(0, place - REACH) : place + REACH]):
            continue
        year = today.now.year + units_ahead(match)
        result = _dated(result[:place], result[place + 2 :], year, today) or result
    return result


def _names_year(pair: Sequence[Token]) -> bool:
    """Example: "Next year", "l'année prochaine"."""
    words = {(token.kind, token.value) for token in pair}
    return ("unit", "year") in words and any(kind in NEAR_KINDS for kind, _ in words)


def _dated(before: list[Token], behind: list[Token], year: int, today: Today) -> list[Token] | None:
    """The tokens with the year in the last date before, else in the first date behind; None without such a date."""
    window = before[-REACH:]
    for span in spans(window, today)[-1:]:
        if _lacks_year(window[span.first : span.after], window[span.after :]):
            return [*before[:-REACH], *_with_year(window, span, year), *behind]
    window = behind[:REACH]
    for span in spans(window, today)[:1]:
        if _lacks_year(window[span.first : span.after], window[: span.first]):
            return [*before, *_with_year(window, span, year), *behind[REACH:]]
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
