"""Each kind of question about a path, from its text through the oracle to an outcome with evidence."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest

from service.market.instants import DAY, HOUR
from service.store import bars, predictions
from tests.running_service import RunningService

pytestmark = pytest.mark.slow

# Asked of Bitcoin at {spot}; each is decided within two days, by every path.
QUESTIONS = {
    "upper_first": "Will bitcoin hit {above} before {below} tomorrow?",
    "lower_first": "Will bitcoin fall to {below} before {above} tomorrow?",
    "leave": "Will bitcoin leave the range between {below} and {above} by tomorrow?",
    "move": "Will bitcoin move more than 1% tomorrow?",
    "range": "Will bitcoin's range exceed 2% tomorrow?",
    "days_above": "Will bitcoin close above {spot} on at least 2 days until tomorrow?",
    "days_up": "Will bitcoin rise two days in a row by tomorrow?",
    "average_above": "Will the average price of bitcoin be above {spot} tomorrow?",
    "touch_above": "Will bitcoin hit a new all-time high tomorrow?",
}


@pytest.fixture
def answers(house: RunningService) -> dict[str, dict]:
    """The answer to each question."""
    house.register()
    spot = house.ask("btc tomorrow?").get_json()["understood"]["spot"]
    levels = {"spot": f"{spot:.2f}", "above": f"{1.01 * spot:.2f}", "below": f"{0.99 * spot:.2f}"}
    return {comparator: house.ask(text.format(**levels)).get_json() for comparator, text in QUESTIONS.items()}


def happened(comparator: str, question: dict, series: bars.Bars) -> bool:
    """The outcome by the definition of the kind, bar by bar, from the bars between the question and its deadline."""
    spot, level, upper = question["spot"], question["level"], question["upper_level"]
    if comparator.endswith("first"):
        for high, low in zip(series.high, series.low, strict=True):
            if high >= upper or low <= level:
                return (high >= upper) == (comparator == "upper_first")
        return False
    closes = series.close[(series.time + series.step) % DAY == 0]
    return {
        "leave": series.low.min() <= (level or 0) or series.high.max() >= (upper or np.inf),
        "move": abs(series.close[-1] / spot - 1) > 0.01,
        "range": (max(spot, series.high.max()) - min(spot, series.low.min())) / spot > 0.02,
        "days_above": sum(close > (level or 0) for close in closes) >= 2,
        "days_up": spot < closes[0] < closes[1],
        "average_above": np.mean(series.close[(series.time + series.step) % HOUR == 0]) > (level or 0),
        "touch_above": series.high.max() >= (level or 0),
    }[comparator]


def test_every_kind_is_answered_and_settled(house, answers):
    """Nine votes each, then the outcome that the stored bars show, with its evidence."""
    for comparator, answer in answers.items():
        assert answer.get("understood", answer).get("comparator") == comparator, answer
        assert 0 < answer["p_yes"] < 1
        assert len(answer["votes"]) + len(answer["abstained"]) == 9
        assert len(answer["votes"]) >= 5
        assert answer["price_forecast"] is None
    house.move(2 * DAY)
    with house.runtime.database.reading() as db:
        by_name = {name: predictions.find_prediction(db, answer["id"]) for name, answer in answers.items()}
        asked_at, deadline = by_name["move"].created_at, by_name["move"].deadline
        series = bars.load_bars(db, "btc", asked_at, deadline + 1, house.runtime.feed.step)
    for comparator, prediction in by_name.items():
        yes = happened(comparator, answers[comparator]["understood"], series)
        assert prediction.outcome == ("yes" if yes else "no"), (comparator, prediction.settlement)
        assert prediction.settlement.evidence.startswith("btc")


def test_sideless_questions_are_neutral(answers):
    """More than 3% up or down has no bullish side: bull and bear are 50, and P(YES) is beside them."""
    for comparator in ("move", "range"):
        answer = answers[comparator]
        consensus = answer["consensus"]
        assert answer["understood"]["polarity"] == "none"
        assert (consensus["direction"], consensus["bull_probability"]) == ("NEUTRAL", 50.0)
        assert {vote["direction"] for vote in answer["votes"].values()} == {"NEUTRAL"}


def test_a_record_is_that_of_the_stored_prices(house, answers):
    """The level is one step above the highest stored price, and a note says since when prices are stored."""
    question = answers["touch_above"]["understood"]
    with house.runtime.database.reading() as db:
        record = bars.price_extremes(db, "btc", house.runtime.feed.step)
        hourly = bars.load_bars(db, "btc", 0, int(house.wall), HOUR)
    assert record.high >= hourly.high.max()
    assert question["level"] == pytest.approx(record.high + 0.01)
    assert f"since {datetime.fromtimestamp(int(hourly.time[0])):%Y-%m-%d}" in question["notes"][0]


def test_a_price_question_is_answered_with_a_range(house):
    """The specification's fields as ever; P(YES) is null, and the quantiles rise around the present price."""
    house.register()
    answer = house.ask("What will bitcoin cost next Sunday?").get_json()
    forecast, spot = answer["price_forecast"], answer["understood"]["spot"]
    assert (answer["understood"]["comparator"], answer["p_yes"]) == ("open", None)
    assert forecast["until"] == answer["understood"]["deadline"]
    prices = list(forecast["quantiles"].values())
    assert prices == sorted(prices)
    assert prices[0] < spot < prices[-1]
    assert forecast["quantiles"]["50"] == pytest.approx(spot, rel=1e-6)
    assert len(forecast["voters"]) == 9
