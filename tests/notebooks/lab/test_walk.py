"""A voter walked forward: it sees what was known and learns from what had resolved."""

from __future__ import annotations

from itertools import count

import numpy as np
import pandas as pd
import pytest

from notebooks.lab import VoterRefused, backtest
from notebooks.lab.record import MarketRecord
from notebooks.lab.walk import VoterWalk, walk_forward
from tests.notebooks.lab.planted import P_RISE, planted_record, rises


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
        right = [
            rises(example.inputs.bars("btc"), example.question.asked_at) == example.happened for example in examples
        ]
        self.p = np.mean(right) if right else 0.5

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


AFTER, MONTHS = "what came after a market was asked", "the whole record"


@pytest.mark.parametrize(
    ("voter", "knows"),
    [(Seer, AFTER), (DayCloser, AFTER), (Normalizer, MONTHS), (Fitter, MONTHS)],
    ids=lambda part: str(part),
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


def test_a_voter_that_cannot_be_repeated_is_refused(record):
    numbers = count()

    class Drifting:
        def forecast(self, question, inputs):
            return 1 / (2 + next(numbers))

    with pytest.raises(VoterRefused, match="seed"):
        backtest(Drifting, record, progress=False)


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


@pytest.mark.parametrize("p", [1.2, -0.1, float("nan"), "0.5"])
def test_what_is_no_probability_is_refused(record, p: float | str):
    class Wrong:
        def forecast(self, question, inputs):
            return p

    with pytest.raises(VoterRefused, match="no probability"):
        walk_forward(Wrong, record)


def test_a_voter_is_shown_nothing_of_later(record):
    """Neither bars that were not complete nor the outcome."""

    class Onlooker:
        def forecast(self, question, inputs):
            last = inputs.bars("btc").index[-1]
            assert last + pd.Timedelta(hours=1) <= question.asked_at == inputs.asked_at
            assert not hasattr(question, "happened")
            assert not hasattr(inputs, "happened")

    assert walk_forward(Onlooker, record).isna().all()
