"""The question of the consensus lane and of apex: higher in a day?"""

from __future__ import annotations

from service.forecasting.voters.next_day import up_in_a_day
from service.market.instants import DAY, utc
from tests.forecasting.made import NOW


def test_the_question_is_whether_the_price_rises_in_a_day(contexts):
    question = up_in_a_day("btc", contexts["btc"].spot, NOW)
    assert (question.asset, question.comparator, question.deadline) == ("btc", "up", utc(NOW + DAY))
    assert (question.horizon_hours, question.spot, question.polarity) == (24.0, contexts["btc"].spot, "bull")
