"""The high, the low or the opening price of a named period: last week's high, the November low, the weekly open.

It follows from stored prices, so that its price takes its place before the question is read any further.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from service.errors import InvalidQuestion
from service.market.assets import asset_of, tick_of
from service.questions.circumstances import Setting
from service.questions.criterion import checked, invalid, price
from service.questions.dates.matching import YEARLESS_KINDS, is_year, spans
from service.questions.dates.periods import DateRange
from service.questions.dates.reading import Today
from service.questions.dates.roles import with_units
from service.questions.lexicon import forms
from service.questions.records import UNITS, reaches_back
from service.questions.tokens import Token, read
from service.questions.vocabulary import BEAR, BULL, Language

MOST_EXTREMES = 2
# Words between a high and its period: "the high of October", "das Hoch von letzter Woche".
OF = forms("of_period")
# Kinds between a period and its high: "Monday's high", "上周的高点".
POSSESSIVES = {"the", "filler", "in"}
# The last words of a token that make "hoch" or "plus haut" after it a noun.
DETERMINERS = forms("determiner")
# Kinds that say on which side of the high or low the price is to be; without one, breaking a high is rising above it.
SIDE_KINDS = {"above", "below", "exceed", *BULL, *BEAR}
BROKEN = {"high": Token("above", "high"), "low": Token("below", "low")}
# How much earlier the same period was that is named without its year.
RECURRENCES = {"weekday": timedelta(weeks=1), **dict.fromkeys(YEARLESS_KINDS, timedelta(days=366))}
EXTREMES = {"high", "low"}
# Kinds between a high and the side of a level that it is on, and the side of each such word.
BEFORE_SIDE = {
    *("the", "be", "will", "filler", "in", "on", "this", "next", "unit", "weekday", "month", "rel", "asset", "price"),
    *("from", "q"),
}
# Kinds between a level and the side of it where the side comes last: "47000ドルを下回る".
AFTER_LEVEL = {"number", "times", "money", "the", "filler", "mark", *BULL, *BEAR}
SIDES = {"above": "high", "exceed": "high", "below": "low"}


class Extreme(NamedTuple):
    """The tokens from `first` up to but not including `after`: the "high", "low" or "open" of these dates (`side`)."""

    first: int
    after: int
    side: str
    dates: DateRange


def with_extremes(tokens: Sequence[Token], setting: Setting, language: Language) -> tuple[list[Token], tuple[str, ...]]:
    """The tokens with a price in USD in place of each high or low of a period, and a note about each.

    Raises InvalidQuestion where the period is still to come or its prices are not stored.
    """
    plain = with_paths(_with_units(tokens, language), postpositions=language.postpositions)
    if may_have_extreme(plain) and sum(token.kind == "asset" for token in plain) == 1:  # "beat last week's high"
        plain = [replace(token, kind="break") if token.kind == "outperform" else token for token in plain]
    result, notes = with_units(plain), []
    kinds = {token.kind for token in plain if not side_of(token)}
    breaks = "break" in kinds and not kinds & SIDE_KINDS
    extremes = list(_extremes(result, setting.now, language))
    if len(extremes) > MOST_EXTREMES:
        raise invalid(
            "Several highs or lows are named. Ask about one of them, or about the range between two.", "several"
        )
    for extreme in reversed(extremes):
        level, note = (_opening if extreme.side == "open" else _extreme)(extreme, setting)
        side = [BROKEN[extreme.side]] if breaks and extreme.side in BROKEN else []
        names = [token for token in result[extreme.first : extreme.after] if token.kind == "asset"]
        result[extreme.first : extreme.after] = [*names, *side, *read(f"${checked(level, setting.spot):.10f}")[1]]
        notes.insert(0, note)
    return (result, tuple(notes)) if notes else (plain, ())


def may_have_extreme(tokens: Sequence[Token]) -> bool:
    """Whether a word among the tokens may stand for the high or the low of a period."""
    return any(side_of(token) or token.kind == "record" for token in tokens)


def _with_units(tokens: Sequence[Token], language: Language) -> list[Token]:
    """The tokens with a "high of the week" beside "last" or "next" as two: the week and its high, "la semana pasada".

    So is Russian "обновит максимум прошлой недели", a new high of the week before.
    """
    result = list(tokens)
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place]
        behind = [word.kind for word in tokens[place + 1 : place + 4]]
        is_of_last = behind[:2] == ["last", "unit"] and "month" not in behind and language.name == "Russian"
        if token.kind == "record" and token.value in EXTREMES and is_of_last:
            result[place : place + 1] = [Token("break", token.text), Token("filler", token.text, token.value)]
        side, _, unit = str(token.value).partition(":")
        if token.kind != "record" or unit not in UNITS:
            continue
        pair = [Token("unit", unit, unit), Token("filler", "of", side)]
        if place + 1 < len(tokens) and tokens[place + 1].kind in ("last", "next"):
            result[place : place + 2] = [tokens[place + 1], *pair]
        elif place and tokens[place - 1].kind in ("last", "next"):
            result[place : place + 1] = pair
    return result


def _extremes(tokens: Sequence[Token], now: datetime, language: Language) -> Iterator[Extreme]:
    """The highs and lows of periods, from left to right."""
    end, kinds, limits = 0, [token.kind for token in tokens], {"before", "until", "by"}
    pieces = [  # "last week's high" and "before Wednesday", not the high of the week before Wednesday
        Token("mark", "") if token.kind in limits and "last" in kinds[max(0, place - 2) : place + 2] else token
        for place, token in enumerate(tokens)
    ]
    for span in spans(pieces, Today(now, day_first=not language.month_first)):
        place = _beside(tokens, span.first, span.after, language)
        if place is None or span.dates.exact or min(place, span.first) < end:
            continue
        first, end = min(place, span.first), max(place + 1, span.after)
        side, words = side_of(tokens[place]), tokens[span.first : span.after]
        yield Extreme(first, end, side, _begun(words, span.dates, side, now, language))


def _beside(tokens: Sequence[Token], first: int, after: int, language: Language) -> int | None:
    """The place of the word for the high or low of the dates between `first` and `after`."""
    place, kinds = after, {token.kind for token in tokens}
    between = POSSESSIVES | ({"asset"} if "break" in kinds and "number" not in kinds else set())  # "Monday's btc high"
    while place < len(tokens) and tokens[place].kind in between and not side_of(tokens[place]):
        place += 1
    is_noun = place < len(tokens) and tokens[place].kind not in ("up", "down")
    is_of_amount = any(token.text in OF for token in tokens[place + 1 : place + 2]) and is_amount(tokens[place + 2 :])
    if is_noun and side_of(tokens[place]) and not is_of_amount:
        return place
    place = first - 1
    while place > 0 and (tokens[place].text in OF or tokens[place].kind in ("the", "price")):
        place -= 1
    if place < 0 or not side_of(tokens[place]):
        return None
    is_linked = {token.text for token in tokens[place + 1 : first]} & OF or tokens[place].text.split()[-1] in OF
    if tokens[place].kind in ("up", "down"):
        return place if is_linked and place and tokens[place - 1].text.split()[-1] in DETERMINERS else None
    return place if is_linked or language.name == "Russian" else None


def _begun(words: Sequence[Token], dates: DateRange, side: str, now: datetime, language: Language) -> DateRange:
    """The dates, or those of the time before where they are still to come: Monday's high is that of last Monday.

    The opening price of December is that of the coming one.
    """
    if dates.start <= now:
        return dates
    kinds = {token.kind for token in words} - (YEARLESS_KINDS if side == "open" else set())
    interval = next((interval for kind, interval in RECURRENCES.items() if kind in kinds), None)
    if interval is not None and not any(map(is_year, words)) and "next" not in kinds:
        before = spans(words, Today(now - interval, day_first=not language.month_first))
        if len(before) == 1 and before[0].dates.start <= now:
            latest = spans(words, Today(before[0].dates.end + timedelta(seconds=1), day_first=not language.month_first))
            return (latest if latest and latest[0].dates.start <= now else before)[0].dates
    raise invalid(f"The prices of {dates.start:%Y-%m-%d} are still to come. Name the level in USD.", "level")


def _opening(extreme: Extreme, setting: Setting) -> tuple[float, str]:
    """The last price before the period, and a note that says where it comes from."""
    start, name = extreme.dates.start, asset_of(setting.asset).name
    closes = setting.closes([int(start.timestamp())])
    if closes is None:
        raise _unknown(extreme, setting)
    return closes[0], f"{name} was at {price(closes[0])} USD at {start:%Y-%m-%d %H:%M} UTC."


def _extreme(extreme: Extreme, setting: Setting) -> tuple[float, str]:
    """The highest or the lowest price of the period so far; where that is the present one, a step beyond it."""
    dates, is_high, is_running = extreme.dates, extreme.side == "high", extreme.dates.end > setting.now
    bars = setting.history.hourly(setting.asset, dates.start)
    within = bars.time <= int(dates.end.timestamp())
    prices = [*(bars.high if is_high else bars.low)[within].tolist(), *[setting.spot] * is_running]
    if not prices or not reaches_back(setting, bars, dates.start):
        raise _unknown(extreme, setting)
    level, last = max(prices) if is_high else min(prices), min(dates.end, setting.now)
    is_day = dates.start.date() == last.date()
    days = f"on {last:%Y-%m-%d}" if is_day else f"from {dates.start:%Y-%m-%d} to {last:%Y-%m-%d}"
    name, suffix = asset_of(setting.asset).name, " so far" * is_running
    note = f"The {extreme.side}est price of {name} {days}{suffix} is {price(level)} USD."
    step = tick_of(setting.asset, setting.spot) * (level == setting.spot)
    return level + step if is_high else level - step, note


def _unknown(extreme: Extreme, setting: Setting) -> InvalidQuestion:
    name = asset_of(setting.asset).name
    return invalid(
        f"The prices of {name} on {extreme.dates.start:%Y-%m-%d} are not stored. Name the level in USD.", "level"
    )


def side_of(token: Token) -> str:
    """Example: "high", "low" or "open" for a word that may be that of a period, else empty."""
    return str(token.value) if token.kind != "record" and token.value in (*EXTREMES, "open") else ""


def with_paths(tokens: Sequence[Token], *, postpositions: bool = False) -> list[Token]:
    """The tokens with what "a high above 100k" takes: one moment above it, and "a low above 100k" all of them."""
    result = _with_width(tokens)
    for place in range(len(result)):
        result[place] = _as_path(result, place, postpositions=postpositions)
    return result


def is_amount(tokens: Sequence[Token]) -> bool:
    """Whether a price in digits comes first."""
    return any(token.kind == "number" for token in tokens[: 1 + any(token.kind == "money" for token in tokens[:1])])


def _as_path(tokens: Sequence[Token], place: int, *, postpositions: bool) -> Token:
    """The token itself or, for a high or low that a level follows, the word for a moment or for all of them."""
    token, after = tokens[place], place + 1
    extreme = side_of(token) or str(token.value).partition(":")[0] * (token.kind == "record")
    before = tokens[place - 1].text.split()[-1:] if place else []
    is_adverb = token.kind in ("up", "down") and not DETERMINERS.intersection(before)
    if extreme not in EXTREMES or is_adverb:
        return token
    while after < len(tokens) and tokens[after].kind in BEFORE_SIDE and not side_of(tokens[after]):
        after += 1
    is_level_first = postpositions and is_amount(tokens[after:])
    while is_level_first and after < len(tokens) and tokens[after].kind in AFTER_LEVEL:
        after += 1
    side = SIDES.get(tokens[after].kind) if after < len(tokens) else None
    if side is None or not (is_level_first or is_amount(tokens[after + 1 :])):
        return token
    return Token("ever" if extreme == side else "stay", token.text)


def _with_width(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a high and a low, joined by "and", as a range where there is a percentage."""
    places = [place for place, token in enumerate(tokens) if side_of(token) in EXTREMES]
    is_pair = len(places) == 2 and {side_of(tokens[place]) for place in places} == EXTREMES
    is_joined = is_pair and any(token.kind == "and" for token in tokens[places[0] : places[1]])
    if not is_joined or not any(token.kind == "percent" for token in tokens):
        return list(tokens)
    before = [token for token in tokens[: places[0]] if token.kind != "between"]
    return [*before, Token("width", "range"), *tokens[places[1] + 1 :]]
