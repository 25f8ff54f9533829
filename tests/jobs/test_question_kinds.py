"""Each kind of question in a replay of real bars: asked of the oracle, recorded, resolved with evidence."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from service.forecasting.predictions.resolution import resolve
from service.market.bars import Bars
from service.market.instants import DAY, HOUR
from service.store import bars, predictions
from tests.jobs.track_record import read
from tests.running_service import SPEED, RunningService, copied, replaying

pytestmark = pytest.mark.slow

A_DAY = 8  # questions that a test asks with one key
# Each is decided within three days of the replay, by every path; the levels are filled in.
QUESTIONS = {
    "both": "Will both bitcoin and ethereum rise in the next 2 days?",
    "either": "Will either bitcoin reach {above} or gold fall 1% in the next 2 days?",
    "above_earlier": "Will bitcoin be higher the day after tomorrow than tomorrow?",
    "below_earlier": "Will gold be lower the day after tomorrow than tomorrow?",
    "close_above": "Will bitcoin be above yesterday's close tomorrow?",
    "above_moving_average": "Will bitcoin be above its 50-day moving average tomorrow?",
    "below_moving_average": "Will ether be below its 20-day moving average the day after tomorrow?",
    "volatility": "Will bitcoin's volatility be above 50% in the next 2 days?",
    "touch_below": "Will bitcoin go to zero in the next 2 days?",
    "touch_above": "Will bitcoin hit a new high of the week tomorrow?",
    "days_above": "Will bitcoin have its highest close ever by tomorrow?",
    "upper_first": "Will bitcoin reach {above} before {below} in the next 2 days?",
    "range": "Will bitcoin's range exceed 3% in the next 2 days?",
    "move": "Will bitcoin move more than 1% either way tomorrow?",
    "average_above": "Will the average price of bitcoin be above {above} in the next 2 days?",
    "days_up": "Will bitcoin rise 2 days in a row by the day after tomorrow?",
    "days_below": "Will bitcoin close below {above} on at least 1 day from tomorrow to the day after tomorrow?",
    "lower_first": "Will bitcoin fall to {below} before {above} in the next 2 days?",
    "leave": "Will bitcoin leave the range between {below} and {above} by tomorrow?",
    "days_above twice": "Will bitcoin close above {below} on at least 2 days until the day after tomorrow?",
    "touch_above a record": "Will bitcoin hit a new all-time high tomorrow?",
}


@pytest.fixture(scope="module")
def replay(shared_data: Path, replayed_start: Path, tmp_path_factory) -> Iterator[RunningService]:
    """A service in a replay of real bars, after its first start."""
    with replaying(shared_data, copied(replayed_start, tmp_path_factory.mktemp("replay"))) as service:
        yield service


def fresh_key(replay: RunningService) -> None:
    """Another caller: a key has only a few questions a day."""
    email = {"email": f"reader{secrets.token_hex(4)}@example.com"}
    replay.key = replay.client.post("/api/v1/register", json=email).get_json()["api_key"]


@pytest.fixture(scope="module")
def answers(replay: RunningService) -> dict[str, dict]:
    """The answer to each question; three days later all of them are settled."""
    fresh_key(replay)
    spot = replay.ask("btc tomorrow?").get_json()["understood"]["spot"]
    replies = {}
    for place, (kind, text) in enumerate(QUESTIONS.items()):
        if place and place % A_DAY == 0:
            fresh_key(replay)
        replies[kind] = replay.ask(text.format(above=round(1.01 * spot), below=round(0.99 * spot))).get_json()
    replay.move(3.5 * DAY / SPEED)
    return replies


def stored(replay: RunningService, id: str) -> tuple[predictions.Prediction, dict[str, Bars]]:
    """The recorded prediction, and the bars of its assets, from 60 days before it to its deadline."""
    prediction = read(replay, predictions.find_prediction, id)
    span = (prediction.created_at - 60 * DAY, prediction.deadline + 1)
    return prediction, {asset: read(replay, bars.load_bars, asset, *span, HOUR) for asset in prediction.question.assets}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_kind_is_answered_and_settled(replay, answers, kind):
    """Asked in words, voted on by the brains and the seats, recorded, and resolved as the bars show, with evidence."""
    answer = answers[kind]
    assert answer.get("understood", answer).get("comparator") == kind.split()[0], answer
    assert 0 < answer["p_yes"] < 1
    assert len(answer["votes"]) + len(answer["abstained"]) == 9
    assert len(answer["votes"]) >= 5
    assert answer["price_forecast"] is None
    prediction, series = stored(replay, answer["id"])
    assert prediction.question.canonical == answer["understood"]["canonical"]
    assert prediction.settlement, kind
    assert prediction.settlement.evidence.split()[0].rstrip(":") in prediction.question.assets
    resolution = resolve(prediction.question, prediction.created_at, series, prediction.deadline + DAY)
    assert prediction.outcome == resolution.outcome != "void", prediction.settlement


def test_a_record_is_that_of_the_stored_prices(replay, answers):
    """The level is one step above the highest stored price, and a note says since when prices are stored."""
    answer = answers["touch_above a record"]
    prediction, _ = stored(replay, answer["id"])
    series = read(replay, bars.load_bars, "btc", 0, prediction.created_at, HOUR)
    assert prediction.question.level == pytest.approx(series.high.max() + 0.01)
    assert f"since {datetime.fromtimestamp(int(series.time[0])):%Y-%m-%d}" in answer["understood"]["notes"][0]


def test_a_price_of_zero_has_the_smallest_published_probability(answers):
    assert answers["touch_below"]["p_yes"] == 0.001
    assert "about a hundredth" in answers["touch_below"]["understood"]["notes"][0]


def test_the_legs_and_the_earlier_instant_are_published(answers):
    legs = answers["either"]["understood"]["legs"]
    assert [leg["asset"] for leg in legs] == ["btc", "gold"]
    assert legs[1]["level_pct"] == -1.0
    question = answers["above_earlier"]["understood"]
    assert datetime.fromisoformat(question["earlier"]) < datetime.fromisoformat(question["deadline"])
    assert question["legs"] == []


def test_the_present_price_is_said_free_of_charge(replay, answers):
    """The voters are not asked; where the price will be counts once, and its quantiles rise around the present one."""
    present, reply = (
        replay.ask(f"What {words} of bitcoin?") for words in ("is the price", "will be the price on Sunday")
    )
    assert len(answers) == len(QUESTIONS)
    assert present.status_code == 400
    assert "Bitcoin is at " in present.get_json()["detail"]
    left = [int(reply.headers["X-RateLimit-Remaining"]) for reply in (present, reply)]
    assert left[0] - left[1] == 1
    answer = reply.get_json()
    forecast, spot = answer["price_forecast"], answer["understood"]["spot"]
    assert (answer["understood"]["comparator"], answer["p_yes"]) == ("open", None)
    assert forecast["until"] == answer["understood"]["deadline"]
    prices = list(forecast["quantiles"].values())
    assert prices == sorted(prices)
    assert prices[0] < spot < prices[-1]
    assert forecast["quantiles"]["50"] == pytest.approx(spot, rel=1e-6)
    assert len(forecast["voters"]) == 9
