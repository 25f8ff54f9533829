"""The accuracy of apex by hand, and the published status."""

from __future__ import annotations

import numpy as np
import pytest

from service.forecasting.apex.call import Thresholds, fuse
from service.forecasting.apex.document import (
    ResolvedCall,
    apex_document,
    calls_document,
    record_of,
    resolved_calls,
    score,
)
from service.forecasting.apex.layers import ENGINE, LAYERS, NetView
from service.forecasting.voters.track_record import BandRecord
from service.market.instants import DAY, HOUR, iso
from service.scores.intervals import CALLS, clustered_mean, weeks_of
from tests.forecasting.made import FITTED_TIME, NOW, call_of, flat_bars, inputs_of
from tests.forecasting.markets import PLAIN_HEADER

START = FITTED_TIME  # a Wednesday


def resolved(*rows: tuple[float, bool], backfilled: bool = False, step: int = DAY, **layers) -> list[ResolvedCall]:
    return [
        ResolvedCall(call_of(START + at * step, p, backfilled=backfilled, **layers), outcome)
        for at, (p, outcome) in enumerate(rows)
    ]


def test_a_call_resolves_by_the_price_a_day_later():
    """The close at START is 100; a day later it is 101, and two days later 101 still.

    It stays open until its day is over, and missing bars before the end make it void.
    """
    first, second = call_of(START, 0.6), call_of(START + DAY, 0.6, spot=101.0)
    bars = {"btc": flat_bars(START - DAY, [100.0] * 47 + [101.0] * 40)}
    outcomes = resolved_calls([first, second], bars, START + 3 * DAY)
    assert [(call.at, outcome) for call, outcome in outcomes] == [(START, True), (START + DAY, False)]
    assert resolved_calls([first], bars, START + DAY) == ()
    assert len(resolved_calls([first], bars, START + DAY + 1)) == 1
    hole = (bars["btc"].time >= START + DAY - 3 * HOUR) & (bars["btc"].time < START + DAY)
    assert resolved_calls([first], {"btc": bars["btc"][~hole]}, START + 5 * DAY) == ()


def test_the_fused_vote_by_hand():
    """.8 up, .6 down, .5 up: Brier (.04 + .36 + .25) / 3 = .216667, accuracy 1 - .866667; one hit of two sides.

    Backfilled and live calls are never pooled; no side is no hit and no miss.
    """
    live, past = score(resolved((0.8, True), (0.6, False), (0.5, True))).vote
    assert (live.backfilled, live.n, live.n_eff) == (False, 3, 1.9)
    assert live.brier == pytest.approx(0.21667)
    assert live.skill_coin == pytest.approx(0.13333)
    assert (live.accuracy_pct, live.always_no_pct) == (50, 50)
    assert live.accuracy_low_pct < 10
    assert live.accuracy_high_pct > 90
    assert live.verdict == "not enough resolved markets"
    assert (past.backfilled, past.n, past.brier, past.accuracy_pct) == (True, 0, None, None)
    live = resolved((0.8, True))
    past = resolved((0.8, False), (0.8, False), backfilled=True)
    books = score([*past, *live]).vote
    assert [(book.backfilled, book.n, book.accuracy_pct) for book in books] == [(False, 1, 100), (True, 2, 0)]
    book = score(resolved((0.5, True), (0.5, False))).vote[0]
    assert (book.n, book.skill_coin, book.accuracy_pct) == (2, 0, None)


def test_a_layer_is_scored_on_the_calls_it_voted_in():
    rows = [*resolved((0.5, True), news=0.9), *resolved((0.5, True), swarm=0.4)]
    layers = score(rows).layers
    assert list(layers) == list(LAYERS)
    assert (layers["news"][0].n, layers["news"][0].brier) == (1, pytest.approx(0.01))
    assert (layers["swarm"][0].n, layers["swarm"][0].accuracy_pct, layers["oracles"][0].n) == (1, 0, 0)


