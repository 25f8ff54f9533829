"""A question part by part, as it was understood; with one part replaced it is another reading of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal

from service.market.assets import asset_of, is_week_over, trading_days
from service.questions.amounts import conversion_notes
from service.questions.canonical import canonical
from service.questions.circumstances import Circumstances, Setting
from service.questions.clause import Clause
from service.questions.criteria import QUANTILES, compare, find_criterion, nothing_definite, start_of_move
from service.questions.criterion import Assumption, Criterion, invalid, price
from service.questions.dates.deadline import Deadline
from service.questions.dates.roles import HOMONYMS
from service.questions.day_counts import MOST_DAYS, DayCount
from service.questions.earlier import Earlier, compared, with_known_price
from service.questions.extremes import EXTREMES
from service.questions.kinds import KINDS
from service.questions.kinds.levels import Close, Direction, First, Leave, Touch, of_zero
from service.questions.kinds.paths import DaysBeyond, DaysMoving
from service.questions.kinds.references import of_moving_average
from service.questions.levels import STEP
from service.questions.lexicon import ENGLISH, forms
from service.questions.question import Question
from service.questions.records import of_record
from service.questions.scope import asks_price_now, names_event
from service.questions.sentences import SplitText
from service.questions.single_days import HOW
from service.questions.subject import Subject
from service.questions.tokens import Token
from service.questions.vocabulary import MOTIONS, Language

RIVAL = Assumption("Either asset of the earlier comparison can be meant to be replaced.", "asset")
# What a text may take over from an earlier question.
Carryover = Literal["asset", "other_asset", "comparator", "level", "deadline"]
# Words for days other than those of the calendar.
WORKDAYS = forms("workdays")
DECIDED_NOTE = "The present price decides this already"
FAR_NOTE = "The level is far from the present price"
# Example: "touch 2k on Friday"
BEFORE_DAY = Assumption("Everything from now on counts, also what is before that day.", "moment")
EXTREME = Assumption(
    "How high or low the price gets until then is not forecast: the quantiles are those of the price at the deadline.",
    "event",
)
CONDITION = Assumption("The condition was ignored: the question is answered without it.", "condition")
LIKE_OTHER_DAYS = Assumption("Business days and trading days are counted like other days.", "deadline")
ONE_OF_SEVERAL = Assumption("Only one of several questions was considered.", "words")
TIME_ASKED = Assumption("A time was asked for: understood as whether it happens by the deadline.", "event")
NOT_NAMED = Assumption("No deadline was named: the deadline is in seven days.", "deadline")
NO_END_OF_ORDER = Assumption("No deadline was named: the deadline is in a year.", "deadline")
UNUSED_TIME = Assumption("A date or a time in the question was ignored.", "words")
MOST_WORDS = 8
# Kinds that name a date or a time; what remains of them after the dates were read has no meaning there.
TIMES = {
    "weekday", "month", "unit", "rel", "holiday", "season", "nth", "ampm", "daypart", "clock", "eo", "iso", "date",
    "slash", "glyphdate", "stamp", "weekend", "halfyear", "shortyear", "zone", "later", "ago", "after", "early", "late",
}  # fmt: skip
# Words of these kinds that also mean something else or only stand beside a date: "2027 года", "cuma günü".
BESIDE_TIMES = HOMONYMS | {
    *("day", "week", "from now", "год", "года", "году", "г", "gunu", "gunune", "ayinda", "ayinin", "saat", "天", "fy"),
}
# Kinds of words that change the meaning of some readings, by `Kind.uses`, or of none; of others they are left out.
UNUSED_KINDS = {"act", "other", "halfyear", "in_a_row"}
CHANGE_KINDS = UNUSED_KINDS.union(*(kind.uses for kind in KINDS.values()))
# Kinds after "and" that begin a second event, and those that may stand before it.
BEFORE_EVENT, SECOND = ("the", "filler", "will", "a"), MOTIONS | {"stay", "close", "above", "below", "up", "down"}

# Kinds beside "how" that ask for a price, not for how far it goes.
COSTS = {"be", "price"}


@dataclass(frozen=True)
class Parse:
    """The parts of a question; the `split` text no longer holds the count of days and the earlier instant.

    `pair` is what must happen to two assets at once, `level_notes` says where levels come from that are past highs or
    lows. `is_bound` means that the deadline comes from outside the text, so that nothing in it was ignored. `event` is
    what must happen where an earlier question says it, `carryover` names what was taken over from that question,
    `others` are other readings of such a text, each with the choice that it makes, and `follows` is that question.
    """

    text: str
    circumstances: Circumstances
    language: Language
    split: SplitText
    count: DayCount | None
    earlier: Earlier | None
    subject: Subject
    spot: float
    deadline: Deadline
    clause: Clause
    pair: Criterion | None
    level_notes: tuple[str, ...] = ()
    event: Criterion | None = None
    carryover: tuple[Carryover, ...] = ()
    follows: str | None = None
    others: tuple[tuple[Question, Assumption], ...] = ()

    @property
    def now(self) -> datetime:
        return self.circumstances.now

    @property
    def is_bound(self) -> bool:
        return self.circumstances.until is not None

    @cached_property
    def criterion(self) -> Criterion:
        """What must happen; raises InvalidQuestion where the parts do not fit together."""
        if self.event is not None:
            return self.event
        if self.pair is not None:
            return self.pair
        criterion = self._of_clause()
        negated = criterion.negated != (self.clause.negated and criterion.comparator != "open")
        criterion = replace(criterion, negated=negated)
        if self.earlier is not None:
            criterion = with_known_price(compared(self.clause, self.earlier, criterion, self.deadline), self.setting)
        if self.count is not None:
            start = self.deadline.start
            span = int((start or self.now).timestamp()), int(self.deadline.at.timestamp())
            days = len(trading_days(self.subject.asset, *span))
            return counted(criterion, self.count, days, start, stays="stay" in self.clause.kinds)
        # "How much will it rise?", but not "how likely is it to rise?"
        asks = any(token.kind == "how" or token.text == "how many" for token in self.split.main)
        asks_amount = asks and not any(token.kind in ("chance", "now") for token in self.split.main)
        has_amount = self.clause.amounts or self.level_notes
        if criterion.comparator in Direction.names and asks_amount and not has_amount:
            return Criterion("open").noted(QUANTILES)
        if criterion.comparator == "open" and not self.deadline.is_named and asks_price_now(self.clause.kinds):
            present = f"{asset_of(self.subject.asset).name} is at {price(self.spot)} USD now."
            return replace(criterion, notes=(present, *criterion.notes))
        return criterion

    @property
    def setting(self) -> Setting:
        return Setting(self.subject.asset, self.spot, self.now, self.deadline.at, self.circumstances.history)

    def _of_clause(self) -> Criterion:
        if self.subject.other:
            return compare(self.clause)
        if self.split.is_order and not self.clause.kinds & {"will", "reach"}:
            return nothing_definite()
        return (
            of_moving_average(self.clause, self.setting)
            or of_record(self.clause, self.setting, is_deadline_named=self.deadline.is_named)
            or find_criterion(self.clause, self.spot, self.deadline.preposition)
        )

    @cached_property
    def question(self) -> Question:
        """The question with its notes."""
        conversions = conversion_notes(self.clause.tokens, self.clause.amounts, self.circumstances.rates, self.spot)
        notes = (*self.subject.notes, *self.level_notes, *conversions, *self.criterion.notes)
        since = self.deadline.since
        has_begun = since is not None and since <= self.now
        move_notes = start_of_move(self.split.main, self.criterion, self.spot, has_begun=has_begun)
        notes += tuple(Assumption(note, "start") for note in move_notes)
        notes += (*_decided_note(self.criterion, self.spot), *_far_note(self))
        is_stay = isinstance(KINDS[self.criterion.comparator], Leave)  # whose denial is worded as staying there
        if self.clause.negated and self.criterion.negated and self.pair is None and not is_stay:
            notes += ("The question is a denial: YES means that it does not happen.",)
        is_moved = bool(self.clause.kinds & (MOTIONS - {"exceed"}))
        # After a question also alone: "how low?", unlike a mere "how?".
        asks_size = bool(self.carryover) and any(token.kind == "how" and " " in token.text for token in self.split.main)
        asks_size = asks_size and not self.clause.kinds & COSTS
        is_far = "how" in self.clause.kinds and (is_moved or asks_size)
        asks_extreme = is_far or any(token.value in EXTREMES for token in self.split.main)
        if self.criterion.comparator == "open" and asks_extreme:
            notes += (EXTREME,)
        if not self.is_bound:
            notes += (*_deadline_notes(self), *_notes(self.split))
        # One asset, one instant and no count of days.
        is_joint = self.subject.other is not None or self.pair is not None
        has_one_event = not is_joint and self.earlier is None and self.count is None
        notes += _unused_notes(self.clause, self.criterion, has_one_event=has_one_event)
        return self.with_criterion(replace(self.criterion, notes=notes))

    def with_criterion(self, criterion: Criterion) -> Question:
        """The question with another event."""
        return build(self.text, self.now, self.spot, self.subject, self.deadline, criterion)


def has_two_orders(tokens: Sequence[Token], language: Language) -> bool:
    """Whether a date such as "11/12/2026" may have the month or the day first: in English both are common."""
    dates = [token.text.split("/")[:2] for token in tokens if token.kind in ("date", "slash") and "/" in token.text]
    return language is ENGLISH and any(
        first != second and 1 <= int(first) <= 12 and 1 <= int(second) <= 12 for first, second in dates
    )


def _deadline_notes(parse: Parse) -> tuple[str, ...]:
    deadline, kind = parse.deadline, KINDS[parse.criterion.comparator]
    if not deadline.is_named:
        return (NO_END_OF_ORDER if isinstance(kind, First) else NOT_NAMED,)
    is_move = kind.counts_from_now or parse.criterion.level_pct is not None
    counts_from_now = is_move and parse.pair is None
    monday = (parse.now + timedelta(days=7 - parse.now.weekday())).date()
    is_closed = all(is_week_over(asset, parse.now) for asset in (parse.subject.asset, parse.subject.other) if asset)
    if deadline.start and deadline.start.date() == monday and is_closed:
        return deadline.notes  # there is no price before it
    if deadline.start is not None and counts_from_now:
        note = f"Everything from now on counts, also what is before {deadline.start:%Y-%m-%d}."
        return (*deadline.notes, Assumption(note, "start"))
    is_later = deadline.since is not None and deadline.since > parse.now
    return (*deadline.notes, BEFORE_DAY) if is_later and isinstance(kind, Touch) else deadline.notes


def _notes(split: SplitText) -> tuple[str, ...]:
    notes = [
        (CONDITION, split.has_condition or any(token.kind == "after" for token in split.aside)),
        (LIKE_OTHER_DAYS, any(token.text in WORKDAYS for token in split.main)),
        (ONE_OF_SEVERAL, split.has_more),
        (TIME_ASKED, any(token.kind == "when" for token in split.main)),
    ]
    return tuple(note for note, applies in notes if applies)


def _decided_note(criterion: Criterion, spot: float) -> tuple[str, ...]:
    """Example: "Fall below 100k", "stay above 100k" and "stay between 96k and 99k" while the price is at 94k."""
    level, upper, kind = criterion.level, criterion.upper_level, KINDS[criterion.comparator]
    is_touched = level is not None and isinstance(kind, Touch) and kind.side * spot >= kind.side * level
    is_left = level is not None and upper is not None and isinstance(kind, Leave) and not level < spot < upper
    if not (is_touched or is_left):
        return ()
    return (f"{DECIDED_NOTE}: at {price(spot)} USD it is {'NO' if criterion.negated else 'YES'}.",)


def _far_note(parse: Parse) -> tuple[str, ...]:
    """A level far below the price may be a distance that was not understood as one: "5k less than the record"."""
    criterion, spot = parse.criterion, parse.spot
    level = criterion.level
    if level is None or criterion.level_pct is not None or level >= STEP * spot or level == of_zero(spot).level:
        return ()
    note = f"{FAR_NOTE} of {price(spot)} USD."
    return (note if any(amount.is_money for amount in parse.clause.amounts) else Assumption(note, "level"),)


def build(
    text: str, now: datetime, spot: float, subject: Subject, deadline: Deadline, criterion: Criterion
) -> Question:
    """The question from its parts, with its canonical sentence."""
    event = {name: value for name, value in vars(criterion).items() if name != "by_spot"}
    question = Question(
        text=text,
        asset=subject.asset,
        other_asset=subject.other,
        deadline=deadline.at,
        horizon_hours=(deadline.at - now).total_seconds() / 3600,
        spot=spot,
        polarity="none",
        **event,
    )
    return replace(question, polarity=question.kind.polarity(question), canonical=canonical(question))


def _unused_notes(clause: Clause, criterion: Criterion, *, has_one_event: bool) -> tuple[str, ...]:
    """The notes about words, numbers and times to which no meaning was found."""
    tokens = clause.tokens
    words = [token.text for place, token in enumerate(tokens) if _is_unused(clause, place, criterion, has_one_event)]
    left_out = " ".join(dict.fromkeys(words[:MOST_WORDS]))
    note = Assumption(f"Not understood and left out: “{left_out}”.", "words")
    notes = {note: bool(words), UNUSED_TIME: names_event(tokens)}
    return tuple(note for note, applies in notes.items() if applies)


def _is_unused(clause: Clause, place: int, criterion: Criterion, has_one_event: bool) -> bool:
    token, kind = clause.tokens[place], KINDS[criterion.comparator]
    if clause.covers(place):
        return False
    if token.kind == "word":
        return len(token.text) > 1 or not token.text.isascii()
    if token.kind in TIMES:
        return token.text not in BESIDE_TIMES
    if token.kind in ("multiple", "fraction"):
        return has_one_event and criterion.level_pct is None
    if token.kind == "record":
        return bool(clause.amounts)
    if token.kind == "ordinal":
        return not isinstance(kind, First)
    if token.kind == "filler":
        is_far = token.value in (*EXTREMES, "all") and (isinstance(kind, Close) or criterion.level_pct is not None)
        return token.value == "open" or is_far
    if token.kind == "than":
        return has_one_event and "now" not in clause.kinds
    if token.kind == "and":  # "and hold it", "and close below"
        behind = (later.kind for later in clause.tokens[place + 1 :] if later.kind not in BEFORE_EVENT)
        return has_one_event and criterion.comparator != "between" and next(behind, "") in SECOND
    if token.kind == "or":  # "moon or back to 1.50"
        return has_one_event and isinstance(kind, Close | Touch) and clause.tokens[place - 1].kind in ("rise", "fall")
    if token.kind == "outperform" and clause.amounts:
        return False  # "beat 95k"
    return (has_one_event or token.kind == "average") and token.kind in CHANGE_KINDS and token.kind not in kind.uses


def counted(
    criterion: Criterion, count: DayCount, trading_days: int, start: datetime | None = None, *, stays: bool = False
) -> Criterion:
    """The criterion for each day as one for a number of days, of which there are `trading_days` until the deadline.

    They are counted from `start`, or from now. `stays` if the price is to stay on one side of a level.
    """
    is_every_day = count == DayCount(None)
    if is_every_day and isinstance(KINDS[criterion.comparator], Touch) and criterion.negated:
        return criterion  # "stay above 90k every day" is to stay above it
    if is_every_day and criterion.comparator in ("between", "leave"):
        negated = criterion.negated != (criterion.comparator == "between")
        return replace(criterion, comparator="leave", negated=negated)  # "between 90k and 95k all week"
    daily = _daily(criterion, stays=stays)
    if is_every_day and daily.negated and daily.comparator in DaysBeyond.names:
        opposite = DaysBeyond.of(-KINDS[daily.comparator].side)
        daily = replace(daily, comparator=opposite, negated=False)  # "no higher than 2.4 all week"
    half = (trading_days + 1) // 2
    shares = {"": trading_days, "most": trading_days // 2 + 1, "half": half, "number": half}
    days = shares[count.share] if count.days is None else count.days
    if trading_days > MOST_DAYS:
        raise invalid(f"Days are counted over at most {MOST_DAYS} days. Name an earlier deadline.", "deadline")
    if not 1 <= days <= trading_days:
        raise invalid(
            f"Only {trading_days} trading days end by the deadline. Name a later deadline or fewer days.", "deadline"
        )
    negated = daily.negated != count.negated
    result = replace(daily, level_pct=None, days=days, in_a_row=count.in_a_row, negated=negated, earlier=start)
    if count.share == "number":
        note = f"The number of days is not forecast, but whether there are at least {days} of {trading_days}."
        result = result.noted(note, "size")
    elif count.share:
        share = {"most": "Most days", "half": "Half of the days"}[count.share]
        result = result.noted(f"{share} are understood as at least {days} of {trading_days}.")
    return result.noted(_note(result.comparator, start))


def _daily(criterion: Criterion, *, stays: bool) -> Criterion:
    """The criterion of one day, by its closing price."""
    kind = KINDS[criterion.comparator]
    if stays and isinstance(kind, Touch):  # a price that stays above a level is written as one that never touches it
        return replace(criterion, comparator=DaysBeyond.of(-kind.side), negated=not criterion.negated)
    if not isinstance(kind, Close | Direction) or criterion.comparator == "open":
        raise invalid(f"Days are counted by their closing prices, above or below a level, up or down. {HOW}")
    days = DaysBeyond if isinstance(kind, Close) else DaysMoving
    return replace(criterion, comparator=days.of(kind.side))


def _note(comparator: str, start: datetime | None) -> str:
    first_day = f"{start:%Y-%m-%d}" if start else "now"
    note = f"Days are counted in UTC from {first_day} to the deadline, by the last price of each trading day that ends "
    note += "by then."
    if comparator in DaysMoving.names:
        note += f" Each is compared with the one before it{'' if start else ', the first with the present price'}."
    return note
