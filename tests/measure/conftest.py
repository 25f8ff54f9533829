"""Fixtures that the measurements share with the tests of forecasting."""

from __future__ import annotations

from tests.forecasting.conftest import hourly

__all__ = ["hourly"]
