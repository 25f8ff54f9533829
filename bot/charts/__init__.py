"""Charts for a phone: pure functions from the API's documents to the bytes of a PNG."""

from bot.charts.ai_vs_market import accuracy
from bot.charts.battle import lane, lanes
from bot.charts.equity import fund, strategy
from bot.charts.prices import answer, forecast, price
from bot.charts.theme import THEMES, ChartTheme

__all__ = ["THEMES", "ChartTheme", "accuracy", "answer", "forecast", "fund", "lane", "lanes", "price", "strategy"]
