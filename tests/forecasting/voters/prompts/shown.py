"""Evidence put together from the made bars, and what a test reads of a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from service.forecasting.voters.context import AssetNews, Context, Evidence, PastQuestion, Story
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.market.bars import Bars
from service.market.instants import HOUR
from tests.forecasting.made import NOW

NONCE = "7f3a90c2d1e84b65"


def story(title: str, hours: float = 1.0, source: str = "desk") -> Story:
    """A headline of so many hours before NOW."""
    return Story(title, source, int(NOW - hours * HOUR))


def news(*stories: Story, score: float = 0.25, n: int = 3) -> AssetNews:
    return AssetNews(stories, score, n)


def evidence(hourly: Mapping[str, Bars], contexts: Mapping[str, Context], **fields) -> Evidence:
    """All the bars of every asset, whenever they end."""
    return Evidence(hourly=hourly, variance={asset: context.slow for asset, context in contexts.items()}, **fields)


def informed(inputs: ForecastInputs, exhibit: Evidence) -> ForecastInputs:
    return replace(inputs, evidence=exhibit)


def resolved(count: int, yes: int, comparator: str = "touch_above", base: float = 0.3) -> tuple[PastQuestion, ...]:
    """Resolved questions of three days, of which `yes` came true."""
    return tuple(PastQuestion(comparator, False, 72.0, base, place < yes) for place in range(count))
