"""Markets that are lived through: opened by both sets of templates, voted on and quoted without later bars."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.predictions import series
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters.context import build_all
from service.forecasting.voters.distribution import horizon_sigma
from service.market.assets import open_hours
from service.market.instants import DAY, HOUR
from tests.forecasting.made import NOW
from tests.measure import first_templates
from tests.measure.lived_markets import LivedMarket, live

pytestmark = pytest.mark.slow

SINCE, UNTIL = NOW - 5 * DAY, NOW
OPENINGS = {"first": first_templates.opening, "today": series.opening}
DISTANCES = {"close_above": (0.7,), "close_below": (-0.7,), "touch_above": (0.9, 1.2), "touch_below": (-0.9, -1.2)}


@pytest.fixture(scope="module")
def lived(hourly) -> dict[str, list[LivedMarket]]:
    return live(hourly, SINCE, UNTIL, OPENINGS, {"garch": SimulatedMarket(1)})


def test_settled_markets_have_votes_and_quotes(lived):
    for markets in lived.values():
        assert len(markets) > 40
        for each in markets:
            assert SINCE <= each.market.created_at < each.market.settlement.resolved_at <= UNTIL
            assert each.market.outcome in ("yes", "no")
            assert len(each.market.votes) > 5
            assert each.quotes["garch"].fetched_at == each.market.created_at
            assert 0 < each.plain < 1


def test_later_bars_change_no_vote_and_no_quote(hourly, lived):
    cut = SINCE + 3 * DAY
    changed = {
        asset: replace(
            bars,
            **{name: np.where(bars.time + HOUR > cut, 1.3, 1.0) * getattr(bars, name) for name in ("high", "close")},
        )
        for asset, bars in hourly.items()
    }
    other = live(changed, SINCE, UNTIL, OPENINGS, {"garch": SimulatedMarket(1)})
    for name, markets in lived.items():
        by_id = {each.market.id: each for each in other[name]}
        early = [each for each in markets if each.market.created_at <= cut and each.market.id in by_id]
        assert len(early) > 20
        for each in early:
            same = by_id[each.market.id]
            assert (same.market.commitment, same.quotes, same.plain) == (
                each.market.commitment,
                each.quotes,
                each.plain,
            )


def test_the_first_templates_are_drawn_in_the_present_volatility(hourly):
    """At 0.7, 0.9 or 1.2 sigmas to half a step."""
    contexts = build_all(hourly, NOW)
    markets = first_templates.opening(NOW, contexts)
    assert {market.question.comparator for market in markets} == {"up", "relative", *DISTANCES}
    for market in markets:
        question = market.question
        if question.level is not None:
            context = contexts[question.asset]
            sigma = horizon_sigma(context.fast, context.slow, open_hours(question.asset, NOW, market.deadline))
            z = math.log(question.level / question.spot) / sigma
            assert min(abs(z - distance) for distance in DISTANCES[question.comparator]) < 0.06
    assert len({market.id for market in markets}) == len(markets)
