"""A question part by part, as it was understood; with one part replaced it is another reading of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from service.market.assets import asset_of, trading_days
from service.questions.canonical import canonical
from service.questions.circumstances import Circumstances
from service.questions.clause import Clause
from service.questions.criteria import compare, find_criterion
from service.questions.criterion import Criterion, price
from service.questions.currencies import conversion_notes
from service.questions.daily import counted
from service.questions.dates.deadline import Deadline
from service.questions.day_counts import DayCount
from service.questions.earlier import Earlier, compared, with_known_price
from service.questions.history import Setting
from service.questions.kinds import KINDS
from service.questions.kinds.levels import Touch, of_zero
from service.questions.levels import STEP
from service.questions.lexicon import ENGLISH
from service.questions.moves import nothing_definite, start_of_move
from service.questions.question import Question
from service.questions.records import of_record
from service.questions.scope import asks_price_now
from service.questions.sentences import SplitText
from service.questions.subject import Subject
from service.questions.tokens import Token
from service.questions.unused import unused_notes
from service.questions.vocabulary import Language

# Words for days other than those of the calendar.
WORKDAYS = {"trading days", "business days", "営業日"}
DECIDED = "The present price decides this already"
FAR = "The level is far from the present price"
BEFORE_DAY = "Everything from now on counts, also what is before that day."  # "touch 2k on Friday"
NOT_NAMED = "No deadline was named: the deadline is in seven days."


@dataclass(frozen=True)
class Parse:
    """The parts of a question; the `split` text no longer holds the count of days and the earlier instant.

    `pair` is what must happen to two assets at once, `priced` says where levels come from that are past highs or lows.
    `is_bound` means that the deadline comes from outside the text, so
    that nothing in it was ignored.
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
    priced: tuple[str, ...] = ()

    @property
    def now(self) -> datetime:
        return self.circumstances.now

    @property
    def is_bound(self) -> bool:
        return self.circumstances.until is not None

    @cached_property
    def criterion(self) -> Criterion:
        """What must happen; raises InvalidQuestion where the parts do not fit together."""
        if self.pair is not None:
            return self.pair
        criterion = self._of_clause()
        negated = criterion.negated != (self.clause.negated and criterion.comparator != "open")
        criterion = replace(criterion, negated=negated)
        if self.earlier is not None:
            criterion = with_known_price(compared(self.clause, self.earlier, criterion, self.deadline), self._setting)
        if self.count is not None:
            return self._counted(criterion)
        if criterion.comparator == "open" and not self.deadline.is_named and asks_price_now(self.clause.kinds):
            present = f"{asset_of(self.subject.asset).name} is at {price(self.spot)} USD now."
            return replace(criterion, notes=(present, *criterion.notes))
        return criterion

    @property
    def _setting(self) -> Setting:
        return Setting(self.subject.asset, self.spot, self.now, self.deadline.at, self.circumstances.history)

    def _counted(self, criterion: Criterion) -> Criterion:
        assert self.count is not None
        begin = self.deadline.begin
        span = int((begin or self.now).timestamp()), int(self.deadline.at.timestamp())
        days = len(trading_days(self.subject.asset, *span))
        return counted(criterion, self.count, days, begin, stays="stay" in self.clause.kinds)

    def _of_clause(self) -> Criterion:
        if self.subject.other:
            return compare(self.clause)
        if self.split.is_order and not self.clause.kinds & {"will", "reach"}:
            return nothing_definite()
        for kind in KINDS.values():
            if criterion := kind.read(self.clause, self._setting):
                return criterion
        if record := of_record(self.clause, self._setting):
            return record
        return find_criterion(self.clause, self.spot, self.deadline.preposition)

    @cached_property
    def question(self) -> Question:
        """The question with its notes."""
        converted = conversion_notes(self.clause.tokens, self.clause.amounts, self.circumstances.rates, self.spot)
        notes = (*self.subject.notes, *self.priced, *converted, *self.criterion.notes)
        since = self.deadline.since
        has_begun = since is not None and since <= self.now
        notes += start_of_move(self.split.main, self.criterion, self.spot, has_begun=has_begun)
        notes += (*_decided_note(self.criterion, self.spot), *_far_note(self.criterion, self.spot))
        if self.clause.negated and self.criterion.negated and self.pair is None:
            notes += ("The question is a denial: YES means that it does not happen.",)
        if not self.is_bound:
            notes += (*_deadline_notes(self), *_notes(self.split), *_amount_note(self))
        notes += unused_notes(self.clause, self.criterion, has_one_event=self._has_one_event)
        return self.with_criterion(replace(self.criterion, notes=notes))

    @property
    def _has_one_event(self) -> bool:
        """Whether one asset, one instant and no count of days are asked about."""
        is_joint = self.subject.other is not None or self.pair is not None
        return not is_joint and self.earlier is None and self.count is None

    def with_criterion(self, criterion: Criterion) -> Question:
        """The question with another event."""
        return build(self.text, self.now, self.spot, self.subject, self.deadline, criterion)


