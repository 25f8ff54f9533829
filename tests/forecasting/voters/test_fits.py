"""The fits of the voters survive JSON."""

from __future__ import annotations

import json

from service.forecasting.voters.fits import Fits
from tests.forecasting.voters.test_training import written


def test_fits_survive_json_without_loss(fits):
    again = Fits.from_plain(json.loads(written(fits)))
    assert written(again) == written(fits)
    assert again.linear == fits.linear