def test_calls_are_clustered_by_week():
    """Ten weeks of 42 calls that are all right or all wrong: far fewer independent ones."""
    monday = START + 5 * DAY
    rows = [ResolvedCall(call_of(monday + at * 4 * HOUR, 0.6), (at // 42) % 3 != 0) for at in range(420)]
    live = score(rows).vote[0]
    right = np.array([float(outcome) for _, outcome in rows])
    mean = clustered_mean(right, weeks_of([call.at + DAY for call, _ in rows]), CALLS)
    low, high = mean.share_interval()
    assert (live.n, live.n_eff) == (420, round(mean.n_eff, 1))
    assert live.n_eff < 40
    assert (live.accuracy_low_pct, live.accuracy_high_pct) == pytest.approx((100 * low, 100 * high), abs=1e-4)
    assert live.skill_coin_low < live.skill_coin < live.skill_coin_high
    assert live.verdict == "no clear difference from a coin"


def test_skill_is_against_the_share_of_rises_so_far():
    """.8 on two rises two days apart: rates 15/30 and 16/31, errors .25 and .234131; 1 - .08 / .484131 = .834755."""
    rows = resolved((0.8, True), (0.8, True), step=2 * DAY)
    live = score(rows).vote[0]
    assert live.skill == pytest.approx(0.83476, abs=1e-5)
    assert live.likelier_side_pct == 75


@pytest.mark.parametrize(
    ("share", "verdict"),
    [(0.5, "no clear difference from a coin"), (0.8, "better than a coin"), (0.2, "worse than a coin")],
)
def test_a_verdict_needs_an_interval_without_50_percent(share: float, verdict: str):
    rows = [(0.6, at % 10 < share * 10) for at in range(80)]
    assert score(resolved(*rows)).vote[0].verdict == verdict


def test_layers_are_weighed_like_voters():
    """In the band of a day, by 150 calls: `oracles` knows the rate, `news` moves away from it for nothing."""
    rows = [
        ResolvedCall(call_of(START + day * DAY, 0.5, oracles=0.75, news=0.75 if day % 3 else 0.25), day % 4 != 0)
        for day in range(150)
    ]
    record = record_of(rows, START + 160 * DAY)
    assert (record.as_of, list(record.bands)) == (START + 160 * DAY, ["day"])
    assert record_of([], 5).bands == {}
    news, oracles = record.of_band("day").standings
    assert (oracles.voter, oracles.engine, oracles.n) == ("oracles", ENGINE, 150)
    assert oracles.weight > 1 > news.weight


def test_in_sample_votes_are_counted_and_left_out():
    """START is January 2025, in the months on which `breadth` was fitted; 500 days later it is not."""
    inside = resolved((0.5, True), (0.5, True), breadth=0.9, news=0.6)
    later = [ResolvedCall(call_of(START + 500 * DAY, 0.5, breadth=0.9), True)]
    layers = score([*inside, *later]).layers
    assert (layers["breadth"][0].n, layers["breadth"][0].in_sample) == (1, 2)
    assert (layers["news"][0].n, layers["news"][0].in_sample) == (2, 0)
    assert score([*inside, *later]).vote[0].in_sample == 0
    (breadth, news) = record_of([*inside, *later], START + 600 * DAY).of_band("day").standings
    assert (breadth.voter, breadth.n, news.voter, news.n) == ("breadth", 1, "news", 2)


def test_the_vote_and_the_special_mode_are_those_of_the_call():
    """Every layer has a vote or a reason; it and the vote have both books."""
    call = fuse(inputs_of(odds_p=0.7123456, swarm=NetView(5, 2, 3)), BandRecord())
    past = [ResolvedCall(call_of(NOW - at * DAY, 0.61, backfilled=at > 2, news=0.6), True) for at in (1, 2, 3, 4, 5)]
    document = apex_document(call, Thresholds(0.012345, 0.612345, 80, fixed=False), score(past), PLAIN_HEADER)
    assert (document.schema, document.asset, document.horizon_hours) == ("apex/1", "btc", 24)
    assert (document.called_at, document.next_at) == (iso(NOW), iso(NOW + 4 * HOUR))
    assert document.vote.bull_probability + document.vote.bear_probability == pytest.approx(100)
    assert document.vote.bull_probability == pytest.approx(100 * document.vote.p_up, abs=0.051)
    assert (document.special_mode.active, len(document.special_mode.conditions)) == (False, 3)
    assert document.special_mode.thresholds == Thresholds(0.0123, 0.6123, 80, fixed=False)
    assert len(document.layers) == 8
    for layer in document.layers:
        assert (layer.p_up is None) == (layer.direction is None) == (layer.silent is not None)
    market = next(layer for layer in document.layers if layer.name == "market")
    assert (market.p_up, market.direction, market.weight) == (0.7123, "BULLISH", 0.5)
    assert [(book.backfilled, book.n) for book in document.record] == [(False, 2), (True, 3)]
    for layer in document.layers:
        assert [book.backfilled for book in layer.accuracy] == [False, True]
    assert (document.record[0].brier, document.record[0].skill_coin) == (0.1521, 0.3916)


def test_a_layer_says_whether_it_is_in_sample():
    call = fuse(inputs_of(at=FITTED_TIME), BandRecord())
    layers = apex_document(call, Thresholds(), score([]), PLAIN_HEADER).layers
    assert {layer.name for layer in layers if layer.in_sample} == {"breadth", "regime"}


def test_a_call_is_shown_as_it_was_made_with_its_outcome():
    call = call_of(START, 0.123456, spot=64_000.0, backfilled=True, news=0.2)
    bars = flat_bars(START - DAY, [100.0] * 47 + [101.0] * 25)
    page = calls_document([call], bars, START + DAY + HOUR, world="simulated", next="abc")
    (row,) = page.calls
    (earlier,) = calls_document([call], bars, START + DAY - 1, world="simulated", next=None).calls
    assert (row.outcome, earlier.outcome) == ("no", None), "of 64,000 USD"
    assert (page.schema, page.count, page.next) == ("apex-calls/1", 1, "abc")
    assert (row.called_at, row.resolves_at) == ("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z")
    assert (row.spot, row.p_up, row.direction, row.backfilled) == (64_000.0, 0.1235, "BEARISH", True)
    assert len(row.layers) == len(call.layers)
