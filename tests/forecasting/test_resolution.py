"""What became of a question, by the bars; void where nobody can know."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from service.forecasting.questions.question import Question
from service.forecasting.resolution import Resolution, resolve
from service.market.assets import open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc

STEP = 300
ASKED = 1_741_600_800  # Monday 2025-03-10T10:00:00Z
DEADLINE = ASKED + 2 * HOUR
LATER = DEADLINE + 60
MUCH_LATER = DEADLINE + DAY


def bars(asset: str = "btc", since: int = ASKED - HOUR, until: int = ASKED + 4 * HOUR, **prices: float) -> Bars:
    """Five-minute bars at 100 but for `prices`: minutes after ASKED at which a bar opens, as "m30": price."""
    time = np.arange(since, until, STEP)
    time = time[open_at(asset, time)]
    flat = np.full(len(time), 100.0)
    known = Bars(time, flat.copy(), flat + 0.5, flat - 0.5, flat.copy(), flat, STEP)
    for minute, price in prices.items():
        at = np.searchsorted(time, ASKED + 60 * int(minute[1:]))
        known.close[at] = price
        known.high[at], known.low[at] = max(known.high[at], price), min(known.low[at], price)
    return known


def without(known: Bars, since: int, until: int) -> Bars:
    kept = (known.time < since) | (known.time >= until)
    return Bars(*(getattr(known, name)[kept] for name in ("time", "open", "high", "low", "close", "volume")), step=STEP)


def question(comparator: str = "close_above", level: float | None = 101.0, **fields) -> Question:
    plain = Question(
        text="?",
        asset="btc",
        comparator=comparator,
        deadline=utc(DEADLINE),
        horizon_hours=2.0,
        spot=100.0,
        polarity="bull",
        level=level,
    )
    return replace(plain, **fields)


def outcome(asked: Question, known: Bars, now: int = LATER, **others: Bars) -> str | None:
    found = resolve(asked, ASKED, {asked.asset: known, **others}, now)
    return None if found is None else found.outcome


LAST = "m115"  # the bar from 11:55 to 12:00, the deadline


@pytest.mark.parametrize(
    ("comparator", "fields", "final", "expected"),
    [
        ("close_above", {"level": 101.0}, 101.5, "yes"),
        ("close_above", {"level": 101.0}, 101.0, "no"),
        ("close_below", {"level": 99.0}, 98.0, "yes"),
        ("close_below", {"level": 99.0}, 99.0, "no"),
        ("between", {"level": 99.0, "upper_level": 101.0}, 101.0, "yes"),
        ("between", {"level": 99.0, "upper_level": 101.0}, 101.1, "no"),
        ("up", {"level": None}, 100.1, "yes"),
        ("up", {"level": None}, 100.0, "no"),
        ("down", {"level": None}, 99.9, "yes"),
        ("down", {"level": None}, 100.0, "no"),
        ("open", {"level": None}, 100.1, "yes"),
    ],
)
def test_the_last_close_before_the_deadline_decides(comparator, fields, final, expected):
    asked = question(comparator, **fields)
    assert outcome(asked, bars(**{LAST: final})) == expected
    assert outcome(replace(asked, negated=True), bars(**{LAST: final})) == {"yes": "no", "no": "yes"}[expected]


def test_the_bar_after_the_deadline_does_not_count():
    assert outcome(question(), bars(m120=150.0)) == "no"


def test_a_date_ends_with_the_bar_that_ends_at_midnight():
    """23:59:59 is inside the bar that ends at 24:00:00."""
    end = datetime(2025, 3, 10, 23, 59, 59, tzinfo=UTC)
    asked = question(deadline=end)
    known = bars(until=ASKED + DAY, m835=150.0)  # opens 23:55
    assert outcome(asked, known, now=int(end.timestamp()) + 60) == "yes"


def test_the_evidence_names_the_bar():
    found = resolve(question(), ASKED, {"btc": bars(**{LAST: 101.5})}, LATER)
    assert found == Resolution("yes", "btc close 101.5 of the bar of 2025-03-10T11:55:00Z")


def test_before_the_deadline_nothing_is_decided():
    assert outcome(question(), bars(), now=DEADLINE - 1) is None
    assert outcome(question(), bars(), now=DEADLINE) is None


def test_it_waits_for_the_last_bar():
    """A second after the deadline the last bar may not be stored yet; the one before it must not decide."""
    late = without(bars(**{LAST: 101.5}), DEADLINE - STEP, MUCH_LATER)
    assert outcome(question(), late) is None
    assert outcome(question(), bars(**{LAST: 101.5})) == "yes"


def test_a_touch_is_known_as_soon_as_it_is_seen():
    found = resolve(question("touch_above"), ASKED, {"btc": bars(m30=101.0)}, ASKED + 36 * 60)
    assert found == Resolution("yes", "btc high 101 in the bar of 2025-03-10T10:30:00Z")
    assert outcome(question("touch_above"), bars(m30=101.0), now=ASKED + 34 * 60) is None
    assert outcome(question("touch_below", level=99.0), bars(m30=98.9), now=LATER) == "yes"


def test_a_level_that_was_never_touched_is_a_no_at_the_deadline():
    found = resolve(question("touch_above"), ASKED, {"btc": bars(m10=100.8)}, LATER)
    assert found == Resolution("no", "btc never rose above 100.8")
    below = resolve(question("touch_below", level=99.0), ASKED, {"btc": bars()}, LATER)
    assert below == Resolution("no", "btc never fell below 99.5")


def test_what_was_touched_before_the_question_or_after_the_deadline_does_not_count():
    assert outcome(question("touch_above"), bars(**{"m-5": 105.0, "m120": 105.0})) == "no"


def test_a_level_that_the_spot_had_reached_is_touched_at_once():
    found = resolve(question("touch_above", level=99.0), ASKED, {"btc": bars()}, ASKED)
    assert found == Resolution("yes", "btc was at 100 when it was asked")


def test_a_hole_before_the_deadline_voids_what_the_last_price_decides():
    """Two hours missing before the deadline: nobody knows the last price. It waits six hours for them first."""
    holed = without(bars(), ASKED + 30 * 60, DEADLINE + HOUR)
    assert outcome(question(), holed) is None
    found = resolve(question(), ASKED, {"btc": holed}, MUCH_LATER)
    assert found == Resolution("void", "btc has no bar for 1.5 open hours from 2025-03-10T10:30:00Z")


def test_an_hour_without_bars_is_borne():
    holed = without(bars(m55=101.5), ASKED + 60 * 60, DEADLINE)
    assert outcome(question(), holed) is None
    assert outcome(question(), holed, now=MUCH_LATER) == "yes"


def test_a_hole_in_the_middle_voids_only_a_touch_that_was_not_seen():
    holed = without(bars(m100=101.0, **{LAST: 100.0}), ASKED + 10 * 60, ASKED + 80 * 60)
    assert outcome(question("touch_above", level=101.0), holed) == "yes"
    assert outcome(question("touch_above", level=102.0), holed) is None
    assert outcome(question("touch_above", level=102.0), holed, now=MUCH_LATER) == "void"
    assert outcome(question("close_above", level=102.0), holed) == "no"


def test_a_market_that_closed_before_the_deadline_gives_its_last_price():
    """Gold until Saturday noon: Friday's last bar decides, at once and without a hole."""
    saturday = datetime(2025, 3, 15, 12, tzinfo=UTC)
    known = bars("gold", until=ASKED + 6 * DAY)
    friday = int(datetime(2025, 3, 14, 20, 55, tzinfo=UTC).timestamp())
    known.close[np.searchsorted(known.time, friday)] = 102.0
    asked = question(asset="gold", deadline=saturday)
    found = resolve(asked, ASKED, {"gold": known}, int(saturday.timestamp()) + 60)
    assert found == Resolution("yes", "gold close 102 of the bar of 2025-03-14T20:55:00Z")


