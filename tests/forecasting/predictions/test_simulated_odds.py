"""The simulated outside market: a belief with the frictions of real markets, the same for the same market and seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit

from service.forecasting.densities.density import NORMAL
from service.forecasting.predictions import simulated_odds
from service.forecasting.predictions.scores.bets import bet_on
from service.forecasting.predictions.simulated_odds import SimulatedMarket, garch
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.forecast_inputs import AssetState
from service.market.assets import ASSETS
from service.market.bars import resample
from service.market.instants import DAY, HOUR
from service.scores.intervals import DIFFERENCES, clustered_mean, weeks_of
from service.sources.feeds.simulated import SimulatedFeed, bars
from tests.conftest import IN_SOAK
from tests.forecasting.made import EVERY_KIND, FIRST, NOW, market_of
from tests.forecasting.predictions.lived_markets import LivedMarket, live

LIVED_S, MARKETS = (310 * DAY, 5_000) if IN_SOAK else (75 * DAY, 1_200)
STATE = AssetState("btc", 100.0, NOW, NOW + 10 * HOUR, 10.0, 0.02, 1e-5, 400.0, {}, math.log(1e-5), {})


def one_percent_an_hour(asset: str, since: int, until: int) -> tuple[float, float]:
    """A true law without a drift."""
    return 0.0, 1e-4 * (until - since) / HOUR


@pytest.fixture(scope="module")
def quote(query, contexts) -> Callable:
    """Quotes a kind of question under an id and a seed."""

    def quote_it(comparator: str, fields: dict, id: str = "m", seed: int = 7):
        outside = SimulatedMarket(seed, one_percent_an_hour)
        return outside.quote(market_of(query(comparator, **fields), id), Knowledge(contexts), NOW)

    return quote_it


@pytest.fixture
def no_frictions(monkeypatch):
    """A market that quotes what it believes."""
    for name, value in (("COMMON_SHOCK", 0.0), ("OWN_SHOCK", 0.0), ("MOST_STALE", 0.0), ("LONGSHOT", 1.0)):
        monkeypatch.setattr(simulated_odds, name, value)


def test_without_frictions_it_quotes_the_law_of_the_world(no_frictions, quote):
    """72 hours at 1% are 8.49%; Student's t with 16 degrees is close to a normal law there."""
    expected = 1 - NORMAL.cdf(math.log(1.05) / (0.01 * math.sqrt(72)))
    assert quote("close_above", {"at": 1.05}).p_yes == pytest.approx(expected, abs=0.01)
    assert quote("touch_above", {"at": 1.05}).p_yes == pytest.approx(2 * expected, abs=0.02)
    assert quote("up", {}).p_yes == pytest.approx(0.5)


@pytest.mark.parametrize(("comparator", "fields"), [kind for kind in EVERY_KIND if kind[0] != "open"])
def test_every_kind_of_question_has_a_price(comparator, fields, quote):
    assert 0.01 < quote(comparator, fields).p_yes < 0.99


def test_markets_have_a_shock_of_their_own(quote):
    """Of 0.06 in log-odds, over 400 markets of one question under one seed; the staleness adds a little."""
    prices = [quote("up", {}, f"m{number}").p_yes for number in range(400)]
    assert 0.05 < logit(prices).std() < 0.08


def test_the_markets_of_a_week_share_a_shock(monkeypatch, quote):
    """Without the others, all prices of one seed are equal, and 200 seeds spread like volatilities 4% apart."""
    for name in ("OWN_SHOCK", "MOST_STALE"):
        monkeypatch.setattr(simulated_odds, name, 0.0)
    question = "close_above", {"at": 1.05}
    assert len({quote(*question, id=f"m{number}").p_yes for number in range(9)}) == 1
    quantiles = [-NORMAL.inv_cdf(quote(*question, seed=seed).p_yes) for seed in range(200)]
    assert 0.03 < np.log(quantiles).std() < 0.05


def test_a_price_lacks_a_part_of_the_last_move(monkeypatch, query, contexts):
    """After a rise the price of a rise is still lower than after none."""
    monkeypatch.setattr(simulated_odds, "OWN_SHOCK", 0.0)

    def price(move: float) -> float:
        context = replace(contexts["btc"], inputs={**contexts["btc"].inputs, "move_4h": move})
        outside = SimulatedMarket(7, one_percent_an_hour)
        return outside.quote(market_of(query("up")), Knowledge({"btc": context}), NOW).p_yes

    assert price(2.0) < price(0.0) < price(-2.0)
    assert price(0.0) == pytest.approx(0.5)


def test_unlikely_events_cost_too_much(no_frictions, monkeypatch, quote):
    """The favourite-longshot bias: 0.97 times the log-odds."""
    belief = quote("close_above", {"at": 1.12}).p_yes
    monkeypatch.setattr(simulated_odds, "LONGSHOT", 0.97)
    price = quote("close_above", {"at": 1.12}).p_yes
    assert logit(belief) < -1
    assert logit(price) == pytest.approx(0.97 * logit(belief))


