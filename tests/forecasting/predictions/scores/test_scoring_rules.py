"""The published rules of scoring are those of the code: their numbers, and their example."""

from __future__ import annotations

import re
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest

from service.api.entries import MOST_FORECASTS, NewForecast
from service.api.limits import LIMITS
from service.forecasting.predictions.scores.forecasters import MOST_CALLERS, TimeWeightedScores, skill_of
from service.forecasting.predictions.scores.market_forecasts import (
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
    start = settled(hours=24).voted_at
    rows = [
        MarketForecast(1, "one", "owl", start + HOUR // 2, 0.7, ""),
        MarketForecast(3, "one", "owl", start + 12 * HOUR, 0.9, ""),
    ]
    forecasts = {"owl": rows, "jay": [MarketForecast(2, "one", "jay", start + 6 * HOUR, 0.5, "")]}
    market = replace(settled(p=0.6, hours=24), closes_at=start + 24 * HOUR)
    score = score_forecasts(market, forecasts, forecasts.keys())["owl"]
    pool, other, first, last = (-log(p) for p in (0.6, 0.5, 0.7, 0.9))
    assert numbers(
        r"pool said 0.6, a log score of ([\d.]+)\. .* 0.5 at 06:00, a log score of ([\d.]+), .* have ([\d.]+)\. You"
    ) == pytest.approx([pool, other, (pool + other) / 2], abs=1e-4)
    assert numbers(r"00:30 \| 0.7 \| ([\d.]+) \| ([\d.]+) \|") == pytest.approx([0.09, first], abs=1e-4)
    assert numbers(r"12:00 \| 0.9 \| ([\d.]+) \| ([\d.]+) \|") == pytest.approx([0.01, last], abs=1e-4)
    assert score.opening == 0.7
    assert numbers(r"a Brier score of ([\d.]+) and a `peer` of [\d.]+ - [\d.]+ = ([\d.]+)\.") == pytest.approx(
        [float(brier(np.array([0.7]), np.array([1.0]))[0]), score.opening_peer], abs=1e-4
    )
    values = numbers(
        r"a Brier score of ([\d.]+), a coverage of 23.5 of 24 hours, ([\d.]+), and a `peer` of .*24 = ([\d.]+)\. Had"
    )
    assert values == pytest.approx([score.brier, score.coverage, score.peer], abs=1e-4)
    assert score.peer == pytest.approx(
        (5.5 * (pool - first) + 6 * ((pool + other) / 2 - first) + 12 * ((pool + other) / 2 - last)) / 24
    )
    market = replace(market, settlement=replace(market.settlement, resolved_at=start + 12 * HOUR + HOUR // 2))
    cut_score = score_forecasts(market, forecasts, forecasts.keys())["owl"]
    assert numbers(r"with a coverage of 11 of 24 hours, ([\d.]+)\.") == pytest.approx([cut_score.coverage], abs=1e-4)


def test_the_ranks_of_the_rules_are_those_of_the_table():
    (names,) = re.findall(r"The `rank` is by `time_weighted\.(\w+)`, .*? or by `time_weighted\.(\w+)` where", RULES)
    low = dict.fromkeys(TimeWeightedScores.__dataclass_fields__, 0.1) | {"n": LEAST_N}
    for name in names:
        assert skill_of(TimeWeightedScores(**{**low, name: 0.05})) == 0.05
    assert skill_of(TimeWeightedScores(**{**low, "n": LEAST_N - 1})) is None
