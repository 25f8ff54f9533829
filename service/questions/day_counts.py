"""Questions that count days: "close above 60k on at least 3 days", "3 days in a row up", "every day above 60k".

The count is taken out of the question before its dates are read: "3 days" is not a deadline here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from service.questions.criterion import invalid
from service.questions.dates.roles import with_days
from service.questions.lexicon import forms
from service.questions.numerals import readings
from service.questions.single_days import (
    CANDLES,
    DAYS,
    HOW,
    LEAST,
    NUMBERS,
    OUT_OF,
    SPAN,
    in_order,
    is_days,
    moves_within_day,
    refuse_others,
    without_any_day,
)
from service.questions.tokens import Token, first_kind
from service.questions.vocabulary import PRICE_MARKS

MOST_DAYS = 60
# Kinds of days that are over or follow each other, and those of which one names a period that may be to come.
PAST = {"did", "since", "ago", "in_a_row"}
FUTURE_PERIODS = {"will", "next", "this", "month", "until", "by", "eo", "weekend", "holiday", "in", "during"}
# Kinds that may stand between the number and the days: "3 green days", "3 or more daily closes", "3 straight days".
BETWEEN = {"up", "down", "in_a_row", "filler", "the", "close", "rise", "fall", "ormore"}
# Kinds before the number that belong to the count.
BEFORE = {"on", "in_a_row", "the", "filler", "above", "below", "exceed"}
# Kinds behind the number of days, and those by which days are counted.
ENDS, BOUNDS = ("ormore", "above", "below"), {"on", "above", "below", "exceed", "ormore"}
UPPER_BOUNDS, EXACT, MORE_WORDS, NUMBER_WORDS = forms("most"), forms("exact"), forms("more"), forms("how_many")
COLOURS, ON = ("green", "red"), forms("on")  # words that also mean "on" before a number of days
# Periods that directly follow "all".
WHOLE_PERIODS = (["month"], ["glyphdate"], ["season"], ["weekend"], ["q"], ["next"])


@dataclass(frozen=True)
class DayCount:
    """At least `days` days until the deadline, all of them if None; they follow each other if `in_a_row`.

    `share` is "most" for more than half of the days, "half" for at least half of them, as "number" is, where that is
    asked for. "At most 3 days" is the opposite of at least 4: `negated`.
    """

    days: int | None
    in_a_row: bool = False
    share: Literal["", "most", "half", "number"] = ""
    negated: bool = False


def find_days(tokens: Sequence[Token]) -> tuple[DayCount | None, list[Token]]:
    """The count of days in the tokens, if any, and the other tokens.

    Raises InvalidQuestion for anything else in a row than days, and for "twice".
    """
    if any(token.kind == "often" for token in tokens):
        raise invalid(f"How often the price does something is not counted, only on how many days. {HOW}")
    tokens = in_order(with_days(tokens))
    if (how := _asks_number(tokens)) is not None:
        if count := _numbered(tokens, how):
            return count
        kinds = {token.kind for token in tokens}
        is_past = kinds & PAST or ({"have", "be"} <= kinds and "will" not in kinds)  # "has btc been falling"
        if is_past or not kinds & FUTURE_PERIODS:
            raise invalid("The number of days is not forecast. Ask about at least so many of a period to come.")
        return DayCount(None, share="number"), _without_days([*tokens[:how], *tokens[how + 1 :]])
    if moves_within_day(tokens):
        raise invalid(f"Moves within one day of a longer time are not supported. {HOW}")
    tokens = [_as_everyday(tokens, place) for place in range(len(tokens))]
    kinds, assets = {token.kind for token in tokens}, {token.value for token in tokens if token.kind == "asset"}
    if "weekend" in kinds and len(assets) < 2 and any(token.value in COLOURS for token in tokens):
        tokens = [replace(token, kind="everyday") if token.kind == "both_of" else token for token in tokens]
    for kind in ("everyday", "mostdays"):
        place = next((place for place, token in enumerate(tokens) if token.kind == kind), None)
        if place is not None:
            return _of_share(tokens, place)
    if (any_day := without_any_day(tokens)) is not None:
        return DayCount(1), any_day
    refuse_others(tokens)
    for place, token in enumerate(tokens):
        result = _without(tokens, place)
        if token.kind in NUMBERS:
            result = _share_at(tokens, place) or _all_at(tokens, place) or _count_at(tokens, place)
        if result is not None:
            return result
    return _of_days(tokens) or (None, _without_streak(tokens))


def _as_everyday(tokens: Sequence[Token], place: int) -> Token:
    """The token itself, or "all of December", "most of this week", "above 95k the rest of the month" as its days."""
    token = tokens[place]
    if token.value not in ("all", "most", "rest"):
        return token
    behind = [later for later in tokens[place + 1 : place + 6] if later.kind != "the"]
    if not _is_period(behind):
        return token
    kinds = {other.kind for other in tokens}
    if token.value == "rest" and (not kinds & {"above", "below"} or kinds & {"average", "rise", "fall", "up", "down"}):
        return token
    if any(is_days(later) for later in behind[:2]):  # "the rest of the day"
        return replace(token, kind="stay", value=None) if token.value == "rest" else token
    return replace(token, kind="mostdays" if token.value == "most" else "everyday", value=None)


def _is_period(tokens: Sequence[Token]) -> bool:
    """Whether a week or a longer time begins there: "next week", "December", "Q4", "2027"."""
    kinds = [token.kind for token in tokens]
    if kinds[:1] == ["this"]:
        return kinds[1:2] != [] and (kinds[1] in ("unit", "next") or _is_period(tokens[1:]))
    is_year = kinds[:1] == ["number"] and bool(re.fullmatch(r"20\d\d", tokens[0].text))
    return is_year or kinds[:1] in WHOLE_PERIODS or kinds[:2] == ["unit", "month"]


def _asks_number(tokens: Sequence[Token]) -> int | None:
    """The place of "how many" in "how many days above 95k"; None for "how many days until 100k", which asks when."""
    kinds = {token.kind for token in tokens}
    is_time = bool(kinds & {"until", "before", "lasting"}) and not any(token.value in COLOURS for token in tokens)
    if is_time or not kinds & {"above", "below", "up", "down", "rise", "fall"}:
        return None
    days = [place for place, token in enumerate(tokens) if is_days(token) or token.text in CANDLES]
    for place, token in enumerate(tokens):
        behind = [later for later in range(place + 1, len(tokens)) if tokens[later].kind not in ("the", "up", "down")]
        if (token.kind == "how" and {*behind[:1]} & {*days}) or (
            token.text in NUMBER_WORDS and (days or token.text[-1] in DAYS)
        ):
            return place
    return None


def _of_days(tokens: Sequence[Token]) -> tuple[DayCount, list[Token]] | None:
    """The count of "of the next 10 days, green on more than 5?", "7天里至少5天收涨", "7日のうち5日以上陽線"."""
    is_coloured = any(token.value in COLOURS for token in tokens)
    for place, number in enumerate(tokens if is_coloured else ()):
        unit = place + (not _is_nth_day(number)) + any(word.kind == "next" for word in tokens[place + 1 :][:1])
        if number.kind not in NUMBERS or not any(is_days(word) or word.text[-1:] in DAYS for word in tokens[unit:][:1]):
            continue
        first = place
        while first and (tokens[first - 1].kind in ("next", "the", "approx") or tokens[first - 1].text in OUT_OF):
            first -= 1
        after = unit + 1 + any(token.text in OUT_OF for token in tokens[unit + 1 : unit + 2])
        if any(token.text in OUT_OF for token in tokens[first:after]):
            return _numbered(_within([*tokens[:first], Token("how", "")], number, tokens[after:]), first)
    return None


def _within(head: Sequence[Token], number: Token, tail: Sequence[Token]) -> list[Token]:
    """The tokens with the time of "5 of 7 days" between them, unless they name it: "next week", "in December"."""
    rest = [*head, *tail]
    for place, token in enumerate(rest):
        if token.kind != "number" and not is_days(rest[place:][:2][-1]) and _is_period(rest[place:]):
            return rest
    return [*head, Token("in", "in"), Token("number", str(_whole(number))), Token("unit", "day", "day"), *tail]


def _numbered(tokens: Sequence[Token], how: int) -> tuple[DayCount, list[Token]] | None:
    """The count of "how many of the next 7 days will it be green, at least 5?", and the tokens without "how many"."""
    for place in range(len(tokens) - 1, how, -1):
        number, before, after = tokens[place], _begin(tokens, place), place + 1
        while after < len(tokens) and (tokens[after].kind in ENDS or tokens[after].text in (*DAYS, "以上", "+")):
            after += 1
        around = [*tokens[before:place], *tokens[place + 1 : after]]
        is_more = any(token.kind == "above" or token.text in MORE_WORDS for token in around)
        after += any(map(is_days, tokens[after : after + 1]))
        rest = _without_days([*tokens[:how], *tokens[how + 1 : before], *tokens[after:]])
        if number.kind == "fraction" and number.value == 1 / 2:
            return DayCount(None, share="most" if is_more else "half"), rest
        is_bounded = is_more or any(token.kind in BOUNDS or _is_least(token) for token in around)
        is_price = any(token.kind in PRICE_MARKS | {"unit"} for token in tokens[after : after + 1])
        if number.kind in NUMBERS and is_bounded and not is_price and _value(number) <= MOST_DAYS:
            return bounded(_whole(number), around), rest
    return None


def _without_days(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the days that are counted; "the next 7 days" stay."""
    leads = [Token("", ""), *tokens]
    return [token for lead, token in pairwise(leads) if not is_days(token) or lead.kind in {*NUMBERS, "next"}]


