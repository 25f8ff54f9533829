"""The evaluation scores only later questions, and checks what the project promises."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from service.market.instants import DAY
from tests.measure.evaluate import evaluate, promises
from tests.measure.walk_forward import (
    BASE_RATE,
    MEAN_VOTER,
    PLAIN,
    POOL,
    VOTERS,
    forecast_months,
    record_at,
    walk_forward,
)


def at(year: int, month: int, day: int = 1) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp())


@pytest.fixture(scope="module")
def march_and_april(hourly):
    return forecast_months(hourly, at(2025, 3, 2) - DAY)


def test_every_question_is_asked_in_its_month(march_and_april):
    march, april = march_and_april
    assert (march.sample.asked_at >= at(2025, 3)).all()
    assert (march.sample.asked_at < at(2025, 4)).all()
    assert (april.sample.asked_at >= at(2025, 4)).all()
    assert np.isfinite(march.pool).all()
    assert march.p.shape == (len(march.sample), 9)


def test_a_voter_that_is_not_fitted_yet_is_absent(march_and_april):
    """At the start of March 59 days are stored, in April 90: the forest joins then."""
    march, april = march_and_april
    names = [voter.name for voter in VOTERS]
    assert np.isnan(march.p[:, names.index("logit")]).all()
    assert np.isfinite(march.p[:, names.index("vol")]).all()
    assert np.isfinite(april.p).all()


def test_later_data_changes_no_forecast(hourly, march_and_april):
    """Prices of the second half of April turned upside down change no earlier answer."""
    turned = at(2025, 4, 15)
    upside_down = {
        asset: replace(
            bars, **{name: np.where(bars.time >= turned, 1e4 / price, price) for name, price in prices.items()}
        )
        for asset, bars in hourly.items()
        for prices in ({name: getattr(bars, name) for name in ("open", "high", "low", "close")},)
    }
    march, april = forecast_months(upside_down, at(2025, 3))
    before = march_and_april[1].sample.asked_at <= turned
    np.testing.assert_array_equal(march.p, march_and_april[0].p)
    np.testing.assert_array_equal(april.p[april.sample.asked_at <= turned], march_and_april[1].p[before])
    np.testing.assert_array_equal(april.pool[april.sample.asked_at <= turned], march_and_april[1].pool[before])


def test_the_record_holds_only_what_had_resolved(march_and_april):
    april = march_and_april[1]
    middle = at(2025, 4, 15)
    decided = (april.sample.deadline <= middle) & (april.sample.z != 0)
    record = record_at([april], middle, "event")
    assert {skill.n for skill in record.standings} == {int(decided.sum())}
    assert 0 < decided.sum() < (april.sample.asked_at <= middle).sum()
    assert record_at([], middle, "event") == record_at([april], at(2025, 4), "event")


@pytest.fixture(scope="module")
def scores(hourly):
    return walk_forward(hourly, at(2025, 4))


def test_nine_voters_their_mean_and_the_pool_are_scored(scores):
    names = [*(voter.name for voter in VOTERS), PLAIN, MEAN_VOTER, POOL, BASE_RATE]
    assert [(score.group, score.name) for score in scores] == [
        (group, name) for group in ("direction", "levels") for name in names
    ]
    by = {(score.group, score.name): score for score in scores}
    assert by["direction", "vol"].brier == pytest.approx(0.25)
    assert by["levels", "plain vol"].against_plain.mean == 0
    assert by["levels", BASE_RATE].against_base.mean == 0
    assert by["levels", MEAN_VOTER].against_mean.mean == 0
    assert all(score.against_plain.low <= score.against_plain.mean <= score.against_plain.high for score in scores)


def test_bars_that_end_before_the_first_month_give_no_score(hourly):
    assert walk_forward(hourly, at(2026, 1)) == []


def test_a_random_walk_has_nothing_to_learn_from(scores):
    """On made bars without any structure the voters stay within a hundredth of the base rate."""
    for score in scores:
        assert abs(score.against_plain.mean) < 0.01


def test_the_promises_about_the_voters_hold_on_real_bars(shared_data, in_ci):
    """Nine months that no setting was tuned on; it takes half a minute, so it runs in CI and by `make evaluate`."""
    if not in_ci:
        pytest.skip("the whole evaluation runs in CI and by `make evaluate`")
    kept = promises(evaluate(shared_data / "candles" / "1h"))
    assert all(kept.values()), kept
