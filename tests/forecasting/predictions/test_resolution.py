"""The outcome of a question by the bars; void where they do not show it. It is asked at 10:00 and ends at 12:00."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from service.forecasting.predictions.resolution import Resolution, resolve
from service.market.assets import open_at
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Leg, Question

STEP = 300
ASKED_AT = 1_741_600_800  # Monday 2025-03-10T10:00:00Z
DEADLINE = ASKED_AT + 2 * HOUR
LATER = DEADLINE + 60
MUCH_LATER = DEADLINE + DAY
LAST = "m115"  # the bar from 11:55 to 12:00, the deadline
LEVELS = {"level": 98.0, "upper_level": 102.0}
MIDNIGHT = ASKED_AT + 14 * HOUR
DAILY = {"deadline": utc(MIDNIGHT + 3 * DAY - 1)}  # four days end by then
OPPOSITE = {"yes": "no", "no": "yes"}


def bars(asset: str = "btc", since: int = ASKED_AT - HOUR, until: int = ASKED_AT + 4 * HOUR, **prices: float) -> Bars:
    """Five-minute bars at 100 but for `prices`: minutes after ASKED_AT at which a bar opens, as "m30": price."""
    time = np.arange(since, until, STEP)
    time = time[open_at(asset, time)]
    flat = np.full(len(time), 100.0)
    rows = Bars(time, flat.copy(), flat + 0.5, flat - 0.5, flat.copy(), flat, STEP)
    for minute, price in prices.items():
        at = np.searchsorted(time, ASKED_AT + 60 * int(minute[1:]))
        rows.close[at] = price
        rows.high[at], rows.low[at] = max(rows.high[at], price), min(rows.low[at], price)
    return rows


def without(rows: Bars, since: int, until: int) -> Bars:
    return rows[(rows.time < since) | (rows.time >= until)]


def question(comparator: str = "close_above", level: float | None = 101.0, **fields) -> Question:
    return replace(Question("?", "btc", comparator, utc(DEADLINE), 2.0, 100.0, "bull", level=level), **fields)


def outcome(question: Question, bars: Bars, now: int = LATER, **others: Bars) -> str | None:
    resolution = resolve(question, ASKED_AT, {question.asset: bars, **others}, now)
    return resolution and resolution.outcome


def settled(comparator: str, bars: Bars, now: int = LATER, **fields) -> Resolution | None:
    return resolve(question(comparator, **fields), ASKED_AT, {"btc": bars}, now)


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
    put = question(comparator, **fields)
    assert outcome(put, bars(**{LAST: final})) == expected
    assert outcome(replace(put, negated=True), bars(**{LAST: final})) == OPPOSITE[expected]
    assert outcome(put, bars(**{LAST: final, "m120": 150.0})) == expected, "the bar after the deadline does not count"
    assert outcome(put, bars(**{LAST: final}), now=DEADLINE) is None
    resolution = resolve(put, ASKED_AT, {"btc": bars(**{LAST: final})}, LATER)
    assert resolution.evidence == f"btc close {final:g} of the bar of 2025-03-10T11:55:00Z"


def test_it_waits_for_the_last_bar():
    """A second after the deadline it may not be stored yet, and the one before must not decide."""
    rest = without(bars(**{LAST: 101.5}), DEADLINE - STEP, MUCH_LATER)
    assert outcome(question(), rest) is None
    assert outcome(question(), bars(**{LAST: 101.5})) == "yes"
    end = datetime(2025, 3, 10, 23, 59, 59, tzinfo=UTC)
    rows = bars(until=ASKED_AT + DAY, m835=150.0)  # opens at 23:55, and ends after 23:59:59
    assert outcome(question(deadline=end), rows, now=int(end.timestamp()) + 60) == "yes"


def test_a_touch_resolves_as_soon_as_it_is_seen():
    """A level that was reached before is touched at once."""
    resolution = resolve(question("touch_above"), ASKED_AT, {"btc": bars(m30=101.0)}, ASKED_AT + 36 * 60)
    assert resolution == Resolution("yes", "btc high 101 in the bar of 2025-03-10T10:30:00Z")
    assert outcome(question("touch_above"), bars(m30=101.0), now=ASKED_AT + 34 * 60) is None
    assert outcome(question("touch_below", level=99.0), bars(m30=98.9), now=LATER) == "yes"
    resolution = resolve(question("touch_above", level=99.0), ASKED_AT, {"btc": bars()}, ASKED_AT)
    assert resolution == Resolution("yes", "btc was at 100 when it was asked")


def test_a_level_never_touched_is_a_no_at_the_deadline():
    resolution = resolve(question("touch_above"), ASKED_AT, {"btc": bars(m10=100.8)}, LATER)
    assert resolution == Resolution("no", "btc never rose above 100.8")
    below = resolve(question("touch_below", level=99.0), ASKED_AT, {"btc": bars()}, LATER)
    assert below == Resolution("no", "btc never fell below 99.5")
    outside = bars(**{"m-5": 105.0, "m120": 105.0})
    assert outcome(question("touch_above"), outside) == "no", "touches outside the period do not count"


def test_a_gap_before_the_deadline_makes_a_close_void():
    """Without the last two hours there is no last price; they are waited for, up to six hours. One is tolerated."""
    rows = without(bars(), ASKED_AT + 30 * 60, DEADLINE + HOUR)
    assert outcome(question(), rows) is None
    resolution = resolve(question(), ASKED_AT, {"btc": rows}, MUCH_LATER)
    assert resolution == Resolution("void", "btc has no bar for 1.5 open hours from 2025-03-10T10:30:00Z")
    assert outcome(question(), rows, now=DEADLINE + 6 * HOUR) is None
    assert outcome(question(), rows, now=DEADLINE + 6 * HOUR + 1) == "void"
    rows = without(bars(m55=101.5), ASKED_AT + 60 * 60, DEADLINE)
    assert outcome(question(), rows) is None
    assert outcome(question(), rows, now=MUCH_LATER) == "yes"


def test_a_gap_in_the_middle_makes_an_unseen_touch_void():
    rows = without(bars(m100=101.0, **{LAST: 100.0}), ASKED_AT + 10 * 60, ASKED_AT + 80 * 60)
    assert outcome(question("touch_above", level=101.0), rows) == "yes"
    assert outcome(question("touch_above", level=102.0), rows) is None
    assert outcome(question("touch_above", level=102.0), rows, now=MUCH_LATER) == "void"
    assert outcome(question("close_above", level=102.0), rows) == "no"


def test_a_market_that_closed_counts_with_its_last_price():
    """Gold until Saturday noon: Friday's last bar decides, at once and without a gap."""
    saturday = datetime(2025, 3, 15, 12, tzinfo=UTC)
    rows = bars("gold", until=ASKED_AT + 6 * DAY)
    friday = int(datetime(2025, 3, 14, 20, 55, tzinfo=UTC).timestamp())
    rows.close[np.searchsorted(rows.time, friday)] = 102.0
    now = int(saturday.timestamp()) + 60
    resolution = resolve(question(asset="gold", deadline=saturday), ASKED_AT, {"gold": rows}, now)
    assert resolution == Resolution("yes", "gold close 102 of the bar of 2025-03-14T20:55:00Z")


