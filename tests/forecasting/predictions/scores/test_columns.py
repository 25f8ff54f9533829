"""Markets as columns: however they came together, they are the same columns in the same order."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions.scores.columns import CONSENSUS, MarketColumns, columns_of, joined
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import days, many, settled, waiting

OTHER_VOTES = (committed_vote("momentum", 0.8, engine="openai:a-model"), committed_vote("apex", 0.9))
WITH_NAN = ("happened", "quoted", "bet_cost", "bet_pnl", "p")
PLAIN = settled("plain")
MARKETS = [
    *many(12, seed=5),
    waiting("open", votes={"vol": 0.51}),
    settled("void", "void", resolved=days(3)),
    settled("late", resolved=days(300)),
    replace(PLAIN, id="unvoted", commitment=None, odds=None),
    replace(PLAIN, id="dare", category="challenge"),
    replace(PLAIN, id="model", commitment=replace(PLAIN.commitment, votes=OTHER_VOTES)),
]


def equal(columns: MarketColumns, others: MarketColumns) -> bool:
    arrays, other_arrays = vars(columns), vars(others)
    numbers = [name for name in arrays if name not in ("engines", "market", "overlap", "bet")]
    return (
        columns.engines == others.engines
        and columns.market.tolist() == others.market.tolist()
        and columns.overlap.tolist() == others.overlap.tolist()
        and columns.bet.tolist() == others.bet.tolist()
        and all(np.array_equal(arrays[name], other_arrays[name], equal_nan=name in WITH_NAN) for name in numbers)
    )


@settings(max_examples=25)
@given(st.permutations(MARKETS), st.lists(st.integers(0, len(MARKETS)), max_size=3))
def test_parts_joined_are_the_columns_of_all(markets, cuts):
    """Whichever came first, also where an earlier one comes late or brings another engine."""
    edges = [0, *sorted(cuts), len(markets)]
    whole = columns_of([])
    for first, last in pairwise(edges):
        whole = joined(whole, columns_of(markets[first:last]))
    assert equal(whole, columns_of(MARKETS))


def test_settled_ones_are_in_order_of_resolution():
    columns = columns_of(MARKETS)
    assert columns.market[-1].id == "open"
    assert columns.market[-2].id == "late"
    assert np.all(np.diff(columns.resolved_at) >= 0)
    assert columns.is_settled.tolist() == [market.settlement is not None for market in columns.market]


def test_a_row_holds_what_the_market_holds():
    """Votes of the nine and of their pool alone; a vote near one half takes no side; a void outcome is none."""
    columns = columns_of(MARKETS)
    rows = {market.id: row for row, market in enumerate(columns.market)}
    own = {engine: p for engine, p in zip(columns.engines, columns.p[rows["model"]], strict=True) if np.isfinite(p)}
    assert own == {("momentum", "openai:a-model"): 0.8, CONSENSUS: 0.7}
    sided = columns.is_sided[rows["open"]]
    assert {engine for engine, is_sided in zip(columns.engines, sided, strict=True) if is_sided} == {CONSENSUS}
    assert np.isnan(
        [columns.happened[rows["void"]], columns.pool[rows["unvoted"]], columns.quoted[rows["unvoted"]]]
    ).all()
    assert columns.is_challenge.nonzero()[0].tolist() == [rows["dare"]]
