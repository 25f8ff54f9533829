"""The history of the live world arrives newest first, whatever the sources lack."""

from __future__ import annotations

from itertools import pairwise

import pytest

from service.jobs import prices
from service.market.coverage import has_arrived
from service.market.instants import DAY, HOUR
from service.store import bars
from tests.jobs.made_feed import HISTORY_FROM, SLOT, STEP, LiveJobs


@pytest.fixture
def live(sqlite_database) -> LiveJobs:
    jobs = LiveJobs(sqlite_database)
    jobs.run(prices.tick)
    jobs.feed.requests.clear()
    return jobs


def is_wanted(live: LiveJobs) -> bool:
    with live.database.reading() as db:
        return prices.misses_history(db, live.context)


def has_history(live: LiveJobs, now: int = SLOT) -> bool:
    return has_arrived(live.histories(now))


def test_hourly_bars_arrive_newest_first(live):
    """Piece by piece from where the short bars begin, all assets in turn."""
    assert is_wanted(live)
    assert not has_history(live)
    live.run(prices.history)
    hours = [span for asset, *span in live.feed.requests if asset == "btc"]
    assert [step for *_, step in hours] == [HOUR] * 4
    assert hours[0][1] == SLOT - 2 * DAY
    assert all(later[1] == earlier[0] for earlier, later in pairwise(hours))
    assert live.times(step=HOUR) == list(range(HISTORY_FROM, SLOT, HOUR))


def test_what_follows_waits_until_history_is_whole(live):
    """A job that publishes or commits asks the coverage, not the age of the last bar."""
    live.feed.failing = {"btc", "eth"}
    live.run(prices.history)
    assert not has_history(live)
    live.feed.failing = set()
    live.run(prices.history, SLOT + 10)
    assert has_history(live, SLOT + 10)
    assert not is_wanted(live)
    with live.database.reading() as db:
        assert live.context.whole_since(db, SLOT) == {"btc": HISTORY_FROM, "eth": HISTORY_FROM}


def test_no_span_is_asked_for_twice(live):
    """Hours in which nobody traded were answered: they are known to be silent."""
    live.feed.silent = set(range(HISTORY_FROM, SLOT, 7 * HOUR))
    live.run(prices.history)
    assert len(live.feed.requests) == len(set(live.feed.requests))
    assert live.histories()["btc"].state == "complete"


@pytest.mark.parametrize("days", [30, 62])
def test_a_fault_within_a_piece_leaves_no_hole(live, days):
    """What was lost in the middle or at the end of a piece is asked for again, and nothing goes on without it."""
    live.feed.broken = [SLOT - days * DAY, SLOT - 2 * DAY]
    live.run(prices.history)
    live.run(prices.history, SLOT + 10)
    live.run(prices.history, SLOT + 20)
    assert live.times(step=HOUR) == list(range(HISTORY_FROM, SLOT, HOUR))
    assert live.histories(SLOT + 20)["btc"].state == "complete"


def test_a_shorter_history_is_complete_where_none_has_more(live):
    """A source with 30 days of hours is asked for more once, and again after a day."""
    live.feed.oldest = {HOUR: SLOT - 30 * DAY}
    live.run(prices.history)
    stored = live.histories()["btc"]
    assert (stored.state, round(stored.days), stored.detail) == ("complete", 30, "no source has more")
    assert has_history(live)
    assert not is_wanted(live)
    live.feed.requests.clear()
    live.run(prices.history, SLOT + 60)
    assert live.feed.requests == []
    live.feed.oldest = {}
    live.run(prices.history, SLOT + DAY + 60)
    assert live.histories()["btc"].days > 199


def test_a_source_that_fails_is_asked_after_a_growing_pause(live):
    """Two seconds, then four, at most a minute; no loop of requests."""
    live.feed.failing = {"btc", "eth"}
    tries = []
    for second in range(200):
        live.feed.requests.clear()
        live.run(prices.history, SLOT + second)
        if live.feed.requests:
            tries.append(second)
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert pauses == [2, 4, 8, 16, 32, 60, 60]


