"""The canonical sentence of any question is understood as that question."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.market.assets import trading_days
from service.questions import Circumstances, understand
from service.questions.criterion import WIDEST, Criterion, rounded
from service.questions.dates.deadline import Deadline
from service.questions.day_counts import MOST_DAYS
from service.questions.kinds import KINDS, Comparator
from service.questions.kinds.levels import WIDEST_RANGE, First
from service.questions.kinds.paths import DaysBeyond, DaysMoving
from service.questions.kinds.references import Comparison, MovingAverage
from service.questions.parse import build
from service.questions.question import Leg
from service.questions.subject import Subject
from tests.questions.asking import NOW, SPOTS, meaning

THOROUGH = settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SOONEST, FARTHEST = 301, 2 * 365 * 86400
WITH_LEVEL = ("close_above", "close_below", "touch_above", "touch_below", "average_above", "average_below")

assets = st.sampled_from(sorted(SPOTS))
# Kinds that name past prices are in the tables of cases: their levels follow from the stored bars. The sentence of a
# topic is its text.
UNDRAWN = ("topic", *Comparison.names, *MovingAverage.names)
DAY_COUNTS = (*DaysBeyond.names, *DaysMoving.names)
comparators = st.sampled_from([kind for kind in KINDS if kind not in UNDRAWN])
seconds = st.integers(SOONEST, FARTHEST) | st.integers(0, 700).map(lambda days: 50399 + 86400 * days)


@st.composite
def legs(draw: st.DrawFn, asset: str) -> tuple[Leg, ...]:
    """Two assets, each above a level of its own."""
    other = draw(assets.filter(lambda key: key != asset))
    pair = ((asset, draw(st.floats(0.5, 0.9))), (other, draw(st.floats(1.1, 2))))
    return tuple(Leg(key, "close_above", SPOTS[key], level=rounded(SPOTS[key] * factor)) for key, factor in pair)


@st.composite
def criteria(draw: st.DrawFn, comparator: Comparator, asset: str, most_days: int) -> Criterion:
    """What must happen, of one kind, with levels as far from the spot price as they may be."""
    spot = SPOTS[asset]
    negated = draw(st.booleans()) and comparator != "open"
    low, high = spot / WIDEST * 1.001, spot * WIDEST * 0.999
    if comparator in ("between", "leave"):
        lower = draw(st.floats(low, high / WIDEST_RANGE))
        upper = lower * draw(st.floats(1.001, WIDEST_RANGE * 0.999))
        return Criterion(comparator, rounded(lower), rounded(upper), negated=negated)
    if not KINDS[comparator].is_sided:
        size = rounded(draw(st.floats(0.001, 99)))
        return Criterion(comparator, level_pct=size, negated=negated)
    if comparator in DAY_COUNTS:
        level = rounded(draw(st.floats(low, high))) if comparator in DaysBeyond.names else None
        days = draw(st.integers(1, most_days))
        return Criterion(comparator, level, negated=negated, days=days, in_a_row=draw(st.booleans()))
    if comparator in ("both", "either"):
        return Criterion(comparator, negated=negated, legs=draw(legs(asset)))
    if comparator in First.names:
        below, above = draw(st.floats(low, spot * 0.999)), draw(st.floats(spot * 1.001, high))
        return Criterion(comparator, rounded(below), rounded(above), negated=negated)
    level = rounded(draw(st.floats(low, high))) if comparator in WITH_LEVEL else None
    return Criterion(comparator, level, negated=negated)


@pytest.mark.slow
@THOROUGH
@given(st.data())
def test_any_canonical_sentence_asks_the_same_question(data: st.DataObject):
    """For every comparator, negation, pair of assets, level, deadline and number of days."""
    comparator, asset, span = data.draw(comparators), data.draw(assets), data.draw(seconds)
    at = NOW + timedelta(seconds=span)
    most_days = min(MOST_DAYS, len(trading_days(asset, *_seconds(NOW, at))))
    if comparator in DAY_COUNTS and not 0 < most_days < MOST_DAYS:
        return
    other = data.draw(assets.filter(lambda key: key != asset)) if comparator == "relative" else None
    criterion = data.draw(criteria(comparator, asset, most_days))
    other = criterion.legs[1].asset if criterion.legs else other
    question = build("", NOW, SPOTS[asset], Subject(asset, other), Deadline(at, []), criterion)
    copy = understand(question.canonical, Circumstances(NOW, SPOTS))
    assert copy.canonical == question.canonical
    assert meaning(copy) == meaning(question)


def _seconds(since: datetime, until: datetime) -> tuple[int, int]:
    return int(since.timestamp()), int(until.timestamp())