def _all_at(tokens: Sequence[Token], place: int) -> tuple[DayCount, list[Token]] | None:
    """Example: "All 7 days", "los siete días en verde de la semana", Chinese "七天全收阳"."""
    days = place if _is_nth_day(tokens[place]) else place + 1
    while days < len(tokens) and days > place and tokens[days].kind in ("the", "filler", "to"):
        days += 1
    if days == len(tokens) or not (days == place or is_days(tokens[days])):
        return None
    first = place
    while first and tokens[first - 1].kind in ("the", "and", "a", "approx"):
        first -= 1
    end = days + 1 + any(token.kind == "asset" for token in tokens[days + 1 : days + 2])  # "三天btc都会涨"
    behind = end < len(tokens) and (tokens[end].value == "all" or tokens[end].kind == "both_of")
    is_all = behind or (first > 0 and tokens[first - 1].value == "all")
    is_next = behind and first > 0 and tokens[first - 1].kind == "next"  # the deadline as well: "接下来三天都"
    start = days + 1 if is_next else first - (is_all and not behind)
    rest = [*tokens[:start], *tokens[days + 1 : end], *tokens[end + behind :]]
    is_coloured = any(token.value in COLOURS for token in rest)
    has_period = any(token.kind == "unit" and not is_days(token) for token in rest)
    if not is_all and not (first < place and is_coloured and has_period):
        return None
    return DayCount(_whole(tokens[place])), rest


