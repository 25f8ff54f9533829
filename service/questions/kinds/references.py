"""Kinds that compare with another price or measure: an earlier price, a moving average, the volatility of a year.

Behind them stand those without a price of their own: two events at once, an event that no price decides, no event.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from service.market.assets import asset_of, calendar_of, trading_days
from service.market.instants import DAY
from service.questions.amounts import find_amounts
from service.questions.criterion import Criterion, checked, invalid, price
from service.questions.kinds.kind import COMPARISONS, Chances, Identity, Kind, Polarity, polarity_of
from service.questions.kinds.levels import LAST, SPAN, Direction, close, touch
from service.questions.kinds.path import Path, RecordedPath, Values
from service.questions.kinds.paths import Width
from service.questions.tokens import Token

if TYPE_CHECKING:
    from service.questions.circumstances import Setting
    from service.questions.clause import Clause
    from service.questions.question import Question

FEWEST, LONGEST_AVERAGE = 2, 400  # days of an average
# A touch of today's average is asked about only if this share of its days, at most, is still to come.
LARGEST_SHARE = 0.25
HOW = "For example: Will bitcoin be above its 200-day moving average on December 31?"
# Kinds that may separate the number from the words: "200-day", "moving average of 200 days", "moyenne mobile à 200".
SEPARATORS = {"the", "a", "in", "to", "filler", "mark", "on", "within", "during"}
WEEKLY = {"week", "w", "wma"}


class Comparison(Kind):
    """The last price at or before the deadline is beyond the last one at or before `earlier`."""

    names = ("above_earlier", "below_earlier")
    sentence = "Will {asset} {no}be {higher} at {deadline} than at {earlier}?"
    reference = "the last one at or before {earlier}"
    condition = (f"{LAST} {{above}} {reference}", f"{LAST} at or {{below}} {reference}")
    counts_from_now = False
    counts_past = False

    def instants(self, question: Question, path: RecordedPath) -> Sequence[int]:
        return int(question.starts_at.timestamp()), path.until

    def event(self, question: Question, path: Path) -> Values:
        before, after = path.closes((int(question.starts_at.timestamp()) + 1, path.until + 1))
        return self.is_beyond(after, before)

    def probability(self, question: Question, chances: Chances) -> float:
        above = chances.above_earlier(int(question.starts_at.timestamp()))
        return above if self.side > 0 else 1 - above

    def evidence(self, question: Question, path: RecordedPath) -> str:
        return "; ".join(map(path.close_at, self.instants(question, path)))


class MovingAverage(Kind):
    """The last price is beyond the mean of the last `days` daily closes; `level` is the mean of those known before."""

    names = ("above_moving_average", "below_moving_average")
    sentence = "Will {asset} {no}be {above} its {count}-day moving average at {deadline}?"
    mean = "the mean of its last {count} daily closes (UTC) by then{known_mean}"
    condition = (f"{LAST} {{above}} {mean}", f"{LAST} at or {{below}} {mean}")
    uses = frozenset({"average", "stay"})
    counts_from_now = False

    def event(self, question: Question, path: Path) -> Values:
        return self.is_beyond(path.final, self._mean(question, path))

    def _mean(self, question: Question, path: Path) -> Values:
        days = question.least_days
        ends = trading_days(question.asset, path.now, path.until)[-days:]
        return ((days - len(ends)) * (question.level or 0.0) + path.total(ends)) / days

    def evidence(self, question: Question, path: RecordedPath) -> str:
        final, mean = path.final, self._mean(question, path)
        return f"{path.asset} close {final:.10g}, mean {mean:.10g} of the last {question.least_days} daily closes"


class Volatility(Width):
    """The annualised realised volatility until the deadline is above `level_pct` percent."""

    names = ("volatility",)
    sentence = "Will the annualised volatility of {asset} {no}exceed {pct}% by {deadline}?"
    root = (
        "the root of the mean squared log return between the hourly closing prices of {asset} "
        + SPAN
        + ", times the root of {year_hours} trading hours of a year, is"
    )
    condition = (root + " above {pct}%", root + " at most {pct}%")

    def event(self, question: Question, path: Path) -> Values:
        return path.volatility > question.size

    def probability(self, question: Question, chances: Chances) -> float:
        return chances.more_volatile(question.size)

    def evidence(self, question: Question, path: RecordedPath) -> str:  # noqa: ARG002
        moves = max(0, len(path.hourly_closes) - 1)
        return f"{path.asset} volatility {100 * path.volatility:.2f}% a year from {moves} hourly returns"


class Joint(Kind):
    """Both events of the `legs` take place, or at least one; each is decided on the path of its own asset."""

    counts_from_now = False
    counts_past = False

    def polarity(self, question: Question) -> Polarity:
        sides = {part.kind.polarity(part) for part in question.parts}
        return "none" if len(sides) > 1 else polarity_of(1 if "bull" in sides else -1, question)

    def identity(self, question: Question) -> Identity:
        events = tuple((part.asset, part.comparator) for part in question.parts)
        return (self.name, question.negated, events), tuple(leg.level or leg.spot for leg in question.legs)


class Both(Joint):
    """The events of both legs take place."""

    names = ("both",)
    sentence = "Will {no}both {first} and {second} by {deadline}?"

    def probability(self, question: Question, chances: Chances) -> float:  # noqa: ARG002
        _, _, joint = chances.both()
        return joint


class Either(Joint):
    """The event of at least one leg takes place."""

    names = ("either",)
    sentence = ("Will either {first} or {second} by {deadline}?", "Will neither {first} nor {second} by {deadline}?")

    def probability(self, question: Question, chances: Chances) -> float:  # noqa: ARG002
        first, second, joint = chances.both()
        return first + second - joint


class TopicKind(Kind):
    """The event that `text` states, which no price decides: its sentence is the text."""

    names = ("topic",)
    sentence = "{text}"
    condition = (
        "Resolved by hand by the operator: YES if it has happened by {deadline}, NO if not, void if that cannot be "
        "determined. Only language models vote on it.",
    )
    is_sided = False
    counts_from_now = False
    counts_past = False
    is_decided_by_hand = True


class Open(Direction):
    """No criterion was named: treated as `up`, over seven days if no date was named, and `notes` say so."""

    names = ("open",)
    sentence = "Where is {asset} heading: will it be above its present price of {spot} USD at {deadline}?"
    condition = ()
    leg = ()
    uses = COMPARISONS | {"average", "stay"}
    counts_from_now = False
    counts_past = True
    asks_rise = False

    def level(self, question: Question) -> float | None:  # noqa: ARG002
        return None


def of_moving_average(clause: Clause, setting: Setting) -> Criterion | None:
    """What a clause asks of a moving average; None for a clause about anything else."""
    if "indicator" in clause.kinds:
        raise invalid(
            f"Of the indicators of charts only simple moving averages of daily closes are supported. {HOW}",
            "no_price",
        )
    average = next((token for token in clause.tokens if token.kind == "moving_average"), None)
    if average is None:
        return None
    if clause.amounts:
        raise invalid(f"A moving average is compared with the price itself. Ask without another level. {HOW}")
    days = _days(average.quantity, setting.asset)
    now = int(setting.now.timestamp())
    past = [end for end in trading_days(setting.asset, now - (2 * days + 10) * DAY, now) if end <= now]
    closes = setting.closes(past[-days:])
    if closes is None:
        raise invalid(f"Fewer than {days} days of {asset_of(setting.asset).name} are stored. Name a shorter average.")
    mean = sum(closes) / days
    ends = trading_days(setting.asset, now, int(setting.deadline.timestamp()))
    meets = "meet" in clause.kinds and not (clause.is_above or clause.is_below)  # Turkish "olur" also means "is"
    if meets or clause.kinds & {"break", "reach"}:
        return _crossing(clause, setting, days, mean, len(ends))
    upward = not clause.is_below and clause.direction_at(None) >= 0
    if not ends:
        return close(checked(mean, setting.spot), upward).noted(_present(setting, days, mean))
    remainder = closes[len(ends) :]
    level = checked(sum(remainder) / len(remainder), setting.spot) if remainder else None
    notes = (
        "For a moving average, only the price at the deadline counts.",
        _present(setting, days, mean),
        f"At the deadline, {len(remainder)} of its {days} daily closes are those known today, and their mean counts.",
    )
    return Criterion(MovingAverage.names[not upward], level, days=days, notes=notes)


def _days(count: float, asset: str) -> int:
    """The number of trading days; weeks were counted as seven, of which metals trade on five."""
    is_weeks = count % 7 == 0 and count > LONGEST_AVERAGE
    days = count * 5 / 7 if is_weeks and calendar_of(asset) != "always" else count
    if days != int(days) or not FEWEST <= days <= LONGEST_AVERAGE:
        raise invalid(
            f"The number of days of a moving average must be whole, from {FEWEST} to {LONGEST_AVERAGE}. {HOW}"
        )
    return int(days)


def _crossing(clause: Clause, setting: Setting, days: int, mean: float, future_days: int) -> Criterion:
    """Reaching today's average, which hardly moves until a deadline that is near."""
    if future_days > LARGEST_SHARE * days:
        raise invalid(
            f"A {days}-day average moves too much until the deadline. Ask on which side of it the price will be. {HOW}"
        )
    level = checked(mean, setting.spot)
    sign = clause.direction_at(None) or int(clause.is_above) - int(clause.is_below)
    if sign * (level - setting.spot) < 0:
        side = "above" if sign > 0 else "below"
        raise invalid(f"The price is already {side} its {days}-day average of {price(level)} USD. {HOW}")
    return (
        touch(level, level >= setting.spot)
        .noted(_present(setting, days, mean))
        .noted("To cross it is understood as to reach its present value by the deadline.", "level")
    )


