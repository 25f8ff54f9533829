"""Backtests of voters whose quality is planted."""

from __future__ import annotations

import numpy as np
import pytest

from notebooks.lab import backtest
from notebooks.lab.record import MarketRecord
from tests.notebooks.lab.planted import P_RISE, planted_record, rises, with_live_end


class Better:
    """Knows the planted law and reads the bars of the past."""

    def forecast(self, question, inputs):
        return P_RISE if rises(inputs.bars(question.asset), question.asked_at) else 1 - P_RISE


class Random:
    """Says anything, the same in every walk."""

    def __init__(self):
        self.generator = np.random.default_rng(4)

    def forecast(self, question, inputs):
        return self.generator.uniform()


@pytest.fixture(scope="module")
def record() -> MarketRecord:
    return planted_record()


def test_a_better_voter_wins_its_backtest(record):
    """Against the voters, their pool, the external market and a coin, with intervals below zero."""
    report = backtest(Better, record, progress=False)
    others = report.scores.drop(index="Better")
    assert set(others.index) == {"pool", "market", "coin", "momentum", "vol"}
    assert (others["high"] < 0).all()
    assert (others["log_high"] < 0).all()
    assert all(verdict.startswith("better than") for verdict in others["verdict"])
    (verdict,) = report.verdicts
    assert "SIMULATED · BACKFILLED · 400 markets" in verdict
    assert "better than the pool" in verdict
    assert report.weights.loc["day", "weight"] > 1.5


def test_a_random_voter_is_told_so_with_its_interval(record):
    report = backtest(Random, record, progress=False)
    against = report.scores.loc["pool"]
    assert against["low"] > 0
    (verdict,) = report.verdicts
    assert f"[{against['low']:+.4f}, {against['high']:+.4f}], worse than the pool" in verdict
    assert "no different from random" in verdict


def test_an_abstention_is_not_scored(record):
    class Cautious(Better):
        def forecast(self, question, inputs):
            return super().forecast(question, inputs) if question.asked_at.day_of_week < 5 else None

    report = backtest(Cautious, record, progress=False)
    assert report.scores.loc["Cautious", "n"] == (report.forecasts.notna()).sum() == 286
    assert report.scores.loc["pool", "n"] == 286


def test_the_live_and_the_backfilled_book_are_apart(record):
    report = backtest(Better, with_live_end(record, 20), progress=False)
    assert list(report.scores.loc["Better", "n"]) == [20, 380]
    assert list(report.scores.loc["Better", "backfilled"]) == [False, True]
    live, backfilled = report.verdicts
    assert "LIVE · 20 markets" in live
    assert "Not enough resolved markets" in live
    assert "BACKFILLED · 380 markets" in backfilled
    assert "not enough resolved markets" in set(report.scores["verdict"])


def test_a_report_without_resolved_markets_says_so(record):
    beginning = record.until(record.markets[0].question.asked_at)
    report = backtest(Better, beginning, progress=False)
    assert report.scores.empty
    assert "no market that it forecast has resolved yet" in report.verdicts[0]
    assert "resolved yet" in report._repr_html_()


def test_a_report_shows_itself(record):
    report = backtest(Better, record, progress=False)
    assert "better than the pool" in report._repr_html_()
    figure = report.chart()
    assert set(figure.data[0].y) == {"pool", "market", "coin", "momentum", "vol"}
    assert "SIMULATED · BACKFILLED" in figure.layout.title.subtitle.text


def test_a_voter_that_only_abstains_has_an_empty_chart(record):
    class Silent(Better):
        def forecast(self, question, inputs):
            return None

    report = backtest(Silent, record, progress=False)
    assert len(report.chart().data[0].y) == 0
    assert "no market that it forecast" in report.verdicts[0]
