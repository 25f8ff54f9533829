"""Trading rules: pure functions from the bars of an asset to a target after every bar.

Every rule takes `Bars` of shape (n,) and periods counted in bars, and returns int8 targets of shape (n,):
-1 short, 0 nothing, 1 long, decided at the bar's close with nothing later in view. Until its longest
look-back is filled the target is 0. A position ends where an indicator says so: there are no stops beside it.

A rule is named for what practitioners call it; a strategy is a row of `service.trading.strategies`.
"""
