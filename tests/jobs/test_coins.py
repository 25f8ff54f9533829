"""Coins outside the seven in the live world: from the list of the exchanges to the settled answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import app
from service.api import coins as coin_desk
from service.forecasting.predictions.open_markets import resolved
from service.jobs import committing, prices
from service.market.instants import DAY, HOUR
from service.store import bars, predictions
from service.store import coins as store
from service.store.pages import contexts
from tests.jobs.coin_world import LiveFeedWithCoins, fine_bars, offer, open_coins
from tests.jobs.live import DAYS, SEED, Outside, do
from tests.jobs.track_record import read
from tests.running_service import START, RunningService, copied, running_service
from tests.sources.conftest import ExchangeServer

pytestmark = pytest.mark.slow

QUESTION = "Will pepecoin reach 0.5 by Friday?"
FRIDAY = START - START % DAY + 7 * DAY  # the midnight after it


@pytest.fixture
def service(
    live_data: Path, world: Outside, tmp_path: Path, kraken: ExchangeServer, coinbase: ExchangeServer, monkeypatch
) -> Iterator[RunningService]:
    """A live service that knows the list of its exchanges, where PEPE costs some 0.3 USD."""
    for exchange in (kraken, coinbase):
        offer(exchange, "PEPE/USD", fine_bars(220, 0.3))
        offer(exchange, "BTC/USD", fine_bars(2, 60_000.0))
    feed = LiveFeedWithCoins(SEED, START - START % DAY - DAYS * DAY, open_coins(kraken, coinbase))
    monkeypatch.setattr(app, "open_feed", lambda *_: feed)
    with running_service(copied(live_data, tmp_path), wall=START + 60, **world.options) as service:
        _move(service, (kraken, coinbase), START + 60)
        do(service, prices.list_coins, START)
        service.register()
        yield service


def _move(service: RunningService, exchanges: Iterable[ExchangeServer], wall: int) -> None:
    """Let the clocks of the service and of the exchanges show `wall`."""
    service.wall = wall
    for exchange in exchanges:
        exchange.now = wall


def _list_wif(service: RunningService, exchanges: Iterable[ExchangeServer], days: int) -> None:
    """Let the exchanges list WIF with so many days of prices, and the service read their lists."""
    for exchange in exchanges:
        offer(exchange, "WIF/USD", fine_bars(days, 0.8, seed=8))
    do(service, prices.list_coins, START)


def _stored(service: RunningService, step: int) -> int:
    return len(read(service, bars.load_bars, "pepe", 0, START + 60 * DAY, step))


def test_a_coin_is_answered_recorded_and_settled(service, kraken, coinbase):
    """Nine votes, a note that it is outside the seven, and an outcome from bars fetched at the deadline."""
    answer = service.ask(QUESTION).get_json()
    assert len(answer.get("votes", answer)) == 9, json.dumps(answer)[:1500]
    assert answer["understood"]["asset"] == "pepe"
    assert "PEPE is outside the seven assets. Its prices come from kraken PEPE/USD" in answer["understood"]["notes"][-1]
    assert 0.001 <= answer["p_yes"] < 0.3
    for slot in range(FRIDAY - 6 * DAY, FRIDAY + 1, 6 * HOUR):
        _move(service, (kraken, coinbase), slot + 5)
        do(service, prices.follow_coins, slot + 5)
    do(service, committing.settle, FRIDAY)
    settlement = read(service, predictions.find_prediction, answer["id"]).settlement
    assert settlement.outcome == "no"
    assert settlement.evidence.startswith("pepe never rose above 0.")


def test_the_bars_of_open_answers_are_fetched_until_then(service, kraken, coinbase):
    """The job asks for a coin as long as an answer about it is open, and stores the hours too."""
    do(service, prices.follow_coins, START + HOUR)
    assert _stored(service, HOUR) == 0
    assert service.ask(QUESTION).status_code == 200
    before = _stored(service, 300)
    _move(service, (kraken, coinbase), START + 3 * HOUR)
    do(service, prices.follow_coins, START + 3 * HOUR)
    assert _stored(service, 300) == before + 3 * 12
    requests = len(kraken.requests)
    do(service, prices.follow_coins, FRIDAY + 2 * DAY)
    assert len(kraken.requests) == requests


def test_a_second_question_soon_after_needs_no_fetch(service, kraken, coinbase):
    assert service.ask(QUESTION).status_code == 200
    requests = len(kraken.requests) + len(coinbase.requests)
    assert service.ask("Where will PEPE be next Friday?").status_code == 200
    assert len(kraken.requests) + len(coinbase.requests) == requests
    _move(service, (kraken, coinbase), START + 21 * 60)
    assert service.ask("Will PEPE rise by Friday?").get_json()["understood"]["asset"] == "pepe"
    assert len(kraken.requests) + len(coinbase.requests) == requests + 1


@pytest.mark.parametrize(
    ("question", "comparator"),
    [
        ("Will PEPE outperform bitcoin this week?", "relative"),
        ("Will bitcoin outperform $PEPE this week?", "relative"),
        ("Will PEPE outperform WIF this week?", "relative"),
        ("Will PEPE hit 0.35 before 0.25 by Friday?", "upper_first"),
        ("What will pepecoin cost on Friday?", "open"),
        ("Will PEPE hit a new all-time high this month?", "touch_above"),
    ],
)
def test_every_kind_of_question_is_answered(service, kraken, coinbase, question, comparator):
    """Comparisons with the seven and between coins, whole paths, prices and records."""
    _list_wif(service, (kraken, coinbase), 220)
    answer = service.ask(question).get_json()
    assert answer["understood"]["comparator"] == comparator
    assert len(answer["votes"]) >= 5


def test_less_than_ninety_days_are_refused_with_their_number(service, kraken, coinbase):
    """Asked again within the hour it is refused without another fetch, and neither costs a question."""
    _list_wif(service, (kraken, coinbase), 43)
    requests = []
    for words in ("WIF has 43 days of hourly prices", "90 are needed"):
        refusal = service.ask("Will WIF reach 1 by Friday?")
        assert (refusal.status_code, words in refusal.get_json()["detail"]) == (400, True)
        requests.append(len(coinbase.requests))
    assert requests[0] == requests[1]
    assert service.ask(QUESTION).headers["X-RateLimit-Remaining"] == "9"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Will USDC be above 1.01 on Friday?", "stablecoin is meant to stay"),
        ("Will cardano reach 2 by Friday?", "None of the exchanges of this service lists it."),
    ],
)
def test_another_coin_is_refused_with_the_reason(service, question: str, reason: str):
    assert reason in service.ask(question).get_json()["detail"]


def test_before_the_first_list_a_coin_is_refused_with_the_reason(service):
    with service.runtime.database.writing() as db:
        store.save_coin_list(db, (), START + 1)
    assert "have not been read yet" in service.ask(QUESTION).get_json()["detail"]


def test_a_silent_exchange_is_a_503_that_costs_nothing(service, kraken, coinbase):
    kraken.fault = coinbase.fault = lambda handler: handler.reply(500, b"{}")
    answer = service.ask(QUESTION)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    kraken.fault = coinbase.fault = None
    assert service.ask(QUESTION).headers["X-RateLimit-Remaining"] == "9"


def test_so_many_fetches_a_minute_and_no_more(service, kraken, coinbase, monkeypatch):
    monkeypatch.setattr(coin_desk, "FETCHES_A_MINUTE", 1)
    _list_wif(service, (kraken, coinbase), 43)
    assert service.ask(QUESTION).status_code == 200
    busy = service.ask("Will WIF reach 1 by Friday?")
    assert (busy.status_code, busy.headers["Retry-After"]) == (503, "60")


def test_the_coin_asked_about_longest_ago_makes_room(service, kraken, coinbase, monkeypatch):
    """Where all coins have open answers, another coin gets a 503."""
    monkeypatch.setattr(store, "MOST_COINS", 1)
    _list_wif(service, (kraken, coinbase), 43)
    assert service.ask("Will WIF reach 1 by Friday?").status_code == 400
    assert service.ask(QUESTION).status_code == 200
    refusal = service.ask("Will WIF reach 1 by Friday?")
    assert refusal.status_code == 503
    assert "open answers about 1 other coins" in refusal.get_json()["detail"]


def test_coins_stay_out_of_documents_and_records(service, kraken, coinbase):
    """A settled answer about a coin is in no track record; forecasts and prices are of the seven alone."""
    service.ask(QUESTION)
    _move(service, (kraken, coinbase), FRIDAY + 5)
    do(service, prices.follow_coins, FRIDAY + 5)
    do(service, committing.settle, FRIDAY + 8 * HOUR)
    answers = [answer for answer in read(service, predictions.settled_predictions) if answer.category == "answer"]
    assert "pepe" not in read(service, contexts.every)
    assert [answer.outcome for answer in answers] == ["no"]
    assert resolved(answers) == []


def test_challenges_are_of_the_seven_alone(service):
    body = {"question": QUESTION.replace(" by Friday", ""), "deadline": "2026-11-27"}
    refusal = service.client.post("/api/challenges/create", json=body, headers={"X-API-Key": service.key})
    assert "not covered" in refusal.get_json()["detail"]
