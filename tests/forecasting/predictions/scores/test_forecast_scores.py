"""The scores of a forecaster and of each voter on the markets it voted on."""

from __future__ import annotations

from tests.forecasting.predictions.scores.compared import live, pair


def test_a_forecast_of_one_half_has_no_side():
    book = live([pair("a", "yes", 0.5, 0.6), pair("b", "yes", 0.50004, 0.4)])
    assert (book.ai.accuracy_n, book.ai.accuracy_pct, book.ai.accuracy_low_pct) == (0, None, None)
    assert (book.market.accuracy_n, book.market.accuracy_pct) == (2, 50.0)


def test_a_voter_is_scored_on_its_own_votes_and_against_vol():
    """trend .04 and .25; vol voted on the first alone, .16: there trend is better by .12."""
    rows = [
        pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8, "vol": 0.6, "swarm": 0.9}),
        pair("b", "no", 0.7, 0.6, votes={"trend": 0.5}),
    ]
    scores = live(rows).voters
    assert [(row.voter, row.kind, row.n, row.brier, row.against_vol) for row in scores] == [
        ("trend", "seat", 2, 0.145, -0.12),
        ("vol", "brain", 1, 0.16, 0.0),
    ]
    assert (scores[0].accuracy_n, scores[0].accuracy_pct) == (1, 100.0)


def test_without_vol_there_is_no_comparison_with_it():
    assert live([pair("a", "yes", 0.7, 0.6, votes={"trend": 0.8})]).voters[0].against_vol is None
