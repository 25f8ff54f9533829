"""Coins outside the seven in the store: at most so many, and none with open answers is lost."""

from __future__ import annotations

import pytest

from service.forecasting.voters.context import Context
from service.market.bars import Bars, CoinBars, from_rows
from service.market.instants import HOUR
from service.store import bars, coins
from service.store.coins import StoredCoin

NOW = 500_000 * HOUR
STEP = 300
CONTEXT = Context("pepe", NOW, 0.3, 200.0, 1e-5, 1e-5, inputs={"move_4h": None}, correlations={"btc": 0.5})


@pytest.fixture
def one_place(monkeypatch) -> None:
    monkeypatch.setattr(coins, "MOST_COINS", 2)


def _bars(since: int, count: int, step: int, price: float) -> Bars:
    return from_rows([(since + place * step, price, price, price, price, 1.0) for place in range(count)], step)


def _save(db, key: str, asked_at: int, needed_until: int = 0) -> None:
    coins.save_coin(db, key, StoredCoin(NOW, "kraken", None, "has 43 days"), asked_at)
    coins.need_coin(db, key, asked_at, needed_until)
    coins.add_coin_bars(db, key, CoinBars(_bars(NOW - HOUR, 1, HOUR, 1.0), _bars(NOW, 2, STEP, 1.0)))


def test_a_coin_is_read_as_it_was_stored(database):
    coin = StoredCoin(NOW, "kraken PEPE/USD", CONTEXT)
    with database.writing() as db:
        coins.save_coin(db, "pepe", StoredCoin(NOW - 5, "coinbase", None, "has 43 days"), NOW - 5)
        coins.save_coin(db, "pepe", coin, NOW)
        assert (coins.find_coin(db, "pepe"), coins.find_coin(db, "wif")) == (coin, None)


def test_the_list_of_coins_is_replaced(database):
    with database.writing() as db:
        assert coins.listed_coins(db) == frozenset()
        coins.save_coin_list(db, {"pepe", "wif"}, NOW)
        coins.save_coin_list(db, {"pepe"}, NOW + 1)
        assert coins.listed_coins(db) == {"pepe"}


def test_a_coin_is_needed_until_its_last_deadline(database):
    with database.writing() as db:
        _save(db, "pepe", NOW, NOW + 2 * HOUR)
        coins.need_coin(db, "pepe", NOW + 1, NOW + HOUR)
        assert coins.needed_coins(db, NOW + 2 * HOUR - 1) == ["pepe"]
        assert coins.needed_coins(db, NOW + 2 * HOUR) == []


def test_room_is_made_by_the_coin_asked_about_longest_ago(database, one_place):
    """Its bars go too."""
    with database.writing() as db:
        _save(db, "pepe", NOW)
        _save(db, "wif", NOW - 1)
        assert coins.make_room(db, "pepe", NOW)
        assert coins.find_coin(db, "wif")
        assert coins.make_room(db, "ada", NOW)
        assert (coins.find_coin(db, "wif"), bars.last_bar(db, "wif", HOUR), bars.last_bar(db, "wif", STEP)) == (
            None,
            None,
            None,
        )
        assert bars.last_bar(db, "pepe", STEP)


def test_coins_with_open_answers_leave_no_room(database, one_place):
    with database.writing() as db:
        _save(db, "pepe", NOW, NOW + HOUR)
        _save(db, "wif", NOW, NOW + HOUR)
        assert not coins.make_room(db, "ada", NOW)
        assert coins.make_room(db, "ada", NOW + HOUR)


def test_hours_built_from_short_bars_replace_those_of_the_exchange(database):
    short = _bars(NOW, 24, STEP, 2.0)
    with database.writing() as db:
        coins.add_coin_bars(db, "pepe", CoinBars(_bars(NOW - 2 * HOUR, 3, HOUR, 1.0), short))
        series = coins.coin_bars(db, "pepe", STEP, NOW - 2 * HOUR, NOW, NOW + 2 * HOUR)
    assert series.hourly.close.tolist() == [1.0, 1.0, 2.0, 2.0]
    assert series.feed.rows() == short.rows()
