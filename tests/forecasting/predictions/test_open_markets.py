"""Markets are settled at the first hour whose bars decide them, in the past as in the present."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.forecasting.predictions import Prediction, Settlement
from service.forecasting.predictions.open_markets import is_due, lead_of, of_now, resolved, settle, settle_past
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions.kinds.path import takes_place_at
from service.questions.question import Question
from tests.forecasting.made import FIRST, committed_vote, flat_bars, made_bars
from tests.forecasting.markets import ENDS, QUESTION, settled

NOW = ENDS + 1 - 24 * HOUR
OPENED = FIRST + 7 * DAY  # Wednesday 2025-01-08T00:00:00Z
BARS = {asset: made_bars(asset, 14, seed) for seed, asset in enumerate(("btc", "eth", "gold"))}
END = FIRST + 14 * DAY


def make_market(comparator: str = "up", *, asset: str = "btc", opening: int = OPENED, until: int = DAY - 1, **fields):
    """A market opened at `opened` whose deadline is `until` seconds later."""
    deadline, spot = opening + until, fields.pop("spot", float(BARS[asset].until(opening).close[-1]))
    question = Question("?", asset, comparator, utc(deadline), until / HOUR, spot, "bull", **fields)
    return Prediction("m", "daily", question, "", "bars", opening, deadline, deadline, backfilled=True)


def flat(spikes: Mapping[int, float] = MappingProxyType({})) -> dict[str, Bars]:
    """A day and a half of bitcoin at 100 USD an hour; `spikes` are other highs or lows, by the place of the bar."""
    bars = flat_bars(OPENED, [100.0] * 36)
    for place, price in spikes.items():
        bars.high[place], bars.low[place] = max(100, price), min(100, price)
    return {"btc": bars}


def hour_by_hour(market: Prediction, hourly: Mapping[str, Bars], now: int) -> Settlement | None:
    """The first settlement at a whole hour, each with the bars that are complete by then."""
    for hour in range((market.created_at // HOUR + 1) * HOUR, now + 1, HOUR):
        bars_until = {asset: bars.until(hour) for asset, bars in hourly.items()}
        if settlement := settle(market, bars_until, hour):
            return settlement
    return None


@st.composite
def questions(draw) -> Prediction:
    """Every kind of question, on a coin or a metal, opened and decided at any minute."""
    asset = draw(st.sampled_from(["btc", "gold"]))
    comparators = ["up", "down", "close_above", "close_below", "touch_above", "touch_below", "between", "relative"]
    comparator = draw(st.sampled_from(comparators[:-1] if asset == "gold" else comparators))
    opening = OPENED + draw(st.sampled_from([0, 12, 55, 80])) * HOUR + draw(st.sampled_from([0, 0, 1, 1800, 3599]))
    until = draw(st.integers(0, 80)) * HOUR + draw(st.sampled_from([HOUR - 1, HOUR - 1, 0, 1, 1800]))
    spot = float(BARS[asset].until(opening).close[-1])
    fields = {"negated": draw(st.booleans())}
    if comparator == "relative":
        fields["other_asset"] = "eth"
    elif comparator not in ("up", "down"):
        fields["level"] = spot * draw(st.sampled_from([0.97, 0.99, 1.0, 1.001, 1.01, 1.03]))
    if comparator == "between":
        fields["upper_level"] = fields["level"] * 1.02
    return make_market(comparator, asset=asset, opening=opening, until=until, **fields)


@given(
    market=questions(),
    holes=st.lists(st.tuples(st.integers(-30, 120), st.integers(1, 9)), max_size=3),
    wait_h=st.integers(0, 120),
)
def test_the_past_is_settled_as_hour_by_hour(market, holes, wait_h):
    """To the hour, to the word, and open as long; with holes in the bars too."""
    missing = [hour for start, length in holes for hour in range(start, start + length)]
    hourly = {asset: bars[~np.isin((bars.time - OPENED) // HOUR, missing)] for asset, bars in BARS.items()}
    now = min(END, market.created_at // HOUR * HOUR + wait_h * HOUR)
    assert settle_past(market, hourly, now) == hour_by_hour(market, hourly, now)


@given(market=questions(), noise=st.integers(0, 2**32 - 1))
def test_no_bar_after_the_deadline_counts(market, noise):
    """However wild later prices are."""
    dice = np.random.default_rng(noise)

    def moved(bars: Bars) -> Bars:
        factor = np.where(bars.time + HOUR > market.deadline + 1, dice.uniform(0.2, 5, len(bars)), 1.0)
        columns = {name: getattr(bars, name) * factor for name in ("open", "high", "low", "close")}
        return replace(bars, **columns)

    wild = {asset: moved(bars) for asset, bars in BARS.items()}
    assert settle_past(market, wild, END) == settle_past(market, BARS, END)


def test_a_market_is_open_until_its_deadline_has_passed():
    """A touch before it counts at the end of the hour, unless it was in the bar that holds prices from before."""
    market = make_market(until=DAY - 1)
    assert settle(market, BARS, market.deadline) is settle_past(market, BARS, market.deadline) is None
    assert settle(market, BARS, market.deadline + 1).resolved_at == market.deadline + 1
    assert settle_past(market, BARS, END).resolved_at == market.deadline + 1
    before = settle_past(make_market("touch_above", spot=100.0, level=99.0), flat(), END)
    assert before == Settlement("yes", OPENED + HOUR, "btc was at 100 when it was asked", "bars")
    touch = make_market("touch_above", spot=100.0, level=103.0, opening=OPENED + 60)
    assert settle_past(touch, flat({0: 104.0}), END).outcome == "no"


@pytest.mark.parametrize(("side", "sign"), [("high", 1), ("low", -1)])
def test_a_touch_settles_at_the_end_of_the_bar_that_shows_it(side, sign):
    """Which need not go beyond the level."""
    level = 100.0 + 3 * sign
    market = make_market(f"touch_{'above' if side == 'high' else 'below'}", spot=100.0, level=level)
    hourly = flat({4: 100 + 2.9 * sign, 9: level, 11: 100 + 10 * sign})
    evidence = f"btc {side} {level:.0f} in the bar of 2025-01-08T09:00:00Z"
    assert settle_past(market, hourly, END) == Settlement("yes", OPENED + 10 * HOUR, evidence, "bars")
    assert settle_past(market, hourly, OPENED + 10 * HOUR - 1) is None


def test_the_votes_of_the_pool_count_and_that_of_apex_does_not():
    """Nor do void, open and unvoted markets; an answer to an open question does: the oracle takes it as `up`."""
    market = settled(votes={"vol": 0.6, "swarm": 0.55, "apex": 0.9}, outcome="no", hours=36)
    (row,) = resolved([market])
    assert [(vote.voter, vote.p) for vote in row.votes] == [("vol", 0.6), ("swarm", 0.55)]
    assert (row.happened, row.band, row.asked_at) == (False, "week", market.voted_at)
    assert row.resolved_at == market.settlement.resolved_at
    other = replace(market.commitment, votes=(committed_vote("vol", 0.6, engine="other:model"),))
    assert [vote.engine for vote in resolved([replace(market, commitment=other)])[0].votes] == ["other:model"]
    draft = replace(settled(), commitment=None)
    assert resolved([settled(outcome="void"), settled(comparator="open"), draft]) == []
    assert len(resolved([settled(outcome="yes"), settled(outcome="no")])) == 2
    answer = replace(settled(comparator="open"), category="answer")
    (row,) = resolved([answer])
    assert (row.band, row.happened) == ("day", True)
    assert resolved([replace(answer, settlement=replace(answer.settlement, outcome="void"))]) == []


@pytest.mark.parametrize(
    ("comparator", "category", "first"),
    [("up", "daily", 1), ("touch_above", "daily", -DAY + 2), ("up", "answer", 0), ("touch_above", "answer", 0)],
)
def test_a_prediction_is_due_from_an_instant_on(comparator, category, first):
    """A market after its deadline, a touch from its opening on, an answer at its deadline."""
    market = replace(make_market(comparator, level=103.0), category=category)
    assert is_due(market, market.deadline + first)
    assert not is_due(market, market.deadline + first - 1)
    assert not is_due(replace(market, resolver="hand"), END), "only prices make a prediction due"


def opened(comparator: str, **changes) -> Question:
    return replace(QUESTION, comparator=comparator, level=None, **changes)


@pytest.mark.parametrize(
    "question",
    [
        *(opened("up"), opened("down", negated=True)),
        *(opened("move", level_pct=4.0), opened("move", level_pct=4.0, negated=True)),
        replace(QUESTION, comparator="close_above"),
        replace(QUESTION, comparator="between", upper_level=60_000.0),
    ],
    ids=lambda question: question.comparator,
)
@given(spot=st.floats(20_000, 120_000), final=st.floats(20_000, 120_000))
def test_the_event_is_the_one_of_the_opening(question: Question, spot: float, final: float):
    """A move is measured from the price of the opening, whatever the price is by now."""
    present = of_now(question, NOW, spot)
    outcomes = [takes_place_at(event, final) for event in (question, present)]
    assert (outcomes[0] != question.negated) == (outcomes[1] != present.negated)


@pytest.mark.parametrize("kind", ["range", "days_above", "days_up", "average_above", "open"])
def test_a_kind_that_counts_the_past_has_no_question_of_now(kind: str):
    assert of_now(opened(kind), NOW, 50_000.0) is None
    present = of_now(QUESTION, NOW, 54_000.0)
    assert (present.spot, present.level, present.comparator) == (54_000.0, 55_000.0, "touch_above")
    assert present.horizon_hours == pytest.approx(24, abs=0.001), "the hours left"


def test_the_lead_is_the_difference_of_log_returns():
    question = opened("relative", other_asset="eth")
    lead = lead_of(question, {"btc": 110.0, "eth": 21.0}, {"btc": 100.0, "eth": 20.0})
    assert lead == pytest.approx(math.log(1.1) - math.log(1.05))
    assert lead_of(QUESTION, {}, {}) == 0
