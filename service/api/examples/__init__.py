"""Answers as a reader of the docs sees them: what the simulated world gave one day, cut to one of each kind."""

from service.api.examples.battle import BATTLE, BATTLE_CSV, BATTLE_HISTORY
from service.api.examples.intelligence import APEX, APEX_FUND, NEWS_PULSE, WIDGET
from service.api.examples.market import PRICES
from service.api.examples.oracle import ANSWER
from service.api.examples.predictions import CHALLENGE, CHALLENGES, PREDICTIONS
from service.api.examples.record import AI_VS_MARKET, SHADOW, STREAKS
from service.api.examples.strategies import HOSPITAL, LEADERBOARD, STRATEGY

__all__ = [
    "AI_VS_MARKET",
    "ANSWER",
    "APEX",
    "APEX_FUND",
    "BATTLE",
    "BATTLE_CSV",
    "BATTLE_HISTORY",
    "CHALLENGE",
    "CHALLENGES",
    "HOSPITAL",
    "LEADERBOARD",
    "NEWS_PULSE",
    "PREDICTIONS",
    "PRICES",
    "SHADOW",
    "STRATEGY",
    "STREAKS",
    "WIDGET",
]
