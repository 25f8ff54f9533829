"""Records of all stored prices and of a period, beside those in `cases`: their note, and one at the present price."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from service.market.bars import Bars, PriceExtremes
from service.market.instants import HOUR
from service.questions import Circumstances, understand
from service.questions.circumstances import NoHistory
from tests.questions.asking import NOW, SPOTS


class TwoDays(NoHistory):
    """Hourly bars of 48 hours at 100 USD, and a record of 126 USD since 2022."""

    def hourly(self, asset: str, since: datetime) -> Bars:
        time = np.arange(int((NOW - timedelta(days=2)).timestamp()), int(NOW.timestamp()), HOUR)
        price = np.full(len(time), 100.0)
        return Bars(time, price, price, price, price, price, HOUR).since(int(since.timestamp()))

    def record(self, asset: str) -> PriceExtremes:
        return PriceExtremes(asset, high=126.0, low=15.0, since=datetime(2022, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("text", "level"),
    [("will btc hit a new all-time high", 126.01), ("will btc hit a new 2-day high", 110.01)],
)
def test_a_new_record_is_a_step_beyond_stored_and_present_prices(text: str, level: float):
    """The price is at 110 USD."""
    circumstances = Circumstances(NOW, SPOTS | {"btc": 110.0}, history=TwoDays())
    assert understand(text, circumstances).level == pytest.approx(level)


def test_a_note_says_since_when_prices_are_known():
    question = understand("btc ath this year?", Circumstances(NOW, SPOTS | {"btc": 110.0}, history=TwoDays()))
    assert "since 2022-01-01" in question.notes[0]
