"""Coverage: which spans were answered, and what is missing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from service.market.coverage import Coverage, gap, history_of, is_awaited, is_settled, merged
from service.market.instants import DAY
from tests.market.coverages import whole

NOW = 1_763_985_600
START = NOW - 240 * DAY
SPANS = some.tuples(some.integers(0, 50), some.integers(1, 20)).map(lambda pair: (pair[0], sum(pair)))


@given(spans=some.lists(SPANS, max_size=8))
def test_spans_as_one_cover_the_same_instants(spans):
    """They come in order, apart from each other."""
    windows = merged(tuple(spans))
    covered, expected = ({second for span in each for second in range(*span)} for each in (windows, spans))
    assert covered == expected
    assert all(earlier[1] < later[0] for earlier, later in pairwise(windows))


@pytest.mark.parametrize(
    ("windows", "missing"),
    [
        ((), None),
        (((0, 100),), None),
        (((40, 100),), (10, 40)),
        (((0, 20), (40, 100)), (20, 40)),
        (((0, 5), (40, 100)), (10, 40)),
    ],
)
def test_the_newest_gap_comes_first(windows, missing):
    """It ends where the last window begins, and begins at the window before it or where bars are wanted."""
    assert gap(windows, wanted_from=10) == missing


def test_a_new_last_window_is_not_exhausted():
    """What no source had before the last window says nothing of a newer gap."""
    before = Coverage(0, 50, windows=((10, 50),)).exhausted(50)
    assert before.answered((50, 60), 60, "x").is_exhausted
    assert not before.answered((80, 90), 90, "x").is_exhausted


def test_an_asset_waits_for_others_only_while_they_arrive():
    """With one complete history, one that fails or is absent holds up nothing."""
    complete = whole(("btc",), NOW)
    failing = history_of("eth", Coverage(START, NOW - 90), Coverage(START, NOW - 90).failed("down", NOW), NOW)
    arriving = history_of("eth", Coverage(START, NOW), Coverage(START, NOW, windows=((NOW - DAY, NOW),)), NOW)
    absent = history_of("eth", Coverage(START, NOW), Coverage(START, NOW).failed("none", NOW, is_listed=False), NOW)
    assert [history.state for history in (failing, arriving, absent)] == ["failing", "arriving", "absent"]
    assert [is_settled(complete | {"eth": history}) for history in (failing, arriving, absent)] == [True, False, True]
    assert not is_settled({"eth": failing})
    assert [is_awaited(history, complete | {"eth": history}) for history in (failing, arriving)] == [False, True]
    assert is_awaited(failing, {"eth": failing})


def test_new_bars_are_no_progress_of_the_past():
    """Ticks go on while the source of older hours fails: what follows is not held up again with each of them."""
    hourly = Coverage(START, NOW - DAY).failed("down", NOW)
    assert history_of("btc", hourly, Coverage(NOW - DAY, NOW, windows=((NOW - DAY, NOW),)), NOW).state == "failing"


def test_a_source_that_fails_later_leaves_history_complete():
    """A gap begins only when bars come again; until then the price shows its age."""
    coverage = Coverage(START, NOW, windows=((START, NOW),)).failed("down", NOW + DAY)
    history = history_of("btc", coverage, coverage, NOW + DAY)
    assert (history.state, history.days) == ("complete", 240)
