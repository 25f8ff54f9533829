"""The status and the recommendation that follow from a strategy's health."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.trading.health import Health
from service.trading.triage import judge, recommend


def well(**changes) -> Health:
    score = changes.pop("score", 70.0) / 100
    health = Health({"turnover": score}, shrunken_sharpe=1.0, beyond_luck=0.5, deepest=0.05)
    return replace(health, **changes)


@pytest.mark.parametrize(
    ("score", "status"),
    [(60, "healthy"), (59.9, "watch"), (45, "watch"), (44.9, "sick"), (30, "sick"), (29.9, "critical")],
)
def test_the_score_decides_the_status(score, status):
    assert judge(well(score=score), 90, 30) == status


def test_a_deep_drawdown_is_at_best_sick():
    assert judge(well(score=90.0, deepest=0.26), 90, 30) == "sick"
    assert judge(well(score=20.0, deepest=0.26), 90, 30) == "critical"
    assert judge(well(score=90.0, deepest=0.25), 90, 30) == "healthy"


def test_a_short_record_is_always_under_observation():
    assert judge(well(score=99.0), 29, 30) == judge(well(score=1.0, deepest=0.9), 90, 4) == "observation"


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
