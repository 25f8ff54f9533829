"""The fitted models survive JSON."""

from __future__ import annotations

import json

from service.forecasting.densities.fits import HORIZONS_H, CalendarFit, Fits
from service.forecasting.densities.season import Season
from service.market.scheduled_events import CODES
from tests.forecasting.densities.test_density import MODEL


def test_a_fit_survives_json_without_loss():
    fit = CalendarFit(Season((1.0,) * 168, (2.0,) * CODES), {"vol": MODEL})
    fits = Fits("fits/0", 7, {"always": fit})
    again = Fits.from_plain(json.loads(json.dumps(fits.to_plain())))
    assert again == fits
    assert (again.of("btc"), again.of("gold")) == (fit, None)


def test_a_model_has_a_row_for_each_horizon():
    coefficients, close, maximum, realised = MODEL.arrays
    assert coefficients.shape == (len(HORIZONS_H), 2)
    assert coefficients[0].tolist() == [0.0, 1.0]
    assert close.shape == maximum.shape == realised.shape == (len(HORIZONS_H), len(MODEL.close[0]))
