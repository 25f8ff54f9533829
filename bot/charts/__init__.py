"""Charts for a phone: pure functions from the API's documents to the bytes of a PNG."""

from bot.charts.prices import answer, forecast, price
from bot.charts.sheet import THEMES, ChartTheme

__all__ = ["THEMES", "ChartTheme", "answer", "forecast", "price"]
