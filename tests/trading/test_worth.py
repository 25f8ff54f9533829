"""How a score ranked the next month's results, by hand and over real months."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest
from scipy import stats

from service.market.headers import month_header
from service.market.months import closed_months, ends
from service.trading.arena import run
from service.trading.health import EarlierEntry, correlations, rank_correlation, worth_of
from service.trading.hospital import CAVEAT, admit, past, snapshot

MONTHS = [f"2025-{month:02d}" for month in range(1, 13)]


def month(scores: list[float], results: list[float], turnover: list[float] | None = None) -> dict[str, EarlierEntry]:
    """Strategies named by their place."""
    return {
        str(place): EarlierEntry(
            "healthy", score, dict.fromkeys(("sharpe", "drawdown"), 0.5) | {"turnover": other}, result
        )
        for place, (score, result, other) in enumerate(zip(scores, results, turnover or scores, strict=True))
    }


def test_a_score_is_compared_with_the_next_months_result():
    """Ranks 1 2 3 4 against 1 2 4 3, then against 4 3 2 1; a month without the one before it does not count."""
    months = {
        "2024-11": month([1, 2, 3, 4], [1, 2, 3, 4]),
        "2025-01": month([1, 2, 3, 4], [9, 9, 9, 9]),
        "2025-02": month([10, 20, 30, 40], [1, 2, 4, 3]),
        "2025-03": month([1, 2, 3, 4], [4, 3, 2, 1]),
    }
    assert correlations(months, "score") == pytest.approx([0.8, -1.0])
    score = worth_of(months)[0]
    half = stats.t.ppf(0.975, 1) * np.std([0.8, -1.0], ddof=1) / 2**0.5
    assert (score.months, score.correlation) == (2, -0.1)
    assert (score.low, score.high) == pytest.approx((-0.1 - half, -0.1 + half), abs=1e-3)
    assert score.earns_its_place is None


def test_ties_have_their_mean_rank():
    first, second = [1.0, 1.0, 2.0, 5.0], [3.0, 1.0, 2.0, 2.0]
    assert rank_correlation(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)
    assert rank_correlation([1.0, 1.0], [1.0, 2.0]) is None


@pytest.mark.parametrize(("count", "earns"), [(0, True), (2, True), (3, False), (7, False)])
def test_after_six_months_a_measure_must_have_ranked(count, earns):
    """Turnover points the wrong way in the last `count` months that can be compared; only the last six count."""
    rise, fall = [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]
    months = {
        name: month(rise, rise, turnover=fall if 11 - count <= place < 11 else rise)
        for place, name in enumerate(MONTHS)
    }
    worth = {row.measure: row for row in worth_of(months)}
    assert (worth["score"].earns_its_place, worth["turnover"].earns_its_place) == (True, earns)
    assert worth["turnover"].months == 11
    assert worth["sharpe"].earns_its_place is None, "equal for all: nothing is ranked"


def test_a_failed_measure_is_named_in_the_caveat():
    months = {name: month([1, 2, 3], [3, 2, 1]) for name in MONTHS[:7]}
    document = snapshot("2025-08", [], months, month_header(ends("2025-08"), "2025-08", world="replay", sources={}))
    assert document.summary.worth[0].correlation == -1
    assert document.summary.caveat.startswith(CAVEAT)
    assert document.summary.caveat.endswith("next month's results: score, turnover.")


def test_published_months_are_enough(real_hours):
    """The worth comes from the JSON of earlier snapshots, and equals scipy's on the patients themselves."""
    arena, before = run(real_hours, {}, min(int(bars.time[0]) for bars in real_hours.values())), {}
    for name in closed_months(ends("2024-10"), ends("2025-02")):
        header = month_header(ends(name), name, world="replay", sources={})
        document = snapshot(name, admit(arena, name), before, header)
        before[name] = past(json.loads(json.dumps(asdict(document))))
    score = document.summary.worth[0]
    assert score.months == 3
    january = {entry.key: entry for entry in document.strategies}
    by_hand = stats.spearmanr(
        [before["2025-01"][key].health_score for key in january],
        [entry.metrics.month_sharpe for entry in january.values()],
    ).statistic
    assert correlations(before, "score")[-1] == pytest.approx(by_hand, abs=1e-9)
