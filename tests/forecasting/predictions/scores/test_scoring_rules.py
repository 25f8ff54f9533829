"""The published rules of scoring are those of the code: their numbers, and their example."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from service.api.entries import MOST_FORECASTS, NewForecast
from service.api.limits import LIMITS
from service.forecasting.predictions.scores.forecasters import (
    MOST_CALLERS,
    OPENING_S,
    SETTLED_EVERY_S,
    MarketForecast,
    score_forecasts,
)
from service.market.instants import HOUR, MINUTE
from service.scores.intervals import LEAST_N
from service.scores.proper import CLIP, brier
from tests.forecasting.markets import settled

RULES = " ".join((Path(__file__).parents[4] / "service" / "docs" / "scoring.md").read_text(encoding="utf-8").split())


def numbers(pattern: str) -> list[float]:
    """The numbers in a sentence of the rules."""
    (groups,) = re.findall(pattern, RULES)
    return [float(text) for text in ([groups] if isinstance(groups, str) else groups)]


def test_the_numbers_of_the_rules_are_those_of_the_code():
    schema = NewForecast.model_json_schema()["properties"]["p_yes"]
    assert numbers(r"P\(YES\) of a market, from ([\d.]+) to ([\d.]+)\. ") == [schema["minimum"], schema["maximum"]]
    assert numbers(r"it ends (\d+) minutes before the settlement") == [SETTLED_EVERY_S / MINUTE]
    assert numbers(r"before (\d+) minutes after the votes") == [OPENING_S / MINUTE]
    assert numbers(r"limited to ([\d.]+) to ([\d.]+)\. ") == [CLIP, 1 - CLIP]
    assert numbers(r"from (\d+) markets on") == [LEAST_N]
    assert numbers(r"At most (\d+) callers are listed") == [MOST_CALLERS]
    votes, count, lists = numbers(
        r"one of (\d+) votes and forecasts an hour.* at most (\d+) forecasts and counts as one of (\d+)"
    )
    assert count == MOST_FORECASTS
    assert LIMITS["votes"].summary == f"{votes:.0f} per hour per caller"
    assert LIMITS["forecast lists"].summary == f"{lists:.0f} per hour per caller"


def test_the_example_of_the_rules_is_computed_as_it_says():
    market = settled(p=0.6, hours=24)
    start = market.voted_at
    forecasts = [
        MarketForecast(1, "one", "owl", start + HOUR // 2, 0.7, ""),
        MarketForecast(2, "one", "owl", start + 12 * HOUR, 0.9, ""),
    ]
    score = score_forecasts(market, forecasts)
    assert score is not None
    assert score.opening == 0.7
    values = numbers(
        r"`opening`: 0.7, with a Brier score of ([\d.]+) and a `peer_pool` of ([\d.]+) - [\d.]+ = ([\d.]+)\."
    )
    pool, caller = (float(brier(np.array([p]), np.array([1.0]))[0]) for p in (0.6, 0.7))
    assert values == pytest.approx([caller, pool, pool - caller])
    values = numbers(r"a Brier score of ([\d.]+) and a coverage of ([\d.]+), so a `peer_pool` of .* = ([\d.]+)\.")
    assert values == pytest.approx([score.brier, score.coverage, score.coverage * (pool - score.brier)], abs=1e-4)
    cut_score = score_forecasts(settled(p=0.6, hours=24, resolved=start + 12 * HOUR + HOUR // 2), forecasts)
    assert cut_score is not None
    assert numbers(r"only the first forecast counts, with a coverage of ([\d.]+)\.") == pytest.approx(
        [cut_score.coverage], abs=1e-4
    )
