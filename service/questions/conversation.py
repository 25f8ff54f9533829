"""Follow-up questions: "and eth?", "by friday?", "what about 60k" are read with the question that they carry on.

The words of a follow-up are completed with the asset, the deadline and the event of the earlier question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import get_args

from service.market.assets import asset_of
from service.questions.adaptation import LARGEST_RATIO, denied, of_asset, on_side, opposite, with_amounts
from service.questions.amounts import MINUSES
from service.questions.canonical import canonical
from service.questions.circumstances import Circumstances, Setting
from service.questions.coins import TokenizedText, read_markets
from service.questions.criterion import Criterion, checked, invalid, price, rounded
from service.questions.dates.clocks import without_clocks
from service.questions.dates.deadline import SOONEST, Deadline
from service.questions.dates.matching import spans
from service.questions.dates.reading import Today
from service.questions.dates.roles import with_units
from service.questions.day_counts import DAYS, MOST_DAYS, DayCount
from service.questions.earlier import Earlier
from service.questions.kinds.levels import Between, Close, LastPrice, Leave, Touch
from service.questions.kinds.paths import DaysMoving
from service.questions.kinds.references import Comparison
from service.questions.lexicon import forms
from service.questions.numerals import first_value
from service.questions.parse import Carryover, Parse
from service.questions.question import Question
from service.questions.sentences import COMMAS
from service.questions.subject import MORE_WORDS, THAN
from service.questions.tokens import Token
from service.questions.understanding import checked_parse, find_parts, parse_tokenized
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, MOTIONS, Language

CARRY, EXCHANGE = "carry", "instead"
# Kinds at the begin of a follow-up that say nothing more: "and eth?", "or 60k?".
LEADING = {"and", "or", "filler", "mark"}
SIGNS = {*MINUSES, "+"}
# Kinds and most letters of an interjection before a comma or a word that carries on: "no wait, 38", "no i meant 38".
INTERJECTIONS = {"word", "not", "be", *LEADING}
LONGEST_INTERJECTION = 14
# Kinds before the day of a month: "el 12", "am 12."; such a number is no level this far from the price.
ARTICLES = {"the", "on", "ampm"}
DAYS_BEFORE = {"holiday", "weekday"}
LIMITS = {"by", "before", "until", "lasting", "to"}
LAST_DAY, LARGEST_PCT = 31, 100
# Words before a bare number that make no date of it: after "down 10%?" it is a percentage.
BY = forms("by_size")
# Kinds beside a weekday that leave open which week is meant.
BESIDE_WEEKDAY = ARTICLES | {"weekday", "asset", "by", "until", "in", "filler"}
DAYS_OF_WEEK = 7
# The kinds of "the day after", which is recount from the earlier deadline, and those beside them or a percentage.
FOLLOWING = ({"after", "unit"}, {"later", "unit"}, {"next", "unit"})
BESIDE = ARTICLES | {"a", "by", "asset", "in", "to"}
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
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
# The value of words that turn an earlier question around, and kinds that deny it: "and if it doesn't?".
OPPOSITE, DENIALS = "opposite", {"not", "fail", "leave"}
CARRIERS = {"and", "or", "what", "meet", "will", "chance", "how"}
BESIDE_DENIAL = DENIALS | {"forecast", "chance", "how"}  # "and if it doesn't happen?", "odds that it isn't?"
# Kinds that need a level; without one, that of the earlier question is meant: "does it reach it?".
NEEDS_LEVEL = {"reach", "break", "exceed", "close", "stay", "go", "to", "until", "target", "ever"}
CARRYOVERS: tuple[Carryover, ...] = get_args(Carryover)
EVENT: set[Carryover] = {"comparator"}
SIZE: set[Carryover] = {"level"}
OTHER: set[Carryover] = {"other_asset"}
# Letters of an unknown word that changes nothing: "hmm"; how many others may stand beside what a follow-up names.
LONGEST_UNKNOWN, MOST_UNKNOWN = 3, 3


@dataclass(frozen=True)
class ContextQuestion:
    """An earlier question, which a text may carry on, and the language that it was asked in, if known.

    One that `is_price` asked for the present price; one that `is_alert` asked for a message, after a move of the
    question's `level_pct` where it named one.
    """

    question: Question
    language: Language | None = None
    is_price: bool = False
    is_alert: bool = False


def carry_on(reading: TokenizedText, circumstances: Circumstances, earlier: Question) -> Parse:
    """The question that a text asks after an earlier one; its refusals suggest nothing.

    Raises InvalidQuestion and NotAMarketQuestion as a text without an earlier question does where it names nothing
    that could be asked, and InvalidQuestion where the two do not fit together.
    """
    tokens, carryover = _without_denied(_without_carriers(reading.tokens), reading.language), set[Carryover]()
    if _is_only_length(tokens, earlier):
        raise invalid("Whether a deadline or a number of days is meant is unclear. Ask in full.")  # "5 days?"
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
    parse = find_parts(reading._replace(tokens=tokens), circumstances)
    kinds = parse.clause.kinds & (SIDES | MOTIONS | {"multiple", "fraction", "stay", "close", "fail", "leave", "ever"})
    if carryover and not (has_event or parse.deadline.is_named or parse.clause.amounts or kinds):
        return parse_tokenized(reading, circumstances)
    if parse.count == DayCount(None) and not parse.clause.amounts and not parse.clause.kinds & OWN_EVENT:
        parse = replace(parse, count=None)  # "and all of December?"
    if level := _level_left_out(parse, earlier):
        parse = find_parts(reading._replace(tokens=_with_level(tokens, level, reading.language)), circumstances)
        carryover.add("level")
    if not parse.deadline.is_named:
        carryover.add("deadline")
        parse = replace(parse, deadline=_deadline_of(parse.deadline, earlier, circumstances.now))
    if begin := _begin(parse, earlier, carryover):
        parse = replace(parse, earlier=Earlier(begin, earlier.kind.side))
        carryover.add("comparator")
    if level and parse.criterion.by_spot:
        parse = replace(parse, event=Criterion(Touch.of(earlier.kind.side), level, negated=parse.clause.negated))
    event = None if _has_own_event(parse, earlier, carryover) else _event(parse, recount or earlier, carryover)
    parse = replace(parse, carryover=tuple(name for name in CARRYOVERS if name in carryover))
    return checked_parse(parse) if event is None else _with_event(parse, event, earlier)


def _without_carriers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the words that carry a question on or an interjection: "no, 1900", "no i meant 5%"."""
    is_carrier = [token.value in (CARRY, EXCHANGE) and token.kind == "filler" for token in tokens]
    marks = (place for place, token in enumerate(tokens) if token.text in COMMAS or is_carrier[place])
    end = next(marks, 0)
    is_short = sum(len(token.text) for token in tokens[:end]) <= LONGEST_INTERJECTION
    is_last = all(token.kind == "mark" for token in tokens[end + 1 :])  # Chinese 不会呢
    is_interjection = is_short and not is_last and all(token.kind in INTERJECTIONS for token in tokens[:end])
    start = end if is_interjection else 0
    rest = [token for token, carries in zip(tokens[start:], is_carrier[start:], strict=True) if not carries]
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
    is_pair = len(assets) == ENDS_OF_RANGE and not kinds & (OWN_EVENT | {"and", "or", "because"})
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


