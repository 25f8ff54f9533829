"""Follow-up questions: "and eth?", "by friday?", "what about 60k" are read with the question that they carry on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import get_args

from service.market.assets import asset_of
from service.questions.adaptation import denied, of_asset, on_side, opposite, stays_between, with_amounts
from service.questions.amounts import find_amounts
from service.questions.canonical import canonical
from service.questions.carryover import DAY, with_level
from service.questions.circumstances import Circumstances, Setting
from service.questions.clause import Clause
from service.questions.coins import TokenizedText, read_markets
from service.questions.completion import MOST_UNKNOWN, CompletedText, complete
from service.questions.criteria import COLOURS
from service.questions.criterion import Assumption, Criterion, checked, invalid, is_near, price, rounded, unclear
from service.questions.dates.deadline import SOONEST
from service.questions.day_counts import DayCount
from service.questions.earlier import Earlier
from service.questions.kinds.levels import Between, Close, Direction, First, LastPrice, Leave, Touch, of_zero
from service.questions.kinds.references import Comparison
from service.questions.levels import two_levels
from service.questions.lexicon import forms
from service.questions.parse import FAR_NOTE, RIVAL, Carryover, Parse
from service.questions.question import Question
from service.questions.scope import FACT
from service.questions.single_days import DATES, LEAST
from service.questions.subject import Subject
from service.questions.tokens import Token
from service.questions.understanding import checked_parse, find_parts, parse_tokenized, refuse_dates, refuse_extremes
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, MOTIONS, OWN_EVENT, SIDES, Language

DAYS_OF_WEEK = 7
FARTHEST = 10  # times the price, or that part of it: what is farther may be no level
SECOND = timedelta(seconds=1)
EARLIER_LEVEL = Assumption("The level of the earlier question may be meant.", "level")
# Kinds that deny the earlier question, alone or beside others: "and if it doesn't happen?", "odds that it isn't?".
DENIALS = {"not", "fail", "leave"}
BESIDE_DENIAL = DENIALS | {"forecast", "chance", "how", "ever"}
# Kinds that need a level; without one, that of the earlier question is meant: "does it reach it?".
NEEDS_LEVEL = {"reach", "break", "exceed", "close", "stay", "go", "to", "until", "target", "ever"}
CARRYOVERS: tuple[Carryover, ...] = get_args(Carryover)
EVENT: set[Carryover] = {"comparator"}
SIZE: set[Carryover] = {"level"}
OTHER: set[Carryover] = {"other_asset"}
AMOUNTS = {"number", "percent"}
MOST = forms("most")
# Kinds that say something of their own in a follow-up of two sentences.
SAYING_KINDS = {*AMOUNTS, *MARKET_KINDS, *DATES, "holiday", "eo"}
BESIDE_SIZE = {"and", "by", "or", "approx", "the", "filler", "mark", "meet"}  # beside "how much", "lowest"
# Kinds of a follow-up that is chatter with one unknown word, as "will i be rich" is: "what's for dinner".
PERSONAL = {"what", "who"}
LONGEST_UNKNOWN = 3  # letters of an unknown word that changes nothing: "hmm"


@dataclass(frozen=True)
class ContextQuestion:
    """An earlier question, which a text may carry on, and the language that it was asked in, if known.

    `before` is the one that it followed itself. One that `is_price` asked for the present price, of an `amount` and in
    a `currency` where it named them; one that `is_alert` asked for a message, after a move of the question's
    `level_pct` where it named one.
    """

    question: Question
    language: Language | None = None
    is_price: bool = False
    is_alert: bool = False
    before: Question | None = None
    amount: float | None = None
    currency: str | None = None


def carry_on(reading: TokenizedText, circumstances: Circumstances, context: ContextQuestion) -> Parse:
    """The question that a text asks after an earlier one; its refusals suggest nothing.

    Raises InvalidQuestion and NotAMarketQuestion as a text without an earlier question does where it names nothing
    that could be asked, and InvalidQuestion where the two do not fit together.
    """
    if _is_chatter(reading.tokens):
        raise unclear(reading.text, is_chatter=True)
    reading = reading._replace(tokens=_saying_sentence(reading.tokens))
    names = [token for token in reading.tokens if token.kind not in BESIDE_SIZE]
    is_bound = len(names) == 1 and names[0].text in LEAST | MOST  # Spanish "y como mucho?"
    if context.question.comparator == "open" and is_bound:
        reading = reading._replace(tokens=[Token("how", "how")])
    completion = complete(reading, circumstances, context.question, context.before)
    earlier, is_of_size = completion.earlier, asks_size(reading.tokens)
    carryover: set[Carryover] = {*completion.carryover}
    parse = find_parts(reading._replace(tokens=completion.tokens), circumstances)
    parse = replace(parse, deadline=replace(parse.deadline, notes=(*parse.deadline.notes, *completion.notes)))
    _require_saying(parse, completion, is_of_size=is_of_size)
    if parse.count == DayCount(None) and not parse.clause.amounts and not parse.clause.kinds & OWN_EVENT:
        parse = replace(parse, count=None)  # "and all of December?"
    if level := None if is_of_size else _level_left_out(parse, completion):
        tokens = with_level(completion.tokens, level, reading.language)
        parse = find_parts(reading._replace(tokens=tokens), circumstances)
        carryover.add("level")
    is_pair = parse.subject.other is not None and not parse.clause.kinds & (OWN_EVENT - {"versus", "which"})
    if is_pair and earlier.other_asset and earlier.negated:  # "and sol against eth?" after who loses more
        parse = replace(parse, event=Criterion("relative", negated=True))
    parse = _with_earlier_deadline(parse, earlier, carryover)
    if begin := _begin(parse, earlier, carryover):
        parse = replace(parse, earlier=Earlier(begin, 0 if _has_colour(parse.clause) else earlier.kind.side))
        carryover.add("comparator")
    if level and parse.criterion.by_spot:
        parse = replace(parse, event=_event_at(level, parse, earlier))
    has_own_event = is_of_size or _has_own_event(parse, earlier, carryover)
    event = None if has_own_event else _event(parse, completion, carryover)
    parse = replace(parse, carryover=tuple(name for name in CARRYOVERS if name in carryover))
    return _or_level(checked_parse(parse), earlier) if event is None else _with_event(parse, event, earlier)


def _require_saying(parse: Parse, completion: CompletedText, *, is_of_size: bool) -> None:
    """Refuse a follow-up that names nothing beside what it carries on, or a size without its direction."""
    clause = parse.clause
    sizes = [amount for amount in clause.amounts if amount.is_percent]
    if completion.earlier.comparator == "open" and sizes and not clause.direction_at(sizes[0]):
        raise invalid("Say whether the move is up or down: for example, fall 10% by Friday.", "level")
    kinds = clause.kinds & (SIDES | MOTIONS | {"multiple", "fraction", "stay", "close", "fail", "leave", "ever"})
    asks_price = clause.kinds & {"what", "how"} and clause.kinds & {"price", "approx", "now"}
    asks_price = (asks_price or is_of_size) and not clause.kinds & {"record", "word"}
    has_event = completion.has_event or parse.deadline.is_named or clause.amounts or kinds or asks_price
    if not completion.carryover or has_event:
        return
    if "record" in clause.kinds and clause.kinds & {"what", "how", "which"}:
        raise invalid(FACT, "no_price")
    raise unclear(parse.text, is_chatter="word" in clause.kinds)


def _with_earlier_deadline(parse: Parse, earlier: Question, carryover: set[Carryover]) -> Parse:
    """The follow-up with the earlier deadline where it names none; "3 days in a row?" may need more time than that."""
    days = (parse.count.days if parse.count else None) or 0
    is_too_soon = days > 1 and earlier.deadline - parse.now < (days - 1) * DAY
    if parse.deadline.is_named or is_too_soon:
        return parse
    if earlier.deadline - parse.now < SOONEST:
        detail = "The deadline of the earlier question has passed. Name another one: for example, by Friday."
        raise invalid(detail, "deadline")
    carryover.add("deadline")
    is_lasting = parse.clause.kinds >= {"stay", "between"}
    preposition = "on" if isinstance(earlier.kind, LastPrice) and not is_lasting else "by"
    deadline = replace(parse.deadline, at=earlier.deadline, is_named=True, preposition=preposition)
    return replace(parse, deadline=deadline)


def _event_at(level: float, parse: Parse, earlier: Question) -> Criterion:
    """What happens to the earlier level: "does it close there?" after "stay above 4200" is a close above it."""
    if parse.clause.direction_at(None) == -earlier.kind.side:
        raise unclear(parse.text)  # "does it break the upper end?" after a question about the lower one
    kinds, side = parse.clause.kinds, earlier.kind.side
    is_close = "close" in kinds
    is_stay = earlier.negated and not kinds & {"break", "reach"}  # not "does it break it at the close?"
    side = -side if is_close and is_stay else side
    return Criterion((Close if is_close else Touch).of(side), level, negated=parse.clause.negated)


def _or_level(parse: Parse, earlier: Question) -> Parse:
    """The follow-up with the earlier level as an alternative: "does it rise by May?" after one whether it hits 99k."""
    is_same = parse.subject.asset == earlier.asset and parse.earlier is None and parse.pair is None
    has_level = isinstance(earlier.kind, Touch) and earlier.level_pct is None and not earlier.negated
    question = parse.question
    is_move = isinstance(question.kind, Direction) and not question.negated and question.kind.side == earlier.kind.side
    if not (is_same and has_level and is_move and "deadline" not in parse.carryover):
        return parse
    other = parse.with_criterion(Criterion(earlier.comparator, earlier.level))
    return replace(parse, others=((other, EARLIER_LEVEL),))


def asks_size(tokens: Sequence[Token]) -> bool:
    """Whether a follow-up asks how far the price goes: "by how much?", "and how high?", "and the lowest?"."""
    kinds = {token.kind for token in tokens} - BESIDE_SIZE
    first = next((token for token in tokens if token.kind not in BESIDE_SIZE or token.value in ("high", "low")), None)
    is_extreme = first is not None and first.value in ("high", "low")  # "lowest it could go", not "will it go high"
    return kinds == {"how"} or (is_extreme and kinds <= {"will", "go"})


def _is_chatter(tokens: Sequence[Token]) -> bool:
    """Whether a text has too many unknown words, and neither a market nor a number: "my dog is sick today"."""
    kinds = [token.kind for token in tokens]
    is_asked = bool({*kinds} & PERSONAL) or {*kinds} >= {"will", "be"}
    is_personal = is_asked and not {*kinds} & (MOTIONS | {"ordinal"} | OWN_EVENT - PERSONAL)
    is_choice = {*kinds} >= {"which", "or"}  # of two that are no markets
    limit = 0 if is_personal else 2 if {*kinds} & (SIDES | BULL | BEAR) and not is_choice else 1
    return kinds.count("word") > limit and not {*kinds} & (AMOUNTS | MARKET_KINDS)


def _saying_sentence(tokens: list[Token]) -> list[Token]:
    """The tokens from the first sentence on that names anything: "i think it falls. what about 48?"."""
    first = next((place for place, token in enumerate(tokens) if token.kind in SAYING_KINDS), 0)
    starts = [place + 1 for place, token in enumerate(tokens[:first]) if token.text in (".", "。")]
    return tokens[starts[-1] :] if starts else tokens


def _level_left_out(parse: Parse, completion: CompletedText) -> float | None:
    """The level of the earlier question where the words need one and name none: "does it get there?".

    How likely it is to fall after a question whether it falls to a level is about that level.
    """
    earlier = completion.earlier
    is_same = parse.subject.asset == earlier.asset and not (parse.subject.other or parse.pair or parse.count)
    kinds, is_dated = parse.clause.kinds, parse.deadline.is_named
    side = parse.clause.direction_at(None)
    is_passed = earlier.level is not None and "target" in kinds and (earlier.level - parse.spot) * side < 0
    if is_passed or (completion.has_chance and side == -earlier.kind.side):
        return None  # "how likely is it to fall" after a question whether it rises to a level
    is_there = completion.has_chance and is_dated and isinstance(earlier.kind, Touch) and kinds & MOTIONS
    needs_level = is_same and not (parse.clause.amounts or "how" in kinds) and (is_there or kinds & NEEDS_LEVEL)
    return earlier.level if needs_level and earlier.upper_level is None else None


def _has_colour(clause: Clause) -> bool:
    return any(token.value in COLOURS for token in clause.tokens)


def _begin(parse: Parse, earlier: Question, carryover: set[Carryover]) -> datetime | None:
    """The begin of the period that "next month?" or "and eth?" compares with its end, as "green this week?" did.

    Where that week has begun, the level of the earlier question is its first price.
    """
    own, until = parse.deadline, earlier.deadline
    is_joint = parse.pair or parse.count or parse.earlier or parse.subject.other
    kinds = parse.clause.kinds - ({"up", "down"} if _has_colour(parse.clause) else set())  # "and red?"
    has_event = is_joint or parse.clause.amounts or kinds & (SIDES | BULL | BEAR | OWN_EVENT)
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
    is_of_longer = earlier.earlier is not None and until - earlier.earlier > DAY
    if own.since is not None and not (is_day and is_of_longer):
        return own.since - SECOND
    if begin >= own.at:
        raise invalid(
            "The deadline is before the instant of the earlier question. Ask in full which price is higher.", "deadline"
        )
    return None


def _has_own_event(parse: Parse, earlier: Question, carryover: set[Carryover]) -> bool:
    kinds = parse.clause.kinds
    amounts = parse.clause.amounts
    has_level = earlier.level is not None and earlier.upper_level is None and "now" not in kinds
    is_beyond = has_level and kinds & {"above", "below"}  # "and fall below?", but not "below the present price?"
    is_neither = isinstance(earlier.kind, First) and parse.clause.denies_each  # "that it hits neither?"
    kinds = kinds - MOTIONS if (is_beyond or is_neither) and not amounts else kinds
    if not amounts and kinds & DENIALS and kinds & OWN_EVENT <= BESIDE_DENIAL and not kinds & SIDES:
        kinds = kinds - BESIDE_DENIAL
    is_carried = "deadline" in carryover
    is_left = isinstance(earlier.kind, Between | Leave | First) and kinds & SIDES  # "and if it leaves, up or down?"
    is_denied_side = parse.clause.negated and kinds & {"above", "below"} and isinstance(earlier.kind, Close)
    # "And that it doesn't drop below?", "and that it doesn't fall?"
    is_of_level = not amounts and (is_left or is_denied_side or _is_denied_move(parse.clause, earlier))
    kinds = kinds - MOTIONS - BESIDE_DENIAL if is_carried and is_of_level else kinds
    is_move = earlier.level_pct is not None or (amounts and isinstance(earlier.kind, Direction | Comparison))
    if is_move and all(amount.is_percent for amount in amounts):  # "exceed 12%?", "falls?"
        kinds = kinds - {"exceed"} if amounts else kinds - BULL - BEAR if is_carried else kinds
    if is_carried and not amounts and isinstance(earlier.kind, Comparison):  # "and lower?"
        kinds = kinds - BULL - BEAR
    is_joint = parse.pair or parse.count or parse.earlier or parse.subject.other or parse.subject.left_out
    last = next((token.kind for token in reversed(parse.clause.tokens) if token.kind != "mark"), "")
    is_asked = kinds >= {"what", "be"} or ("what" in kinds and last == "on" and is_carried)  # "where's sol at"
    return bool(is_joint or parse.level_notes or kinds & OWN_EVENT) or is_asked


def _is_denied_move(clause: Clause, earlier: Question) -> bool:
    """Whether the words deny a move to the level of the earlier question, without another amount.

    "And if it falls?" denies that the price stays above a level.
    """
    is_opposite = isinstance(earlier.kind, Touch) and clause.negated != earlier.negated
    return is_opposite and not clause.amounts and clause.direction_at(None) == earlier.kind.side


def _event(parse: Parse, completion: CompletedText, carryover: set[Carryover]) -> Question | None:
    """The earlier question with the asset, deadline and amounts of the follow-up; None where it has its own event.

    What else is taken over is added to `carryover`.
    """
    clause, earlier = parse.clause, completion.earlier
    base = replace(earlier, deadline=parse.deadline.at, notes=())
    since = parse.deadline.since if earlier.days is not None and "deadline" not in carryover else None
    if since is not None and parse.deadline.at - since > DAY:  # days are counted from the start of "next week"
        base = replace(base, earlier=parse.deadline.start)
    if clause.amounts:
        others = [amount for amount in find_amounts(clause.tokens) if amount not in clause.amounts]
        joined = [other for other in others if clause.tokens[max(other.first - 1, 0)].kind in ("and", "or")]
        if any(is_near(other.value(parse.spot), parse.spot) for other in joined):  # "eth with 2000 and 1600?"
            raise two_levels()
        question, codes = with_amounts(base, clause, parse.spot), EVENT
        is_turned = question is not None and (question.level_pct is not None or isinstance(question.kind, Close))
        has_side = bool(clause.kinds & (SIDES | BULL | BEAR)) or any(amount.sign for amount in clause.amounts)
        if question and completion.is_opposite and is_turned and not has_side:  # "the other way round, 5%"
            question = opposite(question, parse.spot)
    elif _is_denied_move(clause, earlier):
        question, codes = denied(base), EVENT | SIZE
    elif clause.kinds & (SIDES | BULL | BEAR):
        question, codes = on_side(base, clause, parse.spot), SIZE
        question = denied(question) if question and clause.negated else question
    else:
        question = opposite(base, parse.spot) if completion.is_opposite else of_asset(base, parse)
        leaves = "leave" in clause.kinds and not completion.is_opposite  # "the opposite, that it leaves it"
        is_denied = bool(clause.kinds & {"not", "fail"})
        stays = leaves and is_denied and isinstance(question.kind, Between | Leave | First)  # "without leaving it?"
        if stays or (isinstance(question.kind, First) and clause.denies_each):
            question = stays_between(question)
        elif is_denied != leaves:
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
    words = [token.text for token in (*parse.clause.tokens, *parse.split.aside) if token.kind == "word"]
    is_unclear = any(len(word) > LONGEST_UNKNOWN or not word.isascii() for word in words)
    has_addition = parse.clause.amounts or "deadline" not in parse.carryover
    if is_unclear and (not has_addition or len(words) > MOST_UNKNOWN):
        raise unclear(" ".join(words[:4]))
    refuse_dates(parse)
    if event.comparator != "open":
        refuse_extremes(parse)
    for level in event.levels:
        checked(level, parse.spot)
        is_far = parse.clause.amounts and event.level_pct is None and not 1 / FARTHEST <= level / parse.spot <= FARTHEST
        if is_far and level != of_zero(parse.spot).level:  # "and 100?" after "will gold lose 50 dollars"
            raise invalid(f"{FAR_NOTE} of {price(parse.spot)} USD. Say what the number means.", "level")
    reading = parse_tokenized(read_markets(canonical(event), parse.circumstances.coins), parse.circumstances)
    criterion = replace(reading.criterion, level_pct=event.level_pct)
    if "level" in parse.carryover and event.asset == earlier.asset and event.level_pct != earlier.level_pct:
        criterion = criterion.noted(f"The size of the earlier question is taken over: {event.level_pct:+g}%.", "size")
    if _is_weekday_before(parse, earlier):
        note = f"The day is understood as {parse.deadline.at:%Y-%m-%d}, the next such day."
        criterion = criterion.noted(note, "deadline")
    if event.notes:
        criterion = replace(criterion, notes=(*criterion.notes, *event.notes))
    elif event.asset != earlier.asset and event.level_pct is None and event.levels and "level" in parse.carryover:
        name, levels = asset_of(earlier.asset).name, " to ".join(map(price, earlier.levels))
        note = f"The level is as far from the present price as {levels} USD from that of {name}."
        criterion = criterion.noted(note, "level")
    parse = replace(parse, subject=reading.subject, pair=reading.pair, count=None, earlier=None, event=criterion)
    if event.comparator != "relative" or "other_asset" not in parse.carryover or event.asset in earlier.assets:
        return parse
    other = replace(parse, subject=Subject(earlier.asset, event.asset))  # "and gold?"
    return replace(parse, others=((other.with_criterion(Criterion("relative")), RIVAL),))


def _is_weekday_before(parse: Parse, earlier: Question) -> bool:
    """Whether the week of the earlier deadline has the weekday too, a week later: "on Friday? and on Sunday?".

    Whoever asks by when means the next one: "by Friday?".
    """
    at, until = parse.deadline.at, earlier.deadline
    if parse.deadline.preposition in ("by", "before", "until"):
        return False
    is_named = "deadline" not in parse.carryover and any(token.kind == "weekday" for token in parse.split.main)
    return is_named and at < until and at.weekday() > until.weekday() and (until - at).days < DAYS_OF_WEEK