def test_a_market_that_never_opened_keeps_the_price_of_the_question():
    asked_at = int(datetime(2025, 3, 15, 6, tzinfo=UTC).timestamp())
    asked = question("up", level=None, asset="gold", deadline=utc(asked_at + 6 * HOUR))
    known = bars("gold", until=asked_at)
    found = resolve(asked, asked_at, {"gold": known}, asked_at + 7 * HOUR)
    assert found == Resolution("no", "gold did not trade and stayed at 100")


def test_two_assets_are_compared_from_the_last_close_before_the_question():
    """btc 100 to 102 is +2 %, eth 100 to 101 is +1 %."""
    asked = question("relative", level=None, other_asset="eth")
    known = {"btc": bars(**{LAST: 102.0}), "eth": bars(**{LAST: 101.0})}
    found = resolve(asked, ASKED, known, LATER)
    assert found.outcome == "yes"
    assert found.evidence.startswith("btc close 102 of the bar of 2025-03-10T11:55:00Z, +2.00 %; eth close 101")
    assert outcome(replace(asked, negated=True), known["btc"], eth=known["eth"]) == "no"


def test_a_comparison_that_begins_on_a_weekend_begins_at_fridays_close():
    """Asked on a Sunday: gold from its last price, btc from the present one."""
    sunday = int(datetime(2025, 3, 16, 12, tzinfo=UTC).timestamp())
    deadline = sunday + DAY
    asked = question("relative", level=None, asset="gold", other_asset="btc", deadline=utc(deadline))
    known = {asset: bars(asset, since=sunday - 4 * DAY, until=deadline) for asset in ("gold", "btc")}
    known["gold"].close[-1] = 103.0
    found = resolve(asked, sunday, known, deadline + 60)
    assert found.outcome == "yes"
    assert "+3.00 %" in found.evidence


def test_a_comparison_with_a_hole_at_either_end_is_void():
    asked = question("relative", level=None, other_asset="eth")
    unknown_start = without(bars(), 0, ASKED + 1)
    assert outcome(asked, bars(), now=MUCH_LATER, eth=unknown_start) == "void"
    unknown_end = without(bars(), ASKED + 20 * 60, MUCH_LATER)
    assert outcome(asked, bars(), now=MUCH_LATER, eth=unknown_end) == "void"
    assert outcome(asked, bars(), eth=unknown_end) is None
