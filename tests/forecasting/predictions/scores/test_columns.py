"""Markets as columns, whatever their order; the shadow book: its bets, their cost and their results."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import asdict, replace
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.forecasting.predictions import resolution_order
from service.forecasting.predictions.documents import list_all
from service.forecasting.predictions.scores.bets import FEE_RATE, bet_on
from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.columns import (
    CONSENSUS,
    MOST_POINTS,
    columns_of,
    counted_questions,
    day_ends,
    evidence_of,
    joined,
    template_rates,
)
from service.market.instants import DAY
from service.scores.intervals import LEVELS, clustered_mean, weeks_of
from service.store.snapshots import to_json
from tests.forecasting.made import committed_vote
from tests.forecasting.markets import HEADER, MONDAY, days, many, settled, versus, waiting

OTHER_VOTES = (committed_vote("momentum", 0.8, engine="openai:a-model"), committed_vote("apex", 0.9))
WITH_NAN = ("outcome", "quote", "bet_cost", "bet_pnl", "p")
PLAIN = settled("plain")
MOST_BYTES = 60_000
THREE_YEARS = many(3_000, weeks=160)
MARKETS = [
    *many(12, seed=5),
    waiting("open", votes={"vol": 0.51}),
    settled("void", "void", resolved=days(3)),
    settled("late", resolved=days(300)),
    replace(PLAIN, id="unvoted", commitment=None, odds=None),
    replace(PLAIN, id="dare", category="challenge"),
    replace(PLAIN, id="model", commitment=replace(PLAIN.commitment, votes=OTHER_VOTES)),
]


@settings(max_examples=25)
@given(st.permutations(MARKETS), st.lists(st.integers(0, len(MARKETS)), max_size=3))
def test_parts_joined_are_the_columns_of_all(markets, cuts):
    """Whichever came first, also where an earlier one comes late or brings another engine."""
    edges = [0, *sorted(cuts), len(markets)]
    columns = columns_of([])
    for first, last in pairwise(edges):
        columns = joined(columns, columns_of(markets[first:last]))
    expected = columns_of(MARKETS)
    assert columns.engines == expected.engines
    for name in ("market", "overlap"):
        assert getattr(columns, name).tolist() == getattr(expected, name).tolist()
    for name in vars(columns).keys() - {"engines", "market", "overlap"}:
        assert np.array_equal(getattr(columns, name), getattr(expected, name), equal_nan=name in WITH_NAN), name


def test_settled_ones_are_in_order_of_resolution():
    columns = columns_of(MARKETS)
    assert (columns.market[-1].id, columns.market[-2].id) == ("open", "late")
    assert np.all(np.diff(columns.resolved_at) >= 0)
    assert columns.is_settled.tolist() == [market.settlement is not None for market in columns.market]


def test_a_row_holds_what_the_market_holds():
    """Votes of the nine and of their pool alone; a vote near one half takes no side; a void outcome is none."""
    columns = columns_of(MARKETS)
    rows = {market.id: row for row, market in enumerate(columns.market)}
    votes = {engine: p for engine, p in zip(columns.engines, columns.p[rows["model"]], strict=True) if np.isfinite(p)}
    assert votes == {("momentum", "openai:a-model"): 0.8, CONSENSUS: 0.7}
    sides = columns.is_sided[rows["open"]]
    assert {engine for engine, is_sided in zip(columns.engines, sides, strict=True) if is_sided} == {CONSENSUS}
    draft = rows["unvoted"]
    assert np.isnan([columns.outcome[rows["void"]], columns.pool[draft], columns.quote[draft]]).all()
    assert columns.is_challenge.nonzero()[0].tolist() == [rows["dare"]]


def ids(markets):
    return [market.id for market in counted_questions(columns_of(markets)).market]


def test_of_overlapping_questions_only_the_first_counts():
    """One that resolves late or is still open holds its place, else the later one would count today, but not at last.

    The third is opened when the first has just been resolved. One without votes holds no place.
    """
    first = settled("first", hours=36)
    second = settled("second", opened=days(1), hours=36)
    third = settled("third", opened=first.settlement.resolved_at, hours=36)
    assert ids([third, second, first]) == ["first", "third"]
    first = settled("late", resolved=days(3))
    assert ids([first, settled("next", opened=days(2)), settled("after", opened=days(3))]) == ["late", "after"]
    first, later = waiting("first", hours=48), settled("later", opened=days(1))
    assert ids([later]) == ["later"]
    assert ids([later, first]) == []
    draft = replace(settled("first", hours=36), commitment=None, odds=None)
    assert ids([draft, settled("second", opened=days(1))]) == ["second"]


@pytest.mark.parametrize("name", ["asset", "comparator", "other", "hours", "backfilled"])
def test_another_asset_kind_window_or_book_is_no_overlap(name):
    values = {"asset": "eth", "comparator": "close_above", "other": "eth", "hours": 168, "backfilled": True}
    others = {name: values[name]} | ({"comparator": "relative"} if name == "other" else {})
    assert set(ids([settled("one"), settled("two", **others)])) == {"one", "two"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"comparator": "up"}, {"comparator": "down"}),
        *(({"comparator": f"close_{side}"}, {"comparator": f"touch_{side}"}) for side in ("above", "below")),
        ({"comparator": "relative", "other": "eth"}, {"comparator": "relative", "asset": "eth", "other": "btc"}),
        *(({"hours": low}, {"hours": high}) for low, high in ((24, 48), (49, 192), (193, 768))),
    ],
)
def test_of_one_side_and_window_the_earliest_deadline_counts(first, second):
    assert ids([settled("b", **second), settled("a", **first)]) == ["a"]


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 40), st.sampled_from(["btc", "eth"])), max_size=12),
    st.integers(0, 100),
)
def test_what_counted_once_counts_for_ever(spans, hour):
    """Seen at any hour, with the rest still open, the counted questions are the first of those counted at the end."""
    questions = [
        (f"q{place}", {"opened": MONDAY + 3600 * begins, "hours": hours, "asset": asset})
        for place, (begins, hours, asset) in enumerate(spans)
    ]
    now = MONDAY + 3600 * hour
    over = [settled(name, **fields) for name, fields in questions]
    present = [
        market if market.settlement.resolved_at <= now else waiting(name, **fields)
        for market, (name, fields) in zip(over, questions, strict=True)
        if market.voted_at <= now
    ]
    early = ids(present)
    assert ids(over)[: len(early)] == early


def rates(*markets) -> list[float]:
    return template_rates(columns_of(markets)).tolist()


@pytest.mark.parametrize("other", [{"comparator": "close_above"}, {"backfilled": True}])
def test_another_template_or_book_says_nothing(other):
    assert rates(settled("a"), settled("b", opened=days(2), **other)) == [1 / 2, 1 / 2]
    assert rates(settled("a"), settled("b", opened=days(2), asset="gold")) == pytest.approx([1 / 2, 16 / 31])


def test_a_later_outcome_changes_no_earlier_rate():
    rows = sorted(many(120, seed=3), key=resolution_order)
    cut = template_rates(columns_of(rows[:60]))
    assert template_rates(columns_of(rows))[:60].tolist() == cut.tolist()


def test_the_vote_of_vol_is_the_committed_one():
    rows = [settled("a", votes={"vol": 0.3, "trend": 0.9}), settled("b", "no", opened=days(9))]
    evidence = evidence_of(columns_of(rows))
    assert evidence.vol[0] == 0.3
    assert math.isnan(evidence.vol[1])
    assert evidence.outcomes.tolist() == [1, 0]
    assert evidence.weeks.tolist() == weeks_of([row.settlement.resolved_at for row in rows]).tolist()
    assert evidence.where(np.array([False, True])).outcomes.tolist() == [0]


@pytest.mark.parametrize("length", [101, 102, 1_000, 12_345])
def test_a_long_curve_keeps_its_ends_and_a_hundred_points(length: int):
    points = day_ends(DAY * np.arange(length))
    assert (len(points), points[0], points[-1]) == (MOST_POINTS, 0, length - 1)
    assert np.all(np.diff(points) > 0)
    assert day_ends(DAY // 2 * np.arange(200)).tolist() == list(range(1, 200, 2)), "a short one stays as it is"


def test_both_summaries_stay_under_60_kb():
    """796 KB and growing before; here after three years, with 130 open bets."""
    text = "Will Bitcoin reach 123,456 USD before 98,765 USD by 30 September 2027, and a few more words?"
    markets = THREE_YEARS + [waiting(f"{text} {number}", p=0.6) for number in range(130)]
    assert len(to_json(document(markets))) < MOST_BYTES
    assert len(to_json(versus(markets))) < MOST_BYTES


def shown(markets):
    """The markets as they are listed."""
    return list_all(markets, tallies={}, prices={}, opinions={}, now=0)


def document(markets):
    return shadow_document(columns_of(markets), HEADER)


@pytest.mark.parametrize("backfilled", [False, True])
def test_summaries_add_up_to_the_rows_of_the_markets(backfilled: bool):
    """Profit to the cent; Brier and log scores to the digits that are published."""
    rows = [row for row in shown(THREE_YEARS) if row.backfilled == backfilled]
    book, shadow = versus(THREE_YEARS).books[backfilled], document(THREE_YEARS).books[backfilled]
    assert shadow.pnl_usd == round(sum(row.bet.pnl_usd for row in rows if row.bet), 2)
    bets = [row.bet.status for row in rows if row.bet]
    assert (shadow.n, shadow.won) == (len(bets), bets.count("won"))
    assert (book.n, book.simulated) == (len(rows), len(rows))
    for name, side in (("ai", book.ai), ("market", book.market)):
        assert np.mean([getattr(row.score, f"brier_{name}") for row in rows]) == pytest.approx(side.brier, abs=2e-5)
        assert np.mean([getattr(row.score, f"log_{name}") for row in rows]) == pytest.approx(side.log_score, abs=2e-5)


def live(markets):
    return document(markets).books[0]


def test_a_book_by_hand():
    """Won, lost, lost on three days: 89.58, -100, -100; the deepest fall is 200 from the peak of 89.58."""
    rows = [settled(f"m{day}", outcome, opened=days(day)) for day, outcome in enumerate(("yes", "no", "no"))]
    book = live(rows)
    assert (book.won, book.lost, book.n, book.staked_usd, book.pnl_usd) == (1, 2, 3, 300.0, -110.42)
    assert book.roi_pct == pytest.approx(-110.42 / 3, abs=1e-4)
    assert (book.win_rate_pct, book.breakeven_pct) == (pytest.approx(100 / 3, abs=1e-4), pytest.approx(52.7493))
    assert book.max_drawdown_usd == 200.0
    at_once = live([settled("a", "no"), settled("b", "yes", asset="eth")])
    assert at_once.max_drawdown_usd == 10.42, "bets of one instant are one step, whichever is looked at first"
    times = [f"2025-11-{day}T00:00:00Z" for day in (25, 26, 27)]
    assert [(point.time, point.pnl_usd) for point in book.curve] == [*zip(times, (89.58, -10.42, -110.42), strict=True)]


def test_the_intervals_of_a_book_by_hand():
    """Ten weeks, won and lost in turn: results 89.58 and -100, standard error 99.93 / sqrt 10, t(9) = 2.262157."""
    rows = [settled(f"m{week}", ("yes", "no")[week % 2], opened=days(7 * week)) for week in range(10)]
    book, half = live(rows), 2.262157 * 189.58 / 2 * (10 / 9) ** 0.5 / 10**0.5
    assert (book.n, book.n_eff) == (10, 10.0)
    assert (live(rows[:1]).roi_low_pct, live(rows[:1]).roi_high_pct) == (None, None)
    assert (book.roi_low_pct, book.roi_high_pct) == pytest.approx((book.roi_pct - half, book.roi_pct + half), abs=1e-3)
    low, high = clustered_mean(np.tile([1.0, 0.0], 5), np.arange(10), LEVELS).share_interval()
    assert (book.win_rate_low_pct, book.win_rate_high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)


def test_curve_and_drawdown_match_a_loop_over_the_bets():
    rows = many(400, seed=2)
    for book in document(rows).books:
        instants = defaultdict(float)
        for row in sorted(rows, key=lambda row: row.settlement.resolved_at):
            if row.backfilled == book.backfilled and (bet := bet_on(row)):
                instants[row.settlement.resolved_at] += bet.pnl
        totals = list(accumulate(instants.values(), initial=0.0))
        deepest = max(max(totals[: place + 1]) - value for place, value in enumerate(totals))
        assert book.max_drawdown_usd == pytest.approx(deepest, abs=0.01)
        assert book.curve[-1].pnl_usd == pytest.approx(totals[-1], abs=0.01) == book.pnl_usd
        stamps = [point.time for point in book.curve]
        assert stamps == sorted(stamps)
        assert len({stamp[:10] for stamp in stamps}) == len(stamps), "one for each day"


def test_an_empty_document_is_whole_and_has_no_nan():
    """Live and backfilled are two books."""
    body = json.loads(json.dumps(asdict(document([])), allow_nan=False))
    assert (body["schema"], body["stake_usd"], body["threshold_pts"]) == ("shadow/1", 100.0, 3.0)
    assert "assumed" in body["fee"]
    books = [(book["backfilled"], book["bets"], book["roi_pct"], book["curve"]) for book in body["books"]]
    assert books == [(False, 0, None, []), (True, 0, None, [])]
    shadow = document([settled("a"), settled("b", "no", backfilled=True), waiting("c", backfilled=True)])
    books = [(book.backfilled, book.bets, book.won, book.lost, book.open) for book in shadow.books]
    assert books == [(False, 1, 1, 0, 0), (True, 2, 0, 1, 1)]


def shown_bet(market):
    return shown([market])[0].bet


def test_a_won_bet_by_hand():
    """YES at .51: fee .07 x .51 x .49 = .017493, cost .527493, 189.576 contracts of 1 USD: +89.58, fee 3.32.

    NO at 1 - .39 = .61; it happened, so the stake is lost.
    """
    bet = shown_bet(settled(p=0.7))
    assert (bet.side, bet.price, bet.status) == ("yes", 0.51, "won")
    assert bet.contracts == pytest.approx(189.5760, abs=1e-4)
    assert (bet.fee_usd, bet.stake_usd, bet.pnl_usd) == (3.32, 100.0, 89.58)
    bet = shown_bet(settled(p=0.3, odds=(0.39, 0.4, 0.41), source="kalshi"))
    assert (bet.side, bet.price, bet.status, bet.pnl_usd) == ("no", 0.61, "lost", -100.0)


@pytest.mark.parametrize(("p", "bets"), [(0.53, 0), (0.5301, 1), (0.47, 0), (0.4699, 1), (0.5, 0)])
def test_only_more_than_three_points_make_a_bet(p, bets):
    assert live([settled(p=p)]).bets == bets


@pytest.mark.parametrize(
    "fields",
    [
        *({"odds": odds} for odds in (None, (0.49, 0.5, None), (0.49, 0.5, 1.0))),
        *({"odds": (bid, 0.9, 0.91), "p": 0.5} for bid in (None, 0.0)),
        {"comparator": "open"},
    ],
)
def test_without_a_quote_there_is_no_bet(fields):
    assert live([settled(**fields)]).bets == 0
    assert bet_on(replace(waiting(), commitment=None)) is None


def test_a_void_market_returns_the_stake():
    """An open bet is not marked."""
    book, bet = live([settled(outcome="void")]), shown_bet(settled(outcome="void"))
    assert (book.void, book.n, book.pnl_usd, book.staked_usd) == (1, 0, 0.0, 0.0)
    assert (bet.status, bet.pnl_usd) == ("void", 0.0)
    book, bet = live([waiting("later", hours=48), waiting("sooner")]), shown_bet(waiting())
    assert (bet.status, bet.pnl_usd, book.open, book.bets, book.n) == ("open", None, 2, 2, 0)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_the_stake_pays_for_contracts_and_fee(p, price):
    bet = bet_on(waiting(p=p, odds=(price, price, price)))
    if bet is not None:
        assert bet.contracts * (bet.price + FEE_RATE * bet.price * (1 - bet.price)) == pytest.approx(100.0)
