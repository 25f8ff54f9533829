"""Bars, contexts and fits that the tests of the voters share: 120 made days of seven assets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from service.forecasting.densities.density import Fits
from service.forecasting.densities.fitting import fit
from service.forecasting.voters import context
from service.forecasting.voters.context import Context, Knowledge
from service.market.assets import ASSETS
from service.market.bars import Bars
from service.questions.question import Question
from tests.forecasting.made import DAYS, NOW, asking_at, made_bars


@pytest.fixture(scope="session")
def hourly() -> dict[str, Bars]:
    """120 days of hourly bars of the seven assets, up to NOW."""
    return {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(ASSETS)}


@pytest.fixture(scope="session")
def contexts(hourly) -> Mapping[str, Context]:
    """What is known of each asset at NOW."""
    return context.build_all(hourly, NOW)


@pytest.fixture(scope="session")
def fits(hourly) -> Fits:
    """The models fitted to the bars at NOW."""
    return fit(hourly, NOW)


@pytest.fixture(scope="session")
def knowledge(contexts, fits) -> Knowledge:
    """What the voters forecast from at NOW, before anything has resolved."""
    return Knowledge(contexts, fits)


@pytest.fixture(scope="session")
def query(contexts) -> Callable[..., Question]:
    """Makes a question asked at NOW, as `made.asking_at`."""
    return asking_at(contexts)
