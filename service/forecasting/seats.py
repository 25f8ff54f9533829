"""The six seats: each a distinct set of information with the same honest arithmetic.

A seat keeps its name when a language model takes it; only its `engine` changes.
"""

from __future__ import annotations

from service.forecasting.brains import Linear

MOMENTUM = Linear("momentum", "seat", ("move_24h", "move_72h", "move_168h"), "Recent moves")
REVERSION = Linear("reversion", "seat", ("move_4h", "stretch_48h"), "Short overreaction")
BREADTH = Linear("breadth", "seat", ("peers_24h", "peers_rising", "leader_4h", "leader_gap_24h"), "The other coins")
REGIME = Linear("regime", "seat", ("heat", "spark", "tilt_168h"), "State of volatility")
TREND = Linear("trend", "seat", ("mean_50d", "place_50d", "move_720h"), "Long trend")
NEWS = Linear("news", "seat", ("weekend", "us_session", "month_turn"), "Calendar, in place of headlines")

SEATS = (MOMENTUM, REVERSION, BREADTH, REGIME, TREND, NEWS)
