"""Charts for a phone: pure functions from the API's documents to the bytes of a PNG."""

from bot.charts.battle import lane, lanes
from bot.charts.equity import accuracy, fund, strategy
from bot.charts.prices import answer, forecast, price
from bot.charts.sheet import THEMES, ChartTheme

__all__ = ["THEMES", "ChartTheme", "accuracy", "answer", "forecast", "fund", "lane", "lanes", "price", "strategy"]
