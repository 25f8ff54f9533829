"""The tick fetches the bars since the last one and publishes the prices, whatever its sources do."""

from __future__ import annotations

import pytest
import structlog

from service.errors import SourceFailed, WrongClock
from service.jobs import prices
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.store import bars
from tests.jobs.made_feed import SLOT, STEP, LiveJobs


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
