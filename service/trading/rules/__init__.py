"""Trading rules: pure functions from the bars of an asset to a target after every bar.

Every rule takes `Bars` of shape (n,) and periods counted in bars, and returns int8 targets of shape (n,): -1 short,
0 flat, 1 long. A target depends only on bars up to its own close, and is 0 until the longest look-back is filled. A
position ends by the indicator alone; there are no stops.

Rules have the names that practitioners use; `service.trading.strategies` gives them parameters.
"""
