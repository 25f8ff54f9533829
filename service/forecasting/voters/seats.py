"""The six seats: each has its own set of inputs and the same arithmetic.

A seat keeps its name when a language model takes it; only its `engine` changes.
"""

from __future__ import annotations

from service.forecasting.voters.brains import Linear

MOMENTUM = Linear("momentum", "seat", ("move_24h", "move_72h", "move_168h"), "recent moves")
REVERSION = Linear("reversion", "seat", ("move_4h", "mean_distance_48h"), "short-term overreaction")
BREADTH = Linear("breadth", "seat", ("peers_24h", "peers_rising", "leader_4h", "leader_gap_24h"), "moves of the coins")
REGIME = Linear("regime", "seat", ("vol_ratio_180d", "vol_ratio_12h", "semivariance_skew_7d"), "state of volatility")
TREND = Linear("trend", "seat", ("mean_50d", "range_position_50d", "move_720h"), "long-term trend")
NEWS = Linear("news", "seat", ("weekend", "us_session", "month_turn"), "calendar, in place of headlines")

SEATS = (MOMENTUM, REVERSION, BREADTH, REGIME, TREND, NEWS)