def _is_nth_day(token: Token) -> bool:
    """Japanese "7日", which may be a number of days."""
    return token.kind == "nth" and token.text[-1:] in DAYS


def _of_share(tokens: Sequence[Token], place: int) -> tuple[DayCount, list[Token]]:
    """The count of "every day", "not every day", "on most days", "on half of the days" or "on any day"."""
    word, share = tokens[place], ""
    is_denied = word.kind == "everyday" and place > 0 and tokens[place - 1].kind == "not"
    rest = [token for token in (*tokens[: place - is_denied], *tokens[place + 1 :]) if token.kind != word.kind]
    if word.value == "any":
        return DayCount(1), rest
    if word.kind == "mostdays":
        share = "half" if word.value == "half" else "most"
    return DayCount(None, share=share, negated=is_denied), rest


def _without_streak(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without "in a row", which only days may follow; "stay above for two weeks straight" needs no count."""
    places = [place for place, token in enumerate(tokens) if token.kind == "in_a_row"]
    neighbours = {token.kind for place in places for token in tokens[max(0, place - 2) : place + 3]}
    if "unit" in neighbours and not any(token.kind == "stay" for token in tokens):
        raise invalid(f"Only days in a row can be counted. {HOW}")
    return [token for token in tokens if token.kind != "in_a_row"]


def _without(tokens: Sequence[Token], place: int) -> tuple[DayCount, list[Token]] | None:
    """Example: "No red days", "ningún día rojo": not at least one."""
    pair = tokens[place + 1 : place + 3]
    colours = [token for token in pair if token.kind in ("up", "down")]
    is_day = any(is_days(token) or token.text in DAYS for token in pair)
    if tokens[place].kind == "not" and len(colours) == 1 and is_day:
        return DayCount(1), [*tokens[: place + 1], *colours, *tokens[place + 3 :]]
    return None


def _share_at(tokens: Sequence[Token], place: int) -> tuple[DayCount, list[Token]] | None:
    """Example: "4 out of the next 7 days": at least 4 days, and the deadline in 7 days."""
    end = place + 1
    while end < len(tokens) and (tokens[end].kind in ("the", "filler", "next") or tokens[end].text in OUT_OF):
        end += 1
    between, unit = tokens[place + 1 : end], end + 1
    unit += unit < len(tokens) and tokens[unit].kind == "next"  # "4 des 7 prochains jours"
    kinds = [token.kind for token in between]
    is_share = any(token.text in OUT_OF for token in between) or kinds == ["the", "next"]
    is_share = is_share or (kinds == ["the"] and unit == end + 2)
    if not is_share or unit >= len(tokens) or not is_days(tokens[unit]) or tokens[end].kind not in NUMBERS:
        return None
    before = _begin(tokens, place)
    count = bounded(_whole(tokens[place]), tokens[before:place])
    return count, _within(tokens[:before], tokens[end], tokens[unit + 1 :])


def _begin(tokens: Sequence[Token], place: int) -> int:
    """The first of the words before a number that belong to its count: "on at least 3"."""
    while place and (tokens[place - 1].kind in BEFORE or tokens[place - 1].text in (*LEAST, *EXACT)):
        if tokens[place - 1].text == "sous":  # "sous quinze jours" is within them
            break
        place -= 1
    return place


def _count_at(tokens: Sequence[Token], place: int) -> tuple[DayCount, list[Token]] | None:
    """The count whose number is at `place`, and the other tokens; None if it does not count days."""
    number, unit = tokens[place], _unit_after(tokens, place)
    if unit is None or any(token.kind == "average" for token in tokens[max(0, place - 2) : place]):
        return None
    after = unit + 1
    while after < len(tokens) and (_is_or_more(tokens[after]) or _is_run(tokens[after:])):
        after += 1
    before = _begin(tokens, place)
    around = [*tokens[before:place], *tokens[place + 1 : after]]
    is_own = before < 2 or tokens[before - 2].kind != "unit"  # not Chinese "一周内至少三天"
    lead = tokens[before - 1] if before and is_own else Token("", "")
    behind = first_kind(tokens[after:], {"the"})
    follows = behind in ("in", "this", "next")  # "for 10 days in December", "em pelo menos 3 dias da semana que vem"
    is_on = lead.kind == "in" and follows and not any(token.kind == "below" for token in around)
    span = lead if lead.kind in SPAN and not is_on else None
    if not (lead.kind == "during" and follows) and not _is_counted(tokens, around, span):
        return None
    directions = [token for token in around if token.kind in ("up", "down", "close", "rise", "fall")]
    head = [*tokens[: before - (lead.kind in SPAN)], *directions]  # "for 5 days in a row"
    count, share = bounded(_whole(number), around), tokens[after : after + 3]
    if share and share[0].text in OUT_OF and any(token.kind in ("number", "numword") for token in share[1:2]):
        return count, _within(head, share[1], tokens[after + 2 + any(map(is_days, share[2:])) :])  # "4 green days of 7"
    return count, [*head, *tokens[after:]]


def _is_run(tokens: Sequence[Token]) -> bool:
    """Example: "In a row", "de alta seguidos", Spanish "3 días verdes"."""
    kinds = [token.kind for token in tokens[:4]]
    return tokens[0].value in COLOURS or ("in_a_row" in kinds and {*kinds[: kinds.index("in_a_row")]} <= BETWEEN)


def _is_counted(tokens: Sequence[Token], around: Sequence[Token], span: Token | None) -> bool:
    """Whether days are counted; "stay above for at least 5 days" is a length of time."""
    if any(token.kind == "in_a_row" for token in around):
        return True
    is_coloured = any(token.value in ("green", "red") for token in around)  # "4 red days"
    if not is_coloured and not any(token.kind in BOUNDS or _is_least(token) for token in around):
        return False
    if span is None:
        return True
    is_on = span.kind == "during" or span.text in ON
    stays = any(token.kind == "stay" for token in tokens)
    if is_on and stays and any(token.kind == "below" for token in around):
        raise invalid(f"For how long at most a price stays on one side is not counted. {HOW}")
    return is_on and not stays


def _is_least(token: Token) -> bool:
    return token.text in LEAST or _is_or_more(token)


def _is_or_more(token: Token) -> bool:
    return token.kind == "ormore" or (token.text in ("以上", "+") and token.is_glued)


def bounded(days: int, around: Sequence[Token]) -> DayCount:
    """At least so many days; "more than 3" is at least 4, "at most 3" the opposite of that."""
    in_a_row = any(token.kind == "in_a_row" for token in around)
    if any(token.text in EXACT for token in around):
        raise invalid(f"An exact number of days cannot be counted. Ask about at least so many. {HOW}")
    if any(_is_least(token) for token in around):
        return DayCount(days, in_a_row)
    if any(token.kind in ("above", "exceed") for token in around):
        return DayCount(days + 1, in_a_row)
    bounds = [token for token in around if token.kind == "below"]
    is_at_most = any(token.text in UPPER_BOUNDS for token in bounds)
    return DayCount(days + is_at_most, in_a_row, negated=bool(bounds))


def _unit_after(tokens: Sequence[Token], place: int) -> int | None:
    """The place of the word "days" that the number counts, or of "closes" in a row; None if there is none."""
    end = place + 1
    if tokens[place].kind == "nth":  # Japanese "3日連続", "少なくとも3日"
        is_least = place > 0 and tokens[place - 1].text in LEAST
        is_run = any(token.kind == "in_a_row" for token in tokens[end : end + 2])  # "3日連続", "3日続落"
        return place if is_least or is_run else None
    while end < len(tokens) and (tokens[end].kind in BETWEEN or _is_or_more(tokens[end])):
        end += 1
    if end < len(tokens) and is_days(tokens[end]):
        return end
    while tokens[end - 1].kind in ("filler", "the") or tokens[end - 1].text in OUT_OF:
        end -= 1  # "3 candles vermelhos seguidos no eth", "3 chiusure positive su 5"
    kinds = [token.kind for token in tokens[place:end]]
    is_dated = place > 0 and tokens[place - 1].kind in ("month", "the", "weekday", "on")  # "on december 5 green close"
    if "close" in kinds and not is_dated and any(token.value in COLOURS for token in tokens[place:end]):
        return end - 1 if _value(tokens[place]) <= MOST_DAYS else None
    return end - 1 if "in_a_row" in kinds and kinds[-1] in ("close", "up", "down", "in_a_row") else None


def _whole(number: Token) -> int:
    days = _value(number)
    if not 1 <= days <= MOST_DAYS or days != int(days):
        raise invalid(f"The number of days must be whole, from 1 to {MOST_DAYS}. {HOW}")
    return int(days)


def _value(number: Token) -> float:
    """The number of "three", of "3", of "2.5", and of the Japanese "3日"."""
    if number.value is not None:
        return number.quantity
    if number.kind == "number":
        return readings(number.text)[0]
    digits = re.match(r"\d+", number.text)
    return float(digits[0]) if digits else 0.0
