"""The distribution of each asset's price over the next hour to the next 30 days, by several views of its variance.

All views share the hour grid, the seasonal clock and the arithmetic; they differ in the features that they see. A view
forecasts the variance of a horizon by a regression, and its quantiles, measured on the past, say how returns and
running extremes spread around that.
"""
