"""No look-ahead from the bars to the answer: asked in the past, with and without the bars that came after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.densities.density import VERSION, Fits
from service.forecasting.densities.fitting import fit, fit_calendars
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters import price_forecasts
from service.forecasting.voters.context import Knowledge, build_all, recall
from service.forecasting.voters.inputs import survey
from service.market.assets import ASSETS
from service.market.bars import Bars
from service.market.instants import DAY
from service.questions.question import Question
from tests.forecasting.made import EVERY_KIND, NOW, asking_at, made_bars, market_of, panel_of
from tests.forecasting.markets import PLAIN_HEADER

PAST_DAYS, LATER_DAYS = 190, 10
SLOT = NOW - 3 * DAY
OF_GOLD = tuple((kind, {**fields, "asset": "gold"}) for kind, fields in EVERY_KIND if "other_asset" not in fields)
KINDS = (*EVERY_KIND, *OF_GOLD)


@pytest.fixture(scope="session")
def later() -> dict[str, Bars]:
    """Bars that go on for ten days after NOW."""
    first, days = NOW - PAST_DAYS * DAY, PAST_DAYS + LATER_DAYS
    return {asset: made_bars(asset, days, seed, first) for seed, asset in enumerate(ASSETS)}


@pytest.fixture(scope="session")
def with_later(later) -> Knowledge:
    """What a walk through the past takes from a history that goes on."""
    return knowledge_of(later)


def knowledge_of(bars: dict[str, Bars]) -> Knowledge:
    """Contexts at NOW and fits at SLOT as rows of one history."""
    history = survey(bars)
    tracks = {asset: track.variance for asset, track in history.tracks.items()}
    fits = Fits(VERSION, SLOT, fit_calendars(history.grid, tracks, history.grid.row_at(SLOT)))
    return Knowledge(recall(history, bars, NOW), fits)


@pytest.fixture(scope="session")
def without(later) -> Knowledge:
    """What the service knew then."""
    past = {asset: bars.until(NOW) for asset, bars in later.items()}
    return Knowledge(build_all(past, NOW), fit(past, SLOT))


@pytest.fixture(scope="session")
def query(without) -> Callable[..., Question]:
    """Makes a question at the prices of this history; those of the other tests know another one."""
    return asking_at(without.contexts)


@pytest.mark.parametrize(("comparator", "fields"), KINDS)
def test_no_vote_and_no_pool_sees_what_comes_after(comparator, fields, query, with_later, without):
    """Distributions, paths, reasons and the pool of every kind of question, and what the outside market quotes."""
    question = query(comparator, **fields)
    seen, unseen = (panel_of().ask(question, NOW, knowledge) for knowledge in (with_later, without))
    assert len(seen.ballots) == 9
    assert seen == unseen
    quotes = [SimulatedMarket(7).quote(market_of(question), knowledge, NOW) for knowledge in (with_later, without)]
    assert quotes[0] == quotes[1]


def test_no_price_forecast_sees_what_comes_after(with_later, without):
    seen, unseen = (price_forecasts.describe(knowledge, NOW, PLAIN_HEADER) for knowledge in (with_later, without))
    assert set(seen) == set(ASSETS)
    assert seen == unseen


def test_bars_of_one_hour_later_would_be_seen(later, without, query):
    """The comparison can fail: with prices that come one hour early, the answers differ."""
    early = {asset: replace(bars, close=np.roll(bars.close, -1)) for asset, bars in later.items()}
    knowledge = knowledge_of(early)
    question = query("touch_above", at=1.03)
    votes = [vote.forecast.p for vote in panel_of().ask(question, NOW, knowledge).ballots]
    assert votes != [vote.forecast.p for vote in panel_of().ask(question, NOW, without).ballots]
