"""Charts for a phone: pure functions from what the API answered to the bytes of a PNG."""

from bot.charts.battle import lane, lanes
from bot.charts.curves import fund, strategy
from bot.charts.versus import accuracy

__all__ = ["accuracy", "fund", "lane", "lanes", "strategy"]
