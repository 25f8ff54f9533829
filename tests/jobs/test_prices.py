"""The tick fetches the bars since the last one and publishes the prices, whatever its sources do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import structlog

import app
from service.api import coins as coin_desk
from service.errors import SourceFailed, WrongClock
from service.forecasting.predictions.open_markets import resolved
from service.jobs import committing, prices
from service.jobs.prices import read_rates
from service.market.coverage import has_arrived
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.market.prices import ASSUMED, NO_RATES, Rate, Rates
from service.sources.feeds.simulated import SimulatedFeed
from service.store import bars, predictions, snapshots
from service.store import coins as store
from service.store.pages import contexts
from tests.jobs.coin_world import LiveFeedWithCoins, fine_bars, offer, open_coins
from tests.jobs.live import DAYS, SEED, Outside, do
from tests.jobs.made_feed import HISTORY_FROM, SLOT, STEP, LiveJobs
from tests.running_service import START, RunningService, copied, running_service
from tests.sources.conftest import ExchangeServer, coinbase_routes, kraken_routes, serve


@pytest.fixture
def live(sqlite_database) -> LiveJobs:
    return LiveJobs(sqlite_database)


def test_the_first_tick_stores_two_days_and_their_hours(live):
    """The prices of all assets are there at once."""
    live.run(prices.tick)
    assert live.times() == list(range(SLOT - 2 * DAY, SLOT, STEP))
    assert live.times(step=HOUR) == list(range(SLOT - 2 * DAY, SLOT, HOUR))
    assert live.prices()["as_of"] == iso(SLOT)


def test_a_later_tick_fetches_only_what_is_missing(live):
    """It goes on where the last stored bar ended."""
    live.run(prices.tick)
    live.feed.requests.clear()
    live.run(prices.tick, SLOT + STEP)
    assert live.feed.requests == [("btc", SLOT, SLOT + STEP, STEP), ("eth", SLOT, SLOT + STEP, STEP)]
    assert live.times()[-1] == SLOT


def test_a_bar_without_trades_is_flat_and_not_asked_again(live):
    """Nobody traded: its price is the last close and its volume 0, also where one tick ends and the next begins."""
    live.feed.silent = {SLOT - HOUR, SLOT - STEP, SLOT}
    live.run(prices.tick)
    assert live.times()[-1] == SLOT - 2 * STEP
    live.run(prices.tick, SLOT + 2 * STEP)
    assert live.times() == list(range(SLOT - 2 * DAY, SLOT + 2 * STEP, STEP))
    with live.database.reading() as db:
        stored = bars.load_bars(db, "btc", SLOT - HOUR, SLOT + STEP, STEP)
    flat = stored[stored.volume == 0]
    assert flat.time.tolist() == [SLOT - HOUR, SLOT - STEP, SLOT]
    assert (flat.open == flat.close).all()
    live.feed.requests.clear()
    live.run(prices.tick, SLOT + 3 * STEP)
    assert {since for _, since, _, _ in live.feed.requests} == {SLOT + 2 * STEP}


def test_a_weekend_without_bars_leaves_no_gap(live):
    """What follows the last stored bar was answered from there on, however long nobody traded."""
    live.run(prices.tick)
    live.feed.silent = set(range(SLOT, SLOT + DAY, STEP))
    live.run(prices.tick, SLOT + DAY + HOUR)
    with live.database.reading() as db:
        assert bars.find_coverage(db, "btc", STEP).windows == ((SLOT - 2 * DAY, SLOT + DAY + HOUR),)
    assert live.times()[-1] == SLOT + DAY + HOUR - STEP


def test_a_fault_within_the_newest_bars_leaves_no_hole(live):
    """Bars behind a lost day are fetched again with it."""
    live.run(prices.tick)
    live.feed.broken = [SLOT + DAY + HOUR]
    live.run(prices.tick, SLOT + DAY + 2 * HOUR)
    live.run(prices.tick, SLOT + DAY + 2 * HOUR + STEP)
    assert live.times() == list(range(SLOT - 2 * DAY, SLOT + DAY + 2 * HOUR + STEP, STEP))


def test_an_hour_of_which_a_part_is_stored_is_fetched_whole(live):
    """A stop at 12:25 that lasts for days: what was built from five of twelve bars is replaced."""
    live.run(prices.tick, SLOT + 25 * MINUTE)
    later = SLOT + 5 * DAY
    live.run(prices.tick, later)
    live.run(prices.history, later)
    with live.database.reading() as db:
        hour = bars.load_bars(db, "btc", SLOT, SLOT + HOUR, HOUR)
    assert hour.volume.tolist() == [1.0]
    assert live.histories(later)["btc"].since == live.feed.history_from


def test_a_failed_source_keeps_the_bars_of_its_asset(live):
    """The other assets go on, and the price that stands still says its time."""
    live.run(prices.tick)
    live.feed.failing = {"eth"}
    live.run(prices.tick, SLOT + HOUR)
    assert (live.times("btc")[-1], live.times("eth")[-1]) == (SLOT + HOUR - STEP, SLOT - STEP)
    shown = {price["asset"]: price["as_of"] for price in live.prices()["prices"]}
    assert shown == {"btc": iso(SLOT + HOUR), "eth": iso(SLOT)}


def test_a_fault_is_logged_once_and_its_end_too(live):
    """Six lines a minute would hide everything else."""
    live.feed.failing = {"eth"}
    with structlog.testing.capture_logs() as events:
        for place in range(5):
            live.run(prices.tick, SLOT + place * STEP)
        live.feed.failing = set()
        live.run(prices.tick, SLOT + HOUR)
    assert [event["event"] for event in events] == ["source_failed", "source_answers"]
    assert events[0]["detail"] == "no answer"


def test_a_tick_fails_when_no_source_answers(live):
    """It is tried again; what the sources said is stored all the same."""
    live.feed.failing = {"btc", "eth"}
    with pytest.raises(SourceFailed, match="no source answered"):
        live.run(prices.tick)
    assert live.histories()["btc"].detail == "no answer"


def test_a_clock_behind_the_stored_bars_is_refused(live):
    """The clock was ahead when they were stored."""
    live.run(prices.tick)
    with pytest.raises(WrongClock):
        live.run(prices.tick, SLOT - HOUR)


def test_an_asset_that_no_source_lists_is_absent(live):
    """It has no price, and the document says why."""
    live.feed.unlisted = {"eth"}
    live.run(prices.tick)
    document = live.prices()
    assert [price["asset"] for price in document["prices"]] == ["btc"]
    assert document["histories"]["eth"]["state"] == "absent"
    assert document["histories"]["eth"]["detail"] == "no source has it"


def test_an_asset_without_a_trade_is_absent_until_one_comes(live):
    """Nothing waits for its history; the next tick asks again."""
    live.feed.silent = set(range(SLOT - 3 * DAY, SLOT, STEP))
    live.run(prices.tick)
    assert {history.state for history in live.histories().values()} == {"absent"}
    live.run(prices.tick, SLOT + HOUR)
    assert {history.state for history in live.histories(SLOT + HOUR).values()} == {"arriving"}


def test_after_days_offline_the_short_bars_begin_anew(live):
    """The gap between is for the hourly bars; the old span stays known."""
    live.run(prices.tick)
    live.run(prices.tick, SLOT + 9 * DAY)
    with live.database.reading() as db:
        windows = bars.find_coverage(db, "btc", STEP).windows
    assert windows == ((SLOT - 2 * DAY, SLOT), (SLOT + 7 * DAY, SLOT + 9 * DAY))
    assert live.histories(SLOT + 9 * DAY)["btc"].state == "arriving"


@pytest.fixture
def begun(sqlite_database) -> LiveJobs:
    jobs = LiveJobs(sqlite_database)
    jobs.run(prices.tick)
    jobs.feed.requests.clear()
    return jobs


def is_wanted(begun: LiveJobs) -> bool:
    with begun.database.reading() as db:
        return prices.misses_history(db, begun.context)


def has_history(begun: LiveJobs, now: int = SLOT) -> bool:
    return has_arrived(begun.histories(now))


def test_hourly_bars_arrive_newest_first(begun):
    """Piece by piece from where the short bars begin, all assets in turn."""
    assert is_wanted(begun)
    assert not has_history(begun)
    begun.run(prices.history)
    hours = [span for asset, *span in begun.feed.requests if asset == "btc"]
    assert [step for *_, step in hours] == [HOUR] * 4
    assert hours[0][1] == SLOT - 2 * DAY
    assert all(later[1] == earlier[0] for earlier, later in pairwise(hours))
    assert begun.times(step=HOUR) == list(range(HISTORY_FROM, SLOT, HOUR))


def test_what_follows_waits_until_history_is_whole(begun):
    """A job that publishes or commits asks the coverage, not the age of the last bar."""
    begun.feed.failing = {"btc", "eth"}
    begun.run(prices.history)
    assert not has_history(begun)
    begun.feed.failing = set()
    begun.run(prices.history, SLOT + 10)
    assert has_history(begun, SLOT + 10)
    assert not is_wanted(begun)
    with begun.database.reading() as db:
        assert begun.context.whole_since(db, SLOT) == {"btc": HISTORY_FROM, "eth": HISTORY_FROM}


def test_no_span_is_asked_for_twice(begun):
    """Hours in which nobody traded were answered: they are known to be silent."""
    begun.feed.silent = set(range(HISTORY_FROM, SLOT, 7 * HOUR))
    begun.run(prices.history)
    assert len(begun.feed.requests) == len(set(begun.feed.requests))
    assert begun.histories()["btc"].state == "complete"


@pytest.mark.parametrize("days", [30, 62])
def test_a_fault_within_a_piece_leaves_no_hole(begun, days):
    """What was lost in the middle or at the end of a piece is asked for again, and nothing goes on without it."""
    begun.feed.broken = [SLOT - days * DAY, SLOT - 2 * DAY]
    begun.run(prices.history)
    begun.run(prices.history, SLOT + 10)
    begun.run(prices.history, SLOT + 20)
    assert begun.times(step=HOUR) == list(range(HISTORY_FROM, SLOT, HOUR))
    assert begun.histories(SLOT + 20)["btc"].state == "complete"


def test_a_shorter_history_is_complete_where_none_has_more(begun):
    """A source with 30 days of hours is asked for more once, and again after a day."""
    begun.feed.oldest = {HOUR: SLOT - 30 * DAY}
    begun.run(prices.history)
    stored = begun.histories()["btc"]
    assert (stored.state, round(stored.days), stored.detail) == ("complete", 30, "no source has more")
    assert has_history(begun)
    assert not is_wanted(begun)
    begun.feed.requests.clear()
    begun.run(prices.history, SLOT + 60)
    assert begun.feed.requests == []
    begun.feed.oldest = {}
    begun.run(prices.history, SLOT + DAY + 60)
    assert begun.histories()["btc"].days > 199


def test_a_source_that_fails_is_asked_after_a_growing_pause(begun):
    """Two seconds, then four, at most a minute; no loop of requests."""
    begun.feed.failing = {"btc", "eth"}
    tries = []
    for second in range(200):
        begun.feed.requests.clear()
        begun.run(prices.history, SLOT + second)
        if begun.feed.requests:
            tries.append(second)
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert pauses == [2, 4, 8, 16, 32, 60, 60]


def test_a_failing_asset_does_not_hold_up_the_others(begun):
    """After five minutes without progress the others go on without it, and it joins them later."""
    begun.feed.failing = {"eth"}
    begun.run(prices.history)
    assert not has_history(begun, SLOT + 290)
    assert has_history(begun, SLOT + 310)
    with begun.database.reading() as db:
        assert list(begun.context.whole_since(db, SLOT + 310)) == ["btc"]
    assert begun.histories(SLOT + 310)["eth"].state == "failing"
    begun.feed.failing = set()
    begun.run(prices.history, SLOT + 320)
    assert begun.histories(SLOT + 320)["eth"].state == "complete"


def test_an_asset_without_a_first_answer_is_asked_again(sqlite_database):
    """The next tick would come in five minutes."""
    jobs = LiveJobs(sqlite_database)
    jobs.feed.failing = {"eth"}
    jobs.run(prices.tick)
    jobs.feed.failing = set()
    jobs.run(prices.history, SLOT + 10)
    assert jobs.histories(SLOT + 10)["eth"].state == "complete"
    assert "eth" in {price["asset"] for price in jobs.prices()["prices"]}


def test_after_an_absence_only_the_gap_is_fetched(begun):
    """The hours that were stored before are there."""
    begun.run(prices.history)
    later = SLOT + 9 * DAY
    begun.run(prices.tick, later)
    begun.feed.requests.clear()
    begun.run(prices.history, later)
    assert begun.feed.requests == [(asset, SLOT - HOUR, later - 2 * DAY, HOUR) for asset in ("btc", "eth")]
    assert begun.histories(later)["btc"].since == HISTORY_FROM


@pytest.mark.parametrize(("oldest", "since"), [(0, HISTORY_FROM), (SLOT + 3 * DAY, SLOT + 3 * DAY)])
def test_a_long_silence_is_no_end_of_history(begun, oldest, since):
    """A market that was closed for three days goes on; a source that reaches back for a few days begins anew."""
    begun.run(prices.history)
    later = SLOT + 4 * DAY
    begun.feed.silent = set(range(SLOT, SLOT + 3 * DAY, STEP))
    begun.feed.oldest = {HOUR: oldest, STEP: oldest}
    begun.run(prices.tick, later)
    begun.run(prices.history, later)
    stored = begun.histories(later)["btc"]
    assert (stored.state, stored.since) == ("complete", since)


def test_short_bars_are_fetched_where_an_open_answer_needs_them(begun, monkeypatch):
    """An answer from before an absence is settled by five-minute bars, so their gap is filled too."""
    begun.run(prices.history)
    later = SLOT + 9 * DAY
    monkeypatch.setattr(prices.predictions, "oldest_open_answer", lambda _: SLOT - DAY)
    begun.run(prices.tick, later)
    begun.run(prices.history, later)
    with begun.database.reading() as db:
        assert bars.find_coverage(db, "btc", STEP).windows == ((SLOT - 2 * DAY, later),)


def test_the_time_left_follows_the_pace(begun):
    """Before the first hour has arrived it is a guess, then the pace of the last piece."""
    guess = begun.histories()["btc"]
    assert (guess.state, guess.seconds_left) == ("arriving", 37)
    assert guess.sentence == "2 of 200 days, about 37 s left"
    with begun.database.writing() as db:
        span = (SLOT - 62 * DAY, SLOT - 2 * DAY)
        bars.change_coverage(
            db,
            "btc",
            HOUR,
            bars.find_coverage(db, "btc", HOUR),
            lambda before: before.answered(span, SLOT, "a test", took_s=10.0),
        )
    assert begun.histories()["btc"].seconds_left == round(138 / 60 * 10) + 12
    assert begun.histories(SLOT + 9)["btc"].seconds_left == round(138 / 60 * 10) + 12 - 9


QUESTION = "Will dogecoin reach 0.5 by Friday?"
FRIDAY = START - START % DAY + 7 * DAY  # the midnight after it


@pytest.fixture
def kraken() -> Iterator[ExchangeServer]:
    yield from serve(ExchangeServer(kraken_routes))


@pytest.fixture
def coinbase() -> Iterator[ExchangeServer]:
    yield from serve(ExchangeServer(coinbase_routes))


@pytest.fixture
def running(
    begun: Path, world: Outside, tmp_path: Path, kraken: ExchangeServer, coinbase: ExchangeServer, monkeypatch
) -> Iterator[RunningService]:
    """A live service that knows the list of its exchanges, where DOGE costs some 0.3 USD."""
    for exchange in (kraken, coinbase):
        offer(exchange, "DOGE/USD", fine_bars(220, 0.3))
        offer(exchange, "BTC/USD", fine_bars(2, 60_000.0))
    feed = LiveFeedWithCoins(SEED, START - START % DAY - DAYS * DAY, open_coins(kraken, coinbase))
    monkeypatch.setattr(app, "open_feed", lambda *_: feed)
    with running_service(copied(begun, tmp_path), wall=START + 60, **world.options) as running:
        _move(running, (kraken, coinbase), START + 60)
        do(running, prices.list_coins, START)
        running.register()
        yield running


def _move(running: RunningService, exchanges: Iterable[ExchangeServer], wall: int) -> None:
    """Let the clocks of the service and of the exchanges show `wall`."""
    running.wall = wall
    for exchange in exchanges:
        exchange.now = wall


def _answers(running: RunningService) -> list:
    with running.runtime.database.reading() as db:
        return [due for due in predictions.due_predictions(db, START + 60 * DAY) if due.category == "answer"]


def _stored(running: RunningService, step: int) -> int:
    with running.runtime.database.reading() as db:
        return len(bars.load_bars(db, "doge", 0, START + 60 * DAY, step))


@pytest.mark.slow
def test_a_coin_is_answered_recorded_and_settled(running, kraken, coinbase):
    """Nine votes, a note that it is outside the seven, and an outcome from bars fetched at the deadline."""
    answer = running.ask(QUESTION).get_json()
    assert len(answer.get("votes", answer)) == 9, json.dumps(answer)[:1500]
    assert answer["understood"]["asset"] == "doge"
    assert "DOGE is outside the seven assets. Its prices come from kraken DOGE/USD" in answer["understood"]["notes"][-1]
    assert 0.001 <= answer["p_yes"] < 0.3
    for slot in range(FRIDAY - 6 * DAY, FRIDAY + 1, 6 * HOUR):
        _move(running, (kraken, coinbase), slot + 5)
        do(running, prices.follow_coins, slot + 5)
    do(running, committing.settle, FRIDAY)
    with running.runtime.database.reading() as db:
        settled = predictions.find_prediction(db, answer["id"]).settlement
    assert settled.outcome == "no"
    assert settled.evidence.startswith("doge never rose above 0.")


@pytest.mark.slow
def test_the_bars_of_open_answers_are_fetched_until_then(running, kraken, coinbase):
    """The job asks for a coin as long as an answer about it is open, and stores the hours too."""
    do(running, prices.follow_coins, START + HOUR)
    assert _stored(running, HOUR) == 0
    assert running.ask(QUESTION).status_code == 200
    before = _stored(running, 300)
    _move(running, (kraken, coinbase), START + 3 * HOUR)
    do(running, prices.follow_coins, START + 3 * HOUR)
    assert _stored(running, 300) == before + 3 * 12
    requests = len(kraken.requests)
    do(running, prices.follow_coins, FRIDAY + 2 * DAY)
    assert len(kraken.requests) == requests


@pytest.mark.slow
def test_a_second_question_soon_after_needs_no_fetch(running, kraken, coinbase):
    assert running.ask(QUESTION).status_code == 200
    requests = len(kraken.requests) + len(coinbase.requests)
    assert running.ask("Where will DOGE be next Friday?").status_code == 200
    assert len(kraken.requests) + len(coinbase.requests) == requests
    _move(running, (kraken, coinbase), START + 21 * 60)
    assert running.ask("Will DOGE rise by Friday?").get_json()["understood"]["asset"] == "doge"
    assert len(kraken.requests) + len(coinbase.requests) == requests + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "comparator"),
    [
        ("Will DOGE outperform bitcoin this week?", "relative"),
        ("Will bitcoin outperform $DOGE this week?", "relative"),
        ("Will DOGE outperform WIF this week?", "relative"),
        ("Will DOGE hit 0.35 before 0.25 by Friday?", "upper_first"),
        ("What will dogecoin cost on Friday?", "open"),
        ("Will DOGE hit a new all-time high this month?", "touch_above"),
    ],
)
def test_every_kind_of_question_is_answered(running, kraken, coinbase, question, comparator):
    """Comparisons with the seven and between coins, whole paths, prices and records."""
    for exchange in (kraken, coinbase):
        offer(exchange, "WIF/USD", fine_bars(220, 0.8, seed=8))
    do(running, prices.list_coins, START)
    answer = running.ask(question).get_json()
    assert answer["understood"]["comparator"] == comparator
    assert len(answer["votes"]) >= 5


@pytest.mark.slow
def test_less_than_ninety_days_are_refused_with_their_number(running, kraken, coinbase):
    """Asked again within the hour it is refused without another fetch, and neither costs a question."""
    for exchange in (kraken, coinbase):
        offer(exchange, "WIF/USD", fine_bars(43, 0.8))
    do(running, prices.list_coins, START)
    refusals = [running.ask("Will WIF reach 1 by Friday?")]
    requests = len(coinbase.requests)
    refusals.append(running.ask("Will WIF reach 1 by Friday?"))
    assert [refusal.status_code for refusal in refusals] == [400, 400]
    assert "WIF has 43 days of hourly prices" in refusals[0].get_json()["detail"]
    assert "90 are needed" in refusals[1].get_json()["detail"]
    assert len(coinbase.requests) == requests
    assert running.ask(QUESTION).headers["X-RateLimit-Remaining"] == "9"


@pytest.mark.slow
def test_a_stablecoin_is_refused_with_the_reason(running):
    detail = running.ask("Will USDC be above 1.01 on Friday?").get_json()["detail"]
    assert "stablecoin is meant to stay" in detail


@pytest.mark.slow
def test_before_the_first_list_a_coin_is_refused_with_the_reason(running):
    with running.runtime.database.writing() as db:
        store.save_coin_list(db, (), START + 1)
    assert "have not been read yet" in running.ask(QUESTION).get_json()["detail"]


@pytest.mark.slow
def test_a_coin_that_no_exchange_lists_is_refused(running):
    detail = running.ask("Will cardano reach 2 by Friday?").get_json()["detail"]
    assert "None of the exchanges of this service lists it." in detail


@pytest.mark.slow
def test_a_silent_exchange_is_a_503_that_costs_nothing(running, kraken, coinbase):
    kraken.fault = coinbase.fault = lambda handler: handler.reply(500, b"{}")
    answer = running.ask(QUESTION)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    kraken.fault = coinbase.fault = None
    assert running.ask(QUESTION).headers["X-RateLimit-Remaining"] == "9"


@pytest.mark.slow
def test_so_many_fetches_a_minute_and_no_more(running, kraken, coinbase, monkeypatch):
    monkeypatch.setattr(coin_desk, "FETCHES_A_MINUTE", 1)
    for exchange in (kraken, coinbase):
        offer(exchange, "WIF/USD", fine_bars(43, 0.8))
    do(running, prices.list_coins, START)
    assert running.ask(QUESTION).status_code == 200
    busy = running.ask("Will WIF reach 1 by Friday?")
    assert (busy.status_code, busy.headers["Retry-After"]) == (503, "60")


@pytest.mark.slow
def test_the_coin_asked_about_longest_ago_makes_room(running, kraken, coinbase, monkeypatch):
    """Coins with open answers stay; where all have one, another coin gets a 503."""
    monkeypatch.setattr(store, "MOST_COINS", 1)
    for exchange in (kraken, coinbase):
        offer(exchange, "WIF/USD", fine_bars(43, 0.8))
    do(running, prices.list_coins, START)
    assert running.ask("Will WIF reach 1 by Friday?").status_code == 400
    assert running.ask(QUESTION).status_code == 200
    with running.runtime.database.reading() as db:
        assert (store.find_coin(db, "wif"), bars.last_bar(db, "wif", HOUR)) == (None, None)
    full = running.ask("Will WIF reach 1 by Friday?")
    assert full.status_code == 503
    assert "open answers about 1 other coins" in full.get_json()["detail"]


@pytest.mark.slow
def test_coins_stay_out_of_documents_and_records(running, kraken, coinbase):
    """A settled answer about a coin is in no track record; forecasts and prices are of the seven alone."""
    running.ask(QUESTION)
    _move(running, (kraken, coinbase), FRIDAY + 5)
    do(running, prices.follow_coins, FRIDAY + 5)
    do(running, committing.settle, FRIDAY + 8 * HOUR)
    with running.runtime.database.reading() as db:
        assert _answers(running) == []
        settled = [answer for answer in predictions.settled_predictions(db) if answer.category == "answer"]
        assert "doge" not in contexts.every(db)
    assert [answer.outcome for answer in settled] == ["no"]
    assert resolved(settled) == []


@pytest.mark.slow
def test_challenges_are_of_the_seven_alone(running):
    body = {"question": QUESTION.replace(" by Friday", ""), "deadline": "2026-11-27"}
    refusal = running.client.post("/api/challenges/create", json=body, headers={"X-API-Key": running.key})
    assert "not covered" in refusal.get_json()["detail"]


NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
SLOT = int(NOON.timestamp())


@dataclass
class Feed:
    """A feed with these rates."""

    quoted: Rates

    def rates(self) -> Rates:
        return self.quoted


def run(database, feed, slot: int = SLOT) -> None:
    effects = read_rates(SimpleNamespace(database=database, feed=feed), slot)
    with database.writing() as db:
        effects(db)


def stored(database) -> Rates:
    with database.reading() as db:
        return snapshots.latest_rates(db)


def test_there_is_no_rate_before_the_first_run(sqlite_database):
    assert stored(sqlite_database) == NO_RATES


def test_the_rates_of_a_feed_are_stored(sqlite_database):
    quoted = {"EUR": Rate(1.0841, "kraken EUR/USD", NOON)}
    run(sqlite_database, Feed(quoted))
    assert stored(sqlite_database) == quoted


def test_a_currency_without_a_quote_keeps_its_last_rate(sqlite_database):
    """The rate says its time, and one that is too old is not used."""
    later = NOON + timedelta(minutes=10)
    euro, pound = Rate(1.0841, "kraken EUR/USD", NOON), Rate(1.268, "kraken GBP/USD", NOON)
    run(sqlite_database, Feed({"EUR": euro, "GBP": pound}))
    run(sqlite_database, Feed({"EUR": Rate(1.09, "kraken EUR/USD", later)}), SLOT + 600)
    assert stored(sqlite_database) == {"EUR": Rate(1.09, "kraken EUR/USD", later), "GBP": pound}


def test_a_simulated_world_has_assumed_rates(sqlite_database):
    run(sqlite_database, SimulatedFeed(42, 0))
    assert stored(sqlite_database) == ASSUMED
    assert all(rate.as_of is None for rate in stored(sqlite_database).values())
