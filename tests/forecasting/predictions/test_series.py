"""The markets of the series: enough at every hour, no near copies, each with a text that means its question."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations, product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.series import EVERY_S, near_copy, opening
from service.forecasting.voters.context import Context, Knowledge
from service.forecasting.voters.forecast_inputs import build_inputs, p_yes
from service.market.assets import ASSETS, open_hours
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions import Circumstances, Question, understand
from service.questions.canonical import canonical
from service.questions.kinds.levels import Touch
from service.questions.kinds.path import takes_place_at
from tests.forecasting.made import made_bars

SPOTS = {"btc": 53211.85, "eth": 3021.5, "sol": 141.234, "bnb": 601.2, "xrp": 0.61234, "gold": 2431.5, "silver": 29.123}
VOLATILITY = {"btc": 0.5, "eth": 0.68, "sol": 0.95, "bnb": 0.52, "xrp": 0.9, "gold": 0.16, "silver": 0.3}  # of a year
HOURLY_VARIANCE = {asset: volatility**2 / 8766 for asset, volatility in VOLATILITY.items()}
HOURLY_SIGMA = 0.005  # standard deviation of the made bars' hourly return
COINS = ["btc", "eth", "sol", "bnb", "xrp"]
START = int(datetime(2025, 11, 3, tzinfo=UTC).timestamp())
ORDER = ("upper_first", {"level": 90, "upper_level": 110})


def contexts_at(spots: dict[str, float], variance: dict[str, float]) -> dict[str, Context]:
    """The contexts of assets at these prices, with these variances of the log return per hour."""
    return {
        asset: Context(asset, 0, spot, 400.0, variance[asset], variance[asset], inputs={}, correlations={})
        for asset, spot in spots.items()
    }


CONTEXTS = contexts_at(SPOTS, HOURLY_VARIANCE)


def second(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp())


def opened(*moment: int, category: str | None = None) -> dict[str, Prediction]:
    """The markets that a new service opens at a moment, by id."""
    markets = opening(second(*moment), CONTEXTS)
    return {market.id: market for market in markets if category in (None, market.category)}


def sigma_of(asset: str, since: int, until: int) -> float:
    return math.sqrt(HOURLY_VARIANCE[asset] * open_hours(asset, since, until))


@pytest.fixture(scope="module")
def year() -> dict[str, Bars]:
    """A year of hourly bars and a month, and three days before it: over a weekend the metals have a price."""
    return {asset: made_bars(asset, 400, seed, START - 3 * DAY) for seed, asset in enumerate(ASSETS)}


@pytest.fixture(scope="module")
def markets(year) -> list[Prediction]:
    """Everything that a service opens in that year."""
    by_id: dict[str, Prediction] = {}
    for now in range(START, START + 365 * DAY, EVERY_S):
        spots = {asset: float(bars.until(now).close[-1]) for asset, bars in year.items()}
        for market in opening(now, contexts_at(spots, dict.fromkeys(ASSETS, HOURLY_SIGMA**2))):
            by_id.setdefault(market.id, market)
    return list(by_id.values())


@pytest.fixture(scope="module")
def active(markets, year) -> Callable:
    """How many of the markets with a probability in a range are active at each hour: a touch until it is seen."""
    hours = [((row.created_at - START) // HOUR, -(-(over(row, year) - START) // HOUR)) for row in markets]
    plain = [probability(row, HOURLY_SIGMA**2) for row in markets]

    def count(low: float, high: float) -> np.ndarray:
        changes = np.zeros(365 * 24 + 31 * 24 + 1, dtype=int)
        for (begins, ends), p in zip(hours, plain, strict=True):
            changes[begins] += low <= p <= high
            changes[ends] -= low <= p <= high
        return np.cumsum(changes)[: 365 * 24]

    return count


@pytest.mark.slow
class TestAYear:
    def test_fifty_to_a_hundred_are_active_at_every_hour(self, active):
        """At most 15% of them coin flips by plain volatility, and always an unlikely and a likely event."""
        assert 50 <= active(0, 1).min() <= active(0, 1).max() <= 100
        assert (active(0.45, 0.55) / active(0, 1)).max() <= 0.15
        assert active(0, 0.1).min() >= 1
        assert active(0.9, 1).min() >= 1

    def test_probabilities_are_spread(self, markets):
        """The middle 90% of closes lie within .02 to .99, those of touches within .02 to .73, and fill most of it."""
        plain = {row.id: probability(row, HOURLY_SIGMA**2) for row in markets}
        for kinds, highest in ((("close_above", "close_below"), 0.99), (Touch.names, 0.73)):
            chances = [plain[row.id] for row in markets if row.question.comparator in kinds]
            low, high = np.quantile(chances, (0.05, 0.95))
            assert 0.02 <= low < 0.05
            assert highest - 0.04 < high <= highest

    def test_no_two_are_near_copies(self, markets):
        """Of one asset and deadline, under the volatility of the longer horizon of the two."""
        groups = defaultdict(list)
        for market in markets:
            groups[market.question.asset, market.deadline].append(market)
        for (asset, deadline), group in groups.items():
            for market, other in combinations(group, 2):
                hours = open_hours(asset, min(market.created_at, other.created_at), deadline)
                assert not near_copy(market, other, HOURLY_SIGMA * math.sqrt(hours)), (market.id, other.id)
        assert max(map(len, groups.values())) > 4

    def test_every_asset_has_markets_of_every_category(self, markets):
        pairs = {(market.category, market.question.asset) for market in markets}
        assert pairs == set(product(("daily", "weekly", "monthly"), ASSETS))

    def test_an_id_names_category_asset_kind_and_day(self, markets):
        for market in markets:
            kind = market.question.comparator.replace("_", "-")
            day = market.question.deadline.strftime("%Y%m%d")
            assert market.id == f"{market.category}-{market.question.asset}-{kind}-{day}"


def probability(market: Prediction, variance: float) -> float:
    """P(YES) by plain volatility, with a correlation of one half."""
    plain = Context("", market.created_at, market.question.spot, 400.0, variance, variance, {}, {})
    contexts = {
        asset: replace(plain, asset=asset, correlations=dict.fromkeys(ASSETS, 0.5)) for asset in market.question.assets
    }
    inputs = build_inputs(market.question, market.created_at, Knowledge(contexts))
    return p_yes(market.question, inputs, [state.plain for state in inputs.states])


def over(market: Prediction, year: dict[str, Bars]) -> int:
    if market.question.comparator in Touch.names:
        bars = year[market.question.asset].since(market.created_at).until(market.deadline + 1)
        for end, high, low in zip(bars.time + HOUR, bars.high, bars.low, strict=True):
            if any(takes_place_at(market.question, price) for price in (high, low)):
                return int(end)
    return market.deadline + 1


class TestTheText:
    @settings(max_examples=25, deadline=None)
    @given(
        hour=st.integers(0, 3 * 366 * 24),
        wildness=st.floats(0.05, 16),
        scales=st.lists(st.floats(0.2, 5), min_size=7, max_size=7),
    )
    def test_it_is_understood_as_its_question(self, hour, wildness, scales):
        """Whatever the prices, the volatility and the day: the list and the oracle agree on what a sentence means."""
        now = START + hour * HOUR
        spots = {asset: round(spot * by, 5) for (asset, spot), by in zip(SPOTS.items(), scales, strict=True)}
        variance = {asset: wildness * variance for asset, variance in HOURLY_VARIANCE.items()}
        for market in opening(now, contexts_at(spots, variance)):
            reading = understand(market.question.text, Circumstances(utc(now), spots))
            assert replace(reading, notes=()) == market.question

    def test_it_reads_like_what_a_person_would_write(self):
        """Bitcoin to Sunday: 156 hours at 50% a year are 6.67%.

        The 2966th week of unix time, and the question is the second of the list: 2967 golden ratios are 1833.7068, and
        0.35 (2.2 / 0.35)^0.7068 = 1.283 sigmas below the price, as 2966 is even, are 48,844; in steps of 200 of 355.
        """
        texts = {market.question.text for market in opened(2026, 11, 2, 12).values()}
        assert {
            "From 53,211.85 USD, will Bitcoin be up at the end of 3 November 2026?",
            "Will Bitcoin be above 48,800 USD at the end of 8 November 2026?",
            "Will Bitcoin move more than 1.2% by the end of 3 November 2026?",
            "Will Ethereum reach 3,700 USD before 2,800 USD by 30 November 2026?",
            "Will Ethereum reach 3,270 USD by 3 November 2026?",
            "Will XRP outperform Bitcoin until 7 November 2026?",
            "Will Solana be between 112 and 146 USD at the end of 30 November 2026?",
        } <= texts

    @pytest.mark.parametrize(
        ("id", "day", "event"),
        [
            ("weekly-btc-close-above-20261108", 8, "above 48,800 USD."),
            ("daily-btc-move-20261103", 3, "more than 1.2% away from 53,211.85 USD, up or down."),
        ],
    )
    def test_the_rule_says_when_it_comes_out_yes(self, id, day, event):
        price = f"the last Bitcoin price of this service's feed at or before 2026-11-0{day} 23:59:59 UTC"
        assert opened(2026, 11, 2, 12)[id].rule == f"YES if {price} is {event}"

    def test_the_question_is_whole(self):
        for market in opened(2026, 11, 2, 12).values():
            question = market.question
            assert market.rule.startswith("YES if ")
            assert question.canonical == canonical(question)
            assert question.horizon_hours == pytest.approx((market.deadline - market.created_at) / HOUR)
            assert question.spot == SPOTS[question.asset]
            assert not question.negated
            assert (market.resolver, market.closes_at) == ("bars", market.deadline)
            assert (market.backfilled, market.author) == (False, None)


class TestLevels:
    def test_a_level_lies_035_to_22_sigmas_from_the_price(self):
        """To half a step, which is at most a twentieth of a sigma; a range is one sigma wide and may hold the price.

        Sigmas are of the volatility of 180 days: the present one changes no level.
        """
        contexts = {asset: replace(context, fast=context.fast / 16) for asset, context in CONTEXTS.items()}
        assert opening(second(2026, 11, 2, 12), contexts) == opening(second(2026, 11, 2, 12), CONTEXTS)
        for market in opened(2026, 11, 2, 12).values():
            distances = [abs(z) for z in distances_of(market)]
            if "-between-" in market.id:
                assert distances_of(market)[1] - distances_of(market)[0] == pytest.approx(1, abs=0.1)
                assert max(distances) < 2.25
                continue
            assert all(0.3 < distance < 2.25 for distance in distances)

    def test_no_touch_or_large_move_is_at_even_odds(self):
        """Half of all moves end beyond 0.674 sigmas, and half of all paths touch what lies there."""
        median = NormalDist().inv_cdf(0.75)
        for day in range(2, 23):
            for market in opened(2026, 11, day, 12).values():
                if market.question.comparator in Touch.names or "-move-" in market.id:
                    assert all(abs(abs(z) - median) > 0.03 for z in distances_of(market))

    def test_an_order_has_a_near_and_a_far_level(self):
        """One below the price and one above, half of the logarithmic scale apart, so that it is no coin flip."""
        markets = [market for day in range(1, 15) for market in opened(2026, 11, day, 12).values()]
        orders = [distances_of(market) for market in markets if "-upper-first-" in market.id]
        assert orders
        for lower, upper in orders:
            assert lower < 0 < upper
            assert abs(math.log(-lower / upper)) == pytest.approx(math.log(2.2 / 0.35) / 2, abs=0.2)

    def test_the_two_closes_are_on_different_sides(self):
        """So they are never the same event, and are both likely or both unlikely."""
        markets = opened(2026, 11, 2, 12)
        for id in [id for id in markets if "-close-above-" in id]:
            assert distances_of(markets[id])[0] * distances_of(markets[id.replace("above", "below")])[0] < 0

    def test_a_level_is_a_round_number(self):
        """A multiple of 1, 2 or 5 times a power of ten, of a tenth of a sigma at most and a twenty-fifth at least."""
        for market in opened(2026, 11, 2, 12).values():
            longest = 0.1 * sigma_of(market.question.asset, market.created_at, market.deadline) * market.question.spot
            power = 10 ** math.floor(math.log10(longest))
            step = max(digit * power for digit in (1, 2, 5) if digit * power <= longest)
            for level in market.question.levels:
                assert level / step == pytest.approx(round(level / step), abs=1e-6)


def distances_of(market: Prediction) -> list[float]:
    """Distances of the levels from the price, in sigmas of the horizon; of a move, that of its upper end."""
    question, sigma = market.question, sigma_of(market.question.asset, market.created_at, market.deadline)
    levels = question.levels if question.level_pct is None else (question.spot * (1 + question.size),)
    return [math.log(level / question.spot) / sigma for level in levels]


class TestDays:
    def test_a_day_runs_from_noon_to_the_end_of_the_next(self):
        """Tuesday the 10th: bitcoin's week ends on a Sunday, so nothing is in the way."""
        assert "daily-btc-up-20261111" not in opened(2026, 11, 10, 11)
        market = opened(2026, 11, 10, 12)["daily-btc-up-20261111"]
        assert (market.created_at, market.deadline) == (second(2026, 11, 10, 12), second(2026, 11, 11, 23, 59, 59))
        assert set(opened(2026, 11, 10, 14)) == set(opened(2026, 11, 10, 12)), "a late start opens the same"
        rises = {id for id, market in opened(2026, 11, 2, 12).items() if market.question.comparator == "up"}
        assert rises == {"daily-btc-up-20261102", "daily-btc-up-20261103"}, "only of bitcoin, by the day"

    def test_a_late_day_is_opened_while_a_quarter_is_left(self):
        """A quarter of 36 hours is nine, so until 15:00 of the next day; the id stays that of the day."""
        market = opened(2026, 11, 11, 15)["daily-btc-up-20261111"]
        assert market.created_at == second(2026, 11, 11, 15)
        assert market.question.horizon_hours == pytest.approx(9, abs=0.001)
        assert "daily-btc-up-20261111" not in opened(2026, 11, 11, 16)

    def test_an_asset_whose_week_ends_has_no_day(self):
        """Whether it moves far, and of coins whether they touch; gold's week ends on Tuesday, sol's on Thursday."""
        for day, asset in ((9, "gold"), (11, "sol")):
            questions = [market.question for market in opened(2026, 11, day, 16, category="daily").values()]
            assert {question.asset for question in questions if question.comparator == "move"} == {*ASSETS} - {asset}
            touches = {question.asset for question in questions if question.comparator in Touch.names}
            assert touches == {*COINS} - {asset}

    def test_touches_change_sides_from_day_to_day(self):
        days = [opened(2026, 11, day, 16, category="daily").values() for day in (9, 10, 11, 12)]
        sides = [{market.question.comparator for market in day} & set(Touch.names) for day in days]
        assert all(len(side) == 1 for side in sides)
        assert sides[0] == sides[2] != sides[1] == sides[3]

    @pytest.mark.parametrize(
        ("moment", "deadlines", "coins"),
        [
            ((2026, 11, 12, 16), {"20261113"}, {"btc", "xrp"}),  # a Thursday
            ((2026, 11, 13, 16), set(), {"btc"}),  # a Friday: metals do not trade on the Saturday that would end it
            ((2026, 11, 14, 16), set(), {"xrp"}),  # a Saturday
            ((2026, 11, 15, 16), set(), {"btc", "xrp"}),  # a Sunday before they open
            ((2026, 11, 15, 23), {"20261116"}, {"btc", "xrp"}),  # the market has opened, and a day is ahead
        ],
    )
    def test_a_metal_has_a_day_if_it_trades_now_and_at_its_end(self, moment, deadlines, coins):
        """And each of these coins, but for the day on which its week ends."""
        markets = opened(*moment, category="daily").values()
        assert {market.id[-8:] for market in markets if market.question.asset == "gold"} == deadlines
        assert {market.question.asset for market in markets} & {"btc", "xrp"} == coins


