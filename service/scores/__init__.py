"""Scores of forecasts and their uncertainty: proper scores, intervals of dependent values, and luck.

It imports nothing of the service, so that the lab may use it too.
"""
