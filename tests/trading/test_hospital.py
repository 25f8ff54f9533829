"""The hospital: one snapshot a month, whenever it is computed, and how a score ranked the next month's results."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy import stats

from service.market import months
from service.market.headers import month_header
from service.market.instants import DAY, iso
from service.market.months import ends
from service.trading.arena import run
from service.trading.health import EarlierEntry, Health, correlations, rank_correlation, worth_of
from service.trading.hospital import CAVEAT, HospitalDocument, Patient, admit, judge, past, recommend, snapshot
from service.trading.strategies import STRATEGIES
from tests.trading.markets import span_of

ANCHOR = months.begins("2024-06")
MADE_AT = months.ends("2025-02") + 60
MONTHS = [f"2025-{month:02d}" for month in range(1, 13)]


def snapshot_of(month, patients, before=None, made_at=MADE_AT) -> HospitalDocument:
    header = month_header(made_at, month, world="replay", sources={"bars": "replay"})
    return snapshot(month, patients, before or {}, header)


@pytest.fixture(scope="module")
def real_arena(real_hours):
    """Real months from June 2024 to April 2025, of the assets that have bars."""
    arena = run(real_hours, {}, ANCHOR).traded()
    assert {*arena.assets} == {*real_hours}
    return arena


@pytest.fixture(scope="module")
def february(real_arena):
    return snapshot_of("2025-02", admit(real_arena, "2025-02"))


def patient(seed: int, days: int = 90, drift: float = 0.0, trades: int = 30, month: str = "2025-02") -> Patient:
    dice = np.random.default_rng(seed)
    returns = dice.standard_normal(days) * 0.02 + drift
    exits = months.ends(month) - dice.integers(1, 80 * DAY, trades)
    results = dice.standard_normal(trades) * 0.02 + drift
    held = np.full(days, 0.001)
    return Patient(f"strategy_{seed}", f"Strategy {seed}", "trend", ("btc",), returns, held, exits, results)


def test_a_snapshot_has_every_strategy_once_by_score(february):
    """With the specified fields and no NaN; it is valid until the next month ends."""
    body = json.loads(json.dumps(asdict(february), allow_nan=False))
    assert {"schema", "timestamp", "as_of", "snapshot_month", "summary", "strategies", "links"} <= body.keys()
    assert body["schema"] == "strategy-hospital/2"
    names = "key name status recommendation health_score category assets metrics"
    assert list(body["strategies"][0]) == names.split()
    assert {entry.key for entry in february.strategies} == set(STRATEGIES)
    scores = [entry.health_score for entry in february.strategies]
    assert len(scores) == len(STRATEGIES)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 100 for score in scores)
    assert (february.snapshot_month, february.as_of) == ("2025-02", "2025-03-01T00:00:00Z")
    assert (february.timestamp, february.stale_after) == (iso(MADE_AT), "2025-04-01T00:00:00Z")
    summary = snapshot_of("2025-02", []).summary
    assert (summary.strategies, summary.mean_score, summary.median_score) == (0, None, None)


def test_a_snapshot_from_a_longer_history_is_the_same(real_hours, february):
    """Computed at the end of the month, a day later and two months later."""
    for later in (0, DAY):
        shorter = run(span_of(real_hours, until=months.ends("2025-02") + later), {}, ANCHOR).traded()
        assert snapshot_of("2025-02", admit(shorter, "2025-02")) == february


def test_the_summary_has_counts_and_a_caveat(february):
    summary = february.summary
    assert sum(summary.status.values()) == sum(summary.recommendation.values()) == summary.strategies == len(STRATEGIES)
    assert summary.status["healthy"] == sum(entry.status == "healthy" for entry in february.strategies)
    assert 2 < summary.effective_strategies < len(STRATEGIES)
    assert "+0.20 (±0.11)" in summary.caveat
    assert "+0.20 (±0.11)" in summary.evidence
    worth = [(row.measure, row.months, row.correlation) for row in summary.worth]
    assert worth == [(name, 0, None) for name in ("score", "turnover", "sharpe", "drawdown")]
    assert summary.changes == ()


def test_metrics_are_those_of_the_last_90_days(real_arena, february):
    entry = february.strategies[0]
    accounts, until = real_arena.strategies[entry.key].values(), months.ends("2025-02")
    days = np.searchsorted(real_arena.days, until, side="right")
    total = np.sum([account.daily for account in accounts], axis=0)
    exits = [account.history.exit_time for account in accounts]
    assert entry.metrics.days == 90
    assert entry.metrics.trades == sum(((times >= until - 90 * DAY) & (times < until)).sum() for times in exits)
    assert entry.metrics.return_pct == pytest.approx(100 * (total[days - 1] / total[days - 91] - 1), abs=1e-4)
    assert entry.metrics.month_return_pct == pytest.approx(100 * (total[days - 1] / total[days - 29] - 1), abs=1e-4)
    benchmark = np.sum([account.daily for account in real_arena.accounts["buy_and_hold"].values()], axis=0)
    benchmark_pct = 100 * (benchmark[days - 1] / benchmark[days - 91] - 1)
    assert entry.metrics.benchmark_return_pct == pytest.approx(benchmark_pct, abs=1e-4)
    assert entry.metrics.trades_a_month == pytest.approx(entry.metrics.trades / 3 / len(accounts), abs=0.005)
    assert entry.metrics.sharpe_low < entry.metrics.sharpe < entry.metrics.sharpe_high
    scores = [getattr(entry.metrics, f"{name}_score") for name in ("turnover", "sharpe", "drawdown")]
    assert entry.health_score == pytest.approx(100 * sum(scores) / 3, abs=0.02)


def test_each_month_lists_changes_from_the_previous_one(real_arena):
    """Each month reads the previous one from its JSON, which is enough for what the score was worth: as by scipy."""
    before, documents = {}, {}
    for month in months.closed_months(ANCHOR, months.ends("2025-04")):
        documents[month] = snapshot_of(month, admit(real_arena, month), before)
        before[month] = past(json.loads(json.dumps(asdict(documents[month]))))
    assert len(documents) == 11
    last, march = documents["2025-04"], before["2025-03"]
    assert last.links.history == "/api/v1/strategy-hospital?month=2025-03"
    assert last.links.months == tuple(documents)
    assert documents["2024-06"].links.history is None
    for entry in last.strategies:
        before_it = march[entry.key]
        assert entry.metrics.previous_status == before_it.status
        assert entry.metrics.score_change == pytest.approx(entry.health_score - before_it.health_score, abs=0.01)
    changes = {change.key: (change.before, change.now) for change in last.summary.changes}
    statuses_of_both = {entry.key: (march[entry.key].status, entry.status) for entry in last.strategies}
    assert changes == {key: (before, now) for key, (before, now) in statuses_of_both.items() if before != now}
    scores = [march[entry.key].health_score for entry in last.strategies]
    results = [entry.metrics.month_sharpe for entry in last.strategies]
    assert correlations(before, "score")[-1] == pytest.approx(stats.spearmanr(scores, results).statistic, abs=1e-9)
    assert last.summary.worth[0].months == 10
    statuses = {entry.status for document in documents.values() for entry in document.strategies}
    assert statuses >= {"healthy", "watch", "sick", "observation"}


def test_three_critical_months_in_a_row_retire_a_strategy():
    loser = replace(patient(1, drift=-0.012, trades=600), key="losing")
    critical = {"losing": EarlierEntry("critical", 12.0, {"turnover": 0.1, "sharpe": 0.1, "drawdown": 0.1})}
    entry = snapshot_of("2025-02", [loser], {"2024-12": critical, "2025-01": critical}).strategies[0]
    assert (entry.status, entry.recommendation) == ("critical", "retire")
    assert entry.metrics.previous_score == 12.0
    entry = snapshot_of("2025-02", [loser], {"2024-11": critical, "2025-01": critical}).strategies[0]
    assert (entry.status, entry.recommendation) == ("critical", "pause")


def test_a_snapshot_does_not_depend_on_later_months():
    ward = [patient(seed) for seed in range(4)]
    later = {"2025-03": {"strategy_1": EarlierEntry("healthy", 99.0)}}
    assert snapshot_of("2025-02", ward, later) == snapshot_of("2025-02", ward)


def test_a_score_of_an_earlier_schema_is_not_compared():
    """Its status counts, its score is of another kind: no change is stated, and no month of the worth."""
    document = json.loads(json.dumps(asdict(snapshot_of("2025-01", [patient(1, month="2025-01")]))))
    document["schema"] = "strategy-hospital/1"
    after = snapshot_of("2025-02", [patient(1)], {"2025-01": past(document)})
    metrics = after.strategies[0].metrics
    assert metrics.previous_status == document["strategies"][0]["status"]
    assert (metrics.previous_score, metrics.score_change) == (None, None)
    assert after.summary.worth[0].months == 0


def test_strategies_without_skill_are_rarely_promoted():
    wards = [[patient(100 * ward + seed) for seed in range(50)] for ward in range(15)]
    count = sum(snapshot_of("2025-02", ward).summary.recommendation["promote"] for ward in wards)
    assert count <= 1, f"{count} of 15 wards of 50"


def test_a_strategy_with_real_skill_is_promoted():
    ward = [patient(seed) for seed in range(49)] + [replace(patient(7, drift=0.015), key="gifted")]
    best = snapshot_of("2025-02", ward).strategies[0]
    assert (best.key, best.status, best.recommendation) == ("gifted", "healthy", "promote")


def test_short_records_are_under_observation():
    ward = [replace(patient(seed, days=5, trades=2), key=f"young_{seed}") for seed in range(3)]
    document = snapshot_of("2025-02", ward)
    assert document.summary.status["observation"] == document.summary.recommendation["observe"] == 3
    assert all(entry.metrics.sharpe_score > 0.05 for entry in document.strategies), "five days say little"


def well(**changes) -> Health:
    score = changes.pop("score", 70.0) / 100
    health = Health({"turnover": score}, shrunken_sharpe=1.0, beyond_luck=0.5, deepest=0.05)
    return replace(health, **changes)


@pytest.mark.parametrize(
    ("score", "deepest", "days", "trades", "status"),
    [
        *((score, 0.05, 90, 30, status) for score, status in ((60, "healthy"), (59.9, "watch"), (45, "watch"))),
        *((score, 0.05, 90, 30, status) for score, status in ((44.9, "sick"), (30, "sick"), (29.9, "critical"))),
        *((90, 0.26, 90, 30, "sick"), (20, 0.26, 90, 30, "critical"), (90, 0.25, 90, 30, "healthy")),
        *((99, 0.05, 29, 30, "observation"), (1, 0.9, 90, 4, "observation")),
    ],
)
def test_the_score_decides_the_status(score, deepest, days, trades, status):
    """With a deep drawdown it is at best sick, and with a short record always under observation."""
    assert judge(well(score=score, deepest=deepest), days, trades) == status


@pytest.mark.parametrize(
    ("status", "changes", "earlier", "recommendation"),
    [
        ("healthy", {"beyond_luck": 0.96}, [None, None], "promote"),
        ("healthy", {"beyond_luck": 0.95}, [None, None], "keep"),
        ("watch", {}, [None, None], "keep"),
        ("sick", {}, [None, None], "pause"),
        ("critical", {}, ["critical", "critical"], "retire"),
        ("critical", {}, ["sick", "critical"], "pause"),
        ("critical", {}, [None, None], "pause"),
        ("observation", {}, [None, None], "observe"),
    ],
)
def test_recommendations_follow_from_status_and_measures(status, changes, earlier, recommendation):
    assert recommend(status, well(**changes), earlier) == recommendation


def month(scores: list[float], results: list[float], turnover: list[float] | None = None) -> dict[str, EarlierEntry]:
    """Strategies named by their place."""
    rows = zip(scores, results, turnover or scores, strict=True)
    return {
        str(place): EarlierEntry("healthy", score, {"sharpe": 0.5, "drawdown": 0.5, "turnover": other}, result)
        for place, (score, result, other) in enumerate(rows)
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
    turnovers = [rise] * (11 - count) + [fall] * count + [rise]
    months = {name: month(rise, rise, turnover) for name, turnover in zip(MONTHS, turnovers, strict=True)}
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
