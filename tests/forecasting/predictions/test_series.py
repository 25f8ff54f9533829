"""The markets of the series: enough at every hour, no near copies, each with a text that means its question."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions import Prediction
from service.forecasting.predictions.series import EVERY_S, near_copy, opening
from service.forecasting.voters.context import Context
from service.market.assets import ASSETS, open_hours
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions import Question, understand
from service.questions.canonical import canonical
from service.questions.question import TOUCHES, happened
from tests.forecasting.made import made_bars

SPOTS = {"btc": 53211.85, "eth": 3021.5, "sol": 141.234, "bnb": 601.2, "xrp": 0.61234, "gold": 2431.5, "silver": 29.123}
VOLATILITY = {"btc": 0.5, "eth": 0.68, "sol": 0.95, "bnb": 0.52, "xrp": 0.9, "gold": 0.16, "silver": 0.3}  # of a year
HOURLY_VARIANCE = {asset: volatility**2 / 8766 for asset, volatility in VOLATILITY.items()}
HOURLY_SIGMA = 0.005  # standard deviation of the made bars' hourly return
COINS = ["btc", "eth", "sol", "bnb", "xrp"]
START = int(datetime(2025, 11, 3, tzinfo=UTC).timestamp())


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


@pytest.mark.slow
class TestAYear:
    def test_forty_are_active_at_every_hour(self, markets, year):
        """A touch is over when it is seen; everything else at its deadline."""
        active = np.zeros(365 * 24 + 31 * 24 + 1, dtype=int)
        for market in markets:
            active[(market.created_at - START) // HOUR] += 1
            active[-(-(over(market, year) - START) // HOUR)] -= 1
        assert np.cumsum(active)[: 365 * 24].min() >= 40

    def test_no_two_are_near_copies(self, markets):
        """Of one asset and deadline, under the volatility of the longer horizon of the two."""
        beside = defaultdict(list)
        for market in markets:
            beside[market.question.asset, market.deadline].append(market)
        for (asset, deadline), together in beside.items():
            for market, other in combinations(together, 2):
                hours = open_hours(asset, min(market.created_at, other.created_at), deadline)
                assert not near_copy(market, other, HOURLY_SIGMA * math.sqrt(hours)), (market.id, other.id)
        assert max(map(len, beside.values())) > 4

    def test_a_level_occurs_once_for_an_asset_and_deadline(self, markets):
        named = Counter(
            (market.question.asset, market.deadline, market.question.level)
            for market in markets
            if market.question.level
        )
        assert set(named.values()) == {1}

    def test_every_asset_has_markets_of_every_category(self, markets):
        assert {(market.category, market.question.asset) for market in markets} == {
            (category, asset) for category in ("daily", "weekly", "monthly") for asset in ASSETS
        }

    def test_an_id_names_category_asset_kind_and_day(self, markets):
        for market in markets:
            kind = market.question.comparator.replace("_", "-")
            day = market.question.deadline.strftime("%Y%m%d")
            assert market.id == f"{market.category}-{market.question.asset}-{kind}-{day}"


def over(market: Prediction, year: dict[str, Bars]) -> int:
    if market.question.comparator in TOUCHES:
        seen = year[market.question.asset].since(market.created_at).until(market.deadline + 1)
        for end, high, low in zip(seen.time + HOUR, seen.high, seen.low, strict=True):
            if happened(market.question, final=low, high=high, low=low):
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
        for market in opening(
            now, contexts_at(spots, {asset: wildness * variance for asset, variance in HOURLY_VARIANCE.items()})
        ):
            assert understand(market.question.text, utc(now), spots) == market.question

    def test_it_reads_like_what_a_person_would_write(self):
        """Bitcoin to Sunday: 156 hours at 50% a year are 6.67%, 0.7 of it is 55,755, in steps of 200 of 355."""
        texts = {market.question.text for market in opened(2026, 11, 2, 12).values()}
        assert {
            "From 53,211.85 USD, will Bitcoin be up at the end of 3 November 2026?",
            "Will Bitcoin be above 55,800 USD at the end of 8 November 2026?",
            "Will Ethereum reach 3,140 USD by 3 November 2026?",
            "Will Silver outperform Gold until 4 November 2026?",
            "Will XRP reach 0.83 USD by 30 November 2026?",
        } <= texts

    def test_the_rule_says_when_it_comes_out_yes(self):
        market = opened(2026, 11, 2, 12)["weekly-btc-close-above-20261108"]
        assert market.rule == (
            "YES if the last Bitcoin price of this service's feed at or before 2026-11-08 23:59:59 UTC"
            " is above 55,800 USD."
        )

    def test_no_rule_is_missing(self):
        assert all(market.rule.startswith("YES if ") for market in opened(2026, 11, 2, 12).values())

    def test_the_question_is_whole(self):
        for market in opened(2026, 11, 2, 12).values():
            question = market.question
            assert question.canonical == canonical(question)
            assert question.horizon_hours == pytest.approx((market.deadline - market.created_at) / HOUR)
            assert question.spot == SPOTS[question.asset]
            assert (question.polarity == "bear") == (question.comparator in ("close_below", "touch_below"))
            assert (market.resolver, market.closes_at, market.backfilled, market.author) == (
                "bars",
                market.deadline,
                False,
                None,
            )


class TestLevels:
    @pytest.mark.parametrize(
        ("category", "kind", "sigmas"),
        [
            ("daily", "touch_above", 0.9),
            ("daily", "touch_below", -0.9),
            ("weekly", "close_above", 0.7),
            ("weekly", "close_below", -0.7),
            ("weekly", "touch_above", 1.2),
            ("monthly", "touch_below", -1.2),
        ],
    )
    def test_a_level_lies_so_many_sigmas_from_the_price(self, category, kind, sigmas):
        """To half a step, which is at most a twentieth of a sigma."""
        markets = [
            market
            for day in (2, 3)
            for market in opened(2026, 11, day, 12, category=category).values()
            if market.question.comparator == kind
        ]
        assert len(markets) >= 5
        for market in markets:
            sigma = sigma_of(market.question.asset, market.created_at, market.deadline)
            z = math.log(market.question.level / market.question.spot) / sigma
            assert z == pytest.approx(sigmas, abs=0.06)

    def test_a_level_is_a_round_number(self):
        """A multiple of 1, 2 or 5 times a power of ten, of a tenth of a sigma at most and a twenty-fifth at least."""
        for market in opened(2026, 11, 2, 12).values():
            if market.question.level is None:
                continue
            longest = 0.1 * sigma_of(market.question.asset, market.created_at, market.deadline) * market.question.spot
            power = 10 ** math.floor(math.log10(longest))
            step = max(digit * power for digit in (1, 2, 5) if digit * power <= longest)
            assert market.question.level / step == pytest.approx(round(market.question.level / step), abs=1e-6)


class TestDays:
    def test_a_day_runs_from_noon_to_the_end_of_the_next(self):
        """Tuesday the 10th: bitcoin's week ends on a Sunday, so nothing is in the way."""
        assert "daily-btc-up-20261111" not in opened(2026, 11, 10, 11)
        market = opened(2026, 11, 10, 12)["daily-btc-up-20261111"]
        assert (market.created_at, market.deadline) == (second(2026, 11, 10, 12), second(2026, 11, 11, 23, 59, 59))

    def test_a_late_day_is_opened_while_a_quarter_is_left(self):
        """A quarter of 36 hours is nine, so until 15:00 of the next day; the id stays that of the day."""
        late = opened(2026, 11, 11, 15)["daily-btc-up-20261111"]
        assert late.created_at == second(2026, 11, 11, 15)
        assert late.question.horizon_hours == pytest.approx(9, abs=0.001)
        assert "daily-btc-up-20261111" not in opened(2026, 11, 11, 16)

    def test_an_asset_whose_week_ends_has_no_day(self):
        """Whether it rises, and of coins whether they touch; the week of gold ends on Tuesday, of sol on Thursday."""
        tuesday = opened(2026, 11, 9, 16, category="daily").values()
        assert {market.question.asset for market in tuesday if market.question.comparator == "up"} == {*ASSETS} - {
            "gold"
        }
        assert {market.question.asset for market in tuesday if market.question.comparator in TOUCHES} == {*COINS}
        thursday = opened(2026, 11, 11, 16, category="daily").values()
        assert {market.question.asset for market in thursday if market.question.comparator == "up"} == {*ASSETS} - {
            "sol"
        }
        assert {market.question.asset for market in thursday if market.question.comparator in TOUCHES} == {*COINS} - {
            "sol"
        }

    def test_touches_change_sides_from_day_to_day(self):
        sides = [
            {market.question.comparator for market in opened(2026, 11, day, 16, category="daily").values()}
            & set(TOUCHES)
            for day in (9, 10, 11, 12)
        ]
        assert all(len(side) == 1 for side in sides)
        assert sides[0] == sides[2] != sides[1] == sides[3]

    @pytest.mark.parametrize(
        ("moment", "deadlines"),
        [
            ((2026, 11, 12, 16), {"20261113"}),  # a Thursday
            ((2026, 11, 13, 16), set()),  # a Friday: metals do not trade on the Saturday that would end it
            ((2026, 11, 14, 16), set()),  # a Saturday
            ((2026, 11, 15, 16), set()),  # a Sunday before they open
            ((2026, 11, 15, 23), {"20261116"}),  # the market has opened, and a day is ahead
        ],
    )
    def test_a_metal_has_a_day_if_it_trades_now_and_at_its_end(self, moment, deadlines):
        markets = opened(*moment, category="daily").values()
        assert {market.id[-8:] for market in markets if market.question.asset == "gold"} == deadlines
        assert {market.question.asset for market in markets} >= {"btc", "xrp"} - ends_a_week(moment)