def _level_left_out(parse: Parse, earlier: Question) -> float | None:
    """The level of the earlier question where the words need one and name none: "does it get there?"."""
    is_same = parse.subject.asset == earlier.asset and not (parse.subject.other or parse.pair or parse.count)
    needs_level = is_same and not parse.clause.amounts and parse.clause.kinds & NEEDS_LEVEL
    return earlier.level if needs_level and earlier.upper_level is None else None


def _with_level(tokens: list[Token], level: float, language: Language) -> list[Token]:
    """The tokens with a level where the language has it: behind its verb, or before it."""
    amount = [Token("number", f"{level:.10g}"), Token("money", "usd")]
    end = next((place for place, token in enumerate(tokens) if token.kind == "mark"), len(tokens))
    place = 1 if language.postpositions else end
    return [*tokens[:place], *amount, *tokens[place:]]


def _deadline_of(own: Deadline, earlier: Question, now: datetime) -> Deadline:
    if earlier.deadline - now < SOONEST:
        raise invalid(
            "The deadline of the earlier question has passed. Name another one: for example, by Friday.", "deadline"
        )
    preposition = "on" if isinstance(earlier.kind, LastPrice) else "by"
    return replace(own, at=earlier.deadline, is_named=True, preposition=preposition)


def _begin(parse: Parse, earlier: Question, carryover: set[Carryover]) -> datetime | None:
    """The begin of the period that "next month?" or "and eth?" compares with its end, as "green this week?" did.

    Where that week has begun, the level of the earlier question is its first price.
    """
    own, until = parse.deadline, earlier.deadline
    is_joint = parse.pair or parse.count or parse.earlier or parse.subject.other
    has_event = is_joint or parse.clause.amounts or parse.clause.kinds & (SIDES | BULL | BEAR | OWN_EVENT)
    if earlier.negated or has_event or not isinstance(earlier.kind, Close | Comparison):
        return None
    midnight = until.replace(hour=0, minute=0, second=0, microsecond=0)
    months = (midnight.replace(month=month, day=1) for month in (midnight.month, 1))
    past = Setting(earlier.asset, earlier.spot, parse.now, until, parse.circumstances.history)
    begin = earlier.earlier
    for day in (midnight, midnight - timedelta(midnight.weekday()), *months):
        closes = past.closes([int(day.timestamp())]) if begin is None else None
        begin = day - SECOND if closes and rounded(closes[0]) == earlier.level else begin
    if begin is None or "deadline" in carryover:
        return begin
    is_day = own.since is not None and own.at - own.since < DAY
    if own.since is not None and not (is_day and earlier.earlier is not None):
        return own.since - SECOND
    if begin >= own.at:
        raise invalid(
            "The deadline is before the instant of the earlier question. Ask in full which price is higher.", "deadline"
        )
    return None