def test_a_market_that_never_opened_keeps_its_price():
    """Gold from six to noon on a Saturday."""
    noon = datetime(2025, 3, 15, 12, tzinfo=UTC)
    put, now = question("up", level=None, asset="gold", deadline=noon), int(noon.timestamp()) + HOUR
    resolution = resolve(put, now - 7 * HOUR, {"gold": bars("gold", until=now)}, now)
    assert resolution == Resolution("no", "gold did not trade and stayed at 100")


def test_two_assets_are_compared_from_the_close_before():
    """btc 100 to 102 is +2%, eth 100 to 101 is +1%."""
    put = question("relative", level=None, other_asset="eth")
    rows = {"btc": bars(**{LAST: 102.0}), "eth": bars(**{LAST: 101.0})}
    resolution = resolve(put, ASKED_AT, rows, LATER)
    assert resolution.outcome == "yes"
    assert resolution.evidence.startswith("btc close 102 of the bar of 2025-03-10T11:55:00Z, +2.00%; eth close 101")
    assert outcome(replace(put, negated=True), rows["btc"], eth=rows["eth"]) == "no"


def test_a_comparison_on_a_weekend_begins_at_fridays_close():
    """Asked on a Sunday: gold from its last price, btc from the present one."""
    sunday = int(datetime(2025, 3, 16, 12, tzinfo=UTC).timestamp())
    deadline = sunday + DAY
    put = question("relative", level=None, asset="gold", other_asset="btc", deadline=utc(deadline))
    rows = {asset: bars(asset, since=sunday - 4 * DAY, until=deadline) for asset in ("gold", "btc")}
    rows["gold"].close[-1] = 103.0
    resolution = resolve(put, sunday, rows, deadline + 60)
    assert resolution.outcome == "yes"
    assert "+3.00%" in resolution.evidence


