"""Which markets are opened: enough of them at every hour, none nearly another, each meaning what its text says."""

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

from service.forecasting.context import Context
from service.forecasting.predictions import PredictionMarket
from service.forecasting.predictions.series import EVERY_S, near_copy, opening
from service.forecasting.questions import Question, understand
from service.forecasting.questions.canonical import canonical
from service.forecasting.resolution import TOUCHES, happened
from service.market.assets import ASSETS, open_hours
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from tests.forecasting.made import made_bars

SPOTS = {"btc": 53211.85, "eth": 3021.5, "sol": 141.234, "bnb": 601.2, "xrp": 0.61234, "gold": 2431.5, "silver": 29.123}
VOLATILITY = {"btc": 0.5, "eth": 0.68, "sol": 0.95, "bnb": 0.52, "xrp": 0.9, "gold": 0.16, "silver": 0.3}  # of a year
HOURLY_VARIANCE = {asset: volatility**2 / 8766 for asset, volatility in VOLATILITY.items()}
MADE = 0.005  # standard deviation of the made bars' hourly return
COINS = ["btc", "eth", "sol", "bnb", "xrp"]
START = int(datetime(2025, 11, 3, tzinfo=UTC).timestamp())


def contexts_at(spots: dict[str, float], variance: dict[str, float]) -> dict[str, Context]:
    """What is known at these prices, with these variances of the log return per hour."""
    return {
        asset: Context(asset, 0, spot, 400.0, variance[asset], variance[asset], inputs={}, correlations={})
        for asset, spot in spots.items()
    }


CONTEXTS = contexts_at(SPOTS, HOURLY_VARIANCE)


def second(*moment: int) -> int:
    return int(datetime(*moment, tzinfo=UTC).timestamp())


def opened(*moment: int, category: str | None = None) -> dict[str, PredictionMarket]:
    """What is opened at a moment by a service that has opened nothing before, by id."""
    found = opening(second(*moment), CONTEXTS)
    return {one.id: one for one in found if category in (None, one.category)}


def sigma_of(asset: str, since: int, until: int) -> float:
    return math.sqrt(HOURLY_VARIANCE[asset] * open_hours(asset, since, until))


@pytest.fixture(scope="module")
def year() -> dict[str, Bars]:
    """A year of hourly bars and a month, and three days before it: over a weekend the metals have a price."""
    return {asset: made_bars(asset, 400, seed, START - 3 * DAY) for seed, asset in enumerate(ASSETS)}


@pytest.fixture(scope="module")
def asked(year) -> list[PredictionMarket]:
    """Everything that a service opens in that year."""
    found: dict[str, PredictionMarket] = {}
    for now in range(START, START + 365 * DAY, EVERY_S):
        spots = {asset: float(known.until(now).close[-1]) for asset, known in year.items()}
        for market in opening(now, contexts_at(spots, dict.fromkeys(ASSETS, MADE**2))):
            found.setdefault(market.id, market)
    return list(found.values())


