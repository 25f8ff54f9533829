"""From the text of a question to what YES means, in steps that may refuse it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

from service.errors import (
    FieldError,
    InvalidQuestion,
    InvalidRequest,
    NinefoldError,
    NotAMarketQuestion,
    UnreadQuestion,
)
from service.market.assets import ASSETS, calendar_of, is_week_over, trading_close
from service.questions.amounts import find_amounts, refuse_unpriced
from service.questions.canonical import LAST_SECOND, brief
from service.questions.circumstances import Circumstances, Setting
from service.questions.clause import read_clause
from service.questions.coins import TokenizedText, read_markets
from service.questions.criteria import COLOURS, QUANTILES
from service.questions.criterion import EXAMPLE, Criterion, checked, invalid, is_near
from service.questions.dates.clocks import DAY_END
from service.questions.dates.deadline import Deadline, find_deadline
from service.questions.dates.matching import refuse_far_dates, with_years
from service.questions.dates.reading import Today
from service.questions.dates.roles import with_days
from service.questions.day_counts import find_days
from service.questions.earlier import find_earlier, of_period
from service.questions.extremes import EXTREMES, may_have_extreme, side_of, with_extremes
from service.questions.kinds.levels import touch
from service.questions.kinds.references import with_moving_average
from service.questions.pairs import find_pair, refuse_two_deadlines
from service.questions.parse import Parse, build
from service.questions.question import Question
from service.questions.records import with_period
from service.questions.scope import (
    nameless,
    refuse_looking_back,
    refuse_loose_ends,
    refuse_other_matters,
    refuse_unreadable,
)
from service.questions.sentences import SplitText, find_question
from service.questions.subject import Subject, find_subject, refuse_ratio
from service.questions.tokens import Token
from service.questions.vocabulary import BEAR, BULL, MARKET_KINDS, PREDICATES, Language

SUNDAY = 6
PERIODS = {"week", "month", "quarter", "year"}
MOST_WORDS = 30  # words and marks; the refusal of a longer text suggests nothing, because that would take too long
MOST_PROPOSALS = 3
# A level and a date are looked for in so many tokens: more are no question that a person asks.
MOST_TOKENS = 60
DEFAULT, YEAR = timedelta(days=7), timedelta(days=365)
# Kinds that ask for a price, whatever the other words mean.
PRICE_KINDS = {"what", "how", "forecast", "price", "now", "advice", "which", "mood", "chance"}
# The distance of a level that is proposed where none is readable.
STEP = 0.05


@contextmanager
def refusing() -> Iterator[None]:
    """Raise UnreadQuestion in place of any error of the rules that is not a refusal."""
    try:
        yield
    except NinefoldError:
        raise
    except Exception as error:
        detail = (
            "This question could not be read. That is a fault of ours, and it was logged; another wording may help."
        )
        raise UnreadQuestion(detail, [FieldError("question", detail)]) from error


@refusing()
def understand(text: str, circumstances: Circumstances) -> Question:
    """The question that `text`, at most 500 characters in one of the languages of the vocabulary, asks.

    Raises NotAMarketQuestion for a text that is not about a market, InvalidQuestion for a question that cannot be
    answered, or only by guessing, and InvalidRequest for a text that is too long or has control characters. All details
    say how to ask instead.
    """
    return parse(text, circumstances).question


def parse(text: str, circumstances: Circumstances) -> Parse:
    """The parts of the question that `text` asks; see `understand`."""
    reading = read_markets(text, circumstances.coins)
    try:
        return parse_tokenized(reading, circumstances)
    except (InvalidQuestion, NotAMarketQuestion) as refusal:
        raise suggested(refusal, reading, circumstances) from None


def suggested(refusal: InvalidRequest, reading: TokenizedText, circumstances: Circumstances) -> InvalidRequest:
    """The refusal of a text with questions close to it that are understood as they are meant."""
    meanings = {} if reading.size > MOST_WORDS else dict(proposals(reading, circumstances))
    suggestions = [sentence for sentence, meaning in meanings.items() if _asks(sentence, circumstances) == meaning]
    if not suggestions:
        return refusal
    errors = [replace(error, message=_exemplified(error.message, suggestions[0])) for error in refusal.errors]
    return type(refusal)(_exemplified(refusal.detail, suggestions[0]), errors, suggestions)


def _asks(sentence: str, circumstances: Circumstances) -> str | None:
    """The canonical question that a sentence asks, None where it is refused."""
    try:
        return parse_tokenized(read_markets(sentence, circumstances.coins), circumstances).question.canonical
    except InvalidQuestion:
        return None


def parse_tokenized(reading: TokenizedText, circumstances: Circumstances) -> Parse:
    """The parts of the question that a text with these tokens asks; its refusals suggest nothing."""
    return checked_parse(find_parts(reading, circumstances))


def find_parts(reading: TokenizedText, circumstances: Circumstances) -> Parse:
    """The parts of a question, whether or not they make one."""
    now, language, spots, rates = circumstances.now, reading.language, circumstances.spots, circumstances.rates
    split = find_question(reading.tokens, language)
    if split is None:
        raise nameless(reading.tokens)
    refuse_looking_back(split.main)
    refuse_ratio(split.main, language, circumstances)
    count, main = find_days(with_years(split.main, Today(now, day_first=not language.month_first)))
    main, level_notes = _with_extremes(main, split, language, circumstances)
    earlier, main = find_earlier(main, now, language)
    split = replace(split, main=with_period(with_moving_average(main)))
    subject = find_subject(split.main, [*split.aside, *split.others], circumstances)
    days = (count and count.days) or 0
    is_over = is_week_over(subject.asset, now) or (days > 1 and now.weekday() == SUNDAY)  # "4 green days this week"
    run = days if count and count.in_a_row else None
    deadline = deadline_of(split, language, circumstances, subject.asset, run=run, is_week_over=is_over)
    spot = float(spots[subject.asset])
    refuse_far_dates(split.main, spot)
    if count is not None:
        closes = [] if calendar_of(subject.asset) == "always" else [Token("close", "")]  # days are counted by closes
        deadline = replace(_of_trading(deadline, closes, now), preposition="by")  # "3 days until Friday"
    pair = find_pair(deadline, subject, language, circumstances) if count is None and earlier is None else None
    if pair is not None:
        refuse_two_deadlines(split.main, now, language)
        subject = Subject(subject.asset, pair.legs[1].asset)
    clause = read_clause(deadline.rest, language, spot, rates)
    if clause.has_order and not deadline.is_named and circumstances.until is None:  # whichever comes first, some day
        deadline = replace(deadline, at=deadline.at + YEAR - DEFAULT)
    if pair is None and count is None and subject.other is None:
        earlier = earlier or of_period(clause, deadline, subject.asset)
    refuse_unpriced(clause.amounts, rates, now)
    is_multiple = "multiple" in clause.kinds or any(amount.is_multiple for amount in clause.amounts)
    if is_multiple and subject.left_out:
        raise invalid("A multiple of what another asset returns is not covered. Ask which of the two returns more.")
    if level_notes and ("multiple" in clause.kinds or any(amount.is_percent for amount in clause.amounts)):
        raise invalid(f"{level_notes[0]} Name the level itself in USD, without a percentage.", "level")
    return Parse(
        reading.text, circumstances, language, split, count, earlier, subject, spot, deadline, clause, pair, level_notes
    )


def checked_parse(parse: Parse) -> Parse:
    """The parts themselves; InvalidQuestion where they make no question."""
    if parse.pair is None:
        refuse_other_matters(parse.clause, parse.deadline)
        refuse_unreadable(parse.clause, parse.criterion, parse.deadline, parse.split.main)
    if not parse.carryover and parse.criterion.comparator == "open" and QUANTILES not in parse.criterion.notes:
        _refuse_guess(parse)
    refuse_dates(parse)
    if parse.criterion.comparator != "open":
        refuse_extremes(parse)
    if parse.is_bound:
        refuse_loose_ends(parse.text, parse.split, parse.subject)
    return parse


def refuse_dates(parse: Parse) -> None:
    """Refuse dates of which any may be meant: "in December or January"; in "5 of 7 days" the 7 days are none."""
    others = [dates.end for dates in parse.deadline.others if parse.count is None or not dates.exact]
    if others:
        days = sorted({f"{end:%Y-%m-%d}" for end in (parse.deadline.at, *others)})
        raise invalid(f"Several dates are named: {', '.join(days)}. Ask about one of them.", "several")


def refuse_extremes(parse: Parse) -> None:
    """Refuse a follow-up about a high or low without its time: "does it lose the low?" after last week's high."""
    has_price = parse.level_notes or (parse.clause.amounts and "level" not in parse.carryover)
    if not parse.carryover or has_price or "record" in parse.clause.kinds:
        return
    for token, after in pairwise([*parse.clause.tokens, Token("", "")]):  # but "is there a high chance?"
        if side_of(token) in EXTREMES and token.kind not in ("up", "down") and after.kind not in ("chance", "word"):
            detail = "Which high or low is meant is unclear. Name its time: for example, last week's high."
            raise invalid(detail, "level")


