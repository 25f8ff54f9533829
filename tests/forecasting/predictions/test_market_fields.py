"""The parts of a published market: its price, its time, its outcome and its callers' votes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from service.forecasting.predictions import Settlement
from service.forecasting.predictions.documents import (
    user_votes,
)
from service.market.instants import HOUR
from tests.forecasting.predictions.listed import (
    ENDS,
    NOW,
    QUESTION,
    listed,
)


class TestItsPriceAndTime:
    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ({}, 8.9109),  # 55,000 / 50,500
            ({"comparator": "up", "level": None}, -0.9901),  # 50,000 / 50,500
            ({"comparator": "down", "level": None}, -0.9901),
            ({"comparator": "close_below", "level": 40_000.0}, -20.7921),
            ({"comparator": "between", "level": 49_000.0, "upper_level": 52_000.0}, None),
            ({"comparator": "relative", "level": None, "other_asset": "eth"}, None),
        ],
    )
    def test_the_distance_is_from_the_price_to_the_level(self, changes, expected):
        assert listed(question=replace(QUESTION, **changes)).context.distance_pct == expected

    def test_the_price_is_that_of_the_document_of_prices(self):
        shown = listed().context
        assert (shown.price, shown.change_24h_pct, shown.as_of) == (50_500.0, 1.25, "2026-11-28T01:00:00Z")

    def test_hours_left_fall_to_nothing(self):
        assert listed().context.hours_left == 71.0
        assert listed(now=ENDS + HOUR).context.hours_left == 0

    @pytest.mark.parametrize(
        ("now", "outcome", "status"),
        [(ENDS - 1, None, "open"), (ENDS, None, "closed"), (NOW, "yes", "resolved"), (ENDS + 9, "void", "void")],
    )
    def test_it_is_open_then_closed_then_resolved(self, now, outcome, status):
        settlement = outcome and Settlement(outcome, now, "seen", "bars")
        assert listed(now=now, settlement=settlement).status == status


class TestItsOutcome:
    def test_before_the_outcome_it_names_the_rule_and_the_source(self):
        shown = listed().resolution
        assert (shown.rule, shown.source) == ("YES if so.", "bars")
        assert (shown.outcome, shown.resolved_at, shown.evidence) == (None, None, None)

    def test_afterwards_it_holds_the_outcome_and_the_evidence(self):
        shown = listed(settlement=Settlement("yes", ENDS, "btc high 55100", "bars (simulated)")).resolution
        assert (shown.source, shown.outcome, shown.evidence) == ("bars (simulated)", "yes", "btc high 55100")
        assert shown.resolved_at == "2026-11-30T23:59:59Z"


def test_user_votes_add_up():
    assert vars(user_votes(2, 1)) == {"yes": 2, "no": 1, "total": 3, "yes_pct": 66.7}
    assert user_votes(0, 0).yes_pct is None
    assert listed(tally=(3, 1)).user_votes.yes_pct == 75.0
