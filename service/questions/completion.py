"""The words of a follow-up, completed with what they leave out: "and eth?", "4 in a row", "at 21:00?", "than gold?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from service.questions.adaptation import LARGEST_RATIO
from service.questions.amounts import MINUSES
from service.questions.circumstances import Circumstances
from service.questions.clause import NEAR_FACTOR
from service.questions.coins import TokenizedText
from service.questions.criterion import WIDEST, invalid
from service.questions.dates.clocks import without_clocks
from service.questions.dates.matching import spans
from service.questions.dates.reading import Today
from service.questions.dates.roles import with_units
from service.questions.day_counts import MOST_DAYS
from service.questions.kinds.levels import Between, Leave
from service.questions.kinds.paths import DaysMoving
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.parse import Carryover
from service.questions.question import Question
from service.questions.sentences import COMMAS
from service.questions.single_days import DAYS
from service.questions.subject import MORE_WORDS, THAN
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, MOTIONS, Language

CARRY, EXCHANGE = "carry", "instead"
# Kinds at the begin of a follow-up that say nothing more: "and eth?", "or 60k?".
LEADING = {"and", "or", "filler", "mark"}
SIGNS = {*MINUSES, "+"}
# Kinds and most letters of an interjection before a comma or a word that carries on: "no wait, 38", "no i meant 38".
INTERJECTIONS = {"word", "not", "be", *LEADING}
LONGEST_INTERJECTION = 14
# A "no" directly before what is meant instead: "no 5%".
NOES, CORRECTIONS = forms("no"), {"number", "percent", "asset", "weekday", "money"}
# Kinds before the day of a month: "el 12", "am 12.".
ARTICLES = {"the", "on", "ampm"}
DAYS_BEFORE = {"holiday", "weekday"}
LIMITS = {"by", "before", "until", "lasting", "to"}
LAST_DAY, LARGEST_PCT = 31, 100
# Kinds after a number that say what it is, so that it is no level in thousands. A smaller number may be a day.
AFTER_AMOUNT, LEAST_THOUSANDS = {"number", "percent", "times", "unit", "money", "fold", "month", "ampm", "cent"}, 32
# Words before a bare number that make no date of it: after "down 10%?" it is a percentage.
BY = forms("by_size")
# Kinds beside a weekday that leave open which week is meant.
BESIDE_WEEKDAY = ARTICLES | {"weekday", "asset", "by", "until", "in", "filler"}
# The kinds of "the day after", which is counted from the earlier deadline, and those beside them or a percentage.
FOLLOWING = ({"after", "unit"}, {"later", "unit"}, {"next", "unit"})
BESIDE = ARTICLES | {"a", "by", "asset", "in", "to"}
DAY = timedelta(days=1)
STEPS = {"day": DAY, "week": 7 * DAY, "month": 30 * DAY}
ENDS_OF_RANGE = 2
# Kinds before the other asset of a comparison: "than gold", "against eth".
RIVALS = {"than", "versus"}
# Kinds that say that one asset returns more than another, and endings of the latter in Turkish and Japanese.
WINS, CASES = {"outperform", "exceed"}, forms("object")
# Kinds that name an event of their own.
OWN_EVENT = MOTIONS | {
    "stay", "close", "multiple", "record", "average", "moving_average", "flat", "outperform", "underperform", "better",
    "versus", "which", "mood", "worthless", "leave", "width", "swing", "fail", "indicator", "everyday", "forecast",
    "how", "not", "who", "other", "act", "topic", "metric", "advice", "order", "decoy", "weight", "chance",
    "ever",
}  # fmt: skip
SIDES = {"above", "below", "up", "down", "ormore", "orless"}
BEFORE_COMMA = SIDES | {"minus", "filler", "the"}  # "less, 0.18"
# The value of words that turn an earlier question around.
OPPOSITE = "opposite"
# Kinds at the begin of a denial of the earlier question: "and if not", "odds that it isn't".
CARRIERS = {"and", "or", "what", "meet", "will", "chance", "how"}
MOST_UNKNOWN = 3  # words beside what a follow-up names


class CompletedText(NamedTuple):
    """The words of a follow-up with what they leave out, and what they take over from the earlier question.

    `earlier` is that question, with another number of days where the words name one. `has_event` if they say what is to
    happen without a verb or an amount, `is_opposite` if that is the opposite of the earlier event.
    """

    tokens: list[Token]
    carryover: frozenset[Carryover]
    earlier: Question
    has_event: bool
    is_opposite: bool


def complete(reading: TokenizedText, circumstances: Circumstances, earlier: Question) -> CompletedText:
    """The words of a text after an earlier question; raises InvalidQuestion where they may mean two things."""
    tokens, carryover = _without_denied(_without_carriers(reading.tokens), reading.language), set[Carryover]()
    if _is_only_length(tokens, earlier):
        raise invalid("Whether a deadline or a number of days is meant is unclear. Ask in full.")  # "5 days?"
    tokens = _in_thousands(tokens, earlier)
    recount = _recounted(tokens, earlier)
    tokens = [] if recount else tokens
    if any(token.value == EXCHANGE for token in reading.tokens):
        tokens = _exchanged(tokens, earlier, carryover)
    tokens = _with_dates(tokens, earlier, circumstances)
    if isinstance(earlier.kind, Between | Leave):
        tokens = _with_range(tokens)
    if earlier.other_asset:
        tokens = _compared(tokens, earlier, reading.language, carryover)
    is_opposite = any(token.value == OPPOSITE for token in tokens)
    has_event = bool(carryover or recount) or is_opposite or _is_carried_denial(reading.tokens)
    if not any(token.kind in MARKET_KINDS for token in tokens):
        is_exchanged = is_opposite and earlier.comparator == "relative"
        asset = str(earlier.other_asset if is_exchanged else earlier.asset)
        tokens = [Token("asset", asset, asset), *tokens]
        carryover.add("asset")
    return CompletedText(tokens, frozenset(carryover), recount or earlier, has_event, is_opposite)


def _without_carriers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the words that carry a question on or an interjection: "no, 1900", "no i meant 5%"."""
    is_carrier = [token.value in (CARRY, EXCHANGE) and token.kind == "filler" for token in tokens]
    marks = (place for place, token in enumerate(tokens) if token.text in COMMAS or is_carrier[place])
    end = next(marks, 0)
    kinds = {token.kind for token in tokens[:end]}
    is_short = sum(len(token.text) for token in tokens[:end]) <= LONGEST_INTERJECTION
    is_last = all(token.kind == "mark" for token in tokens[end + 1 :])  # Chinese 不会呢
    is_interjection = kinds <= BEFORE_COMMA or (is_short and not is_last and kinds <= INTERJECTIONS)
    is_denial = len(tokens) > 1 and tokens[0].text in NOES and tokens[1].kind in CORRECTIONS
    start = end if kinds and is_interjection else int(is_denial)
    rest = [token for token, carries in zip(tokens[start:], is_carrier[start:], strict=True) if not carries]
    has_comma = any(token.text in COMMAS for token in rest)
    if rest and rest[0].kind == "if" and not has_comma:
        rest = rest[1:]  # "if it only touches it?"
    is_leading = [
        (token.kind in LEADING and token.value != OPPOSITE and token.text not in SIGNS) or token.value == CARRY
        for token in rest
    ]
    return rest[is_leading.index(False) if False in is_leading else len(rest) :]


