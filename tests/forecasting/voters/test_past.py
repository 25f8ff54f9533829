"""Past questions: their outcomes are those of the bars, and nothing later is used."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from service.forecasting.voters.input_history import survey
from service.forecasting.voters.past import ask_past
from service.market.instants import DAY, HOUR

GRID = {"every_h": 17, "horizons_h": (4, 24), "levels": (-1.0, 0.0, 1.0)}


def test_no_question_is_decided_after_the_end(hourly):
    history = survey(hourly)
    until = history.origin + 80 * DAY + 3 * HOUR
    sample = ask_past(history, 0, until, **GRID)
    assert sample.deadline.max() <= until
    assert ((sample.deadline - sample.asked_at) % HOUR == 0).all()


def test_outcomes_are_those_of_the_bars(hourly):
    """Each label by the bars themselves: the last close at the deadline against the level."""
    sample = ask_past(survey(hourly), 0, int(hourly["btc"].time[-1]), **GRID)
    generator = np.random.default_rng(8)
    for place in generator.choice(len(sample), 60, replace=False):
        bars = hourly[sample.assets[sample.asset[place]]]
        spot = bars.until(int(sample.asked_at[place])).close[-1]
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


def test_a_constant_price_is_neither_above_nor_up(hourly):
    flat = replace(hourly["btc"], close=np.full(len(hourly["btc"]), 100.0))
    sample = ask_past(survey({"btc": flat}), 0, int(flat.time[-1]), **GRID)
    assert sample.happened[sample.z == 0].max() == 0