def _has_own_event(parse: Parse, earlier: Question, carryover: set[Carryover]) -> bool:
    kinds = parse.clause.kinds
    amounts = parse.clause.amounts
    if not amounts and kinds & DENIALS and kinds & OWN_EVENT <= BESIDE_DENIAL and not kinds & SIDES:
        kinds = kinds - BESIDE_DENIAL
    if earlier.level_pct is not None and all(amount.is_percent for amount in amounts):  # "exceed 12%?", "falls?"
        kinds = kinds - {"exceed"} if amounts else kinds - BULL - BEAR if "deadline" in carryover else kinds
    is_joint = parse.pair or parse.count or parse.earlier or parse.subject.other or parse.subject.left_out
    return bool(is_joint or parse.level_notes or kinds & OWN_EVENT) or kinds >= {"what", "be"}


def _event(parse: Parse, earlier: Question, carryover: set[Carryover]) -> Question | None:
    """The earlier question with the asset, deadline and amounts of the follow-up; None where it has its own event.

    What else is taken over is added to `carryover`.
    """
    clause, base = parse.clause, replace(earlier, deadline=parse.deadline.at, notes=())
    if clause.amounts:
        question, codes = with_amounts(base, clause, parse.spot), EVENT
    elif clause.kinds & (SIDES | BULL | BEAR):
        question, codes = on_side(base, clause, parse.spot), SIZE
    else:
        is_opposite = any(token.value == OPPOSITE for token in parse.split.main)
        question = opposite(base, parse.spot) if is_opposite else of_asset(base, parse)
        if bool(clause.kinds & {"not", "fail"}) != ("leave" in clause.kinds):
            question = denied(question)
        codes = EVENT | SIZE if base.levels or base.level_pct is not None or base.legs else EVENT
    if question is None:
        return None
    if earlier.kind.is_decided_by_hand or (earlier.legs and (clause.amounts or "asset" not in carryover)):
        raise invalid("The earlier question does not say what this one asks. Ask in full, with asset, event and date.")
    carryover |= codes | (OTHER if earlier.other_asset and not earlier.legs else set())
    return replace(question, asset=parse.subject.asset, spot=parse.spot)


def _with_event(parse: Parse, event: Question, earlier: Question) -> Parse:
    """The follow-up with what must happen, which is read again from its sentence: so all its limits hold."""
    words = [token.text for token in parse.clause.tokens if token.kind == "word"]
    is_unclear = any(len(word) > LONGEST_UNKNOWN or not word.isascii() for word in words)
    has_addition = parse.clause.amounts or "deadline" not in parse.carryover
    if is_unclear and (not has_addition or len(words) > MOST_UNKNOWN):
        raise invalid(f"How “{' '.join(words[:4])}” carries the earlier question on is unclear. Ask in full.")
    for level in event.levels:
        checked(level, parse.spot)
    reading = parse_tokenized(read_markets(canonical(event), parse.circumstances.coins), parse.circumstances)
    criterion = replace(reading.criterion, level_pct=event.level_pct)
    if "level" in parse.carryover and event.asset == earlier.asset and event.level_pct != earlier.level_pct:
        criterion = criterion.noted(f"The size of the earlier question is taken over: {event.level_pct:+g}%.", "size")
    if _is_weekday_before(parse, earlier):
        criterion = criterion.noted(
            f"The day is understood as {parse.deadline.at:%Y-%m-%d}, the next such day.", "deadline"
        )
    if event.notes:
        criterion = replace(criterion, notes=(*criterion.notes, *event.notes))
    elif event.asset != earlier.asset and event.level_pct is None and event.levels and "level" in parse.carryover:
        name, levels = asset_of(earlier.asset).name, " to ".join(map(price, earlier.levels))
        note = f"The level is as far from the present price as {levels} USD from that of {name}."
        criterion = criterion.noted(note, "level")
    return replace(parse, subject=reading.subject, pair=reading.pair, count=None, earlier=None, event=criterion)


def _is_weekday_before(parse: Parse, earlier: Question) -> bool:
    """Whether the week of the earlier deadline has the weekday too, a week later: "on Friday? and on Sunday?".

    Whoever asks by when means the next one: "by Friday?".
    """
    at, until = parse.deadline.at, earlier.deadline
    if parse.deadline.preposition in ("by", "before", "until"):
        return False
    is_named = "deadline" not in parse.carryover and any(token.kind == "weekday" for token in parse.split.main)
    return is_named and at < until and at.weekday() > until.weekday() and (until - at).days < DAYS_OF_WEEK