class TestWeeksAndMonths:
    def test_the_week_of_an_asset_begins_on_its_weekday(self):
        """And one begins on each day."""
        begins = {}
        for day in range(2, 9):
            for market in opened(2026, 11, day, 0, category="weekly").values():
                if market.question.horizon_hours > 6.9 * 24:
                    begins.setdefault(market.question.asset, set()).add(day)
        monday = 2
        assert begins == {key: {monday + asset.week_begins} for key, asset in ASSETS.items()}
        assert set.union(*begins.values()) == {*range(2, 9)}

    def test_a_week_has_six_questions_and_seven_days(self):
        questions = [market.question for market in opened(2026, 11, 2, 0, category="weekly").values()]
        rows = sorted((question.comparator, question.deadline) for question in questions if question.asset == "btc")
        names = "close_above close_below touch_above touch_below between relative"
        assert rows == [(name, datetime(2026, 11, 8, 23, 59, 59, tzinfo=UTC)) for name in sorted(names.split())]

    def test_compared_assets_have_the_same_trading_hours(self):
        questions = [market.question for day in (2, 5) for market in opened(2026, 11, day, 0).values()]
        pairs = [question.assets for question in questions if question.comparator == "relative"]
        assert {pair[0] for pair in pairs} == {"btc", "sol", "xrp", "gold"}
        assert all(ASSETS[asset].calendar == ASSETS[other].calendar for asset, other in pairs)

    @pytest.mark.parametrize(
        ("moment", "last"), [((2028, 2, 1), "20280229"), ((2026, 12, 1), "20261231"), ((2026, 4, 1), "20260430")]
    )
    def test_a_month_has_five_questions_for_every_asset(self, moment, last):
        markets = opened(*moment, category="monthly").values()
        assert len(markets) == 35
        assert {f"{market.question.deadline:%Y%m%d}" for market in markets} == {last}
        assert {market.deadline % DAY for market in markets} == {DAY - 1}
        assert len(opened(2026, 11, 23, 12, category="monthly")) == 35, "a quarter of 30 days is left"
        assert not opened(2026, 11, 23, 13, category="monthly")

    def test_of_periods_that_end_together_the_longest_counts(self):
        """Bitcoin's week ends on Sunday the 8th, so no day does; one that ends with a month only compares."""
        assert "daily-btc-move-20261108" not in opened(2026, 11, 7, 12)
        assert "daily-eth-move-20261108" in opened(2026, 11, 7, 12)
        last_week = [market for market in opened(2027, 1, 29).values() if market.id.startswith("weekly-btc")]
        assert [market.question.comparator for market in last_week] == ["relative"]


