"""Coverage: which spans were answered, and what is missing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from service.market.coverage import Coverage, gap, has_arrived, history_of, merged
from service.market.instants import DAY
from tests.market.coverages import whole

NOW = 1_763_985_600
START = NOW - 240 * DAY
SPANS = some.tuples(some.integers(0, 50), some.integers(1, 20)).map(lambda pair: (pair[0], sum(pair)))


@given(spans=some.lists(SPANS, max_size=8))
def test_spans_as_one_cover_the_same_instants(spans):
    """They come in order, apart from each other."""
    windows = merged(tuple(spans))
    seconds, expected = ({second for span in ranges for second in range(*span)} for ranges in (windows, spans))
    assert seconds == expected
    assert all(earlier[1] < later[0] for earlier, later in pairwise(windows))


@pytest.mark.parametrize(
    ("windows", "missing"),
    [
        ((), None),
        (((0, 90_000),), None),
        (((40_000, 90_000),), (10_000, 40_000)),
        (((0, 20_000), (40_000, 90_000)), (16_400, 40_000)),
        (((0, 5_000), (40_000, 90_000)), (10_000, 40_000)),
    ],
)
def test_the_newest_gap_comes_first(windows, missing):
    """It ends where the last window begins, and begins an hour into the one before or where bars are wanted."""
    assert gap(windows, wanted_from=10_000) == missing


def test_a_new_last_window_is_not_exhausted():
    """What no source had before the last window says nothing of a newer gap, and what was whole stays so."""
    coverage = Coverage(0, 50, windows=((10_000, 50_000),)).exhausted(10_000, 50)
    assert not coverage.has_more(gap(coverage.windows, 0))
    assert not coverage.has_more(gap(coverage.answered((5_000, 10_000), 60, "x").windows, 0))
    assert coverage.has_more(gap(coverage.answered((80_000, 90_000), 90, "x").windows, 0))


def test_an_asset_waits_for_others_only_while_they_arrive():
    """With one complete history, one that fails or is absent holds up nothing."""
    complete = whole(("btc",), NOW)
    failure = history_of("eth", Coverage(START, NOW - 400), Coverage(START, NOW - 400).failed("down", NOW), NOW)
    arrival = history_of("eth", Coverage(START, NOW), Coverage(START, NOW, windows=((NOW - DAY, NOW),)), NOW)
    absent = history_of("eth", Coverage(START, NOW), Coverage(START, NOW).failed("none", NOW, is_listed=False), NOW)
    assert [history.state for history in (failure, arrival, absent)] == ["failing", "arriving", "absent"]
    assert [has_arrived(complete | {"eth": history}) for history in (failure, arrival, absent)] == [True, False, True]
    assert not has_arrived({"eth": failure})


def test_new_bars_are_no_progress_of_the_past():
    """Ticks go on while the source of older hours fails: what follows is not held up again with each of them."""
    hourly = Coverage(START, NOW - 600).failed("down", NOW)
    assert history_of("btc", hourly, Coverage(NOW - DAY, NOW, windows=((NOW - DAY, NOW),)), NOW).state == "failing"


def test_a_source_that_fails_later_leaves_history_complete():
    """A gap begins only when bars come again; until then the price shows its age."""
    coverage = Coverage(START, NOW, windows=((START, NOW),)).failed("down", NOW + DAY)
    history = history_of("btc", coverage, coverage, NOW + DAY)
    assert (history.state, history.days) == ("complete", 240)
