"""The words of a follow-up, completed with what they leave out: "and eth?", "4 in a row", "at 21:00?", "than gold?"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

from service.market.assets import trading_days
from service.questions.back_references import (
    CHOICES,
    NAME_KINDS,
    NOES,
    SIGNS_OF_SIDES,
    noes_before,
    pointed_back,
    without_denied_level,
    without_denied_name,
    without_denied_side,
    without_denied_size,
)
from service.questions.carryover import (
    CARRY,
    ENDS_OF_RANGE,
    EXCHANGE,
    FURTHER,
    LAST_DAY,
    SIGNS,
    with_dates,
    with_later,
    with_percent,
    with_range,
    with_scale,
    with_unit,
)
from service.questions.circumstances import Circumstances
from service.questions.clause import SOONER
from service.questions.coins import TokenizedText
from service.questions.criterion import Assumption, invalid
from service.questions.dates.matching import is_year
from service.questions.day_counts import MOST_DAYS, DayCount, bounded
from service.questions.extremes import EXTREMES
from service.questions.kinds.levels import Between, Close, Direction, First, Leave, Touch
from service.questions.kinds.paths import DaysMoving
from service.questions.kinds.references import LONGEST_AVERAGE, Comparison, MovingAverage
from service.questions.numerals import first_value
from service.questions.parse import Carryover
from service.questions.question import Question
from service.questions.rivals import compared, exchanged
from service.questions.sentences import COMMAS
from service.questions.single_days import DAYS, LEAST, OUT_OF
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, MOTIONS, SIDES

QUESTION_MARKS = "?？"
ENTIRETY = "all"
# Kinds at the begin of a follow-up that say nothing more: "and eth?", "or 60k?".
LEADING = {"and", "or", "filler", "mark"}
# Kinds and most letters of an interjection before a comma or a word that carries on: "no wait, 38", "no i meant 38".
INTERJECTIONS = {"word", "not", "be", *LEADING}
LONGEST_INTERJECTION = 14
# Kinds that ask how likely something is.
CHANCE = {"chance", "how", "what", "which"}
UNKNOWN = {"word", "filler", "mark", "the", "during", "be"}
# Kinds that count days like another: "exceed 5 days", "three".
NAMES = {"exceed": "above", "numword": "number"}
MOST_DOUBLED_PCT = 20  # "and double?" after a larger move asks whether the price doubles
BEFORE_COMMA = SIDES | {"minus", "filler", "the"}  # "less, 0.18"
# The value of words that turn an earlier question around.
OPPOSITE = "opposite"
# The value of words that a move goes on, and kinds beside them that say more.
CONTINUE, EVENTS = "continue", MOTIONS | SIDES | {"number", "between"}
# Kinds at the begin of a denial of the earlier question: "and if not", "odds that it isn't".
CARRIERS = {"and", "or", "what", "meet", "will", "chance", "how"}
MOST_UNKNOWN = 3  # words beside what a follow-up names


class CompletedText(NamedTuple):
    """The words of a follow-up with what they leave out, and what they take over from the earlier question.

    `earlier` is that question, with another number of days, or another event of its two levels, where the words say so.
    `has_event` if they say what is to happen without a verb or an amount, `is_opposite` if that is the opposite of the
    earlier event, `has_chance` if they ask how likely it is. `notes` say what was assumed about the deadline.
    """

    tokens: list[Token]
    carryover: frozenset[Carryover]
    earlier: Question
    has_event: bool
    is_opposite: bool
    has_chance: bool
    notes: tuple[Assumption, ...]


def complete(
    reading: TokenizedText, circumstances: Circumstances, earlier: Question, before: Question | None
) -> CompletedText:
    """The words of a text after an earlier question; raises InvalidQuestion where they may mean two things.

    `before` is the question that the earlier one followed, which "both?" means too.
    """
    notes, carryover = list[Assumption](), set[Carryover]()
    has_chance, tokens = _plain_tokens(reading, earlier)
    tokens = _going_on(tokens, earlier, notes)
    tokens, recount = pointed_back(tokens, earlier, before, circumstances.spots, notes)
    if [token.kind for token in tokens if token.kind not in ("mark", "filler")] == ["minus"]:
        tokens = [Token("down", "down")]  # "minus, I mean"
    if any(token.value == ENTIRETY for token in tokens) and any(is_year(token) for token in tokens):
        tokens = [token for token in tokens if token.value != ENTIRETY and token.kind != "the"]  # "tutto il 2027"
    tokens = _with_sizes(tokens, reading, earlier, circumstances, notes)
    kinds = {token.kind for token in tokens}
    is_run = "in_a_row" in kinds and bool(kinds & {"number", "nth"})  # Japanese "3日連続"
    if is_run and not kinds & SIDES and isinstance(earlier.kind, Direction | Comparison):
        tokens = [Token("up", "up", "green") if earlier.kind.side > 0 else Token("down", "down", "red"), *tokens]
    if "both" in kinds and "number" not in kinds and earlier.level_pct is not None:  # "in either direction?"
        carryover.add("level")
        tokens = [Token("number", f"{abs(earlier.level_pct):g}"), Token("percent", "%"), *tokens]
    assets = [token for token in tokens if token.kind in MARKET_KINDS]
    if recount is None and (recount := _recounted([token for token in tokens if token not in assets], earlier)):
        tokens = assets
    if any(token.value == EXCHANGE for token in reading.tokens):
        tokens = exchanged(tokens, earlier, carryover)
    if not reading.language.postpositions or any(token.text in FURTHER for token in reading.tokens):
        tokens = with_later(tokens, earlier)
    tokens = with_dates(with_percent(_closing(tokens, earlier), earlier), earlier, circumstances, notes)
    if isinstance(earlier.kind, Between | Leave | First):
        tokens = with_range(tokens, earlier)
        if "leave" in kinds and "number" not in kinds:  # "and leaving that range?"
            tokens = [token for token in tokens if token.kind != "between"]
    if earlier.other_asset:
        tokens = compared(tokens, earlier, reading.language, carryover)
    is_turned = recount is not None and recount.comparator != earlier.comparator  # "the other way round, 3 days up"
    is_opposite = not is_turned and any(token.value == OPPOSITE for token in reading.tokens)
    has_event = bool(has_chance or carryover or recount or is_opposite or _is_carried_denial(reading.tokens))
    if not any(token.kind in MARKET_KINDS for token in tokens):
        is_exchanged = is_opposite and earlier.comparator == "relative"
        tokens = _with_asset(tokens, str(earlier.other_asset if is_exchanged else (recount or earlier).asset))
        carryover.add("asset")
    return CompletedText(
        tokens, frozenset(carryover), recount or earlier, has_event, is_opposite, has_chance, tuple(notes)
    )


def _plain_tokens(reading: TokenizedText, earlier: Question) -> tuple[bool, list[Token]]:
    """Whether a text asks how likely something is, and its tokens without that, carriers and what is denied."""
    *others, last = reading.tokens or [Token("mark", "")]
    tokens = [*(token for token in others if token.text not in QUESTION_MARKS), last]  # "silver instead? above 39"
    tokens = tokens[2:] if [token.kind for token in tokens[:2]] == ["order", "mark"] else tokens  # "forget it, 20%"
    if has_chance := _has_chance(tokens, earlier):
        tokens = _without_chance(tokens)
    tokens = without_denied_name(_without_carriers(tokens, earlier), reading.language)
    tokens = without_denied_side(tokens, reading.language)
    while reading.language.postpositions and tokens and tokens[-1].kind in ("the", "mark"):
        tokens = tokens[:-1]  # Japanese "6は？"
    return has_chance, tokens


def _with_sizes(
    tokens: list[Token],
    reading: TokenizedText,
    earlier: Question,
    circumstances: Circumstances,
    notes: list[Assumption],
) -> list[Token]:
    """The tokens whose lengths, levels and percentages have their units, without denied ones."""
    if reading.language.postpositions:
        tokens = _with_ones(tokens)
    tokens = _without_unit(_with_length(tokens, earlier, notes), earlier, notes)
    currencies = {token.kind for token in tokens} - {"in", "filler", "mark"}
    if earlier.levels and currencies and currencies <= {"money", "currency", "foreign"}:
        raise invalid("The earlier level is known in USD only. Name the level that is meant.", "level")
    tokens = _scaled(with_scale(with_unit(tokens, earlier, notes), earlier, circumstances.spots), earlier, notes)
    if any(token.kind == "not" or token.text in NOES or token.value == EXCHANGE for token in reading.tokens):
        tokens = without_denied_size(without_denied_level(tokens, earlier), earlier)
    return tokens


def _scaled(tokens: list[Token], earlier: Question, notes: list[Assumption]) -> list[Token]:
    """The tokens with the percentage that "half?" or "double?" means after a move of 10%, not of the price itself."""
    words = [token for token in tokens if token.kind not in ("mark", "filler", "the", "and", "a")]
    size, factor = earlier.level_pct, next((word.quantity for word in words if word.value in (1 / 2, 2)), 0)
    kinds = [word.kind for word in words]
    is_half = factor == 1 / 2 and kinds in (["fraction"], ["numword"])
    is_twice = factor == 2 and kinds == ["multiple"] and size is not None and 0 < size <= MOST_DOUBLED_PCT
    if not (is_half or is_twice):
        return tokens
    if size is None:
        raise invalid("Half of what is unclear. Name the level or the percentage.", "level")
    pct = f"{abs(size) * factor:g}"
    notes.append(Assumption(f"{'Half of' if factor < 1 else 'Twice'} the earlier size is {pct}%.", "size"))
    return [Token("number", pct), Token("percent", "%")]


def _with_ones(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a number for the article before a unit: Turkish "bir ay sonra" is counted from now."""
    return [
        replace(token, kind="number", value=1.0) if (token.kind, after.kind) == ("a", "unit") else token
        for token, after in pairwise([*tokens, Token("", "")])
    ]


