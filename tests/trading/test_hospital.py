"""The hospital: one snapshot a month, the same whenever it is made."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from service.market.instants import DAY, iso
from service.trading import months
from service.trading.arena import run
from service.trading.health import Health, as_good_as_before
from service.trading.hospital import Hospital, past, snapshot
from service.trading.strategies import STRATEGIES
from service.trading.triage import Past, Patient, admit, judge, recommend

ANCHOR = months.begins("2024-06")
MADE_AT = months.ends("2025-02") + 60


def made(month, patients, before=None, made_at=MADE_AT) -> Hospital:
    sources = {"bars": "replay"}
    return snapshot(month, patients, before or {}, made_at=made_at, world="replay", sources=sources)


def well(**changes) -> Health:
    usual = Health(0.9, 0.5, 0.8, 0.6, 0.6, 0.5, deepest=0.05, raw=70.0, trust=1.0, score=70.0)
    return replace(usual, **changes)


@pytest.fixture(scope="module")
def real_arena(real_hours):
    """Real months from June 2024 to April 2025."""
    return run(real_hours, {}, ANCHOR)


@pytest.fixture(scope="module")
def february(real_arena):
    return made("2025-02", admit(real_arena, "2025-02"))


def patient(seed: int, days: int = 90, drift: float = 0.0, trades: int = 30, month: str = "2025-02") -> Patient:
    dice = np.random.default_rng(seed)
    until = months.ends(month)
    return Patient(
        key=f"strategy_{seed}",
        name=f"Strategy {seed}",
        category="trend",
        assets=("btc",),
        returns=dice.standard_normal(days) * 0.02 + drift,
        exits=until - dice.integers(1, 80 * DAY, trades),
        trades=dice.standard_normal(trades) * 0.02 + drift,
    )


# Months


def test_a_month_begins_and_ends_at_midnight_utc():
    assert iso(months.begins("2024-02")) == "2024-02-01T00:00:00Z"
    assert iso(months.ends("2024-02")) == "2024-03-01T00:00:00Z"
    assert iso(months.ends("2024-12")) == "2025-01-01T00:00:00Z"
    assert (months.month_of(months.ends("2024-12")), months.month_before("2025-01")) == ("2025-01", "2024-12")


def test_the_months_to_make_are_those_that_are_over_and_hold_a_day():
    since, until = months.begins("2025-01") + 10 * DAY, months.begins("2025-03")
    assert months.closed_months(since, until) == ["2025-01", "2025-02"]
    assert months.closed_months(since, until - 1) == ["2025-01"]
    assert months.closed_months(months.begins("2025-02") - 5, until) == ["2025-02"]
    assert months.closed_months(since, since) == []


# Triage


@pytest.mark.parametrize(
    ("score", "status"),
    [(60, "healthy"), (59.9, "watch"), (45, "watch"), (44.9, "sick"), (30, "sick"), (29.9, "critical")],
)
def test_the_score_decides_the_status(score, status):
    assert judge(well(score=score), 90, 30) == status


def test_a_deep_fall_is_at_best_sick():
    assert judge(well(score=90.0, deepest=0.26), 90, 30) == "sick"
    assert judge(well(score=20.0, deepest=0.26), 90, 30) == "critical"
    assert judge(well(score=90.0, deepest=0.25), 90, 30) == "healthy"


def test_a_short_record_is_under_observation_whatever_it_shows():
    assert judge(well(score=99.0), 29, 30) == judge(well(score=1.0, deepest=0.9), 90, 4) == "observation"


@pytest.mark.parametrize(
    ("status", "changes", "earlier", "recommendation"),
    [
        ("healthy", {"beyond_luck": 0.96}, [None, None], "promote"),
        ("healthy", {"beyond_luck": 0.95}, [None, None], "keep"),
        ("watch", {"decay": 0.09}, [None, None], "reduce"),
        ("watch", {"decay": 0.11}, [None, None], "keep"),
        ("sick", {}, [None, None], "pause"),
        ("critical", {}, ["critical", "critical"], "retire"),
        ("critical", {}, ["sick", "critical"], "pause"),
        ("critical", {}, [None, None], "pause"),
        ("observation", {}, [None, None], "observe"),
    ],
)
def test_what_should_become_of_a_strategy(status, changes, earlier, recommendation):
    assert recommend(status, well(**changes), earlier) == recommendation


# Snapshots


def test_a_snapshot_has_the_fields_of_the_specification_and_no_nan(february):
    body = json.loads(json.dumps(asdict(february), allow_nan=False))
    assert {"schema", "timestamp", "as_of", "snapshot_month", "summary", "strategies", "links"} <= body.keys()
    assert body["schema"] == "strategy-hospital/1"
    assert list(body["strategies"][0]) == (
        ["key", "name", "status", "recommendation", "health_score", "category", "assets", "metrics"]
    )


def test_every_strategy_is_there_once_by_score(february):
    scores = [entry.health_score for entry in february.strategies]
    assert {entry.key for entry in february.strategies} == set(STRATEGIES)
    assert len(scores) == 54
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 100 for score in scores)


def test_a_snapshot_is_as_of_the_end_of_its_month_until_the_next_one_closes(february):
    assert (february.snapshot_month, february.as_of) == ("2025-02", "2025-03-01T00:00:00Z")
    assert (february.timestamp, february.stale_after) == (iso(MADE_AT), "2025-04-01T00:00:00Z")


def test_made_from_a_longer_history_a_snapshot_is_the_same(real_hours, february):
    """On the stroke of the month, a day later and two months later."""
    for later in (0, DAY):
        end = months.ends("2025-02") + later
        known = run({asset: bars.until(end) for asset, bars in real_hours.items()}, {}, ANCHOR)
        assert made("2025-02", admit(known, "2025-02")) == february


def test_the_summary_counts_the_ward_and_says_that_it_is_no_promise(february):
    summary = february.summary
    assert sum(summary.status.values()) == sum(summary.recommendation.values()) == summary.strategies == 54
    assert summary.status["healthy"] == sum(entry.status == "healthy" for entry in february.strategies)
    assert 2 < summary.effective_strategies < 54
    assert "no promise" in summary.caveat
    assert summary.changes == ()


def test_metrics_are_those_of_the_last_90_days(real_arena, february):
    entry = february.strategies[0]
    accounts = real_arena.strategies[entry.key].values()
    until = months.ends("2025-02")
    days = np.searchsorted(real_arena.days, until, side="right")
    total = np.sum([account.daily for account in accounts], axis=0)
    closed = [account.ledger.exit_time for account in accounts]
    assert entry.metrics.days == 90
    assert entry.metrics.trades == sum(((times >= until - 90 * DAY) & (times < until)).sum() for times in closed)
    assert entry.metrics.return_pct == pytest.approx(100 * (total[days - 1] / total[days - 91] - 1), abs=1e-4)
    assert entry.metrics.month_return_pct == pytest.approx(100 * (total[days - 1] / total[days - 29] - 1), abs=1e-4)
    daily = total[1:days] / total[: days - 1] - 1
    decay = as_good_as_before(daily[-28:], daily[-118:-28])
    assert entry.metrics.decay == pytest.approx(decay, abs=1e-4), "the month against the 90 days before it"


def test_the_months_follow_each_other_and_tell_what_changed(real_arena):
    """Each month knows the one before as it was served: through JSON."""
    before, documents = {}, {}
    for month in months.closed_months(ANCHOR, months.ends("2025-04")):
        documents[month] = made(month, admit(real_arena, month), before)
        before[month] = past(json.loads(json.dumps(asdict(documents[month]))))
    assert len(documents) == 11
    last, previous = documents["2025-04"], before["2025-03"]
    assert last.links.history == "/api/v1/strategy-hospital?month=2025-03"
    assert last.links.months == tuple(documents)
    assert documents["2024-06"].links.history is None
    for entry in last.strategies:
        assert entry.metrics.previous_status == previous[entry.key].status
        assert entry.metrics.score_change == pytest.approx(
            entry.health_score - previous[entry.key].health_score, abs=0.01
        )
    moved = {change.key: (change.before, change.now) for change in last.summary.changes}
    assert moved == {
        entry.key: (previous[entry.key].status, entry.status)
        for entry in last.strategies
        if entry.status != previous[entry.key].status
    }
    assert {entry.status for document in documents.values() for entry in document.strategies} >= {
        "healthy",
        "watch",
        "sick",
        "observation",
    }


def test_three_critical_months_running_retire_a_strategy():
    losing = replace(patient(1, drift=-0.012, trades=60), key="losing")
    said = {"losing": Past("critical", 12.0)}
    entry = made("2025-02", [losing], {"2024-12": said, "2025-01": said}).strategies[0]
    assert (entry.status, entry.recommendation) == ("critical", "retire")
    assert entry.metrics.previous_score == 12.0
    once = made("2025-02", [losing], {"2024-11": said, "2025-01": said}).strategies[0]
    assert (once.status, once.recommendation) == ("critical", "pause")


def test_a_snapshot_looks_at_no_later_month():
    ward = [patient(seed) for seed in range(4)]
    later = {"2025-03": {"strategy_1": Past("healthy", 99.0)}}
    assert made("2025-02", ward, later) == made("2025-02", ward)


def test_strategies_without_skill_are_rarely_promoted():
    promoted = sum(
        made("2025-02", [patient(100 * ward + seed) for seed in range(54)]).summary.recommendation["promote"]
        for ward in range(15)
    )
    assert promoted <= 1, f"{promoted} of 15 wards of 54"


def test_a_strategy_with_real_skill_is_promoted():
    ward = [patient(seed) for seed in range(53)] + [replace(patient(7, drift=0.015), key="gifted")]
    best = made("2025-02", ward).strategies[0]
    assert (best.key, best.status, best.recommendation) == ("gifted", "healthy", "promote")


def test_a_young_ward_is_under_observation():
    ward = [replace(patient(seed, days=5, trades=2), key=f"young_{seed}") for seed in range(3)]
    document = made("2025-02", ward)
    assert document.summary.status["observation"] == document.summary.recommendation["observe"] == 3
    assert all(45 < entry.health_score < 55 for entry in document.strategies)


def test_an_empty_ward_is_a_document_too():
    summary = made("2025-02", []).summary
    assert (summary.strategies, summary.mean_score, summary.median_score) == (0, None, None)