def test_a_comparison_with_a_gap_at_either_end_is_void():
    put = question("relative", level=None, other_asset="eth")
    unknown_start = without(bars(), 0, ASKED_AT + 1)
    assert outcome(put, bars(), now=MUCH_LATER, eth=unknown_start) == "void"
    unknown_end = without(bars(), ASKED_AT + 20 * 60, MUCH_LATER)
    assert outcome(put, bars(), now=MUCH_LATER, eth=unknown_end) == "void"
    assert outcome(put, bars(), eth=unknown_end) is None


@pytest.mark.parametrize(("final", "expected"), [(103.1, "yes"), (102.9, "no"), (96.9, "yes"), (97.1, "no")])
def test_a_move_counts_at_the_deadline_either_way(final, expected):
    rows = bars(m30=110.0, **{LAST: final})
    assert settled("move", rows, level=None, level_pct=3.0, polarity="none").outcome == expected


def legs_of(*events: tuple[str, str, float | None]) -> dict:
    legs = tuple(Leg(asset, comparator, 100.0, level=level) for asset, comparator, level in events)
    return {"other_asset": events[1][0], "level": None, "legs": legs}


@pytest.mark.parametrize(
    ("comparator", "btc", "eth", "expected"),
    [
        ("both", 102.0, 102.0, "yes"),
        ("both", 102.0, 100.0, "no"),
        ("either", 100.0, 102.0, "yes"),
        ("either", 100.0, 100.0, "no"),
    ],
)
def test_two_events_are_resolved_together(comparator, btc, eth, expected):
    """A touch of bitcoin and a close of ether; with a negation, the opposite."""
    fields = legs_of(("btc", "touch_above", 101.0), ("eth", "close_above", 101.0))
    hourly = {"btc": bars(m10=btc), "eth": bars("eth", **{LAST: eth})}
    for negated, result in ((False, expected), (True, OPPOSITE[expected])):
        whole_question = question(comparator, negated=negated, **fields)
        assert resolve(whole_question, ASKED_AT, hourly, LATER).outcome == result


def test_both_are_evidence_unless_one_decides():
    fields = legs_of(("btc", "up", None), ("eth", "up", None))
    hourly = {"btc": bars(**{LAST: 102.0}), "eth": bars("eth", **{LAST: 99.0})}
    both, either = (resolve(question(kind, **fields), ASKED_AT, hourly, LATER) for kind in ("both", "either"))
    assert both.evidence.startswith("eth close 99")
    assert either.evidence.startswith("btc close 102")
    twin = resolve(question("both", **fields), ASKED_AT, hourly | {"eth": hourly["btc"]}, LATER)
    assert twin.evidence.count("close 102") == 2


def test_a_missing_asset_makes_two_events_void_unless_decided():
    """Without bars of ether, both is void where bitcoin rose, and NO where it fell; before the deadline it is open."""
    fields = legs_of(("btc", "up", None), ("eth", "up", None))
    gap = without(bars("eth"), ASKED_AT, ASKED_AT + DAY)
    for final, result in ((102.0, "void"), (98.0, "no")):
        hourly = {"btc": bars(**{LAST: final}), "eth": gap}
        assert resolve(question("both", **fields), ASKED_AT, hourly, MUCH_LATER).outcome == result
        assert resolve(question("both", **fields), ASKED_AT, hourly, DEADLINE - HOUR) is None


@pytest.mark.parametrize(
    ("first", "last", "expected"), [(101.0, 102.0, "yes"), (103.0, 102.0, "no"), (102.0, 102.0, "no")]
)
def test_a_later_price_is_compared_with_an_earlier_one(first, last, expected):
    """The close at the deadline with that an hour after the question, which opens five minutes before."""
    rows = bars(m55=first, **{LAST: last})
    fields = {"level": None, "earlier": utc(ASKED_AT + HOUR)}
    resolution = settled("above_earlier", rows, **fields)
    assert resolution.outcome == expected
    assert f"close {first:g}" in resolution.evidence
    assert f"close {last:g}" in resolution.evidence
    lower = settled("below_earlier", rows, **fields)
    assert (lower.outcome == "yes") == (last < first)


