"""The simulated outside market: what a good forecaster that is none of the nine believes, quoted as markets quote.

No trades take place at these prices. In the simulated world the belief is the law by which the world draws prices (not
the draws); over past prices it is a GARCH(1,1)-t with fixed coefficients. None of the nine voters holds either. Around
it lie the frictions of real markets: a shock to volatility that all markets of a week share, one of its own for each
market, a price that is not quite up to date, too high prices of unlikely events (the favourite-longshot bias: Ali
1977), and a spread that widens in the tails. So nobody should earn more than the fees here, and what the voters score
against it is no evidence about a real market.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from service.forecasting.densities.density import Density, Fits, student
from service.forecasting.densities.models import ALPHA, BETA
from service.forecasting.densities.season import hours_between
from service.forecasting.predictions import Odds, Prediction
from service.forecasting.voters.ballots import SUREST
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.forecast_inputs import AssetState, build_inputs, p_yes
from service.market.instants import DAY

# Mean and variance of the log return of an asset from one unix second to another, as a world draws it.
TrueLaw = Callable[[str, int, int], tuple[float, float]]

# Degrees of freedom. The days ahead of a simulated world have random volatility, so their sum is not quite normal.
# The returns of real days have tails like those of 4 to 6 degrees (Bollerslev 1987), sums of many ever thinner ones.
TRUE_FREEDOM = 16.0
LEAST_FREEDOM, FREEDOM_A_DAY = 4.5, 1.0


def garch(state: AssetState, fits: Fits | None) -> Density:
    """The belief of a GARCH(1,1) process (Bollerslev 1986) on the seasonal clock.

    Its level v is halfway between the variances of 30 and of 180 days. With persistence f the variance of an hour in h
    hours is v + (v0 - v) f^h; so over the horizon the excess of the present v0 counts (1 - f^h) / (1 - f) hours.
    """
    persistence = ALPHA + BETA
    present, month = (math.exp(state.variance.get(name, 0.0)) for name in ("garch", "month"))
    level = (1 + month) / 2
    share = (1 - persistence**state.hours) / ((1 - persistence) * state.hours)
    fit = fits and fits.of(state.asset)
    hours = hours_between(fit.season, state.asset, state.now, state.until) if fit else state.hours
    variance = state.slow * (level + (present - level) * share) * hours
    days = (state.until - state.now) / DAY
    return student(math.sqrt(variance), LEAST_FREEDOM + FREEDOM_A_DAY * days)


SOURCE = "simulated"

# Assumed values.
COMMON_SHOCK = 0.04  # standard deviation of the log volatility's error that all markets of a week share
OWN_SHOCK = 0.06  # standard deviation in log-odds
MOST_STALE = 0.1  # the largest part of the last four hours' move that a price lacks
LONGSHOT = 0.97  # log-odds are multiplied by it
MIN_SPREAD, MAX_SPREAD = 0.02, 0.05  # at even odds; twice as wide at 0 and 1
MEDIAN_VOLUME_USD, VOLUME_SPREAD = 20_000, 1.2
MIN_PRICE, MAX_PRICE = 0.01, 0.99  # of bids and asks
MIN_P, MAX_P = 0.015, 0.985


@dataclass(frozen=True)
class SimulatedMarket:
    """The outside market of one `seed`; `true_law` is that of a simulated world, None over past prices."""

    seed: int
    true_law: TrueLaw | None = None

    @property
    def description(self) -> str:
        """What it is, for the documents that show its prices."""
        belief = "a GARCH(1,1)-t process" if self.true_law is None else "the law by which this world draws its prices"
        return f"{SOURCE}: no trades take place; priced from {belief}, with errors and a spread"

    def quote(self, market: Prediction, knowledge: Knowledge, now: int) -> Odds:
        """The price of YES at the unix second `now`.

        The same market has the same shocks, spread and volume. The bid is below and the ask above `p_yes`, all in
        [0.01, 0.99]. Raises Abstention, as voters do, if an asset has no usable context.
        """
        generator = np.random.default_rng([self.seed, *sha256(market.id.encode()).digest()])
        stale, inputs = generator.uniform(0, MOST_STALE), build_inputs(market.question, now, knowledge)
        beliefs = [self._belief(state, knowledge.fits, stale) for state in inputs.states]
        fair_p = float(np.clip(p_yes(market.question, inputs, beliefs), 1 - SUREST, SUREST))
        odds = LONGSHOT * math.log(fair_p / (1 - fair_p)) + generator.normal(0, OWN_SHOCK)
        p = float(np.clip(1 / (1 + math.exp(-odds)), MIN_P, MAX_P))
        half = generator.uniform(MIN_SPREAD, MAX_SPREAD) * (1 + abs(2 * p - 1)) / 2
        return Odds(
            source=SOURCE,
            market_id=f"sim-{market.id}",
            url=None,
            p_yes=p,
            bid=max(MIN_PRICE, p - half),
            ask=min(MAX_PRICE, p + half),
            volume_usd=float(generator.lognormal(np.log(MEDIAN_VOLUME_USD), VOLUME_SPREAD)),
            fetched_at=now,
        )

    def _belief(self, state: AssetState, fits: Fits | None, stale: float) -> Density:
        """The market's belief, at a price that lacks the part `stale` of the last four hours' move."""
        if state.hours == 0:
            return state.plain
        if self.true_law is None:
            belief = garch(state, fits)
        else:
            mean, variance = self.true_law(state.asset, state.now, state.until)
            belief = student(math.sqrt(variance), TRUE_FREEDOM, mean)
        recent = (state.inputs.get("move_4h") or 0.0) * math.sqrt(4 * state.slow)
        shock = math.exp(COMMON_SHOCK * np.random.default_rng([self.seed, state.now // (7 * DAY)]).normal())
        return replace(belief, drift=belief.drift - stale * recent, sigma=belief.sigma * shock)
