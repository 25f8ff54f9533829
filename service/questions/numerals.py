"""Numbers: the meanings of digits with separators, and numbers in words or in Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from service.questions.tokens import Token, first_kind
from service.questions.vocabulary import BEAR, BULL, MOTIONS, RELATIONS

GROUPS = re.compile(r"\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*")
INDIAN = re.compile(r"\d{1,2}(?:,\d{2})+,\d{3}")
DIGITS = {digit: float(value) for value, digit in enumerate("〇一二三四五六七八九")} | {"零": 0.0, "两": 2.0, "兩": 2.0}
POWERS = {"十": 10.0, "百": 100.0, "千": 1000.0, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8}
# What must follow a small number in words: "one week" contains a number, "which one" does not.
COUNTABLES = {"unit", "money", "cent", "percent", "figures", "times", "weekend", "letter"}
# Kinds after a number that show that it is no number of cents.
NOT_AFTER_CENTS = {"unit", "month", "times", "money", "currency", "percent", "asset", "ampm", "mark", "number"}
SMALL_LIMIT = 20
# Kinds after which "a percent" is 1%: "rises by a percent", not "give me a percent".
BEFORE_ONE = BULL | BEAR | MOTIONS | RELATIONS | {"by", "the"}
BEFORE_PERCENT = {"a", "the", "filler"}  # "half of a percent"
# Kinds that begin a date behind a fraction: "up 1/3 by summer".
BEFORE_DATE = {"by", "before", "until", "lasting", "in", "within", "this", "next", "end", "rel", "weekday", "eo"}
LARGEST_DIVISOR = 10  # of a fraction such as 2/3
LARGEST = 1e15  # of a number in words or Chinese numerals, so that it stays finite


def readings(raw: str) -> tuple[float, ...]:
    """The possible values of digits: "100.000" is 100000 or 100, "1,5" is 1.5, "1.234,50" is 1234.5, "1e5" 100000."""
    raw = raw.replace("_", "")
    if "e" in raw:
        return (float(raw),)
    if INDIAN.fullmatch(raw):
        return (float(raw.replace(",", "")),)
    *groups, decimals = re.split(r"[.,']", raw)
    decimal = float(f"{''.join(groups)}.{decimals}") if groups else float(raw)
    if not (match := GROUPS.fullmatch(raw)):
        return (decimal,)
    integer = float("".join(groups) + decimals)
    if len(groups) > 1 or match[1] == "'":
        return (integer,)
    return (decimal,) if groups[0] == "0" else (integer, decimal)


def spelled(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with every number in words or in Chinese numerals replaced by one token of the kind `number`."""
    return _with_cents(_divided(_summed(_spelled(_with_halves(_with_parts(tokens))))))