def test_an_earlier_instant_without_bars_makes_a_comparison_void():
    earlier = ASKED_AT + 3 * HOUR // 2
    rows = without(bars(), ASKED_AT, earlier + 1)
    assert settled("above_earlier", rows, MUCH_LATER, level=None, earlier=utc(earlier)).outcome == "void"


@pytest.mark.parametrize(
    ("comparator", "prices", "expected"),
    [
        ("upper_first", {"m10": 102.0, "m20": 97.0}, "yes"),
        ("upper_first", {"m10": 98.0, "m20": 103.0}, "no"),
        ("upper_first", {"m10": 101.9, "m20": 98.1}, "no"),
        ("lower_first", {"m10": 98.0, "m20": 103.0}, "yes"),
        ("lower_first", {"m10": 102.0, "m20": 97.0}, "no"),
    ],
)
def test_the_level_reached_first_decides(comparator, prices, expected):
    """Neither level reached is a no, and so is the other one first. The evidence names the bar that decides."""
    rows = bars(**prices)
    assert settled(comparator, rows, **LEVELS).outcome == expected
    assert settled(comparator, rows, negated=True, **LEVELS).outcome == OPPOSITE[expected]
    assert settled(comparator, rows, ASKED_AT + 10 * 60, **LEVELS) is None
    if expected == "yes":
        resolution = settled(comparator, rows, ASKED_AT + 15 * 60, **LEVELS)
        side = "high 102" if comparator == "upper_first" else "low 98"
        assert resolution == Resolution("yes", f"btc {side} in the bar of 2025-03-10T10:10:00Z, before the other level")


@pytest.mark.parametrize(
    ("prices", "expected"), [({}, "no"), ({"m10": 102.0}, "yes"), ({"m20": 97.0}, "yes"), ({"m10": 101.4}, "no")]
)
def test_a_price_outside_a_range_has_left_it(prices, expected):
    """Both ends are outside; the event is decided by the first bar that is there."""
    rows = bars(**prices)
    assert settled("leave", rows, **LEVELS).outcome == expected
    assert settled("leave", rows, negated=True, **LEVELS).outcome == OPPOSITE[expected]
    resolution = settled("leave", rows, ASKED_AT + 30 * 60, **LEVELS)
    assert (resolution.outcome if resolution else "no") == expected


def test_an_order_that_bars_do_not_show_is_void():
    """Which of its prices came first, or what was in a gap: void at last, unless late bars arrive."""
    rows = bars(m30=103.0)
    rows.low[np.searchsorted(rows.time, ASKED_AT + 30 * 60)] = 97.0
    evidence = "btc reached both levels in the bar of 2025-03-10T10:30:00Z"
    assert settled("upper_first", rows, **LEVELS) == Resolution("void", evidence)
    rows = without(bars(m90=103.0), ASKED_AT + 600, ASKED_AT + 600 + 4800)
    assert settled("upper_first", rows, **LEVELS) is None
    assert settled("upper_first", rows, MUCH_LATER, **LEVELS).outcome == "void"


@pytest.mark.parametrize(
    ("pct", "prices", "expected"),
    [(2.9, {"m30": 102.0, "m60": 99.0}, "yes"), (3.5, {"m30": 102.0, "m60": 99.0}, "no"), (0.9, {}, "yes")],
)
def test_a_range_is_highest_less_lowest(pct, prices, expected):
    """Of 100: from 102 down to 98.5, the low half a dollar below the flat bars; flat bars are a dollar wide."""
    rows = bars(**prices)
    rows.low[:] = np.where(rows.low == 99.0, 98.5, rows.low)
    assert settled("range", rows, level=None, level_pct=pct, polarity="none").outcome == expected


def test_an_average_is_that_of_the_hourly_closes():
    """Of two hours that close at 104 and 99: 101.5, whatever the prices in between."""
    rows = bars(m55=104.0, m80=150.0, **{LAST: 99.0})
    above = settled("average_above", rows, level=101.4)
    assert above == Resolution("yes", "btc mean 101.5 of 2 hourly closes")
    assert settled("average_below", rows, level=101.4).outcome == "no"