def test_an_asset_without_a_context_is_left_out():
    contexts = {asset: context for asset, context in CONTEXTS.items() if asset not in ("eth", "gold")}
    markets = opening(second(2026, 11, 2, 12), contexts)
    assets = {asset for market in markets for asset in (market.question.asset, market.question.other_asset)}
    assert assets == {"btc", "sol", "bnb", "xrp", "silver", None}


def market_of(comparator: str, later_h: float = 0, **fields) -> Prediction:
    deadline = second(2026, 11, 30, 23, 59, 59) + round(later_h * HOUR)
    question = replace(Question("?", "btc", comparator, utc(deadline), 72.0, 100.0, "bull"), **fields)
    return Prediction("x", "daily", question, "", "bars", 0, deadline, deadline, False)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (("touch_above", {"level": 110}), ("touch_above", {"level": 111.1}), True),  # 0.995 %, allowed 1
        (("touch_above", {"level": 110}), ("touch_above", {"level": 111.11}), False),  # 1.004 %
        (("touch_above", {"level": 110}), ("touch_above", {"level": 110, "later_h": 12}), True),
        (("touch_above", {"level": 110}), ("touch_above", {"level": 110, "later_h": 12.01}), False),
        (("touch_above", {"level": 110}), ("touch_above", {"level": 110, "asset": "eth"}), False),
        (("touch_above", {"level": 110}), ("touch_below", {"level": 110}), False),
        (("touch_above", {"level": 110}), ("close_above", {"level": 110}), False),
        (("close_above", {"level": 110}), ("close_below", {"level": 110}), True),
        (("close_above", {"level": 110}), ("close_above", {"level": 110, "negated": True}), True),
        (("up", {}), ("close_above", {"level": 100.5}), True),
        (("up", {}), ("down", {"spot": 100.9}), True),
        (("up", {}), ("up", {"spot": 102.0}), False),
        (("between", {"level": 90, "upper_level": 95}), ("between", {"level": 90, "upper_level": 95.5}), True),
        (("between", {"level": 90, "upper_level": 95}), ("between", {"level": 90, "upper_level": 99}), False),
        (("relative", {"other_asset": "eth"}), ("relative", {"asset": "eth", "other_asset": "btc"}), True),
        (("relative", {"other_asset": "eth"}), ("relative", {"other_asset": "sol"}), False),
        (("move", {"level_pct": 3.0}), ("move", {"level_pct": 3.5}), True),
        (("move", {"level_pct": 3.0}), ("move", {"level_pct": 5.0}), False),
        (("move", {"level_pct": 3.0}), ("range", {"level_pct": 3.0}), False),
        (ORDER, ("upper_first", {"level": 90, "upper_level": 110.5}), True),
        (ORDER, ("upper_first", {"level": 90, "upper_level": 115}), False),
        (ORDER, ("between", {"level": 90, "upper_level": 110}), False),
        (("days_up", {"days": 3}), ("days_up", {"days": 3}), True),
        (("days_up", {"days": 3}), ("days_up", {"days": 4}), False),
    ],
)
def test_copies_have_one_event_one_time_one_level(left, right, expected):
    """A quarter of a sigma of 4% is 1%; either comes first."""
    market, other = (market_of(comparator, **fields) for comparator, fields in (left, right))
    assert near_copy(market, other, sigma=0.04) is near_copy(other, market, sigma=0.04) is expected