def _is_carried_denial(tokens: Sequence[Token]) -> bool:
    """Whether it denies the earlier question: "and if not?", "and that it doesn't?"; a mere "no way" does not."""
    words = [token for token in tokens if token.kind != "mark"]
    carries = any(token.kind in CARRIERS for token in words[:1]) or any(token.value == CARRY for token in words)
    return carries and any(token.kind == "not" for token in words)


def _without_carriers(tokens: Sequence[Token], earlier: Question) -> list[Token]:
    """The tokens without the words that carry a question on or an interjection: "no, 1900", "no i meant 5%"."""
    is_carrier = [token.value in (CARRY, EXCHANGE) and token.kind == "filler" for token in tokens]
    marks = (place for place, token in enumerate(tokens) if token.text in {*COMMAS, "."} or is_carrier[place])
    end = next(marks, 0)
    kinds = {token.kind for token in tokens[:end]}
    is_short = sum(len(token.text) for token in tokens[:end]) <= LONGEST_INTERJECTION
    is_last = all(token.kind == "mark" for token in tokens[end + 1 :])  # Chinese 不会呢
    is_interjection = not is_last and (kinds <= BEFORE_COMMA or (is_short and kinds <= INTERJECTIONS))
    start = end if kinds and is_interjection else noes_before(tokens, earlier)
    rest = [token for token, carries in zip(tokens[start:], is_carrier[start:], strict=True) if not carries]
    if len(rest) > 1 and rest[-1].value == CARRY and not any(token.kind in MARKET_KINDS for token in rest):
        rest = rest[:-1]  # Spanish "en una semana mejor"
    has_comma = any(token.text in COMMAS for token in rest)
    named = [token for token in rest if token.kind not in ("filler", "mark", "the")]
    ends = named[:1] + named[-1:] * (not any(token.kind in MARKET_KINDS for token in rest))
    condition = next((token for token in ends if token.kind in ("if", "because") and token.value != EXCHANGE), None)
    if condition is not None and not has_comma:  # "if it only touches it?", Italian "invece domani?", 下がる場合は
        rest = [token for token in rest if token is not condition]
    is_leading = [
        (token.kind in LEADING and token.value not in (OPPOSITE, ENTIRETY, *EXTREMES) and token.text not in SIGNS)
        or token.value == CARRY
        for token in rest
    ]
    return rest[is_leading.index(False) if False in is_leading else len(rest) :]