def closing(*closes: float) -> Bars:
    """Bars whose days close at these prices, Monday's first; a price ten minutes before never counts."""
    rows = bars(until=MIDNIGHT + 4 * DAY)
    for day, close in enumerate(closes):
        end = int(np.searchsorted(rows.time, MIDNIGHT + day * DAY))
        rows.close[end - 1], rows.close[end - 3] = close, 500.0
    return rows


def after_days(comparator: str, *, closes=(102.0, 100.5, 103.0, 101.5), **fields) -> Resolution:
    """The resolution a minute after the fourth day."""
    return settled(comparator, closing(*closes), MIDNIGHT + 3 * DAY + 60, **fields, **DAILY)


@pytest.mark.parametrize(
    ("comparator", "fields", "expected"),
    [
        ("days_above", {"level": 101.0, "days": 3}, "yes"),
        ("days_above", {"level": 101.0, "days": 3, "in_a_row": True}, "no"),
        ("days_above", {"level": 102.0, "days": 2}, "no"),
        ("days_below", {"level": 101.0, "days": 1}, "yes"),
        ("days_up", {"days": 3}, "no"),
        ("days_up", {"days": 2}, "yes"),
        ("days_up", {"days": 2, "in_a_row": True}, "no"),
        ("days_down", {"days": 2}, "yes"),
        ("days_down", {"days": 2, "in_a_row": True}, "no"),
        ("days_above", {"level": 101.0, "days": 3, "earlier": utc(MIDNIGHT)}, "no"),
        ("days_above", {"level": 101.0, "days": 2, "earlier": utc(MIDNIGHT)}, "yes"),
        ("days_up", {"days": 2, "earlier": utc(MIDNIGHT)}, "no"),
        ("days_down", {"days": 2, "earlier": utc(MIDNIGHT)}, "yes"),
    ],
)
def test_days_are_counted_by_their_closes(comparator, fields, expected):
    """Closes 102, 100.5, 103, 101.5 from a price of 100: up, down, up, down; the last three from the first midnight."""
    assert after_days(comparator, **{"level": None} | fields).outcome == expected


@pytest.mark.parametrize(
    ("comparator", "level", "expected"),
    [
        ("above_moving_average", 100.0, "yes"),  # (2 * 100 + 102 + 100.5 + 103 + 101.5) / 6 is 101.17
        ("above_moving_average", 102.0, "no"),  # 101.83
        ("below_moving_average", 102.0, "yes"),
    ],
)
def test_a_moving_average_counts_known_and_later_closes(comparator, level, expected):
    """Six closes: the two known ones have the mean `level`, four days end by the deadline; the last closes at 101.5."""
    resolution = after_days(comparator, level=level, days=6)
    assert resolution.outcome == expected
    assert "of the last 6 daily closes" in resolution.evidence


def test_a_moving_average_may_lie_in_the_future_alone():
    resolution = after_days("below_moving_average", level=None, days=2, closes=(90.0, 104.0, 103.0, 101.5))
    assert resolution == Resolution("yes", "btc close 101.5, mean 102.25 of the last 2 daily closes")


@pytest.mark.parametrize(("excess", "expected"), [(-1.0, "yes"), (1.0, "no")])
def test_a_volatility_is_that_of_hourly_returns(excess, expected):
    """Closes of 100, 101 and 100 at full hours: two returns of 0.995%, times the root of 8,760 hours, are 93.1%."""
    volatility = 100 * np.log(1.01) * np.sqrt(8760)
    deadline = ASKED_AT + 3 * HOUR
    fields = {"level": None, "level_pct": volatility + excess, "deadline": utc(deadline)}
    resolution = settled("volatility", bars(m115=101.0), deadline + 60, **fields)
    assert resolution.outcome == expected
    assert resolution.evidence == "btc volatility 93.13% a year from 2 hourly returns"


def test_the_days_that_count_are_the_evidence():
    """A day without bars makes a count void."""
    evidence = after_days("days_above", level=101.0, days=3).evidence
    assert evidence == "btc: 3 of 4 days, at most 2 in a row: 2025-03-10, 2025-03-12, 2025-03-13"
    rows = without(closing(102.0, 102.0, 102.0, 102.0), MIDNIGHT, MIDNIGHT + DAY)
    assert settled("days_above", rows, MIDNIGHT + 4 * DAY, level=101.0, days=1, **DAILY).outcome == "void"