def _refuse_guess(parse: Parse) -> None:
    """Refuse a text without an event that asks nothing, or whose event may be a word that was not understood.

    Examples: "my wife left me because of crypto", "will btc plummetize"; "where will btc be, mates" asks for a price.
    """
    kinds = {token.kind for token in parse.split.main}
    kinds |= {token.kind for token in parse.split.aside} if "forecast" in kinds else set()  # "if it is at 53k, …"
    is_named = bool(kinds & MARKET_KINDS)
    if is_named and ("word" not in kinds or kinds & PRICE_KINDS):
        return
    if is_named and ("?" in parse.text or parse.deadline.is_named or kinds & {"will", "ask", "li"}):
        raise invalid(f"No event was understood. Say what the price should do. For example: {EXAMPLE}")
    raise invalid(f"The text asks nothing about a price. For example: {EXAMPLE}")


def _with_extremes(
    main: list[Token], split: SplitText, language: Language, circumstances: Circumstances
) -> tuple[list[Token], tuple[str, ...]]:
    """The tokens with the prices of "last week's high", and the notes about them."""
    if not may_have_extreme(main):
        return main, ()
    subject = find_subject(main, [*split.aside, *split.others], circumstances)
    spot, now = float(circumstances.spots[subject.asset]), circumstances.now
    tokens, notes = with_extremes(main, Setting(subject.asset, spot, now, now, circumstances.history), language)
    if notes and (subject.other or subject.left_out):
        raise invalid(
            "The high or low of a period is that of one asset. Ask about one asset, or name the levels in USD."
        )
    return tokens, notes