class TestAYear:
    def test_forty_are_active_at_every_hour(self, asked, year):
        """A touch is over when it is seen; everything else at its deadline."""
        active = np.zeros(365 * 24 + 31 * 24 + 1, dtype=int)
        for market in asked:
            active[(market.created_at - START) // HOUR] += 1
            active[-(-(over(market, year) - START) // HOUR)] -= 1
        assert np.cumsum(active)[: 365 * 24].min() >= 40

    def test_no_two_are_near_copies(self, asked):
        """Of one asset and deadline, under the volatility of the longer horizon of the two."""
        beside = defaultdict(list)
        for market in asked:
            beside[market.question.asset, market.deadline].append(market)
        for (asset, deadline), markets in beside.items():
            for one, other in combinations(markets, 2):
                hours = open_hours(asset, min(one.created_at, other.created_at), deadline)
                assert not near_copy(one, other, MADE * math.sqrt(hours)), (one.id, other.id)
        assert max(map(len, beside.values())) > 4

    def test_of_one_asset_and_deadline_no_two_have_the_same_level(self, asked):
        named = Counter((one.question.asset, one.deadline, one.question.level) for one in asked if one.question.level)
        assert set(named.values()) == {1}

    def test_all_five_coins_and_both_metals_are_asked_about_in_every_category(self, asked):
        assert {(one.category, one.question.asset) for one in asked} == {
            (category, asset) for category in ("daily", "weekly", "monthly") for asset in ASSETS
        }

    def test_an_id_says_category_asset_kind_and_day(self, asked):
        for one in asked:
            kind = one.question.comparator.replace("_", "-")
            day = one.question.deadline.strftime("%Y%m%d")
            assert one.id == f"{one.category}-{one.question.asset}-{kind}-{day}"


def over(market: PredictionMarket, year: dict[str, Bars]) -> int:
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
    def test_it_is_understood_as_what_is_asked(self, hour, wildness, scales):
        """Whatever the prices, the volatility and the day: the list and the oracle agree on what a sentence means."""
        now = START + hour * HOUR
        spots = {asset: round(spot * by, 5) for (asset, spot), by in zip(SPOTS.items(), scales, strict=True)}
        for market in opening(
            now, contexts_at(spots, {asset: wildness * known for asset, known in HOURLY_VARIANCE.items()})
        ):
            assert understand(market.question.text, utc(now), spots) == market.question

    def test_it_reads_like_what_a_person_would_write(self):
        """Bitcoin to Sunday: 156 hours at 50 % a year are 6.67 %, 0.7 of it is 55,755, in steps of 200 of 355."""
        texts = {one.question.text for one in opened(2026, 11, 2, 12).values()}
        assert {
            "From 53,211.85 USD, will Bitcoin be up at the end of 3 November 2026?",
            "Will Bitcoin be above 55,800 USD at the end of 8 November 2026?",
            "Will Ethereum reach 3,140 USD by 3 November 2026?",
            "Will Silver outperform Gold until 4 November 2026?",
            "Will XRP reach 0.83 USD by 30 November 2026?",
        } <= texts

    def test_the_rule_says_what_makes_it_a_yes(self):
        found = opened(2026, 11, 2, 12)["weekly-btc-close-above-20261108"]
        assert found.rule == (
            "YES if the last Bitcoin price of this service's feed at or before 2026-11-08 23:59:59 UTC"
            " is above 55,800 USD."
        )

    def test_no_rule_is_missing(self):
        assert all(one.rule.startswith("YES if ") for one in opened(2026, 11, 2, 12).values())

    def test_the_question_is_whole(self):
        for one in opened(2026, 11, 2, 12).values():
            question = one.question
            assert question.canonical == canonical(question)
            assert question.horizon_hours == pytest.approx((one.deadline - one.created_at) / HOUR)
            assert question.spot == SPOTS[question.asset]
            assert (question.polarity == "bear") == (question.comparator in ("close_below", "touch_below"))
            assert (one.resolver, one.closes_at, one.backfilled, one.author) == ("bars", one.deadline, False, None)


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
        found = [
            one
            for day in (2, 3)
            for one in opened(2026, 11, day, 12, category=category).values()
            if one.question.comparator == kind
        ]
        assert len(found) >= 5
        for one in found:
            sigma = sigma_of(one.question.asset, one.created_at, one.deadline)
            z = math.log(one.question.level / one.question.spot) / sigma
            assert z == pytest.approx(sigmas, abs=0.06)

    def test_a_level_is_a_round_number(self):
        """A multiple of 1, 2 or 5 times a power of ten, of a tenth of a sigma at most and a twenty-fifth at least."""
        for one in opened(2026, 11, 2, 12).values():
            if one.question.level is None:
                continue
            longest = 0.1 * sigma_of(one.question.asset, one.created_at, one.deadline) * one.question.spot
            power = 10 ** math.floor(math.log10(longest))
            step = max(digit * power for digit in (1, 2, 5) if digit * power <= longest)
            assert one.question.level / step == pytest.approx(round(one.question.level / step), abs=1e-6)


class TestDays:
    def test_a_day_is_opened_at_noon_until_the_end_of_the_next(self):
        """Tuesday the 10th: bitcoin's week ends on a Sunday, so nothing is in the way."""
        assert "daily-btc-up-20261111" not in opened(2026, 11, 10, 11)
        found = opened(2026, 11, 10, 12)["daily-btc-up-20261111"]
        assert (found.created_at, found.deadline) == (second(2026, 11, 10, 12), second(2026, 11, 11, 23, 59, 59))

    def test_late_it_is_opened_while_a_quarter_of_it_is_left(self):
        """A quarter of 36 hours is nine, so until 15:00 of the next day; the id stays that of the day."""
        late = opened(2026, 11, 11, 15)["daily-btc-up-20261111"]
        assert late.created_at == second(2026, 11, 11, 15)
        assert late.question.horizon_hours == pytest.approx(9, abs=0.001)
        assert "daily-btc-up-20261111" not in opened(2026, 11, 11, 16)

    def test_every_asset_but_the_one_whose_week_ends_is_asked_about(self):
        """Whether it rises, and of coins whether they touch; the week of gold ends on Tuesday, of sol on Thursday."""
        tuesday = opened(2026, 11, 9, 16, category="daily").values()
        assert {one.question.asset for one in tuesday if one.question.comparator == "up"} == {*ASSETS} - {"gold"}
        assert {one.question.asset for one in tuesday if one.question.comparator in TOUCHES} == {*COINS}
        thursday = opened(2026, 11, 11, 16, category="daily").values()
        assert {one.question.asset for one in thursday if one.question.comparator == "up"} == {*ASSETS} - {"sol"}
        assert {one.question.asset for one in thursday if one.question.comparator in TOUCHES} == {*COINS} - {"sol"}

    def test_touches_change_sides_from_day_to_day(self):
        sides = [
            {one.question.comparator for one in opened(2026, 11, day, 16, category="daily").values()} & set(TOUCHES)
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
    def test_a_metal_is_asked_about_when_it_trades_now_and_on_the_last_day(self, moment, deadlines):
        found = opened(*moment, category="daily").values()
        assert {one.id[-8:] for one in found if one.question.asset == "gold"} == deadlines
        assert {one.question.asset for one in found} >= {"btc", "xrp"} - ends_a_week(moment)


def ends_a_week(moment) -> set[str]:
    return {"btc"} if moment[2] == 14 else {"xrp"} if moment[2] == 13 else set()


class TestWeeksAndMonths:
    def test_every_assets_week_begins_on_another_day(self):
        begins = {}
        for day in range(2, 9):
            for one in opened(2026, 11, day, 0, category="weekly").values():
                if one.question.horizon_hours > 6.9 * 24:
                    begins.setdefault(one.question.asset, set()).add(day)
        assert sorted(begin for days in begins.values() for begin in days) == list(range(2, 9))
        assert set(begins) == set(ASSETS)

    def test_a_week_asks_six_things_and_ends_seven_days_later(self):
        found = [one for one in opened(2026, 11, 2, 0, category="weekly").values() if one.question.asset == "btc"]
        assert {one.deadline for one in found} == {second(2026, 11, 8, 23, 59, 59)}
        assert {one.question.comparator for one in found} == {
            "up",
            "close_above",
            "close_below",
            "touch_above",
            "touch_below",
            "relative",
        }

    def test_an_asset_is_measured_against_one_of_the_same_trading_hours(self):
        found = [one.question for one in opened(2026, 11, 5, 0).values() if one.question.comparator == "relative"]
        assert len(found) >= 5
        assert all(ASSETS[one.asset].calendar == ASSETS[one.other_asset].calendar for one in found)

    @pytest.mark.parametrize(
        ("moment", "last"), [((2028, 2, 1), "20280229"), ((2026, 12, 1), "20261231"), ((2026, 4, 1), "20260430")]
    )
    def test_a_month_asks_four_things_of_every_asset_until_its_last_second(self, moment, last):
        found = opened(*moment, category="monthly").values()
        assert len(found) == 28
        assert {f"{one.question.deadline:%Y%m%d}" for one in found} == {last}
        assert {one.deadline % DAY for one in found} == {DAY - 1}

    def test_late_in_a_month_nothing_is_opened_for_it(self):
        """A quarter of 30 days is seven and a half."""
        assert len(opened(2026, 11, 23, 12, category="monthly")) == 28
        assert not opened(2026, 11, 23, 13, category="monthly")

    def test_where_periods_end_together_the_longest_asks(self):
        """Bitcoin's week ends on Sunday the 8th, so no day does; ether's ends with the month, so it only compares."""
        assert "daily-btc-up-20261108" not in opened(2026, 11, 7, 12)
        assert "daily-eth-up-20261108" in opened(2026, 11, 7, 12)
        last_week = [one for one in opened(2026, 11, 24, 0).values() if one.id.startswith("weekly-eth")]
        assert [one.question.comparator for one in last_week] == ["relative"]


def test_an_asset_nothing_is_known_of_is_left_out():
    known = {asset: context for asset, context in CONTEXTS.items() if asset not in ("eth", "gold")}
    found = opening(second(2026, 11, 2, 12), known)
    mentioned = {asset for one in found for asset in (one.question.asset, one.question.other_asset)}
    assert mentioned == {"btc", "sol", "bnb", "xrp", "silver", None}


def test_what_runs_is_opened_at_any_hour_under_the_same_ids():
    """A service that was down at noon opens at 14:00 what it would have opened at noon."""
    assert set(opened(2026, 11, 10, 14)) == set(opened(2026, 11, 10, 12))


class TestNearCopies:
    SIGMA = 0.04
    DEADLINE = second(2026, 11, 30, 23, 59, 59)

    def market(self, comparator: str, later_h: float = 0, **fields) -> PredictionMarket:
        deadline = self.DEADLINE + round(later_h * HOUR)
        base = Question("?", "btc", comparator, utc(deadline), 72.0, 100.0, "bull")
        question = replace(base, **fields)
        return PredictionMarket("x", "daily", question, "", "bars", 0, deadline, deadline, False)

    @pytest.mark.parametrize(
        ("one", "other", "expected"),
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
    def test_one_event_one_time_one_level(self, one, other, expected):
        first, second_ = (self.market(comparator, **fields) for comparator, fields in (one, other))
        assert near_copy(first, second_, self.SIGMA) is expected
        assert near_copy(second_, first, self.SIGMA) is expected