def test_a_failing_asset_does_not_hold_up_the_others(live):
    """After five minutes without progress the others go on without it, and it joins them later."""
    live.feed.failing = {"eth"}
    live.run(prices.history)
    assert not has_history(live, SLOT + 290)
    assert has_history(live, SLOT + 310)
    with live.database.reading() as db:
        assert list(live.context.whole_since(db, SLOT + 310)) == ["btc"]
    assert live.histories(SLOT + 310)["eth"].state == "failing"
    live.feed.failing = set()
    live.run(prices.history, SLOT + 320)
    assert live.histories(SLOT + 320)["eth"].state == "complete"


def test_an_asset_without_a_first_answer_is_asked_again(sqlite_database):
    """The next tick would come in five minutes."""
    jobs = LiveJobs(sqlite_database)
    jobs.feed.failing = {"eth"}
    jobs.run(prices.tick)
    jobs.feed.failing = set()
    jobs.run(prices.history, SLOT + 10)
    assert jobs.histories(SLOT + 10)["eth"].state == "complete"
    assert "eth" in {price["asset"] for price in jobs.prices()["prices"]}


def test_after_an_absence_only_the_gap_is_fetched(live):
    """The hours that were stored before are there."""
    live.run(prices.history)
    later = SLOT + 9 * DAY
    live.run(prices.tick, later)
    live.feed.requests.clear()
    live.run(prices.history, later)
    assert live.feed.requests == [(asset, SLOT - HOUR, later - 2 * DAY, HOUR) for asset in ("btc", "eth")]
    assert live.histories(later)["btc"].since == HISTORY_FROM


@pytest.mark.parametrize(("oldest", "since"), [(0, HISTORY_FROM), (SLOT + 3 * DAY, SLOT + 3 * DAY)])
def test_a_long_silence_is_no_end_of_history(live, oldest, since):
    """A market that was closed for three days goes on; a source that reaches back for a few days begins anew."""
    live.run(prices.history)
    later = SLOT + 4 * DAY
    live.feed.silent = set(range(SLOT, SLOT + 3 * DAY, STEP))
    live.feed.oldest = {HOUR: oldest, STEP: oldest}
    live.run(prices.tick, later)
    live.run(prices.history, later)
    stored = live.histories(later)["btc"]
    assert (stored.state, stored.since) == ("complete", since)


def test_short_bars_are_fetched_where_an_open_answer_needs_them(live, monkeypatch):
    """An answer from before an absence is settled by five-minute bars, so their gap is filled too."""
    live.run(prices.history)
    later = SLOT + 9 * DAY
    monkeypatch.setattr(prices.predictions, "oldest_open_answer", lambda _: SLOT - DAY)
    live.run(prices.tick, later)
    live.run(prices.history, later)
    with live.database.reading() as db:
        assert bars.find_coverage(db, "btc", STEP).windows == ((SLOT - 2 * DAY, later),)


def test_the_time_left_follows_the_pace(live):
    """Before the first hour has arrived it is a guess, then the pace of the last piece."""
    guess = live.histories()["btc"]
    assert (guess.state, guess.seconds_left) == ("arriving", 37)
    assert guess.sentence == "2 of 200 days, about 37 s left"
    with live.database.writing() as db:
        span = (SLOT - 62 * DAY, SLOT - 2 * DAY)
        bars.change_coverage(
            db,
            "btc",
            HOUR,
            bars.find_coverage(db, "btc", HOUR),
            lambda before: before.answered(span, SLOT, "a test", took_s=10.0),
        )
    assert live.histories()["btc"].seconds_left == round(138 / 60 * 10) + 12
    assert live.histories(SLOT + 9)["btc"].seconds_left == round(138 / 60 * 10) + 12 - 9