@given(number=st.integers(0, 10**6), seed=st.integers(0, 2**31), level=st.floats(0.5, 2.0))
def test_the_price_lies_between_bid_and_ask_within_bounds(number, seed, level, quote):
    odds = quote("close_above", {"at": level}, f"m{number}", seed)
    assert 0.01 <= odds.bid < odds.p_yes < odds.ask <= 0.99
    assert odds.ask - odds.bid <= 0.1 + 1e-12
    assert odds.volume_usd > 0


def test_spreads_widen_in_the_tails(quote):
    """Two to five points at even odds, up to twice as much at the ends."""
    for kind, factor in ((("up", {}), 1.0), (("close_above", {"at": 1.08}), 1.66)):
        spreads = [odds.ask - odds.bid for odds in (quote(*kind, f"m{number}") for number in range(300))]
        assert min(spreads) == pytest.approx(0.02 * factor, abs=0.004)
        assert max(spreads) == pytest.approx(0.05 * factor, abs=0.004)


def test_a_quote_depends_on_the_market_and_the_seed(quote):
    odds = quote("up", {})
    assert quote("up", {}) == odds
    assert quote("up", {}, id="n").p_yes != odds.p_yes != quote("up", {}, seed=8).p_yes
    assert (odds.source, odds.market_id, odds.url, odds.fetched_at) == ("simulated", "sim-m", None, NOW)


def test_an_asset_without_a_context_has_no_quote(query):
    with pytest.raises(Abstention):
        SimulatedMarket(7).quote(market_of(query("up")), Knowledge({}), NOW)


@pytest.fixture(scope="module")
def markets() -> list[LivedMarket]:
    """The markets of one simulated world, quoted as in it and as in a replay of its bars."""
    world, until = SimulatedFeed(11, FIRST - 120 * DAY), FIRST + LIVED_S
    hourly = {asset: resample(bars(world.seed, asset, world.history_from, until), HOUR) for asset in ASSETS}
    outsides = {"simulated": SimulatedMarket(1, world.expected_return), "replay": SimulatedMarket(1)}
    return live(hourly, FIRST, until, outsides)


@pytest.mark.slow
@pytest.mark.parametrize("world", ["simulated", "replay"])
def test_no_vote_earns_more_than_the_fees(world, markets):
    """Neither the pool nor a voter profits beyond the 95% interval over weeks, by the rule of the shadow book."""
    assert len(markets) >= MARKETS
    for voter, bets in returns_of(markets, world).items():
        profit, resolved_at = np.array(bets).T
        low, _ = clustered_mean(profit, weeks_of(resolved_at.astype(int)), DIFFERENCES).interval()
        assert len(bets) > MARKETS / 6, voter
        assert low <= 0, (voter, profit.mean(), low)


def returns_of(markets: list[LivedMarket], world: str) -> dict[str, list[tuple[float, int]]]:
    """The profit per dollar and the instant of resolution of each bet, by voter."""
    returns: dict[str, list[tuple[float, int]]] = {}
    for history in markets:
        commitment, settlement = history.market.commitment, history.market.settlement
        for voter, p in (("pool", commitment.p), *((vote.voter, vote.p) for vote in commitment.votes)):
            bet = bet_on(replace(history.market, commitment=replace(commitment, p=p), odds=history.quotes[world]))
            if bet:
                returns.setdefault(voter, []).append((bet.pnl / 100, settlement.resolved_at))
    return returns


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_garch_returns_to_the_level_at_its_persistence(ratio):
    """Hour by hour: 0.08 + 0.90 of the excess is left after each; the level is (1 + 1.4) / 2."""
    state = replace(STATE, variance={"garch": math.log(ratio), "month": math.log(1.4)})
    expected = sum(1e-5 * (1.2 + (ratio - 1.2) * 0.98**hour) for hour in range(10))
    assert garch(state, None).sigma ** 2 == pytest.approx(expected)


def test_garch_counts_seasonal_hours_once_they_are_fitted(fits):
    """A Saturday is shorter than its hours wherever the season says so."""
    season = fits.of("btc").season
    (hours,) = season.hours("btc", np.array([STATE.now]), np.array([STATE.until])).tolist()
    assert len(set(season.weights)) > 1
    assert garch(STATE, fits).sigma ** 2 == pytest.approx(1e-5 * hours)


def test_tails_of_garch_are_thinner_over_longer_horizons():
    """Beyond four sigmas; a normal return is there once in 15,787."""
    month = replace(STATE, until=NOW + 30 * DAY, hours=720.0)
    short, long = (2 * law.above(4 * law.sigma) for law in (garch(STATE, None), garch(month, None)))
    assert 0.004 > short > 10 * long > 10 / 15_787