def _with_parts(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "rise half a percent" and "by a quarter of a percent" as 0.5 and 0.25 percent."""
    result = list(tokens)
    for place in range(len(result) - 2, -1, -1):
        if result[place].kind == "fraction" and first_kind(result[place + 1 :], BEFORE_PERCENT) == "percent":
            end = next(end for end in range(place, len(result)) if result[end].kind == "percent")
            result[place:end] = [replace(result[place], kind="number")]
    return result


def _with_halves(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "two and a half dollars", "due dollari e mezzo" and "два с половиной" as 2.5."""
    result = list(tokens)
    for place in range(len(result) - 2, 0, -1):
        before = place - (result[place - 1].kind in ("money", "currency", "times", "asset") and place > 1)
        end = place + 1 + (len(result) > place + 1 and result[place + 1].kind == "a")
        kinds = [token.kind for token in (result[before - 1], result[place], *result[end : end + 1])]
        is_of_another = result[end + 1 : end + 2] and result[end + 1].kind == "asset"  # "2 eth and half a btc"
        is_half = kinds[1:] == ["and", "numword"] and result[end].value == 1 / 2 and not is_of_another
        integer = result[before - 1]
        if is_half and integer.kind == "a" and before < place:  # "a dollar and a half"
            integer = replace(integer, kind="number", value=1.0)
        if is_half and integer.kind in ("number", "numword") and first_value(integer) in range(1, 1000):
            integer = replace(integer, kind="number", value=first_value(integer) + 1 / 2)
            result[before - 1 : end + 1] = [integer, *result[before:place]]
    return result


def _spelled(tokens: Sequence[Token]) -> list[Token]:
    result, place = [], 0
    while place < len(tokens):
        size, value = _number_at(tokens, place)
        if size:
            result.append(Token("number", tokens[place].text, min(value, LARGEST), tokens[place].is_glued))
        elif tokens[place].kind == "numeral":
            result += [Token("times", tokens[place].text, min(_chinese(tokens[place].text, 1.0), LARGEST), True)]
        elif _is_one_thousand(tokens, place):
            result.append(replace(tokens[place], kind="number"))
        elif tokens[place].text == "к" and tokens[place].is_glued and result and result[-1].kind == "number":
            result.append(Token("times", "к", 1000.0, True))  # "90к", not "by"
        else:
            result.append(tokens[place])
        place += size or 1
    return result


def _is_one_thousand(tokens: Sequence[Token], place: int) -> bool:
    """A thousand, or hundred, without a number before it: "тысячу долларов", "a los mil", "zwischen 80 und hundert"."""
    before = first_kind(tokens[:place][::-1], {"the", "in"})
    after = tokens[place + 1].kind if place + 1 < len(tokens) else ""
    is_counted = before in ("number", "numword", "numeral", "times", "a", "fold")
    is_word = tokens[place].kind == "times" and (len(tokens[place].text) > 1 or not tokens[place].text.isascii())
    is_price = after in {"money", "approx", *MOTIONS} or before in {"approx", *RELATIONS} - {"rise", "fall"}
    is_price |= before == "and" and any(token.kind == "between" for token in tokens[:place])
    is_price |= any(token.value == "piece" for token in tokens[place + 1 : place + 2])  # "y mil de esos"
    return is_word and is_price and not is_counted


def _summed(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "9万5千", "9万5000", "9万5" and "2k5" as one number each."""
    result, place = [], 0
    while place < len(tokens):
        size, value = _sum_at(tokens[place : place + 4])
        first = tokens[place]
        result.append(Token("number", first.text, min(value, LARGEST), first.is_glued) if size else first)
        place += size or 1
    return result


def _sum_at(tokens: Sequence[Token]) -> tuple[int, float]:
    """The number of tokens in such a sum that begins here (0 if none), and its value."""
    kinds = [token.kind for token in tokens]
    if kinds[:3] != ["number", "times", "number"] or not (tokens[1].is_glued and tokens[2].is_glued):
        return 0, 0.0
    factor, rest, size = float(tokens[1].value or 1), first_value(tokens[2]), 3
    if tokens[1].text.isascii():
        rest *= factor / 10 ** len(tokens[2].text)  # "2k5" is 2,500
    elif kinds[3:] == ["times"] and tokens[3].is_glued:
        rest, size = rest * float(tokens[3].value or 1), 4
    elif len(tokens[2].text) == 1:
        rest *= factor / 10  # "9万5" is 95,000
    if not 0 < rest < factor:
        return 0, 0.0
    return size, first_value(tokens[0]) * factor + rest


def _with_cents(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "two dollars fifty" as 2.50 dollars; not "2 dollars 30 November" or "2 dollars 30 days"."""
    result = list(tokens)
    for place in range(len(result) - 3, -1, -1):
        amount, money, cents, *behind = result[place : place + 4]
        kinds = [amount.kind, money.kind, cents.kind]
        is_pair = kinds == ["number", "money", "number"] and money.text.isalpha() and not cents.is_glued
        if is_pair and not any(token.kind in NOT_AFTER_CENTS for token in behind) and 10 <= first_value(cents) < 100:
            value = first_value(amount) + first_value(cents) / 100
            result[place : place + 3] = [replace(amount, value=value), money]
    return result


def _divided(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "4分の1", which names the divisor first, and "up 1/3" as one token of the kind `fraction`."""
    tokens, result = [_as_fraction(tokens, place) for place in range(len(tokens))], []
    for place, token in enumerate(tokens):
        before, after = tokens[max(0, place - 1)], tokens[min(len(tokens) - 1, place + 1)]
        are_numbers = token.kind == "over" and before.kind == after.kind == "number"
        if are_numbers and first_value(before) > first_value(after) > 0:
            result[-1:] = [Token("fraction", token.text, first_value(after) / first_value(before), before.is_glued)]
        elif not (result and result[-1].kind == "fraction" and tokens[place - 1].kind == "over"):
            result.append(token)
    return result


def _as_fraction(tokens: Sequence[Token], place: int) -> Token:
    """The token itself or, for the 1/3 of "up 1/3", a fraction, and for that of "1/4 million" a number."""
    token = tokens[place]
    behind = tokens[place + 1].kind if place + 1 < len(tokens) else ""
    moves = place > 0 and tokens[place - 1].kind in {*BULL, *BEAR} and behind in BEFORE_DATE  # else it is the date
    is_factor = behind == "times"
    if token.kind != "slash" or not (moves or is_factor):
        return token
    dividend, divisor = map(int, token.text.split("/"))
    if not 0 < dividend < divisor <= LARGEST_DIVISOR:
        return token
    return replace(token, kind="number" if is_factor else "fraction", value=dividend / divisor)


def first_value(token: Token) -> float:
    """The most likely value of a number."""
    return token.quantity if token.value is not None else readings(token.text)[0]


def _number_at(tokens: Sequence[Token], place: int) -> tuple[int, float]:
    """The number of tokens in a number in words that begins here (0 if none), and its value."""
    token = tokens[place]
    if token.kind == "numeral":
        continues = token.text[0] in POWERS and token.text[0] != "十" and place and tokens[place - 1].kind == "number"
        return (0, 0.0) if continues else (1, _chinese(token.text, 0.0))
    size, value = _words_at(tokens, place)
    before = tokens[place - 1].kind if place else ""
    kinds = [token.kind for token in tokens[place + size : place + size + 2]]
    is_factor = value > 1 and "fold" in (before, *kinds[:1])  # "divided by three"
    is_percent = before == "percent"  # Turkish "yüzde on"
    is_counting = bool(COUNTABLES.intersection(kinds[:1])) or kinds == ["next", "unit"]  # "prochains jours"
    if size == 1 and 0 < value < SMALL_LIMIT and not (is_counting or is_factor or is_percent):
        return 0, 0.0
    return size, value


def _words_at(tokens: Sequence[Token], place: int) -> tuple[int, float]:
    total, current, size = 0.0, 0.0, 0
    if _begins_with_one(tokens, place):
        current, size = 1.0, int(tokens[place].kind == "a")
    elif tokens[place].kind != "numword":
        return 0, 0.0
    for token in tokens[place + size :]:
        if token.text == "point" and size:
            behind = tokens[place + size + 1 :]  # "point seven five"
            words = takewhile(lambda word: word.kind == "numword" and word.value in range(10), behind)
            digits = "".join(f"{word.quantity:.0f}" for word in words)
            return size + bool(digits) + len(digits), total + current + float(f"0.{digits or 0}")
        if token.kind == "numword":
            is_joined = tokens[place + size - 1].kind == "and"
            current = current + token.quantity if is_joined else _continued(current, token.quantity)
        elif token.kind == "times" and token.value == 100:
            current = min(current * 100, LARGEST)
        elif token.kind == "times" and current:
            total, current = total + current * float(token.value or 1), 0.0
        elif not (token.kind == "and" and _continues(tokens, place + size + 1)):
            break
        size += 1
    return size, total + current


def _continued(current: float, word: float) -> float:
    """The next word added to a number; "one fifty" is 150, "eighteen fifty" 1,850, "two three" are two or three."""
    if 1 <= current < word < 10:
        return word
    is_hundreds = 1 <= current < 100 and (word >= 20 or (word >= 10 and current < 10)) and word < 100
    return current * 100 + word if is_hundreds and current == int(current) else current + word


def _begins_with_one(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number without the word "one" begins here: "a million", "a percent", "hundred thousand"."""
    kinds = [token.kind for token in tokens[place : place + 2]]
    if kinds == ["a", "times"] or (kinds == ["a", "money"] and tokens[place + 1].text.isalpha()):
        return True
    before = ["", "", *(token.kind for token in tokens[max(0, place - 2) : place])][-2:]
    follows_number = before[1] in ("number", "numword", "times")
    if kinds == ["a", "percent"]:  # "rises by a percent", but not "give me a percentage"
        return before[1] in BEFORE_ONE
    if kinds[:1] == ["a"] and before[1] == "percent":  # Turkish "yüzde bir"
        return before[0] not in ("number", "numword") and kinds[1:] != ["chance"]
    if follows_number or kinds[:1] != ["times"]:
        return False
    is_hundred = tokens[place].value == 100 and kinds[1:] in (["times"], ["numword"], ["money"])
    return is_hundred or (tokens[place].value == 1000 and kinds[1:] == ["numword"])


def _continues(tokens: Sequence[Token], place: int) -> bool:
    """Whether "and" at the place before continues a number: "cento e vinte", "noventa y cinco", "funfundneunzig"."""
    before = tokens[place - 2]
    if place >= len(tokens) or tokens[place].kind != "numword" or before.kind not in ("times", "numword"):
        return False
    if before.kind == "times":
        return [(token.kind, token.value) for token in tokens[place + 1 : place + 2]] != [("times", before.value)]
    first, second = before.quantity, tokens[place].quantity
    tens, ones = max(first, second), min(first, second)
    is_below_hundred = tens in range(20, 100, 10) and 1 <= ones < 10 and (first == tens or tokens[place].is_glued)
    return is_below_hundred or (first >= 100 > second)


def _chinese(text: str, start: float) -> float:
    """The value of Chinese numerals; `start` is 1 where digits precede them ("10" + "万"); "两三" are two or three."""
    total, section, digit = 0.0, 0.0, start
    if len(text) == 2 and DIGITS.get(text[0], 0.0) + 1 == DIGITS.get(text[1]):
        return DIGITS[text[1]]
    for glyph in text:
        if glyph in DIGITS:
            digit = digit * 10 + DIGITS[glyph] if start == 0 and digit else DIGITS[glyph]
        elif POWERS[glyph] < 1e4:
            section, digit = section + (digit or 1.0) * POWERS[glyph], 0.0
        else:
            total, section, digit = total + ((section + digit) or 1.0) * POWERS[glyph], 0.0, 0.0
    # A last digit counts tenths of the power before it: 八万五 is 85,000; 八万零五 is 80,005 and 十五 is 15.
    power = POWERS.get(text[-2:-1], 0.0)
    return total + section + (digit * power / 10 if power >= 100 else digit)