def ends_a_week(moment) -> set[str]:
    return {"btc"} if moment[2] == 14 else {"xrp"} if moment[2] == 13 else set()


class TestWeeksAndMonths:
    def test_the_week_of_every_asset_begins_on_another_day(self):
        begins = {}
        for day in range(2, 9):
            for market in opened(2026, 11, day, 0, category="weekly").values():
                if market.question.horizon_hours > 6.9 * 24:
                    begins.setdefault(market.question.asset, set()).add(day)
        assert sorted(begin for days in begins.values() for begin in days) == list(range(2, 9))
        assert set(begins) == set(ASSETS)

    def test_a_week_has_six_questions_and_seven_days(self):
        markets = [
            market for market in opened(2026, 11, 2, 0, category="weekly").values() if market.question.asset == "btc"
        ]
        assert {market.deadline for market in markets} == {second(2026, 11, 8, 23, 59, 59)}
        assert {market.question.comparator for market in markets} == {
            "up",
            "close_above",
            "close_below",
            "touch_above",
            "touch_below",
            "relative",
        }

    def test_compared_assets_have_the_same_trading_hours(self):
        questions = [market.question for market in opened(2026, 11, 5, 0).values()]
        pairs = [question.assets for question in questions if question.comparator == "relative"]
        assert len(pairs) >= 5
        assert all(ASSETS[asset].calendar == ASSETS[other].calendar for asset, other in pairs)

    @pytest.mark.parametrize(
        ("moment", "last"), [((2028, 2, 1), "20280229"), ((2026, 12, 1), "20261231"), ((2026, 4, 1), "20260430")]
    )
    def test_a_month_has_four_questions_for_every_asset(self, moment, last):
        markets = opened(*moment, category="monthly").values()
        assert len(markets) == 28
        assert {f"{market.question.deadline:%Y%m%d}" for market in markets} == {last}
        assert {market.deadline % DAY for market in markets} == {DAY - 1}

    def test_late_in_a_month_its_markets_are_not_opened(self):
        """A quarter of 30 days is seven and a half."""
        assert len(opened(2026, 11, 23, 12, category="monthly")) == 28
        assert not opened(2026, 11, 23, 13, category="monthly")

    def test_of_periods_that_end_together_the_longest_counts(self):
        """Bitcoin's week ends on Sunday the 8th, so no day does; ether's ends with the month, so it only compares."""
        assert "daily-btc-up-20261108" not in opened(2026, 11, 7, 12)
        assert "daily-eth-up-20261108" in opened(2026, 11, 7, 12)
        last_week = [market for market in opened(2026, 11, 24, 0).values() if market.id.startswith("weekly-eth")]
        assert [market.question.comparator for market in last_week] == ["relative"]


