"""The table of forecasters has the scores of the other documents, on the same markets."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.predictions.scores.columns import columns_of
from service.forecasting.predictions.scores.forecaster_record import ForecasterRecord, counted_markets
from service.forecasting.predictions.scores.forecasters import NAMES, RESERVED, forecasters_document, own_entries
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.scores.luck import simulated_records
from tests.forecasting.markets import HEADER
from tests.forecasting.predictions.scores.test_forecaster_record import COUNTED, MARKETS, pool, record


def table(*callers: tuple[str, ForecasterRecord]):
    return forecasters_document(
        [(name, name[::-1], row) for name, row in callers], 7, own_entries(COUNTED, simulated_records(1)), HEADER
    )


def test_voters_pool_and_market_have_their_other_scores():
    """The live book of the comparison with the market has the same numbers."""
    (book, _) = ai_vs_market_document(columns_of(MARKETS), HEADER, np.random.default_rng(1)).books
    rows = {row.name: row for row in table().entries}
    expected = {"pool": book.ai, "market": book.market} | {score.voter: score for score in book.voters}
    assert set(rows) == set(expected)
    for name, scores in expected.items():
        shared = set(vars(scores)) - {"voter", "engine", "kind"}
        assert {field: getattr(rows[name].opening, field) for field in shared} == {
            field: getattr(scores, field) for field in shared
        }
        assert rows[name].time_weighted.brier == scores.brier
    assert rows["market"].engine == "simulated"
    assert rows["pool"].opening.peer_pool == rows["pool"].time_weighted.peer_pool == 0
    assert rows["market"].opening.peer_pool == pytest.approx(book.difference.mean, abs=1e-5)


def test_a_copy_of_the_pool_is_as_good_as_the_pool():
    copied = record(pool())
    assert (copied.opening.peer_pool, copied.opening.peer_pool_low, copied.opening.peer_pool_high) == (0, 0, 0)
    (own,) = (row for row in table().entries if row.name == "pool")
    assert copied.opening == own.opening


def test_ranks_begin_at_thirty_markets_and_ties_share_one():
    shown = table(("owl", record(pool(30))), ("jay", record(pool(30))), ("few", record(pool(29))))
    ranks = {row.name: row.rank for row in shown.entries}
    assert ranks["owl"] == ranks["jay"] == ranks["pool"]
    assert ranks["few"] is None
    assert sorted(rank for rank in ranks.values() if rank)[0] == 1
    assert shown.entries[-1].name == "few"
    assert (shown.count, shown.forecasters) == (len(shown.entries), 7)
    assert {row.name: row.id for row in shown.entries}["owl"] == "lwo"


def test_the_better_forecaster_has_the_better_rank():
    sharp = {market.id: 0.9 if market.outcome == "yes" else 0.1 for market in COUNTED.markets.market}
    shown = table(("owl", record(sharp)), ("jay", record({id: 1 - p for id, p in sharp.items()})))
    assert (shown.entries[0].name, shown.entries[-1].name) == ("owl", "jay")


def test_a_caller_without_a_settled_market_is_not_listed():
    empty = record({})
    assert (empty.opening.n, empty.time_weighted.brier, empty.time_weighted.coverage_pct) == (0, None, None)
    assert "owl" not in {row.name for row in table(("owl", empty)).entries}


def test_before_the_first_market_the_table_is_empty():
    own = own_entries(counted_markets(columns_of([])), simulated_records(1))
    assert forecasters_document([], 0, own, HEADER).entries == ()


@pytest.mark.parametrize("count", [3, 500, 520])
def test_at_most_500_callers_are_listed(count: int):
    row = record(pool(1))
    shown = table(*((f"owl-{number}", row) for number in range(count)))
    assert sum(entry.kind == "forecaster" for entry in shown.entries) == min(count, 500)
    assert {"pool", "vol", "market"} <= {entry.name for entry in shown.entries}


def test_the_names_of_the_service_have_the_form_of_others():
    """So a caller could take them if they were not reserved; `sv` is too short for a caller."""
    import re

    assert [name for name in RESERVED if not re.fullmatch(NAMES, name)] == ["sv"]
