"""One day of a longer time: "any green day this week", "a close above 100k before Christmas".

Each is a question about the closes of days. A move within one day is refused: the closes do not show it. Other lengths
of time than days, "above 100k for a whole week", are refused as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from service.questions.criterion import invalid
from service.questions.dates.roles import OVER_TIME
from service.questions.lexicon import forms
from service.questions.tokens import Token

NUMBERS = ("number", "numword", "nth")
# Words for a day that also stand before its date.
DAYS = forms("day")
HOW = "For example: Will bitcoin close above 95,000 on at least 3 days this week?"
DATES = {"month", "weekday", "glyphdate", "rel", "nth", "unit", "date", "iso"}
LIMITS = {"by", "before", "until"}
# Kinds beside "a day" that make it a distance from a date: "a day before Christmas".
BESIDE_DATE = {"before", "after", "later", "ago", "from", "this", "next", "last"}
# Kinds that may stand between "a" and the close: "a btc close", "one more close".
BESIDE_DAY = {"asset", "filler", "the"}
# Kinds after which a number of days is a length of time: "in at least 3 days".
SPAN = {"in", "within", "during", "next", "by", "lasting", "until", "later"}
LEAST, OUT_OF = forms("least"), forms("out_of")  # "at least 4", "4 out of 7"
# Words for the candle of a chart, after its length: "4h candle".
CANDLES = forms("candle")


def is_days(token: Token) -> bool:
    """The word "day" or "days"."""
    return token.kind == "unit" and token.value == "day"


def in_order(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a verb behind its days, and without the number of all of them after "how many days".

    Examples: Chinese "至少涨5天", Italian "quanti giorni su 7"; "at least rise 2 days from now" is a date.
    """
    result = list(tokens)
    for place in range(len(tokens) - 3):
        first, second, third, fourth = tokens[place : place + 4]
        is_verb = second.kind in ("rise", "fall", "up", "down")
        is_date = any(token.kind in BESIDE_DATE | {"by"} for token in tokens[place + 4 : place + 5])
        if first.text in LEAST and is_verb and third.kind in NUMBERS and is_days(fourth) and not is_date:
            result[place : place + 4] = [first, third, fourth, second]
        if first.kind == "how" and is_days(second) and third.text in OUT_OF and fourth.kind in NUMBERS:
            return [*tokens[: place + 2], *tokens[place + 4 :]]
    return result


def moves_within_day(tokens: Sequence[Token]) -> bool:
    """Whether a move within one day of a longer time is asked for."""
    places = range(len(tokens))
    is_named = any(_is_within_day(tokens[place : place + 4]) or _names_large_day(tokens[place:]) for place in places)
    return is_named or _moves_on_one_day(tokens)


def _is_within_day(tokens: Sequence[Token]) -> bool:
    """Example: "Lose 10k in a day before Christmas", "in one day this month"."""
    is_in_day = len(tokens) > 3 and tokens[0].kind in ("in", "within") and is_days(tokens[2])
    return is_in_day and _is_one_day(tokens[1]) and tokens[3].kind in LIMITS | {"this", "next", "in", "during"}


def _moves_on_one_day(tokens: Sequence[Token]) -> bool:
    """Example: "A day with -8% in December", "un jour à plus de 5% cette semaine"."""
    sizes = [(place, _size_of_one_day(tokens, place)) for place in range(len(tokens))]
    is_percent = any(token.kind == "percent" for token in tokens)
    return is_percent and any(
        size and _is_within_period([*tokens[:place], *tokens[place + size :]]) for place, size in sizes
    )


def _size_of_one_day(tokens: Sequence[Token], place: int) -> int:
    """The number of tokens of "one day" here, 0 if there is none; "a day before Christmas" is a date."""
    word, before = tokens[place], [token.kind for token in tokens[max(0, place - 1) : place]]
    if word.kind == "ever" and word.text.split()[-1] in DAYS:  # "en un jour", "un giorno da -8%", not "one day"
        behind = tokens[place + 2 : place + 3]
        return int(bool({"in", "within"} & {*before}) or any(token.text in "+-−" for token in behind))
    unit = tokens[place + 1 : place + 2]
    is_day = any(is_days(token) or token.text in DAYS for token in unit)
    around = {*before, *(token.kind for token in tokens[place + 2 : place + 3])}
    return 2 * (_is_one_day(word) and is_day and not BESIDE_DATE & around)