def deadline_of(
    split: SplitText,
    language: Language,
    circumstances: Circumstances,
    asset: str,
    *,
    run: int | None = None,
    is_week_over: bool = False,
) -> Deadline:
    """The deadline in the question itself, else the one in another sentence, else `until`, else in seven days."""
    now, until = circumstances.now, circumstances.until
    deadline = find_deadline(split.main, now, language, run=run, is_week_over=is_week_over)
    if calendar_of(asset) != "always":
        deadline = _of_trading(deadline, split.main, now)
    if until is None and not deadline.is_named and find_deadline(split.aside, now, language, is_strict=False).is_named:
        raise invalid("Only the circumstances have a date. Add a deadline for the price itself.", "deadline")
    if not deadline.is_named and split.others:
        deadline = replace(find_deadline(split.others, now, language, is_strict=False), rest=deadline.rest)
    if until is None:
        return deadline
    if deadline.is_named and deadline.at.date() != until.date():
        raise invalid(
            f"The question names {deadline.at:%Y-%m-%d %H:%M} UTC as its deadline, but the deadline of the request is "
            f"{until:%Y-%m-%d}. Remove the date from the question, or use {deadline.at:%Y-%m-%d} as the deadline.",
            "deadline",
        )
    return deadline if deadline.is_named else replace(deadline, at=until)


