"""A voter walked forward sees what was known and learns from what had resolved; its backtest says how good it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import VoterRefused
from notebooks.lab.record import MarketRecord
from notebooks.lab.report import backtest
from notebooks.lab.walk import VoterWalk, walk_forward
from tests.notebooks.lab.planted import P_RISE, p_of_law, planted_record, rises, with_live_end

AFTER, MONTHS = "what came after a market was asked", "the whole record"


class Seer:
    """Reads the price of the deadline, which it computed before the walk."""

    def prepare(self, bars):
        self.later = bars["btc"]["close_usd"].shift(-24)

    def forecast(self, question, inputs):
        return 0.9 if self.later.asof(question.asked_at) > question.spot else 0.1


class Normalizer:
    """Compares the last day with the mean of the whole record: the usual mistake."""

    def prepare(self, bars):
        change = bars["btc"]["close_usd"].pct_change(24)
        self.score = (change - change.mean()) / change.std()

    def forecast(self, question, inputs):
        return 1 / (1 + np.exp(-self.score.asof(question.asked_at)))


class Learner:
    """Estimates the law from the examples of the last fit."""

    def fit(self, examples):
        self.examples = examples
        hits = [rises(row.inputs.bars("btc"), row.question.asked_at) == row.happened for row in examples]
        self.p = np.mean(hits) if hits else 0.5

    def forecast(self, question, inputs):
        return self.p if rises(inputs.bars("btc"), question.asked_at) else 1 - self.p


class DayCloser:
    """Knows the close of the day in which it is asked, at its noon."""

    def prepare(self, bars):
        close = bars["btc"]["close_usd"]
        self.close = close.groupby(close.index.normalize()).last()

    def forecast(self, question, inputs):
        return 0.9 if self.close.get(question.asked_at.normalize(), 0) > question.spot else 0.1


class Fitter:
    """Fits a slope on all months, once."""

    def prepare(self, bars):
        day = bars["btc"]["close_usd"].pct_change(24)
        self.slope = day.shift(-24).corr(day)

    def forecast(self, question, inputs):
        return 1 / (1 + np.exp(-self.slope))


@pytest.fixture(scope="module")
def record() -> MarketRecord:
    return planted_record()


@pytest.mark.parametrize(
    ("voter", "knows"), [(Seer, AFTER), (DayCloser, AFTER), (Normalizer, MONTHS), (Fitter, MONTHS)], ids=str
)
def test_a_voter_that_sees_the_future_is_named(record, voter, knows: str):
    """With what it knows: later bars, the close of the day, a scale or a fit of the whole record."""
    with pytest.raises(VoterRefused, match=f"{voter.__name__} sees the future: it knows {knows}"):
        backtest(voter, record, progress=False)


@pytest.mark.parametrize("default", [None, 0.5])
def test_a_voter_that_peeks_at_the_resolution_is_named(record, default: float | None):
    """It looks up by the id of a market how it came out, in a table of its own."""
    outcomes = {market.question.id: 0.95 if market.happened else 0.05 for market in record.markets}

    class Peeker:
        def forecast(self, question, inputs):
            return outcomes[question.id] if default is None else outcomes.get(question.id, default)

    with pytest.raises(VoterRefused, match="Peeker peeks at the resolution"):
        backtest(Peeker, record, progress=False)


def test_a_voter_that_fails_on_less_is_refused(record):
    """Also where ids do not matter."""
    last = record.bars["btc"].index[-1]

    class Needing:
        def prepare(self, bars):
            self.p = 0.5 if bars["btc"].loc[last, "close_usd"] > 0 else 0.4

        def forecast(self, question, inputs):
            return self.p

    with pytest.raises(VoterRefused, match="Needing needs the future"):
        backtest(Needing, record, progress=False)


def test_a_voter_learns_only_from_what_had_resolved(record):
    """At the beginning of each month, from the last 365 days."""
    walk = VoterWalk(Learner, record)
    instants: list[pd.Timestamp] = []
    for market in record.markets:
        walk.forecast(market)
        month = market.question.asked_at.replace(day=1)
        if instants and walk.fitted_at == instants[-1]:
            continue
        instants.append(walk.fitted_at)
        markets = [row for row in record.markets if row.resolved_at <= month]
        learnt = [row for row in markets if (month - row.question.asked_at).days <= 365]
        assert [example.question for example in walk.voter.examples] == [row.question for row in learnt]
    assert instants == list(pd.date_range("2026-01-01", periods=len(instants), freq="MS", tz="UTC"))
    assert walk.voter.p == pytest.approx(P_RISE, abs=0.08)


def test_what_is_no_probability_is_refused(record):
    """A voter that cannot be repeated is refused too."""
    numbers = iter([1.2, -0.1, float("nan"), "0.5", *(1 / (2 + number) for number in range(2_000))])

    class Drifting:
        def forecast(self, question, inputs):
            return next(numbers)

    for _ in range(4):
        with pytest.raises(VoterRefused, match="no probability"):
            walk_forward(Drifting, record)
    with pytest.raises(VoterRefused, match="seed"):
        backtest(Drifting, record, progress=False)


def test_a_voter_is_shown_nothing_of_later(record):
    """Neither bars that were not complete nor the outcome."""

    class Onlooker:
        def forecast(self, question, inputs):
            last = inputs.bars("btc").index[-1]
            assert last + pd.Timedelta(hours=1) <= question.asked_at == inputs.asked_at
            assert not hasattr(question, "happened")
            assert not hasattr(inputs, "happened")

    assert walk_forward(Onlooker, record).isna().all()


class Better:
    """Knows the planted law and reads the bars of the past."""

    def forecast(self, question, inputs):
        return p_of_law(inputs.bars(question.asset), question.asked_at)


class Random:
    """Says anything, the same in every walk."""

    def __init__(self):
        self.generator = np.random.default_rng(4)

    def forecast(self, question, inputs):
        return self.generator.uniform()


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
    assert "better than the pool" in report._repr_html_()
    figure = report.chart()
    assert set(figure.data[0].y) == set(others.index)
    assert "SIMULATED · BACKFILLED" in figure.layout.title.subtitle.text


def test_a_random_voter_is_told_so_with_its_interval(record):
    report = backtest(Random, record, progress=False)
    against = report.scores.loc["pool"]
    assert against["low"] > 0
    (verdict,) = report.verdicts
    assert f"[{against['low']:+.4f}, {against['high']:+.4f}], worse than the pool" in verdict
    assert "no different from random" in verdict


def test_an_abstention_is_not_scored(record):
    """The live and the backfilled book are apart."""

    class Cautious(Better):
        def forecast(self, question, inputs):
            return super().forecast(question, inputs) if question.asked_at.day_of_week < 5 else None

    report = backtest(Cautious, record, progress=False)
    assert report.scores.loc["Cautious", "n"] == (report.forecasts.notna()).sum() == 286
    assert report.scores.loc["pool", "n"] == 286
    report = backtest(Better, with_live_end(record, 20), progress=False)
    assert list(report.scores.loc["Better", "n"]) == [20, 380]
    assert list(report.scores.loc["Better", "backfilled"]) == [False, True]
    live, backfilled = report.verdicts
    assert "LIVE · 20 markets" in live
    assert "Not enough resolved markets" in live
    assert "BACKFILLED · 380 markets" in backfilled
    assert "not enough resolved markets" in set(report.scores["verdict"])


def test_a_report_without_resolved_markets_says_so(record):
    """Nor has a voter that only abstains a chart."""
    report = backtest(Better, record.until(record.markets[0].question.asked_at), progress=False)
    assert report.scores.empty
    assert "no market that it forecast has resolved yet" in report.verdicts[0]
    assert "resolved yet" in report._repr_html_()

    class Silent(Better):
        def forecast(self, question, inputs):
            return None

    report = backtest(Silent, record, progress=False)
    assert len(report.chart().data[0].y) == 0
    assert "no market that it forecast" in report.verdicts[0]