def _names_large_day(tokens: Sequence[Token]) -> bool:
    """Whether "a day in December where btc drops more than 5%" begins here: a move within one day."""
    kinds = {token.kind for token in tokens[2:]}
    is_day = len(tokens) > 2 and tokens[0].kind == "a" and is_days(tokens[1])
    return is_day and bool(kinds & {"what", "when"}) and "percent" in kinds


def without_any_day(tokens: Sequence[Token]) -> list[Token] | None:
    """The tokens as a question about each day, without the words for any one of them; None for other questions."""
    rest = _without_coloured_day(tokens)
    if rest is not None:
        return rest
    kinds = {token.kind for token in tokens}
    closes = [place for place in range(len(tokens)) if _is_close(tokens, place)]
    is_never = any(token.value == "ever" and token.kind == "not" for token in tokens) or kinds >= {"not", "ever"}
    is_denied = is_never and "close" in kinds  # "never closes below 90k", Italian "non chiuderà mai sotto 90k"
    if not is_denied and not kinds & {"above", "below"}:
        return None
    is_one_close = closes and ("ever" in kinds or _names_a_close(tokens, closes[0]))
    if not (is_denied or is_one_close or _names_daily_close(tokens)):
        return None
    words = [(token, place in closes or _is_daily(token)) for place, token in enumerate(tokens) if token.kind != "ever"]
    return [replace(token, kind="close", value=None) if is_close else token for token, is_close in words]


def _names_a_close(tokens: Sequence[Token], place: int) -> bool:
    """Example: "A close above 100k before Christmas", "any btc close below 90k this month"."""
    before = [token for token in tokens[:place] if token.kind not in BESIDE_DAY or _is_one(token)]
    return bool(before) and _is_one(before[-1]) and _is_within_period(tokens)


def _is_close(tokens: Sequence[Token], place: int) -> bool:
    """A word for a close; Spanish "cierre de" is one before an asset and the end before a date."""
    is_of_asset = tokens[place].kind == "end" and [token.kind for token in tokens[place + 1 : place + 2]] == ["asset"]
    return is_of_asset or tokens[place].kind == "close"


def _is_daily(token: Token) -> bool:
    return (token.kind, token.value) == ("eo", "day")


def _names_daily_close(tokens: Sequence[Token]) -> bool:
    """Example: "A daily close below 92k before December", "daily close above 96k this week"."""
    place = next((place for place, token in enumerate(tokens) if _is_daily(token)), None)
    if place is None:
        return False
    kinds = {token.kind for token in tokens[place:]}
    is_longer = any(token.kind == "unit" and not is_days(token) and token.value != "hour" for token in tokens[place:])
    pairs = pairwise(tokens[: max(0, place - 1)])  # "12月前", "aralıktan önce"
    is_limited = kinds & LIMITS or any(date.kind in DATES and limit.kind in LIMITS for date, limit in pairs)
    return bool(is_limited) or (is_longer and bool(kinds & {"this", "next"}))


def _without_coloured_day(tokens: Sequence[Token]) -> list[Token] | None:
    """Example: "A red day this week", "one green day before Friday", "green days next week"."""
    for place in range(1, len(tokens) - 1):
        pair, before = tokens[place : place + 2], tokens[place - 1]
        colours = [token for token in pair if token.value in ("green", "red")]
        if len(colours) != 1 or not any(is_days(token) for token in pair):
            continue
        if before.kind == "than" or before.text == "more":
            raise invalid(f"Numbers of days are not compared. {HOW}")
        if _is_one(before) or before.kind == "asset":
            rest = [*tokens[: place - _is_one(before)], *colours, *tokens[place + 2 :]]
            return rest if _is_within_period(rest) else None
    return None


