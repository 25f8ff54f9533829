"""A question and its inputs that stand still: their prompts show the layout of every part."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from service.forecasting.voters.evidence import (
    HISTORY_S,
    LEAST_SIMILAR,
    NEWS_S,
    AssetNews,
    Evidence,
    PastQuestion,
    ScheduledEvent,
    Story,
)
from service.forecasting.voters.forecast_inputs import AssetState, ForecastInputs
from service.forecasting.voters.inputs import INPUTS
from service.market.bars import Bars
from service.market.instants import DAY, HOUR, utc
from service.questions.question import Question

NOW = 1_767_225_600  # 2026-01-01T00:00:00Z
SPOT = 100.0
SAMPLE_QUESTION = Question(
    text="Will it rise?",
    asset="btc",
    comparator="close_above",
    deadline=utc(NOW + 3 * DAY),
    horizon_hours=72.0,
    spot=SPOT,
    polarity="bull",
    level=105.0,
)
SAMPLE_TOPIC = replace(SAMPLE_QUESTION, text="Will it happen?", comparator="topic", polarity="none", level=None)


@cache
def sample_inputs() -> ForecastInputs:
    """The inputs of the sample question: prices that never moved, one headline, enough resolved questions."""
    state = AssetState(
        asset="btc",
        spot=SPOT,
        now=NOW,
        until=NOW + 3 * DAY,
        hours=72.0,
        sigma=0.05,
        fast=3.5e-5,
        slow=3.5e-5,
        history_days=200.0,
        inputs=dict.fromkeys(INPUTS, 0.0),
    )
    return ForecastInputs(state, other=None, correlation=None, fits=None, evidence=_evidence())


def _evidence() -> Evidence:
    time = np.arange(NOW - HISTORY_S, NOW, HOUR, dtype=np.int64)
    price = np.full(len(time), SPOT)
    return Evidence(
        hourly=dict.fromkeys(("btc", "gold"), Bars(time, price, price, price, price, price, HOUR)),
        variance=dict.fromkeys(("btc", "gold"), 3.5e-5),
        news={"btc": AssetNews((Story("It stood still", "desk", NOW - NEWS_S // 2),), 0.0, 1)},
        resolved=(PastQuestion("close_above", False, 72.0, 0.15, True),) * LEAST_SIMILAR,
        topic_stories=(Story("It happened elsewhere", "desk", NOW - DAY),),
        events=(ScheduledEvent(NOW + DAY, "A decision"),),
    )