def test_an_asset_without_a_context_is_left_out():
    contexts = {asset: context for asset, context in CONTEXTS.items() if asset not in ("eth", "gold")}
    markets = opening(second(2026, 11, 2, 12), contexts)
    mentioned = {asset for market in markets for asset in (market.question.asset, market.question.other_asset)}
    assert mentioned == {"btc", "sol", "bnb", "xrp", "silver", None}


def test_a_late_start_opens_the_same_ids():
    """A service that was down at noon opens at 14:00 what it would have opened at noon."""
    assert set(opened(2026, 11, 10, 14)) == set(opened(2026, 11, 10, 12))


class TestNearCopies:
    SIGMA = 0.04
    DEADLINE = second(2026, 11, 30, 23, 59, 59)

    def market(self, comparator: str, later_h: float = 0, **fields) -> Prediction:
        deadline = self.DEADLINE + round(later_h * HOUR)
        base = Question("?", "btc", comparator, utc(deadline), 72.0, 100.0, "bull")
        question = replace(base, **fields)
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
        ],
    )
    def test_one_event_one_time_one_level(self, left, right, expected):
        market, other = (self.market(comparator, **fields) for comparator, fields in (left, right))
        assert near_copy(market, other, self.SIGMA) is expected
        assert near_copy(other, market, self.SIGMA) is expected
