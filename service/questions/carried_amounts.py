"""The amounts of a follow-up, completed by those of the earlier question: "105" after 99,000, "up 20?", "until 160"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from service.questions.amounts import MINUSES
from service.questions.carried_dates import ARTICLES, BESIDE, LIMITS
from service.questions.criterion import LARGEST_RATIO, WIDEST, invalid, is_near
from service.questions.dates.years import is_year
from service.questions.kinds.levels import First
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.question import Question
from service.questions.tokens import DASHES, Token
from service.questions.vocabulary import BEAR, BULL, Language

SIGNS = {*MINUSES, "+"}
JOINTS = {"by", "to", "until", "lasting", "and"}
# The value of words that put one thing in the place of another: "instead of".
EXCHANGE = "instead"
# The value of words that carry a question on: "what about", "i meant", "sorry".
CARRY = "carry"
LARGEST_PCT, BESIDE_PERCENT = 100, BESIDE | BULL | BEAR | {"minus", "mark"}
# Words before a bare number that make no date of it: after "down 10%?" it is a percentage.
BY = forms("by_size")
# Kinds after a number that say what it is, so that it is no level in thousands. A smaller number may be a day.
AFTER_AMOUNT, LEAST_THOUSANDS = {"number", "percent", "times", "unit", "money", "fold", "month", "ampm", "cent"}, 32
MOST_IN_CENTS = 10  # USD; a price above it is not told in cents
THOUSAND, LEAST_CENTS = 1000, 10  # so many times the price, a whole number is one of cents: 43 after 0.48 USD
ENDS_OF_RANGE = 2
USD, LATER_YEARS = (Token("money", "usd"),), 3  # behind a number that is no year
AT = {"", "on", "to", "above", "below", "exceed", "asset", "filler", "mark"}  # before it


def with_scale(tokens: list[Token], earlier: Question, spots: Mapping[str, float]) -> list[Token]:
    """The tokens with the unit of the earlier level, where a number alone would be no level.

    Examples: 105,000 for 105 after a question about 99,000, 0.43 for 43 after one about 0.48 USD.
    """
    asset = next((str(token.value) for token in tokens if token.kind == "asset"), earlier.asset)
    is_size = earlier.level_pct is not None and not earlier.levels
    if is_size or earlier.other_asset or earlier.days is not None:
        return tokens
    earlier = earlier if asset == earlier.asset else replace(earlier, spot=spots.get(asset, earlier.spot))
    kinds, result = ["", *(token.kind for token in tokens), ""], list[Token]()
    for place, token in enumerate(tokens):
        before, behind, number = kinds[place], kinds[place + 2], token
        factor = _factor(token, earlier) if token.kind == "number" and behind not in AFTER_AMOUNT else 1.0
        is_dated = before == "in" and is_year(token)  # "in 2027"
        if factor != 1 and not is_dated and before not in ("percent", "money"):
            number = Token("number", f"{factor * first_value(token):.10g}", is_glued=token.is_glued)
        result += [number, *USD * (before in AT and _is_price(number, earlier))]
    return result


def _is_price(token: Token, earlier: Question) -> bool:
    """Whether a number of four digits is near the price, and too late for a year: "eth at 2100"."""
    is_late = token.kind == "number" and is_year(token) and first_value(token) > earlier.deadline.year + LATER_YEARS
    return is_late and is_near(first_value(token), earlier.spot, LARGEST_RATIO)


def _factor(number: Token, earlier: Question) -> float:
    """A thousand or a hundredth, where only so many times the number is near the price."""
    value, spot = first_value(number), earlier.spot
    has_level = earlier.level_pct is None and (bool(earlier.levels) or earlier.comparator == "open")
    is_tiny = LEAST_THOUSANDS <= value <= spot / WIDEST
    is_huge = has_level and spot < MOST_IN_CENTS and value > LEAST_CENTS * spot
    factors = [1000.0] * is_tiny + [0.01] * (is_huge and value == int(value))
    return next((factor for factor in factors if is_near(factor * value, spot)), 1.0)


def with_percent(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with "up 20%" for "up 20?" after a question that names a percentage."""
    words = [token for token in tokens if token.kind not in ("mark", "filler") or token.text in SIGNS]
    words = words[:-1] if words and words[-1].kind == "word" else words  # German "mehr als 5 plus"
    number = next((place for place, token in enumerate(words) if token.kind == "number"), len(words))
    date = next((place for place in range(number, len(words)) if words[place].kind in LIMITS), len(words))
    *before, last = words[:date] or [Token("mark", "")]
    kinds, has_by = {token.kind for token in before}, any(token.text in BY for token in before)
    if earlier.level_pct is None or last.kind != "number" or first_value(last) >= LARGEST_PCT:
        return tokens
    is_size = not any(is_near(factor * first_value(last), earlier.spot) for factor in (1, THOUSAND, 1 / 100))
    companions = BESIDE_PERCENT | {"word", "approx"} | ({"above", "below", "exceed"} if is_size else set())
    is_day = any(token.kind in ARTICLES for token in before[-1:])  # "il 20?", but "e o xrp, sobe 5?"
    if kinds <= companions and (has_by or date < len(words) or not is_day):
        return [*before, last, Token("percent", "%"), *words[date:]]
    if kinds - {"word"} == {"the"} and last.text.isdecimal():
        raise invalid("Whether a day or a percentage is meant is unclear. Write 20% for a percentage.")  # "il 20?"
    return tokens


def with_range(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with "between 110 and 160" for "110 to 160", and for "until 160" after a range from 110."""
    places = [place for place, token in enumerate(tokens) if token.kind == "number"]
    if not places:
        return tokens
    first, *others = places
    leads = {token.kind for token in tokens[:first]} - {"the", "filler", "mark"}
    lower, upper = (Token("number", f"{level:.10g}") for level in earlier.bounds)
    behind = tokens[first + 1].kind if first + 1 < len(tokens) else ""
    value = first_value(tokens[first]) * (THOUSAND if behind == "times" else 1)
    is_level = is_near(value, earlier.spot) and behind not in ("unit", "month")
    is_end = bool(leads) or isinstance(earlier.kind, First)  # "what about 98?" after "100 or 90 first"
    if not others and is_level and is_end and leads <= JOINTS | {"from"}:
        is_upper = "from" not in leads if leads else value > earlier.spot
        ends = ([lower], tokens[first:]) if is_upper else (tokens[first:], [upper])
        return [Token("between", ""), *ends[0], Token("and", ""), *ends[1]]
    if len(others) + 1 != ENDS_OF_RANGE or any(token.kind == "between" for token in tokens):
        return tokens
    gap, second = tokens[first + 1 : others[0]], others[0]
    joint = [token for token in gap if token.kind not in {"or", "ask", "versus", *JOINTS} and token.text not in DASHES]
    return [*tokens[:first], Token("between", ""), tokens[first], *joint, Token("and", ""), *tokens[second:]]


def with_level(tokens: list[Token], level: float, language: Language) -> list[Token]:
    """The tokens with a level where the language has it: behind its verb, or before it."""
    amount = [Token("number", f"{level:.10g}"), Token("money", "usd")]
    end = next((place for place, token in enumerate(tokens) if token.kind == "mark"), len(tokens))
    place = 1 if language.postpositions else end
    return [*tokens[:place], *amount, *tokens[place:]]
