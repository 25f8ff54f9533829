"""What a text is understood with besides its words."""

from __future__ import annotations

from datetime import timedelta, timezone

from service.questions import Circumstances, understand
from tests.questions.asking import NOW, SPOTS


def test_the_instant_may_be_in_any_zone():
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    assert Circumstances(tokyo, SPOTS).now.utcoffset() == timedelta(0)
    assert understand("Will btc rise tomorrow?", Circumstances(tokyo, SPOTS)) == understand(
        "Will btc rise tomorrow?", Circumstances(NOW, SPOTS)
    )


def test_without_more_there_are_no_past_prices_rates_and_coins():
    """A question that needs one of them is refused."""
    circumstances = Circumstances(NOW, SPOTS)
    assert circumstances.until is None
    assert circumstances.history.record("btc") is None
    assert len(circumstances.history.hourly("btc", NOW)) == 0
