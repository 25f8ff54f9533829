"""The opinions of now on an open market: what the embedded voters and the outside market think an hour later.

A question measures moves from the price of its opening, and voters from the present price. So the question of now has
the present price, and a move from the opening becomes a level.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from service.forecasting.predictions import Opinion, Prediction
from service.forecasting.predictions.simulated_odds import SimulatedMarket
from service.forecasting.voters.ballots import Abstention
from service.forecasting.voters.context import Knowledge
from service.forecasting.voters.panel import Panel
from service.market.instants import HOUR
from service.questions.question import ORDERS, WHOLE_PATH, Question, polarity_of

# Kinds to which the part of the path that has passed already contributes.
_COUNTS_THE_PAST = tuple(kind for kind in WHOLE_PATH if kind not in ORDERS)


def of_now(question: Question, now: int, spot: float) -> Question | None:
    """The same event asked at the unix second `now`, at the price `spot`; None for kinds that count what has passed."""
    if question.comparator in _COUNTS_THE_PAST or question.comparator == "open":
        return None
    hours = (question.deadline.timestamp() - now) / HOUR
    present = replace(question, spot=spot, horizon_hours=hours)
    match question.comparator:
        case "up":
            present = replace(present, comparator="close_above", level=question.spot)
        case "down":
            present = replace(present, comparator="close_below", level=question.spot)
        case "move":
            sides = {"level": question.spot * (1 - question.size), "upper_level": question.spot * (1 + question.size)}
            present = replace(present, comparator="between", negated=not question.negated, **sides)
    return replace(present, polarity=polarity_of(present))


def lead_of(question: Question, spots: Mapping[str, float], starts: Mapping[str, float]) -> float:
    """The log return of the asset less that of the other one, from the prices `starts` to `spots`; 0 with one asset."""
    if question.other_asset is None:
        return 0.0
    own, other = (math.log(spots[asset] / starts[asset]) for asset in question.assets)
    return own - other


def ai_opinion(market: Prediction, panel: Panel, now: int, knowledge: Knowledge) -> Opinion:
    """The pool of the panel on a market asked of now; raises NoVoters below the quorum."""
    return Opinion(now, panel.ask(market.question, now, knowledge).pooled.p)


def odds_opinion(market: Prediction, outside: SimulatedMarket, now: int, knowledge: Knowledge) -> Opinion | None:
    """The price of the simulated market, with the shocks of its opening; None without a usable context."""
    try:
        quote = outside.quote(market, knowledge, now)
    except Abstention:
        return None
    return Opinion(now, quote.p_yes, quote.bid, quote.ask)
