"""Questions about a moving average: above its 200-day average at year end, cross the 50-day average this week.

The average is the mean of the last daily closes at the deadline. Those that are known today are part of the question;
the others are those of the days until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.market.assets import asset_of, calendar_of, trading_days
from service.market.instants import DAY
from service.questions.amounts import find_amounts
from service.questions.canonical import price
from service.questions.clause import Clause
from service.questions.criterion import Criterion, checked, close, touch
from service.questions.history import Setting
from service.questions.kinds.references import MovingAverage
from service.questions.refusals import invalid
from service.questions.tokens import Token

FEWEST, MOST = 2, 400  # days of an average
# Kinds that may separate the number from the words: "200-day", "moving average of 200 days", "moyenne mobile à 200".
BESIDE = {"the", "a", "in", "to", "filler", "mark", "on", "within", "during"}
WEEKLY = {"week", "w", "wma"}
# A touch of today's average is asked about only if this share of its days, at most, is still to come.
LARGEST_SHARE = 0.25
CROSSING = {"break", "reach"}
HOW = "For example: Will bitcoin be above its 200-day moving average on December 31?"


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
        days = amount.values[0] * (7 if _is_weekly(words) else 1)
        return [*tokens[:first], replace(tokens[place], value=days), *tokens[after:]]
    raise invalid(f"Name the number of days of the moving average. {HOW}")


def _named(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with the average of "above the average of 200 days" as a moving one."""
    place = next((place for place, token in enumerate(tokens) if token.kind == "average"), None)
    if place is None or not any(token.kind in ("above", "below", "break") for token in tokens[:place]):
        return tokens
    behind = [token for token in tokens[place + 1 : place + 5] if token.kind not in ("the", "last", "to")][:2]
    is_of_days = [token.kind for token in behind] == ["number", "unit"] and behind[1].value == "day"
    return (
        [*tokens[:place], replace(tokens[place], kind="moving_average"), *tokens[place + 1 :]] if is_of_days else tokens
    )


def _only(between: Sequence[Token]) -> bool:
    return all(token.kind in BESIDE or token.kind == "unit" or token.text == "-" for token in between)


def _is_weekly(words: Sequence[Token]) -> bool:
    return any(token.value == "week" or bool(WEEKLY & set(token.text.split())) for token in words)


def of_moving_average(clause: Clause, setting: Setting) -> Criterion | None:
    """The criterion of a question about a moving average; None for any other."""
    if "indicator" in clause.kinds:
        raise invalid(f"Of the indicators of charts only simple moving averages of daily closes are supported. {HOW}")
    average = next((token for token in clause.tokens if token.kind == "moving_average"), None)
    if average is None:
        return None
    if clause.amounts:
        raise invalid(f"A moving average is compared with the price itself. Ask without another level. {HOW}")
    days = _days(average.quantity, setting.asset)
    ends = trading_days(setting.asset, int(setting.now.timestamp()), int(setting.deadline.timestamp()))
    closes = _known_closes(setting, days)
    mean = sum(closes) / days
    meets = "meet" in clause.kinds and not (clause.is_above or clause.is_below)  # Turkish "olur" also means "is"
    if meets or clause.kinds & CROSSING:
        return _crossing(clause, setting, days, mean, len(ends))
    upward = not clause.is_below and clause.direction_at(None) >= 0
    if not ends:
        return close(checked(mean, setting.spot), upward).noted(_present(setting, days, mean))
    staying = closes[len(ends) :]
    level = checked(sum(staying) / len(staying), setting.spot) if staying else None
    criterion = Criterion(MovingAverage.names[not upward], level, days=days)
    criterion = criterion.noted("For a moving average, only the price at the deadline counts.")
    return criterion.noted(_present(setting, days, mean)).noted(
        f"At the deadline, {len(staying)} of its {days} daily closes are those known today, and their mean counts."
    )


def _days(count: float, asset: str) -> int:
    """The number of trading days; weeks were counted as seven, of which metals trade on five."""
    is_weeks = count % 7 == 0 and count > MOST
    days = count * 5 / 7 if is_weeks and calendar_of(asset) != "always" else count
    if days != int(days) or not FEWEST <= days <= MOST:
        raise invalid(f"The number of days of a moving average must be whole, from {FEWEST} to {MOST}. {HOW}")
    return int(days)


def _known_closes(setting: Setting, days: int) -> list[float]:
    """The closes of the last trading days that have ended, the oldest first."""
    now = int(setting.now.timestamp())
    ends = [end for end in trading_days(setting.asset, now - (2 * days + 10) * DAY, now) if end <= now][-days:]
    closes = setting.closes(ends)
    if closes is None:
        raise invalid(f"Fewer than {days} days of {asset_of(setting.asset).name} are stored. Name a shorter average.")
    return closes


def _crossing(clause: Clause, setting: Setting, days: int, mean: float, ahead: int) -> Criterion:
    """Reaching today's average, which hardly moves until a deadline that is near."""
    if ahead > LARGEST_SHARE * days:
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
        .noted("To cross it is understood as to reach its present value by the deadline.")
    )


def _present(setting: Setting, days: int, mean: float) -> str:
    return f"The {days}-day average of {asset_of(setting.asset).name} is {price(float(f'{mean:.10g}'))} USD today."
