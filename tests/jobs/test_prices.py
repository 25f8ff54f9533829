"""The tick fetches the bars since the last one and publishes the prices, whatever its sources do."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from service.errors import SourceFailed, WrongClock
from service.jobs import prices
from service.jobs.prices import read_rates
from service.market.coverage import has_arrived
from service.market.instants import DAY, HOUR, MINUTE, iso, utc
from service.market.prices import ASSUMED_RATES, NO_RATES, Rate, Rates
from service.sources.feeds.simulated import SimulatedFeed
from service.store import bars, snapshots
from tests.jobs.contexts import work
from tests.jobs.made_feed import HISTORY_FROM, SLOT, STEP, LiveJobs

NOON = utc(SLOT)


@pytest.fixture
def live(sqlite_database) -> LiveJobs:
    return LiveJobs(sqlite_database)


@pytest.fixture
def jobs(live) -> LiveJobs:
    """After the first tick."""
    live.run(prices.tick)
    live.feed.requests.clear()
    return live


def test_the_first_tick_stores_two_days_and_their_hours(jobs):
    """The prices of all assets are there at once."""
    assert jobs.times() == list(range(SLOT - 2 * DAY, SLOT, STEP))
    assert jobs.times(step=HOUR) == list(range(SLOT - 2 * DAY, SLOT, HOUR))
    assert jobs.prices()["as_of"] == iso(SLOT)


def test_a_later_tick_fetches_only_what_is_missing(jobs):
    """It goes on where the last stored bar ended."""
    jobs.run(prices.tick, SLOT + STEP)
    assert jobs.feed.requests == [("btc", SLOT, SLOT + STEP, STEP), ("eth", SLOT, SLOT + STEP, STEP)]
    assert jobs.times()[-1] == SLOT


def test_a_bar_without_trades_is_flat_and_not_asked_again(live):
    """Nobody traded: its price is the last close and its volume 0, also where one tick ends and the next begins."""
    live.feed.silent = {SLOT - HOUR, SLOT - STEP, SLOT}
    live.run(prices.tick)
    assert live.times()[-1] == SLOT - 2 * STEP
    live.run(prices.tick, SLOT + 2 * STEP)
    assert live.times() == list(range(SLOT - 2 * DAY, SLOT + 2 * STEP, STEP))
    series = live.read(bars.load_bars, "btc", SLOT - HOUR, SLOT + STEP, STEP)
    flat = series[series.volume == 0]
    assert flat.time.tolist() == [SLOT - HOUR, SLOT - STEP, SLOT]
    assert (flat.open == flat.close).all()
    live.feed.requests.clear()
    live.run(prices.tick, SLOT + 3 * STEP)
    assert {since for _, since, _, _ in live.feed.requests} == {SLOT + 2 * STEP}


def test_a_weekend_without_bars_leaves_no_gap(jobs):
    """What follows the last stored bar was answered from there on, however long nobody traded."""
    jobs.feed.silent = set(range(SLOT, SLOT + DAY, STEP))
    jobs.run(prices.tick, SLOT + DAY + HOUR)
    assert jobs.windows() == ((SLOT - 2 * DAY, SLOT + DAY + HOUR),)
    assert jobs.times()[-1] == SLOT + DAY + HOUR - STEP


def test_a_fault_within_the_newest_bars_leaves_no_hole(jobs):
    """Bars behind a lost day are fetched again with it."""
    jobs.feed.broken = [SLOT + DAY + HOUR]
    jobs.run(prices.tick, SLOT + DAY + 2 * HOUR)
    jobs.run(prices.tick, SLOT + DAY + 2 * HOUR + STEP)
    assert jobs.times() == list(range(SLOT - 2 * DAY, SLOT + DAY + 2 * HOUR + STEP, STEP))


def test_an_hour_of_which_a_part_is_stored_is_fetched_whole(live):
    """A stop at 12:25 that lasts for days: what was built from five of twelve bars is replaced."""
    live.run(prices.tick, SLOT + 25 * MINUTE)
    later = SLOT + 5 * DAY
    live.run(prices.tick, later)
    live.run(prices.history, later)
    assert live.read(bars.load_bars, "btc", SLOT, SLOT + HOUR, HOUR).volume.tolist() == [1.0]
    assert live.histories(later)["btc"].since == live.feed.history_from


def test_a_failed_source_keeps_the_bars_of_its_asset(jobs):
    """The other assets go on, and the price that stands still says its time."""
    jobs.feed.faulty_assets = {"eth"}
    jobs.run(prices.tick, SLOT + HOUR)
    assert (jobs.times("btc")[-1], jobs.times("eth")[-1]) == (SLOT + HOUR - STEP, SLOT - STEP)
    as_of = {price["asset"]: price["as_of"] for price in jobs.prices()["prices"]}
    assert as_of == {"btc": iso(SLOT + HOUR), "eth": iso(SLOT)}


def test_prices_in_another_unit_are_a_fault_of_the_source(jobs):
    """A settlement by them would stand in the ledger for ever; once the source is right again nothing is missing."""
    jobs.feed.units = {"eth": (0.01, SLOT, SLOT + 2 * HOUR)}
    jobs.run(prices.tick, SLOT + HOUR)
    assert jobs.times("eth")[-1] == SLOT - STEP
    assert jobs.histories()["eth"].detail == "12 prices are more than 5 times away from the others"
    jobs.feed.units = {}
    jobs.run(prices.tick, SLOT + 2 * HOUR)
    assert jobs.times("eth") == jobs.times("btc")


@pytest.mark.parametrize("wild", [SLOT - DAY, SLOT + STEP])
def test_one_wild_price_holds_up_no_other(live, wild):
    """Among those of the first tick or of a later one; its place is filled as that of a bar without a trade."""
    live.feed.units = {"eth": (1000.0, wild, wild + STEP)}
    live.run(prices.tick)
    live.run(prices.tick, SLOT + HOUR)
    series = live.read(bars.load_bars, "eth", wild, wild + 2 * STEP, STEP)
    assert live.times("eth") == live.times("btc")
    assert (series.close[0], series.volume[0]) == (wild // STEP - 1, 0)


def test_a_fault_is_logged_once_and_its_end_too(live, log_events):
    """Six lines a minute would hide everything else."""
    live.feed.faulty_assets = {"eth"}
    for place in range(5):
        live.run(prices.tick, SLOT + place * STEP)
    live.feed.faulty_assets = set()
    live.run(prices.tick, SLOT + HOUR)
    assert [event["event"] for event in log_events] == ["source_failed", "source_answers"]
    assert log_events[0]["detail"] == "no answer"


def test_a_tick_fails_when_no_source_answers(live):
    """It is tried again; what the sources said is stored all the same."""
    live.feed.faulty_assets = {"btc", "eth"}
    with pytest.raises(SourceFailed, match="no source answered"):
        live.run(prices.tick)
    assert live.histories()["btc"].detail == "no answer"


def test_a_clock_behind_the_stored_bars_is_refused(jobs):
    """The clock was ahead when they were stored."""
    with pytest.raises(WrongClock, match="but the clock shows"):
        jobs.run(prices.tick, SLOT - HOUR)


def test_an_asset_that_no_source_lists_is_absent(live):
    """It has no price, and the document says why."""
    live.feed.absentees = {"eth"}
    live.run(prices.tick)
    document = live.prices()
    assert [price["asset"] for price in document["prices"]] == ["btc"]
    history = document["histories"]["eth"]
    assert (history["state"], history["detail"]) == ("absent", "no source has it")


def test_an_asset_without_a_trade_is_absent_until_one_comes(live):
    """Nothing waits for its history; the next tick asks again."""
    live.feed.silent = set(range(SLOT - 3 * DAY, SLOT, STEP))
    live.run(prices.tick)
    assert {history.state for history in live.histories().values()} == {"absent"}
    live.run(prices.tick, SLOT + HOUR)
    assert {history.state for history in live.histories(SLOT + HOUR).values()} == {"arriving"}


def test_after_days_offline_the_short_bars_begin_anew(jobs):
    """The gap between is for the hourly bars; the old span stays known."""
    jobs.run(prices.tick, SLOT + 9 * DAY)
    assert jobs.windows() == ((SLOT - 2 * DAY, SLOT), (SLOT + 7 * DAY, SLOT + 9 * DAY))
    assert jobs.histories(SLOT + 9 * DAY)["btc"].state == "arriving"


def is_wanted(jobs: LiveJobs) -> bool:
    return jobs.read(prices.misses_history, jobs.context)


def has_history(jobs: LiveJobs, now: int = SLOT) -> bool:
    return has_arrived(jobs.histories(now))


def test_hourly_bars_arrive_newest_first(jobs):
    """Piece by piece from where the short bars begin, all assets in turn."""
    assert is_wanted(jobs)
    assert not has_history(jobs)
    jobs.run(prices.history)
    hours = [span for asset, *span in jobs.feed.requests if asset == "btc"]
    assert [step for *_, step in hours] == [HOUR] * 4
    assert hours[0][1] == SLOT - 2 * DAY
    assert all(later[1] == earlier[0] for earlier, later in pairwise(hours))
    assert jobs.times(step=HOUR) == list(range(HISTORY_FROM, SLOT, HOUR))


def test_what_follows_waits_until_history_is_whole(jobs):
    """A job that publishes or commits asks the coverage, not the age of the last bar."""
    jobs.feed.faulty_assets = {"btc", "eth"}
    jobs.run(prices.history)
    assert not has_history(jobs)
    jobs.feed.faulty_assets = set()
    jobs.run(prices.history, SLOT + 10)
    assert has_history(jobs, SLOT + 10)
    assert not is_wanted(jobs)
    assert jobs.read(jobs.context.whole_since, SLOT) == {"btc": HISTORY_FROM, "eth": HISTORY_FROM}


def test_no_span_is_asked_for_twice(jobs):
    """Hours in which nobody traded were answered: they are known to be silent."""
    jobs.feed.silent = set(range(HISTORY_FROM, SLOT, 7 * HOUR))
    jobs.run(prices.history)
    assert len(jobs.feed.requests) == len(set(jobs.feed.requests))
    assert jobs.histories()["btc"].state == "complete"


@pytest.mark.parametrize("days", [30, 62])
def test_a_fault_within_a_piece_leaves_no_hole(jobs, days):
    """What was lost in the middle or at the end of a piece is asked for again, and nothing goes on without it."""
    jobs.feed.broken = [SLOT - days * DAY, SLOT - 2 * DAY]
    jobs.run(prices.history)
    jobs.run(prices.history, SLOT + 10)
    jobs.run(prices.history, SLOT + 20)
    assert jobs.times(step=HOUR) == list(range(HISTORY_FROM, SLOT, HOUR))
    assert jobs.histories(SLOT + 20)["btc"].state == "complete"


def test_a_shorter_history_is_complete_where_none_has_more(jobs):
    """A source with 30 days of hours is asked for more once, and again after a day."""
    jobs.feed.oldest = {HOUR: SLOT - 30 * DAY}
    jobs.run(prices.history)
    history = jobs.histories()["btc"]
    assert (history.state, round(history.days), history.detail) == ("complete", 30, "no source has more")
    assert has_history(jobs)
    assert not is_wanted(jobs)
    jobs.feed.requests.clear()
    jobs.run(prices.history, SLOT + 60)
    assert jobs.feed.requests == []
    jobs.feed.oldest = {}
    jobs.run(prices.history, SLOT + DAY + 60)
    assert jobs.histories()["btc"].days > 199


def test_a_source_that_fails_is_asked_after_a_growing_pause(jobs):
    """Two seconds, then four, at most a minute; no loop of requests."""
    jobs.feed.faulty_assets = {"btc", "eth"}
    tries = []
    for second in range(200):
        jobs.feed.requests.clear()
        jobs.run(prices.history, SLOT + second)
        if jobs.feed.requests:
            tries.append(second)
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert pauses == [2, 4, 8, 16, 32, 60, 60]


def test_a_failing_asset_does_not_hold_up_the_others(jobs):
    """After five minutes without progress the others go on without it, and it joins them later."""
    jobs.feed.faulty_assets = {"eth"}
    jobs.run(prices.history)
    assert not has_history(jobs, SLOT + 290)
    assert has_history(jobs, SLOT + 310)
    assert list(jobs.read(jobs.context.whole_since, SLOT + 310)) == ["btc"]
    assert jobs.histories(SLOT + 310)["eth"].state == "failing"
    jobs.feed.faulty_assets = set()
    jobs.run(prices.history, SLOT + 320)
    assert jobs.histories(SLOT + 320)["eth"].state == "complete"


def test_an_asset_without_a_first_answer_is_asked_again(live):
    """The next tick would come in five minutes."""
    live.feed.faulty_assets = {"eth"}
    live.run(prices.tick)
    live.feed.faulty_assets = set()
    live.run(prices.history, SLOT + 10)
    assert live.histories(SLOT + 10)["eth"].state == "complete"
    assert "eth" in {price["asset"] for price in live.prices()["prices"]}


def test_after_an_absence_only_the_gap_is_fetched(jobs):
    """The hours that were stored before are there."""
    jobs.run(prices.history)
    later = SLOT + 9 * DAY
    jobs.run(prices.tick, later)
    jobs.feed.requests.clear()
    jobs.run(prices.history, later)
    assert jobs.feed.requests == [(asset, SLOT - HOUR, later - 2 * DAY, HOUR) for asset in ("btc", "eth")]
    assert jobs.histories(later)["btc"].since == HISTORY_FROM


@pytest.mark.parametrize(("oldest", "since"), [(0, HISTORY_FROM), (SLOT + 3 * DAY, SLOT + 3 * DAY)])
def test_a_long_silence_is_no_end_of_history(jobs, oldest, since):
    """A market that was closed for three days goes on; a source that reaches back for a few days begins anew."""
    jobs.run(prices.history)
    later = SLOT + 4 * DAY
    jobs.feed.silent = set(range(SLOT, SLOT + 3 * DAY, STEP))
    jobs.feed.oldest = {HOUR: oldest, STEP: oldest}
    jobs.run(prices.tick, later)
    jobs.run(prices.history, later)
    history = jobs.histories(later)["btc"]
    assert (history.state, history.since) == ("complete", since)


def test_short_bars_are_fetched_where_an_open_answer_needs_them(jobs, monkeypatch):
    """An answer from before an absence is settled by five-minute bars, so their gap is filled too."""
    jobs.run(prices.history)
    later = SLOT + 9 * DAY
    monkeypatch.setattr(prices.predictions, "oldest_open_answer", lambda _: SLOT - DAY)
    jobs.run(prices.tick, later)
    jobs.run(prices.history, later)
    assert jobs.windows() == ((SLOT - 2 * DAY, later),)


def test_the_time_left_follows_the_pace(jobs):
    """Before the first hour has arrived it is a guess, then the pace of the last piece."""
    guess = jobs.histories()["btc"]
    assert (guess.state, guess.seconds_left) == ("arriving", 37)
    assert guess.sentence == "2 of 200 days, about 37 s left"
    span = (SLOT - 62 * DAY, SLOT - 2 * DAY)
    with jobs.database.writing() as db:
        before = bars.find_coverage(db, "btc", HOUR)
        bars.change_coverage(db, "btc", HOUR, before, lambda it: it.answered(span, SLOT, "a test", took_s=10.0))
    assert jobs.histories()["btc"].seconds_left == round(138 / 60 * 10) + 12
    assert jobs.histories(SLOT + 9)["btc"].seconds_left == round(138 / 60 * 10) + 12 - 9


def rates_after(database, feed, slot: int = SLOT) -> Rates:
    """The stored rates once the job has run on a feed."""
    work(SimpleNamespace(database=database, feed=feed), read_rates, slot)
    with database.reading() as db:
        return snapshots.latest_rates(db)


def test_a_currency_without_a_quote_keeps_its_last_rate(sqlite_database):
    """The rate says its time, and one that is too old is not used. Before the first run there is none."""
    with sqlite_database.reading() as db:
        assert snapshots.latest_rates(db) == NO_RATES
    later = Rate(1.09, "kraken EUR/USD", utc(SLOT + 600))
    first = {"EUR": Rate(1.0841, "kraken EUR/USD", NOON), "GBP": Rate(1.268, "kraken GBP/USD", NOON)}
    assert rates_after(sqlite_database, SimpleNamespace(rates=lambda: first)) == first
    feed = SimpleNamespace(rates=lambda: {"EUR": later})
    assert rates_after(sqlite_database, feed, SLOT + 600) == first | {"EUR": later}


def test_a_simulated_world_has_assumed_rates(sqlite_database):
    rates = rates_after(sqlite_database, SimulatedFeed(42, 0))
    assert rates == ASSUMED_RATES
    assert all(rate.as_of is None for rate in rates.values())
