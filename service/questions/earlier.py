"""Comparisons of two instants: higher on Christmas than on Thanksgiving, above its November close at year end.

The earlier instant is taken out of the question before its deadline is read. If it has passed, its price is known and
the question is one about a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from service.market.assets import asset_of, calendar_of, trading_close
from service.questions.circumstances import Setting
from service.questions.clause import Clause
from service.questions.criteria import COLOURS
from service.questions.criterion import Criterion, checked, invalid, price
from service.questions.dates.clocks import DAY_END
from service.questions.dates.deadline import Deadline
from service.questions.dates.matching import Span, spans
from service.questions.dates.periods import shifted
from service.questions.dates.reading import Today
from service.questions.dates.roles import OVER_TIME, with_units
from service.questions.kinds import KINDS
from service.questions.kinds.levels import close
from service.questions.kinds.references import Comparison
from service.questions.lexicon import forms
from service.questions.tokens import Token
from service.questions.vocabulary import Language

THAN = {"than", "versus"}
# French, Spanish, Portuguese and Italian words that mean "than" between two dates.
QUE = forms("than_date")
SIDES = {"above": 1, "exceed": 1, "up": 1, "below": -1, "down": -1}
# Japanese puts the comparison after the instant: "higher than November 30".
AFTERWARDS = "より"
# Kinds that may stand between the comparison and the instant, and those of them that name its price.
BETWEEN = {"the", "a", "on", "in", "to", "filler", "price", "close", "be", "what", "did", "during"}
PRICES = {"price", "close", "did", "what"}
# Kinds after the instant that belong to it: "its November close", "last Friday's price".
BEHIND = {"filler", "close", "price"}
YEAR, WEEK = timedelta(days=365), timedelta(weeks=1)
HOW = "For example: Will bitcoin be higher on December 31 than on November 30?"


@dataclass(frozen=True)
class Earlier:
    """The instant to compare with; `sign` is 1 for above, -1 for below, 0 if other words name the side.

    The same instant of the time before is `step` earlier: a week for a weekday.
    """

    at: datetime
    sign: int
    step: timedelta = YEAR


def find_earlier(tokens: Sequence[Token], now: datetime, language: Language) -> tuple[Earlier | None, list[Token]]:
    """The instant that the price at the deadline is compared with, if any, and the other tokens."""
    words = with_units(tokens)
    dates = spans(words, Today(now, day_first=not language.month_first))
    for span in dates:
        anchor = _anchor(words, span, language, is_only=len(dates) == 1)
        if anchor is None:
            continue
        after = span.after
        while after < len(words) and words[after].kind in BEHIND:
            after += 1
        sign, first, after = SIDES.get(words[anchor].kind, 0), min(anchor, span.first), max(anchor + 1, after)
        if words[span.first].kind == "rel" and words[span.first].value == 0:  # "higher than today" is to be up
            side = [replace(words[anchor], kind="up" if sign > 0 else "down")] if sign else []
            return None, [*words[:first], *side, *words[after:]]
        kinds = {token.kind for token in words[span.first : span.after]}
        step = WEEK if kinds == {"weekday"} else YEAR
        return Earlier(span.dates.end, sign, step), [*words[:first], *words[after:]]
    return None, list(tokens)


def _anchor(tokens: Sequence[Token], span: Span, language: Language, *, is_only: bool) -> int | None:
    """The place of the comparison that this date follows; None where the date is that of the question itself."""
    after = span.after
    behind, second, *_ = [*tokens[after : after + 2], Token("", ""), Token("", "")]
    while after < len(tokens) and tokens[after].kind in ("the", "close", "price"):
        after += 1
    if after < len(tokens) and tokens[after].text.startswith(AFTERWARDS) and tokens[after].kind != "before":
        return after
    is_past = span.is_past and language.postpositions and span.after < after < len(tokens)
    if is_past and tokens[after].kind in SIDES:
        return after  # Turkish "geçen haftanın kapanışını geçer mi"
    place, between = span.first - 1, [token.kind for token in tokens[span.first : span.after]]
    while place >= 0 and tokens[place].kind in BETWEEN and (is_only or tokens[place].text not in QUE):
        between.append(tokens[place].kind)
        place -= 1
    if place < 0:
        return None
    word = tokens[place]
    if word.kind in THAN or (word.text in QUE and not is_only and place):
        return place
    possessive = second.kind if behind.kind == "filler" else behind.kind
    is_price = bool(PRICES & {*between, possessive}) or word.text.endswith((" als", " than", " que"))
    is_side = word.kind in ("above", "below", "exceed") and "now" not in between
    return place if is_side and (is_price or (word.text not in OVER_TIME and not is_only)) else None


def of_period(clause: Clause, deadline: Deadline, asset: str) -> Earlier | None:
    """A green week or a red month, whose end is compared with the last close before; None for other questions."""
    signs = {COLOURS[str(token.value)] for token in clause.tokens if token.value in COLOURS}
    is_day_end = deadline.at.time() == DAY_END
    is_denial = len(signs) > 1 and "not" in clause.kinds  # "green, not red"
    if deadline.since is None or not is_day_end or not signs or clause.amounts or is_denial:
        return None
    at = deadline.since - timedelta(seconds=1)
    return Earlier(at if calendar_of(asset) == "always" else trading_close(at), max(signs))


def compared(clause: Clause, earlier: Earlier, criterion: Criterion, deadline: Deadline) -> Criterion:
    """The criterion of a question that compares the price at the deadline with that at another instant."""
    if clause.amounts:
        raise invalid(f"Of two instants, ask which price is higher, without a level or a percentage. {HOW}")
    sign = earlier.sign or clause.direction_at(None) or int(clause.is_above) - int(clause.is_below)
    if not sign:
        raise invalid(f"Say whether the later price is to be higher or lower. {HOW}")
    notes = criterion.notes if criterion.comparator == "up" else ()  # "up or down: YES means up"
    at = _before(earlier, deadline.at)
    return Criterion(Comparison.of(sign), earlier=at, negated=criterion.negated, notes=notes)


def _before(earlier: Earlier, deadline: datetime) -> datetime:
    """The instant itself, or the same one of the time before where it would be after the deadline."""
    at = earlier.at.replace(microsecond=0)
    if at >= deadline and at - earlier.step < deadline - timedelta(days=1):
        at = at - WEEK if earlier.step == WEEK else datetime.combine(shifted(at.date(), -12), at.timetz())
    if at >= deadline:
        raise invalid(
            f"The price at the deadline is compared with an earlier one. Name a later deadline. {HOW}", "deadline"
        )
    return at


def with_known_price(criterion: Criterion, setting: Setting) -> Criterion:
    """The same criterion, or one about a level where the earlier instant has passed."""
    at = criterion.earlier
    if at is None or at > setting.now:
        return criterion
    name, closes = asset_of(setting.asset).name, setting.closes([int(at.timestamp()) + 1])
    if closes is None:
        raise invalid(f"The price of {name} on {at:%Y-%m-%d} is not stored. Name the level in USD.", "level")
    level = checked(closes[0], setting.spot)
    of_level = close(level, KINDS[criterion.comparator].side > 0)
    of_level = replace(of_level, negated=criterion.negated, notes=criterion.notes)
    return of_level.noted(f"{name} was at {price(level)} USD at {at:%Y-%m-%d %H:%M} UTC.")
