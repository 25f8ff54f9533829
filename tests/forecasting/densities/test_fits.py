"""The fitted views survive JSON."""

from __future__ import annotations

import json

from service.forecasting.densities.fits import HORIZONS_H, CalendarFit
from service.forecasting.densities.season import Season
from service.market.scheduled_events import CODES
from tests.forecasting.densities.test_density import VIEW


def test_a_fit_survives_json_without_loss():
    fit = CalendarFit(Season((1.0,) * 168, (2.0,) * CODES), {"vol": VIEW})
    again = CalendarFit.from_plain(json.loads(json.dumps(fit.to_plain())))
    assert again == fit


def test_a_view_has_a_row_for_each_horizon():
    coefficients, close, maximum = VIEW.arrays
    assert coefficients.shape == (len(HORIZONS_H), 2)
    assert coefficients[0].tolist() == [0.0, 1.0]
    assert close.shape == maximum.shape == (len(HORIZONS_H), len(VIEW.close[0]))
