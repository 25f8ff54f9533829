"""Rows of numbers for a few horizons are interpolated between them."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.densities import sizes


@pytest.mark.parametrize(
    ("hours", "shares"),
    [(720, (0, 1)), (np.sqrt(24 * 720), (0.5, 0.5))],  # the last step, and the middle of the logarithms
)
def test_a_row_is_interpolated_in_the_logarithm_of_its_hours(hours, shares):
    rows = np.array([[1.0, 4.0], [3.0, 10.0]])
    np.testing.assert_allclose(sizes.at_hours(rows, (24, 720), hours), shares @ rows)