def has_two_orders(tokens: Sequence[Token], language: Language) -> bool:
    """Whether a date such as "11/12/2026" may have the month or the day first: in English both are common."""
    return language is ENGLISH and any(_is_in_two_orders(token) for token in tokens)


def _is_in_two_orders(token: Token) -> bool:
    if token.kind not in ("date", "slash") or "/" not in token.text:
        return False
    first, second = token.text.split("/")[:2]
    return first != second and 1 <= int(first) <= 12 and 1 <= int(second) <= 12


def _deadline_notes(parse: Parse) -> tuple[str, ...]:
    deadline = parse.deadline
    if not deadline.is_named:
        return (NOT_NAMED,)
    kind = KINDS[parse.criterion.comparator]
    is_move = kind.counts_from_now or parse.criterion.level_pct is not None
    counts_from_now = is_move and parse.pair is None
    if deadline.begin is not None and counts_from_now:
        return (*deadline.notes, f"Everything from now on counts, also what is before {deadline.begin:%Y-%m-%d}.")
    is_later = deadline.since is not None and deadline.since > parse.now
    return (*deadline.notes, BEFORE_DAY) if is_later and isinstance(kind, Touch) else deadline.notes


def _notes(split: SplitText) -> tuple[str, ...]:
    notes = []
    if split.has_condition or any(token.kind == "after" for token in split.aside):
        notes.append("The condition was ignored: the question is answered without it.")
    if any(token.text in WORKDAYS for token in split.main):
        notes.append("Business days and trading days are counted like other days.")
    if split.has_more:
        notes.append("Only one of several questions was considered.")
    if any(token.kind == "when" for token in split.main):
        notes.append("A time was asked for: understood as whether it happens by the deadline.")
    return tuple(notes)


def _decided_note(criterion: Criterion, spot: float) -> tuple[str, ...]:
    """ "Fall below 100k" and "stay above 100k" while the price is at 94k."""
    level, kind = criterion.level, KINDS[criterion.comparator]
    if level is None or not isinstance(kind, Touch) or kind.side * spot < kind.side * level:
        return ()
    return (f"{DECIDED}: at {price(spot)} USD it is {'NO' if criterion.negated else 'YES'}.",)


def _far_note(criterion: Criterion, spot: float) -> tuple[str, ...]:
    """A level far below the price may be a distance that was not understood as one: "5k less than the record"."""
    level = criterion.level
    if level is None or criterion.level_pct is not None:
        return ()
    is_distance = level < STEP * spot and level != of_zero(spot).level
    return (f"{FAR} of {price(spot)} USD.",) if is_distance else ()


def _amount_note(parse: Parse) -> tuple[str, ...]:
    """ "How much will it rise?", but not "how likely is it to rise?"."""
    kinds = {token.kind for token in parse.split.main}
    asks = "how" in kinds or any(token.text == "how many" for token in parse.split.main)
    is_amount = asks and "chance" not in kinds and not (parse.clause.amounts or parse.priced)
    if not is_amount or parse.criterion.comparator == "open":
        return ()
    return ("An amount was asked for: understood as whether it happens.",)


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
