"""The panel of the price forecasts and their calibration."""
