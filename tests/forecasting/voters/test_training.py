"""Fits depend on the past alone, to the last bit, and need enough of it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.voters import training
from service.forecasting.voters.fits import Fits
from service.forecasting.voters.input_history import survey
from service.forecasting.voters.past import ask_past
from service.market.instants import DAY, HOUR
from tests.forecasting.made import made_bars

GRID = {"every_h": 17, "horizons_h": (4, 24), "levels": (-1.0, 0.0, 1.0)}


def written(fits: Fits) -> str:
    return json.dumps(fits.to_plain(), allow_nan=False)


def test_the_same_bars_and_slot_give_the_same_bytes(hourly, fits):
    assert written(training.fit(hourly, fits.slot)) == written(fits)


def test_more_threads_give_the_same_bytes(fits, in_ci):
    """Even in its first fit, before which scikit-learn and its pool of threads were not loaded."""
    if not in_ci:
        pytest.skip("a process of its own takes seconds to load scikit-learn: in CI only")
    program = """
import hashlib, json
from service.forecasting.voters import training
from service.market.assets import ASSETS
from tests.forecasting.made import DAYS, NOW, made_bars
hourly = {asset: made_bars(asset, DAYS, seed) for seed, asset in enumerate(ASSETS)}
print(hashlib.sha256(json.dumps(training.fit(hourly, NOW).to_plain()).encode()).hexdigest())
"""
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert process.stdout.strip() == hashlib.sha256(written(fits).encode()).hexdigest()


def test_nothing_after_the_slot_is_used(hourly):
    """The prefix test of labels: the fit is the same with and without the bars that come after."""
    slot = int(hourly["btc"].time[0]) + 95 * DAY
    past = {asset: bars.until(slot) for asset, bars in hourly.items()}
    without = training.fit(past, slot)
    assert written(training.fit(hourly, slot)) == written(without)
    assert written(training.fit_history(survey(hourly), slot)) == written(without)
    assert slot - 17 * HOUR < without.trained_until <= slot


def test_the_trees_are_weighted_on_later_questions(hourly):
    sample = ask_past(survey(hourly), 0, int(hourly["btc"].time[-1]), **GRID)
    earlier, later = training.split(sample)
    assert sample.deadline[earlier].max() <= sample.asked_at[later].min()
    assert later.sum() == pytest.approx(len(sample) / 4, rel=0.05)


def test_with_twelve_days_every_voter_names_what_it_needs(hourly):
    fitted = training.fit(hourly, int(hourly["btc"].time[0]) + 12 * DAY)
    assert fitted.missing["logit"] == "needs 60 days of hourly bars, 12 are stored"
    assert fitted.missing["forest"] == "needs 90 days of hourly bars, 12 are stored"
    assert set(fitted.missing) == {*training.LINEAR, "forest"}
    assert fitted.linear == {}
    assert set(training.awaited(fitted.missing, hourly)) == set(fitted.missing)
    assert training.fit({}, 0).missing["trend"] == "needs 60 days of hourly bars, 0 are stored"


def test_from_sixty_days_all_but_the_forest_are_fitted(hourly):
    fitted = training.fit(hourly, int(hourly["btc"].time[0]) + 61 * DAY)
    assert set(fitted.missing) == {"forest"}
    assert set(fitted.linear) == set(training.LINEAR)


def test_with_one_asset_voters_of_breadth_stay_unfitted(hourly):
    fitted = training.fit({"btc": hourly["btc"]}, int(hourly["btc"].time[-1]))
    assert set(fitted.missing) == {"breadth", "logit", "forest"}
    assert fitted.missing["breadth"] == "has all of its inputs for less than 8 days"
    assert training.awaited(fitted.missing, ["btc"]) == []
    assert set(training.awaited(fitted.missing, ["btc", "gold"])) == set(fitted.missing)


def test_a_drift_that_follows_momentum_is_learnt():
    """Bars whose next hours continue the last 24: momentum leans with the move."""
    bars = made_bars("btc", 120, seed=11)
    returns = np.diff(np.log(bars.close), prepend=np.log(100))
    for place in range(25, len(returns)):
        returns[place] += 0.7 * returns[place - 24 : place].mean()
    trending = replace(bars, close=100 * np.exp(np.cumsum(returns)))
    learnt = training.fit({"btc": trending}, trending.as_of).linear["momentum"]
    assert dict(zip(learnt.inputs, learnt.coefficients, strict=True))["move_24h"] > 0.02


def test_the_panel_loads_neither_scikit_learn_nor_scipy():
    program = (
        "import sys, service.forecasting.voters.panel\n"
        "print([name for name in ('sklearn', 'scipy', 'pandas') if name in sys.modules])"
    )
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