def _present(setting: Setting, days: int, mean: float) -> str:
    return f"The {days}-day average of {asset_of(setting.asset).name} is {price(float(f'{mean:.10g}'))} USD today."


def with_moving_average(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with "200 day moving average" as one token whose value is the number of days."""
    tokens = _named(tokens)
    place = next((place for place, token in enumerate(tokens) if token.kind == "moving_average"), None)
    if place is None:
        return list(tokens)
    first, after = place, place + 1
    counts = [amount for amount in find_amounts(tokens) if not amount.is_marked and not amount.is_percent]
    for amount in counts:
        if amount.after <= place and _only(tokens[amount.after : place]):
            first = amount.first
        elif amount.first >= after and _only(tokens[after : amount.first]):
            after = amount.after + (amount.after < len(tokens) and tokens[amount.after].kind == "unit")
        else:
            continue
        words = [*tokens[amount.after : place + 1], *tokens[amount.after : after]]
        is_weekly = any(token.value == "week" or bool(WEEKLY & set(token.text.split())) for token in words)
        days = amount.values[0] * (7 if is_weekly else 1)
        return [*tokens[:first], replace(tokens[place], value=days), *tokens[after:]]
    raise invalid(f"Name the number of days of the moving average. {HOW}")


def _named(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with the average of "above the average of 200 days" as a moving one."""
    place = next((place for place, token in enumerate(tokens) if token.kind == "average"), None)
    if place is None or not any(token.kind in ("above", "below", "break") for token in tokens[:place]):
        return tokens
    behind = [token for token in tokens[place + 1 : place + 5] if token.kind not in ("the", "last", "to")][:2]
    if [token.kind for token in behind] != ["number", "unit"] or behind[1].value != "day":
        return tokens
    return [*tokens[:place], replace(tokens[place], kind="moving_average"), *tokens[place + 1 :]]


def _only(between: Sequence[Token]) -> bool:
    return all(token.kind in SEPARATORS or token.kind == "unit" or token.text == "-" for token in between)