def _of_trading(deadline: Deadline, tokens: Sequence[Token], now: datetime) -> Deadline:
    """The deadline at the last close of trading where that of a week or a longer period is on a weekend."""
    at, since = trading_close(deadline.at), deadline.since
    is_period = since is not None and at - since > timedelta(days=1) and deadline.at.time() == DAY_END
    is_end = any(token.kind == "eo" and token.value in PERIODS for token in tokens)
    names_close = is_end or any(token.kind == "close" or token.value in COLOURS for token in tokens)
    return replace(deadline, at=at) if (is_period or is_end) and names_close and at > now else deadline


def _exemplified(detail: str, example: str) -> str:
    """The detail with this example in the place of the general one, or at its end where it has none."""
    detail = detail.replace(EXAMPLE, example)
    return detail if "or example" in detail else f"{detail} For example: {example}"


def proposals(reading: TokenizedText, circumstances: Circumstances) -> Iterator[tuple[str, str]]:
    """At most three questions close to the text, each with its canonical sentence; none without prices."""
    tokens, now, spots = with_days(reading.tokens), circumstances.now, circumstances.spots
    candidates = [asset for asset in ASSETS if math.isfinite(spots.get(asset, math.nan)) and spots[asset] > 0]
    if not candidates:
        return
    keys = dict.fromkeys(str(token.value) for token in tokens if token.kind == "asset")
    assets = [asset for asset in keys if asset in candidates] or candidates[:1]
    kinds, deadline = {token.kind for token in tokens}, None
    if kinds & {"asset", "number", *PREDICATES}:  # else it is that of the weather
        is_over = is_week_over(assets[0], now)
        with suppress(InvalidQuestion):
            deadline = find_deadline(tokens[:MOST_TOKENS], now, reading.language, is_week_over=is_over)
    deadline = deadline if deadline and deadline.is_named else None
    instant = deadline.at if deadline else datetime.combine(now.date() + DEFAULT, LAST_SECOND, now.tzinfo)
    rest = deadline.rest if deadline else tokens[:MOST_TOKENS]
    levels = () if "weight" in kinds else _levels(rest, spots[assets[0]])  # 20,000 yen a gram
    side = -1 if kinds & BEAR and not kinds & BULL else 1
    # Which of two assets returns more; whether levels are reached; up or down.
    asset, *others = assets
    spot = spots[asset]
    round_level = float(f"{spot * (1 + side * STEP):.1e}")  # two significant digits, about 5% away
    events = [(Subject(asset, others[0]), Criterion("relative"))] if others else []
    touches = [touch(checked(level, spot), upward=level > spot) for level in (levels or (round_level,))[:2]]
    events += [(Subject(asset), event) for event in (*touches, Criterion("up" if side > 0 else "down"))]
    for subject, criterion in events[:MOST_PROPOSALS]:
        question = build("", now, spot, subject, Deadline(circumstances.until or instant, []), criterion)
        yield brief(question), question.canonical


def _levels(tokens: Sequence[Token], spot: float) -> tuple[float, ...]:
    """The numbers that, as they stand, in thousands or in thousandths, may be levels."""
    amounts = [amount for amount in find_amounts(tokens) if not amount.is_percent and not amount.is_multiple]
    choices = [[amount.value(spot) * factor for factor in (1, 1000, 0.001)] for amount in amounts]
    matches = [next((level for level in levels if is_near(level, spot)), None) for levels in choices]
    return tuple(dict.fromkeys(level for level in matches if level is not None and level != spot))