def _has_chance(tokens: Sequence[Token], earlier: Question) -> bool:
    """Whether it is asked how likely one thing is; not "a 50% chance", nor which of two is likelier."""
    kinds = [token.kind for token in tokens]
    names_likelier = any(token.kind == "chance" and token.text in SOONER for token in tokens)
    is_choice = names_likelier or "both_of" in kinds  # Turkish "hangisi daha olası", Spanish "cuál de los dos"
    if CHOICES & {*kinds} and is_choice and not earlier.other_asset:
        return False
    is_of_size = names_likelier and not {"than", "above", "below"} & {*kinds}  # "would 3% be likelier?"
    others = {"or"} if is_of_size else {"percent", "or"}
    return "chance" in kinds and not others & {*kinds} and kinds.count("asset") < ENDS_OF_RANGE


def _without_chance(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the words that ask how likely it is: "how likely is 60k?", "odds for 60k", "a chance"."""
    kinds = [*(token.kind for token in tokens), "", ""]
    leads = zip(tokens, kinds[1:], kinds[2:], strict=False)
    return [
        token
        for token, after, later in leads
        if token.kind not in CHANCE
        and (token.kind, after) != ("to", "chance")
        and not ((token.kind, after) == ("during", "number") and later != "unit")
    ]


def _with_asset(tokens: Sequence[Token], asset: str) -> list[Token]:
    """The tokens with the asset before all others, or before the number that follows unknown words: "typo 310"."""
    kinds = [token.kind for token in tokens]
    place = kinds.index("number") if "number" in kinds else 0
    place = place if "word" in kinds[:place] and {*kinds[:place]} <= UNKNOWN else 0
    return [*tokens[:place], Token("asset", asset, asset), *tokens[place:]]


def _without_unit(tokens: list[Token], earlier: Question, notes: list[Assumption]) -> list[Token]:
    """The tokens of a number of days without the word for days; raises where a deadline may be meant.

    It follows a question that counts days, "5 days?", or has a bound, "5 days or more?".
    """
    number, unit, *bounds = [*(token for token in tokens if token.kind not in ("mark", "the")), *[Token("", "")] * 2]
    is_length = number.kind == "number" and (unit.kind == "unit" or unit.text in DAYS)
    kinds = {token.kind for token in bounds if token.kind}
    if not is_length or not kinds <= SIDES - {"up", "down"} or not (kinds or earlier.days is not None):
        return tokens
    if earlier.days is None:
        raise invalid("Whether a deadline or a number of days is meant is unclear. Ask in full.")
    notes.append(Assumption("The number is understood as that of the days that are counted.", "deadline"))
    return [token for token in tokens if token.kind not in ("unit", "the") and token.text not in DAYS]


def _going_on(tokens: list[Token], earlier: Question, notes: list[Assumption]) -> list[Token]:
    """The tokens with "up" for "will it go on?", where nothing says in which direction."""
    places = [token.value == CONTINUE or (token.kind == "stay" and not earlier.levels) for token in tokens]
    if not any(places) or any(token.kind in EVENTS for token in tokens):
        return tokens
    notes.append(Assumption("That it goes on is understood as a higher price.", "direction"))
    return [Token("up", "up") if goes_on else token for token, goes_on in zip(tokens, places, strict=True)]


def _with_length(tokens: list[Token], earlier: Question, notes: list[Assumption]) -> list[Token]:
    """The tokens with "3 in a row" for Japanese "3日", which is a date too, after days in a row."""
    number, *rest = [*(token for token in tokens if token.kind not in ("mark", "the")), Token("", "")]
    if not earlier.in_a_row or len(rest) > 1 or number.kind != "nth" or number.text[-1] not in DAYS:
        return tokens
    notes.append(Assumption(f"{number.text} is understood as a number of days.", "deadline"))
    return [Token("number", number.text[:-1]), Token("in_a_row", "")]


def _recounted(tokens: Sequence[Token], earlier: Question) -> Question | None:
    """The earlier question with another number or colour of days: "four", "more than five", "green i mean"."""
    tokens = _without_total(tokens)
    plain = [token for token in tokens if token.kind not in ("mark", "the", "a", "on", "filler", "be", "will", "word")]
    if any(token.kind == "on" for token in tokens) and not any(token.kind == "unit" for token in tokens):
        return None  # "on the 4?"
    plain = [replace(token, kind=NAMES.get(token.kind, token.kind)) for token in plain]
    kinds = [token.kind for token in plain]
    numbers, is_run = [first_value(token) for token in plain if token.kind == "number"], "in_a_row" in kinds
    if earlier.days is None or len(numbers) > 1 or sum(token.kind == "word" for token in tokens) > MOST_UNKNOWN:
        return None
    if kinds == ["everyday"]:
        start = earlier.earlier or earlier.deadline - timedelta(hours=earlier.horizon_hours)
        ends = trading_days(earlier.asset, int(start.timestamp()), int(earlier.deadline.timestamp()))
        return replace(earlier, days=len(ends), negated=False)
    is_of_moves = isinstance(earlier.kind, DaysMoving)
    has_least = any(token.text in LEAST for token in plain) and max(numbers, default=0) <= LAST_DAY
    bounds = {"above", "below", "ormore"} & {*kinds} if numbers and (is_of_moves or has_least) else set[str]()
    moves = {"up", "down"} if any(token.kind in ("will", "ask") for token in tokens) else BULL | BEAR
    sides = {SIGNS_OF_SIDES[kind] for kind in kinds if kind in moves}
    rest = {*kinds} - {"number", "in_a_row", *moves, *bounds} - ({"unit"} if is_run or bounds else set())
    if rest or not (numbers or sides or is_run) or len(sides) > 1 or (sides and not is_of_moves):
        return None
    days = numbers[0] if numbers else earlier.days
    comparator = earlier.kind.of(sides.pop()) if sides else earlier.comparator
    limit = LONGEST_AVERAGE if isinstance(earlier.kind, MovingAverage) else MOST_DAYS
    if not 1 <= days <= limit or days != int(days):
        return None
    count = bounded(int(days), plain) if bounds else DayCount(int(days), negated=earlier.negated)
    question = replace(earlier, days=count.days, comparator=comparator, negated=count.negated)
    return replace(question, in_a_row=earlier.in_a_row or is_run)


def _without_total(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens without the number of all days: "4 of 7", Italian "5 giorni su 7"."""
    for place in range(1, len(tokens) - 1):
        if tokens[place].text in OUT_OF and tokens[place + 1].kind in ("number", "numword"):
            return [*tokens[:place], *tokens[place + 2 :]]
    return tokens


def _closing(tokens: list[Token], earlier: Question) -> list[Token]:
    """The tokens with a close for "at the daily close" after a touch, without what they deny: "not just a touch"."""
    if not isinstance(earlier.kind, Close | Touch):
        return tokens
    if isinstance(earlier.kind, Touch) and any((token.kind, token.value) == ("eo", "day") for token in tokens):
        tokens = [*tokens, Token("close", "close")]
    kinds = [token.kind for token in tokens]
    denial = kinds.index("not") if "not" in kinds else len(kinds)
    is_of_words = {*kinds[denial:]} & {"reach", "word"} and not {*kinds[denial:]} & NAME_KINDS
    if "close" in kinds[:denial] and is_of_words:
        return tokens[:denial]
    return tokens