def _is_one_day(token: Token) -> bool:
    """Whether the word before a day means one; elsewhere "1" may count something else: "will 1 btc close"."""
    return _is_one(token) or token.text in ("1", "one")


def _is_one(token: Token) -> bool:
    """Whether the word means any one day or close: "a close", "any red day"."""
    return token.kind == "a" or token.text in ("any", "another", "single")


def _is_within_period(tokens: Sequence[Token]) -> bool:
    """Whether the tokens name a limit or a time longer than a day: "before Friday", "this week", "in December"."""
    return bool({token.kind for token in tokens} & (LIMITS | {"month", "q", "weekend", "season"})) or any(
        token.kind == "unit" and not is_days(token) for token in tokens
    )


def refuse_others(tokens: Sequence[Token]) -> None:
    """Refuse closes of hours, lengths of time on one side of a price, and counts of longer times than days."""
    if any(_is_candle(tokens, place) for place in range(len(tokens))):
        raise invalid(f"Closes of hours are not known. Name a time, or ask about a daily close. {HOW}")
    if any(_is_lasting(tokens, place) or _is_whole_unit(tokens, place) for place in range(len(tokens))):
        raise invalid(f"For how long a price stays on one side is not counted. {HOW}")
    if any(_is_longer(tokens, place) for place in range(len(tokens))):
        raise invalid(f"Only days can be counted. {HOW}")


def _is_longer(tokens: Sequence[Token], place: int) -> bool:
    """Example: "3 green weeks", "the third consecutive week"."""
    kinds = [token.kind for token in tokens[place : place + 3]]
    is_count = kinds[:1] in (["number"], ["numword"]) and kinds[1:] in (["up", "unit"], ["down", "unit"])
    is_count = is_count or (kinds[:1] in (["nth"], ["ordinal"]) and kinds[1:] == ["in_a_row", "unit"])
    return is_count and not is_days(tokens[place + 2])


def _is_candle(tokens: Sequence[Token], place: int) -> bool:
    """Example: "A 4h close above 95k"; but "in 4h close above 95k" is a deadline."""
    before = tokens[place - 1].kind if place else ""
    kinds = [token.kind for token in tokens[place : place + 3]]
    is_hours = kinds[:2] == ["number", "unit"] and tokens[place + 1].value in ("minute", "hour")
    is_candle = kinds[2:] == ["close"] and before not in SPAN
    return is_hours and (is_candle or any(token.text in CANDLES for token in tokens[place + 2 : place + 3]))


def _is_lasting(tokens: Sequence[Token], place: int) -> bool:
    """Example: "For more than a week", "less than a day"; but "in less than 3 hours" is a deadline."""
    before = tokens[place - 1].kind if place else ""
    if tokens[place].kind not in ("above", "below") or tokens[place].text in OVER_TIME or before in SPAN - {"during"}:
        return False
    first = place + 1 + any(token.kind == "the" for token in tokens[place + 1 : place + 2])  # "plus d'une semaine"
    number, unit, *_ = [*tokens[first : first + 2], Token("", ""), Token("", "")]
    is_length = number.kind in ("number", "numword", "a") and unit.kind == "unit"
    is_counted = is_days(unit) and number.kind != "a"
    others = {token.kind for token in (*tokens[:place], *tokens[place + 3 :])}
    return is_length and not is_counted and (before == "during" or not others.isdisjoint({"above", "below"}))


def _is_whole_unit(tokens: Sequence[Token], place: int) -> bool:
    """Example: "For a whole week before December", "for two weeks this year"."""
    if tokens[place].kind != "during":
        return False
    behind = [token.kind for token in tokens[place + 1 :] if token.kind not in ("the", "filler")]
    is_length = behind[:2] in (["a", "unit"], ["number", "unit"], ["numword", "unit"])
    later = set(behind[2:]) & (LIMITS | {"this", "in"})
    is_day = is_days(next((token for token in tokens[place:] if token.kind == "unit"), tokens[place]))
    return is_length and bool(later) and not is_day