def _without_denied(tokens: list[Token], language: Language) -> list[Token]:
    """The tokens without the direction that is denied beside another one: "rise, not fall"."""
    places = [place for place, token in enumerate(tokens) if token.kind in BULL | BEAR]
    denials = [place for place, token in enumerate(tokens) if token.kind == "not"]
    if len(places) != 2 or len(denials) != 1:
        return tokens
    negation = places[0] if language.postpositions else places[1]
    return [token for place, token in enumerate(tokens) if place not in (negation, denials[0])]


def _is_only_length(tokens: Sequence[Token], earlier: Question) -> bool:
    """Whether it is a number of days after a question that counts days, or one with a bound: "5 days or more?"."""
    number, unit, *bounds = [*(token for token in tokens if token.kind not in ("mark", "the")), *[Token("", "")] * 2]
    is_length = number.kind == "number" and (unit.kind == "unit" or unit.text in DAYS)
    kinds = {token.kind for token in bounds if token.kind}
    return is_length and kinds <= SIDES - {"up", "down"} and bool(kinds or earlier.days is not None)


def _in_thousands(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with 105,000 for 105 after a question about 99,000: alone the number would be no level."""
    number = next((place for place, token in enumerate(tokens) if token.kind == "number"), None)
    next_kind = tokens[number + 1].kind if number is not None and number + 1 < len(tokens) else ""
    is_other = any(token.kind == "asset" and token.value != earlier.asset for token in tokens)
    if number is None or is_other or not earlier.levels or earlier.days is not None or next_kind in AFTER_AMOUNT:
        return tokens
    value, spot = first_value(tokens[number]), earlier.spot
    if not spot / NEAR_FACTOR < 1000 * value < spot * NEAR_FACTOR or value < LEAST_THOUSANDS or value * WIDEST > spot:
        return tokens
    return [*tokens[:number], Token("number", f"{1000 * value:.10g}"), *tokens[number + 1 :]]


def _recounted(tokens: Sequence[Token], earlier: Question) -> Question | None:
    """The earlier question with another number or colour of days: "four", "five in a row", "green i mean"."""
    plain = [token for token in tokens if token.kind not in ("mark", "the", "a", "filler", "be", "will", "word")]
    kinds = ["number" if token.kind == "numword" else token.kind for token in plain]
    numbers = [first_value(token) for token, kind in zip(plain, kinds, strict=True) if kind == "number"]
    is_run = "in_a_row" in kinds
    unknown = [token for token in tokens if token.kind == "word"]
    if earlier.days is None or len(numbers) > 1 or len(unknown) > MOST_UNKNOWN:
        return None
    sides = {1 if token.kind == "up" else -1 for token in plain if token.kind in ("up", "down")}
    rest = set(kinds) - {"number", "in_a_row", "up", "down", *(("unit",) if is_run else ())}
    if rest or not (numbers or sides) or len(sides) > 1 or (sides and not isinstance(earlier.kind, DaysMoving)):
        return None
    days = numbers[0] if numbers else earlier.days
    comparator = earlier.kind.of(sides.pop()) if sides else earlier.comparator
    if not 1 <= days <= MOST_DAYS or days != int(days):
        return None
    return replace(earlier, days=int(days), in_a_row=earlier.in_a_row or is_run, comparator=comparator)


def _with_dates(tokens: list[Token], earlier: Question, circumstances: Circumstances) -> list[Token]:
    """The tokens with "the 12th" for "el 12", and on a Saturday with "next Saturday" for "and Saturday?"."""
    *before, last = [token for token in tokens if token.kind not in ("mark", "filler")] or [Token("mark", "")]
    kinds, today = {token.kind for token in before}, circumstances.now.date()
    is_size = kinds <= BESIDE | BULL | BEAR | {"minus"} and (
        not kinds & ARTICLES or any(token.text in BY for token in before)
    )
    if earlier.level_pct is not None and last.kind == "number" and first_value(last) < LARGEST_PCT:
        if is_size:
            return [*before, last, Token("percent", "%")]
        if kinds == {"the"} and last.text.isdecimal():
            raise invalid("Whether a day or a percentage is meant is unclear. Write 20% for a percentage.")  # "il 20?"
    if last.kind == "number" and last.text.isdecimal() and kinds and kinds <= ARTICLES | LIMITS:
        spot, day = circumstances.spots.get(earlier.asset, earlier.spot), int(last.text)
        if 1 <= day <= LAST_DAY and not spot / LARGEST_RATIO <= day <= spot * LARGEST_RATIO:
            return [*before, Token("nth", f"{day}th")]
    if last.kind == "number" and kinds & DAYS_BEFORE and kinds <= DAYS_BEFORE | ARTICLES | LIMITS:
        return before  # "avant le réveillon du 31"
    names = [token for token in (*before, last) if token.kind not in BESIDE]
    units = [str(token.value) for token in names if token.value in STEPS]
    if units and {token.kind for token in names} in (FOLLOWING if units == ["day"] else FOLLOWING[:2]):
        day = Token("iso", f"{earlier.deadline + STEPS[units[0]]:%Y-%m-%d}")
        return [day, *(token for token in tokens if token.kind == "asset")]
    others, clock = without_clocks(with_units(tokens))
    is_dated = bool(spans(others, Today(circumstances.now, day_first=True)))
    if clock is not None and not is_dated and earlier.deadline.date() > today:
        return [Token("iso", f"{earlier.deadline:%Y-%m-%d}"), *tokens]  # "at 21:00?"
    place = next((place for place, token in enumerate(tokens) if token.kind == "weekday"), None)
    if place is None or not kinds | {last.kind} <= BESIDE_WEEKDAY or earlier.deadline.date() <= today:
        return tokens
    is_today = tokens[place].quantity == today.weekday()
    return [*tokens[:place], Token("next", ""), *tokens[place:]] if is_today else tokens


def _with_range(tokens: list[Token]) -> list[Token]:
    """The tokens with "between 110 and 160" for "110 to 160"."""
    first, *others = [place for place, token in enumerate(tokens) if token.kind == "number"] or [0]
    if len(others) + 1 != ENDS_OF_RANGE or any(token.kind == "between" for token in tokens):
        return tokens
    second = others[0]
    joint = [token for token in tokens[first + 1 : second] if token.kind not in ("by", "to", "until", "lasting", "and")]
    return [*tokens[:first], Token("between", ""), tokens[first], *joint, Token("and", ""), *tokens[second:]]


def _compared(tokens: list[Token], earlier: Question, language: Language, carryover: set[Carryover]) -> list[Token]:
    """The tokens of a comparison with what they leave out of it: "and gold?", "than eth?", "does sol beat it?"."""
    kinds, is_relative = {token.kind for token in tokens}, earlier.comparator == "relative"
    assets = {token.value for token in tokens if token.kind == "asset" and is_relative}
    is_rival = len(assets) == 1 and _is_rival(tokens, language)
    is_pair = len(assets) == ENDS_OF_RANGE and not kinds & (OWN_EVENT | {"or", "because"})
    has_verb = len(assets) == 1 and kinds & (WINS | {"better", "underperform"}) and "number" not in kinds
    other = str(earlier.asset if is_rival else earlier.other_asset)
    if (is_rival or has_verb) and other in assets:
        raise invalid("An asset is not compared with itself. Ask in full which of two assets returns more.")
    if is_rival or is_pair:
        carryover |= {"comparator", *(("asset",) if is_rival else ())}
        asset = [Token("asset", earlier.asset, earlier.asset)] if is_rival else []
        return [*asset, Token("versus", ""), *(token for token in tokens if token.kind not in RIVALS)]
    if has_verb:
        place = [token.kind for token in tokens].index("asset") + 1
        carryover.add("other_asset")
        return [*tokens[:place], Token("asset", other, other), *tokens[place:]]
    if any(token.text in MORE_WORDS for token in tokens):
        raise invalid("What is compared is unclear. Ask in full which of the two assets returns more.")
    return tokens


def _exchanged(tokens: list[Token], earlier: Question, carryover: set[Carryover]) -> list[Token]:
    """The tokens with what stands in for an earlier asset: "bitcoin instead of silver", "swap ada for doge"."""
    assets = dict.fromkeys(str(token.value) for token in tokens if token.kind == "asset")
    replacement = [asset for asset in assets if asset not in earlier.assets]
    if len(assets) != 2 or len(replacement) != 1:
        return tokens
    rest = [token for token in tokens if token.value not in (EXCHANGE, *assets)]
    pair = [replacement[0] if asset in assets else asset for asset in earlier.assets]
    if earlier.other_asset:
        carryover |= {"comparator", "asset" if earlier.asset in pair else "other_asset"}
    first, *others = [Token("asset", asset, asset) for asset in pair]
    return [first, *(token for other in others for token in (Token("versus", ""), other)), *rest]


def _is_rival(tokens: Sequence[Token], language: Language) -> bool:
    """Whether it names the other asset of a comparison: "than gold?", "beats eth?", Turkish "bitcoini geçer mi"."""
    kinds = [token.kind for token in tokens]
    place, is_compared = kinds.index("asset"), any(token.kind in RIVALS or token.text in THAN for token in tokens)
    has_case = tokens[place].text[-1] in "iu" or any(token.text in CASES for token in tokens)
    return is_compared or bool(WINS & {*(kinds if language.postpositions and has_case else kinds[:place])})


def _is_carried_denial(tokens: Sequence[Token]) -> bool:
    """Whether it denies the earlier question: "and if not?", "and that it doesn't?"; a mere "no way" does not."""
    first = next((token.kind for token in tokens if token.kind != "mark"), "")
    is_carrier = any(token.value == CARRY for token in tokens) or first in CARRIERS
    return is_carrier and any(token.kind == "not" for token in tokens)


def with_level(tokens: list[Token], level: float, language: Language) -> list[Token]:
    """The tokens with a level where the language has it: behind its verb, or before it."""
    amount = [Token("number", f"{level:.10g}"), Token("money", "usd")]
    end = next((place for place, token in enumerate(tokens) if token.kind == "mark"), len(tokens))
    place = 1 if language.postpositions else end
    return [*tokens[:place], *amount, *tokens[place:]]
