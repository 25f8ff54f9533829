"""The nine voters with their embedded engines: each forecasts from the distribution that its model of variance gives.

A seat keeps its name when a language model takes it; only its `engine` changes. All see prices and no direction in
them: over hours to weeks none of them could tell a rise from a fall, so the median is the present price.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from service.forecasting.densities.density import Density
from service.forecasting.densities.models import MODELS
from service.forecasting.voters.ballots import EMBEDDED, Forecast, VoterKind, sentence
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs, p_up, p_yes, settled
from service.questions.criterion import price
from service.questions.question import Question

PLAIN = "plain volatility"  # in place of what a model looks at that is not fitted


@dataclass(frozen=True)
class Embedded:
    """A voter with the model of its name."""

    name: str
    kind: VoterKind
    engine: str = EMBEDDED

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        """P(YES) and P(higher); abstains only where two assets have no correlation, or a market is closed."""
        densities = inputs.densities(self.name)
        p, up = (ask(question, inputs, densities) for ask in (p_yes, p_up))
        reason = settled(question, inputs.state) or _reason(question, inputs, MODELS[self.name].basis, densities)
        return Forecast(p, reason, p_up=up)


def _reason(question: Question, inputs: ForecastInputs, basis: str, densities: Sequence[Density]) -> str:
    """What the model looks at, the size of a move that it expects beside the usual one, and how far the levels are."""
    is_fitted = all(density is not state.plain for state, density in zip(inputs.states, densities, strict=True))
    driver = basis if is_fitted else PLAIN
    moves = [_expected_move(driver, state, density) for state, density in zip(inputs.states, densities, strict=True)]
    return " ".join([*moves, *_distances(question, inputs, densities)])


def _expected_move(driver: str, state: AssetState, density: Density) -> str:
    usual_pct = f"{100 * math.sqrt(state.slow * state.hours):.1f}"
    sigma_pct = f"{100 * density.sigma:.1f}"
    return sentence("expected_move", driver=driver, asset=state.asset, sigma_pct=sigma_pct, usual_sigma_pct=usual_pct)


def _distances(question: Question, inputs: ForecastInputs, densities: Sequence[Density]) -> list[str]:
    if question.legs:
        legs = zip(question.parts, inputs.states, densities, strict=True)
        distances = [_away(level, state, density) for part, state, density in legs for level in part.levels]
        return [*distances, sentence("correlation", correlation=f"{inputs.correlation or 0:+.2f}")]
    return [_away(level, inputs.state, densities[0]) for level in question.levels]


def _away(level: float, state: AssetState, density: Density) -> str:
    values = {"level": price(level), "level_pct": f"{100 * (level / state.spot - 1):+.1f}"}
    if density.sigma:
        values["sigmas"] = f"{state.distance(level) / density.sigma:+.1f}"
    return sentence("distance", **values)


SEATS = tuple(Embedded(name, "seat") for name in ("momentum", "reversion", "breadth", "regime", "trend", "news"))
BRAINS = tuple(Embedded(name, "brain") for name in ("vol", "garch", "sv"))
VOL = BRAINS[0]


def voters() -> tuple[Embedded, ...]:
    """The nine: six seats, then three brains."""
    return (*SEATS, *BRAINS)
