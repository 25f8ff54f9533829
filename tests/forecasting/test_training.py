"""What is learnt depends on the past alone, to the last bit, and needs enough of it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting import training
from service.forecasting.fits import Fits
from service.forecasting.panel import survey
from service.forecasting.past import ask_past
from service.market.instants import DAY, HOUR
from tests.forecasting.made import made_bars

GRID = {"every_h": 17, "horizons_h": (4, 24), "levels": (-1.0, 0.0, 1.0)}


def written(fits: Fits) -> str:
    return json.dumps(fits.to_plain(), allow_nan=False)


def test_the_same_bars_and_slot_give_the_same_bytes(hourly, fits):
    assert written(training.fit(hourly, fits.slot)) == written(fits)


def test_another_process_with_more_threads_finds_the_same_bytes(fits, in_ci):
    """Even in its first fit, before which scikit-learn and its pool of threads were not loaded."""
    if not in_ci:
        pytest.skip("a process of its own takes seconds to load scikit-learn: in CI only")
    program = """
import hashlib, json
from service.forecasting import training
from service.market.assets import ASSETS
from tests.forecasting.made import DAYS, NOW, made_bars
hourly = {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(ASSETS)}
print(hashlib.sha256(json.dumps(training.fit(hourly, NOW).to_plain()).encode()).hexdigest())
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
    assert said.stdout.strip() == hashlib.sha256(written(fits).encode()).hexdigest()


def test_nothing_after_the_slot_is_learnt_from(hourly):
    """The prefix test of labels: the fit is the same with and without the bars that come after."""
    slot = int(hourly["btc"].time[0]) + 95 * DAY
    known = {asset: bars.until(slot) for asset, bars in hourly.items()}
    without = training.fit(known, slot)
    assert written(training.fit(hourly, slot)) == written(without)
    assert written(training.fit_panel(survey(hourly), slot)) == written(without)
    assert slot - 17 * HOUR < without.trained_until <= slot


def test_no_question_is_taken_that_is_decided_after_the_slot(hourly):
    panel = survey(hourly)
    until = panel.origin + 80 * DAY + 3 * HOUR
    sample = ask_past(panel, 0, until, **GRID)
    assert sample.deadline.max() <= until
    assert ((sample.deadline - sample.asked) % HOUR == 0).all()


def test_outcomes_are_those_of_the_bars(hourly):
    """Each label by the bars themselves: the last close at the deadline against the level."""
    sample = ask_past(survey(hourly), 0, int(hourly["btc"].time[-1]), **GRID)
    generator = np.random.default_rng(8)
    for place in generator.choice(len(sample), 60, replace=False):
        bars = hourly[sample.assets[sample.asset[place]]]
        spot = bars.until(int(sample.asked[place])).close[-1]
        final = bars.until(int(sample.deadline[place])).close[-1]
        if sample.z[place] == 0:
            assert sample.happened[place] == (final > spot)
        elif final <= spot and sample.z[place] > 0:
            assert sample.happened[place] == 0
        elif final > spot and sample.z[place] < 0:
            assert sample.happened[place] == 1


def test_overlapping_questions_are_worth_less(hourly):
    """24 hours asked every 17 count 17/24; three levels count as two, seven assets as three."""
    sample = ask_past(survey(hourly), 0, int(hourly["btc"].time[-1]), **GRID)
    day = (sample.hours == 24) & (sample.z == 0)
    assert sample.worth()[day] == pytest.approx(17 / 24 * 3 / 7 * 2 / 3)


def test_a_price_that_stays_is_neither_above_nor_up(hourly):
    flat = replace(hourly["btc"], close=np.full(len(hourly["btc"]), 100.0))
    sample = ask_past(survey({"btc": flat}), 0, int(flat.time[-1]), **GRID)
    assert sample.happened[sample.z == 0].max() == 0


def test_the_trees_are_weighed_on_questions_asked_after_all_they_learnt_was_known(hourly):
    sample = ask_past(survey(hourly), 0, int(hourly["btc"].time[-1]), **GRID)
    earlier, later = training.split(sample)
    assert earlier.deadline.max() <= later.asked.min()
    assert len(later) == pytest.approx(len(sample) / 4, rel=0.05)


def test_fits_survive_json_without_loss(fits):
    again = Fits.from_plain(json.loads(written(fits)))
    assert written(again) == written(fits)
    assert again.linear == fits.linear


def test_with_twelve_days_everyone_says_what_is_missing(hourly):
    found = training.fit(hourly, int(hourly["btc"].time[0]) + 12 * DAY)
    assert found.missing["logit"] == "needs 60 days of hourly bars, 12 are stored"
    assert found.missing["forest"] == "needs 90 days of hourly bars, 12 are stored"
    assert set(found.missing) == {*training.LINEAR, "forest"}
    assert found.linear == {}
    assert training.fit({}, 0).missing["trend"] == "needs 60 days of hourly bars, 0 are stored"


def test_from_sixty_days_all_but_the_forest_are_fitted(hourly):
    found = training.fit(hourly, int(hourly["btc"].time[0]) + 61 * DAY)
    assert set(found.missing) == {"forest"}
    assert set(found.linear) == set(training.LINEAR)


def test_with_one_asset_those_who_look_at_others_stay_unfitted(hourly):
    found = training.fit({"btc": hourly["btc"]}, int(hourly["btc"].time[-1]))
    assert set(found.missing) == {"breadth", "logit", "forest"}
    assert found.missing["breadth"] == "knows all of its inputs for less than 8 days"


def test_a_drift_that_follows_momentum_is_found():
    """Bars whose next hours go the way of the last 24: momentum leans with the move, and says so."""
    bars = made_bars("btc", 120, seed=11)
    returns = np.diff(np.log(bars.close), prepend=np.log(100))
    for place in range(25, len(returns)):
        returns[place] += 0.7 * returns[place - 24 : place].mean()
    trending = replace(bars, close=100 * np.exp(np.cumsum(returns)))
    found = training.fit({"btc": trending}, trending.as_of).linear["momentum"]
    assert dict(zip(found.inputs, found.coefficients, strict=True))["move_24h"] > 0.02


def test_a_web_process_loads_neither_scikit_learn_nor_scipy_to_answer():
    program = (
        "import sys, service.forecasting.oracle as _; print(sorted({'sklearn', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
