"""The table of forecasters equals an independent computation in plain pandas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from service.forecasting.predictions.commitments import forecast_row
from service.forecasting.predictions.scores.forecasters import ForecastersDocument
from service.forecasting.predictions.scores.market_forecasts import MarketForecast, MarketForecastScore
from service.jobs.committing import keep_settlement
from service.jobs.score import score
from service.ledger.chain import LedgerRow
from service.ledger.verifier import verify
from service.market.instants import DAY, HOUR, MINUTE, iso
from service.market.prices import PricesDocument
from service.store import forecasts, ledger, predictions, snapshots
from service.store.database import Database
from tests.conftest import IN_CI
from tests.forecasting.markets import MONDAY, many, waiting
from tests.jobs.contexts import context_of, work

CALLERS, FORECASTS = (100 if IN_CI else 10), 100  # 10,000 forecasts with CI=true
# Half of them were backfilled, and a few came out void or were decided before their close.
MARKETS = [
    replace(
        market,
        settlement=replace(
            market.settlement,
            outcome="void" if place % 23 == 0 else market.settlement.outcome,
            resolved_at=market.voted_at + 20 * HOUR if place % 7 == 0 else market.settlement.resolved_at,
        ),
    )
    for place, market in enumerate(many(160, seed=7))
]
LAST = max(market.settlement.resolved_at for market in MARKETS)
END = (LAST // HOUR + 1) * HOUR
ENTRANTS = 128 if IN_CI else 32  # the callers, nine voters, the pool and the market, up to a power of two


def drawn() -> pd.DataFrame:
    """Who forecast what and when: a third within the first hour, some a second before the market closes."""
    dice = np.random.default_rng(11)
    n = CALLERS * FORECASTS
    frame = pd.DataFrame({"place": dice.integers(0, len(MARKETS), n), "caller": np.repeat(range(CALLERS), FORECASTS)})
    frame["opened"] = [MARKETS[place].voted_at for place in frame.place]
    frame["closes"] = [MARKETS[place].closes_at for place in frame.place]
    length = frame.closes - frame.opened
    delay = np.where(dice.random(n) < 0.33, dice.uniform(0, HOUR, n), dice.uniform(0, 1, n) * length)
    delay = np.where(dice.random(n) < 0.02, length - 1, delay)
    frame["at"] = frame.opened + delay.astype(int)
    frame["p"] = dice.uniform(0.001, 0.999, n)
    frame["market"] = [MARKETS[place].id for place in frame.place]
    frame = frame.sort_values("at", kind="stable").reset_index(drop=True)
    return frame.assign(seq=CALLERS + 1 + frame.index)  # after the rows of the names


FRAME = drawn()


@pytest.fixture(scope="module")
def database(migrated_sqlite, tmp_path_factory) -> Iterator[Database]:
    """Callers with a hundred forecasts each of 160 markets, all of them settled, and the table after that."""
    file = tmp_path_factory.mktemp("tournament") / "database.sqlite"
    file.write_bytes(migrated_sqlite.read_bytes())
    with closing(Database(f"sqlite:///{file}")) as database:
        with database.writing() as db:
            _fill(db)
        _publish(database, END)
        yield database


def _fill(db) -> None:
    predictions.add_predictions(db, [replace(market, settlement=None) for market in MARKETS])
    for number in range(CALLERS):
        forecasts.forecaster_id(db, f"key:{number:08}", f"id-{number}", MONDAY)
        forecasts.rename_forecaster(db, f"key:{number:08}", f"owl-{number}")
        (entry,) = ledger.append(db, [LedgerRow("name", f"id-{number}", {}, backfilled=False)], MONDAY)
        forecasts.count_since(db, f"id-{number}", entry.seq)
    rows = [(f"id-{row.caller}", row) for row in FRAME.itertuples()]
    ledger.append(db, [forecast_row(row.market, id, row.p, f"salt-{row.seq}") for id, row in rows], MONDAY)
    for id, row in rows:
        forecasts.add_forecast(db, MarketForecast(row.seq, row.market, id, row.at, row.p, f"salt-{row.seq}"))
    for market in sorted(MARKETS, key=lambda market: market.settlement.resolved_at):
        keep_settlement(db, market.id, market.settlement, market.settlement.resolved_at)


def _publish(database: Database, slot: int) -> None:
    """Run the job."""
    prices = PricesDocument("prices/1", iso(slot), iso(slot), iso(slot), "simulated", False, {"btc": "a file"}, 0, ())
    with database.writing() as db:
        snapshots.publish(db, slot, {"prices": prices})
    work(context_of(database, step=5 * MINUTE), score, slot)


def shown(database: Database) -> ForecastersDocument:
    with database.reading() as db:
        return snapshots.find_document(db, "forecasters", ForecastersDocument)


def settled_markets() -> pd.DataFrame:
    """The live markets with an outcome: when they count until, when they close, their week, and P(YES) of the pool."""
    rows = []
    for market in MARKETS:
        if market.backfilled or market.outcome == "void":
            continue
        yes, resolved_at = float(market.outcome == "yes"), market.settlement.resolved_at
        week = pd.Timestamp(resolved_at, unit="s").to_period("W-SUN").ordinal
        end = market.closes_at if resolved_at >= market.closes_at else resolved_at - HOUR
        instants = (market.voted_at, end, resolved_at, market.deadline)
        rows.append((market.id, *instants, week, yes, market.commitment.p, market.closes_at))
    names = ("market", "begin", "end", "resolved", "deadline", "week", "yes", "pool", "closing")
    return pd.DataFrame(rows, columns=names).sort_values(["resolved", "deadline", "market"]).reset_index(drop=True)


def loss(p: float, yes: float) -> float:
    """The log score of a probability."""
    p = min(0.99, max(0.01, p))
    return -np.log(p if yes == 1 else 1 - p)


def gains(losses: dict[int, float], pool: float) -> dict[int, float]:
    """The peer score of each caller at an instant, from the log scores that stand."""
    total = pool + sum(losses.values())
    return {caller: (total - score) / len(losses) - score for caller, score in losses.items()}


def counted() -> pd.DataFrame:
    """The forecasts that stood before their market was decided, in their order."""
    frame = FRAME.merge(settled_markets(), on="market")
    return frame[frame["at"] < frame.end].sort_values("seq")


@cache
def peers() -> pd.DataFrame:
    """The peer scores of each caller and market, from what stands between any two forecasts of the market."""
    rows = []
    for market, part in counted().groupby("market"):
        start, end, close, yes = part[["begin", "end", "closing", "yes"]].iloc[0]
        pool = loss(part.pool.iloc[0], yes)
        sums, losses, openings = dict.fromkeys(part.caller, 0.0), {}, {}
        for row, until in zip(part.itertuples(), [*part["at"].iloc[1:], end], strict=True):
            losses[row.caller] = loss(row.p, yes)
            standing = gains(losses, pool)
            for caller, gain in standing.items():
                sums[caller] += gain * (until - row.at) / (close - start)
            if row.at < start + HOUR:
                openings = standing
        rows += [(caller, market, total, openings.get(caller, np.nan)) for caller, total in sums.items()]
    return pd.DataFrame(rows, columns=["caller", "market", "peer", "opening_peer"])


@cache
def time_weighted() -> pd.DataFrame:
    """One row for each caller and market, from a loop over the seconds in which each forecast stood."""
    rows = []
    for (caller, market), part in counted().groupby(["caller", "market"]):
        start, end, yes, close = (part[name].iloc[0] for name in ("begin", "end", "yes", "closing"))
        edges = [*part["at"], end]
        seconds = [later - earlier for earlier, later in pairwise(edges)]
        p = part.p.clip(0.01, 0.99)
        logs = -np.log(np.where(yes == 1, p, 1 - p))
        first = part[part["at"] < start + HOUR]
        rows.append(
            {
                "caller": caller,
                "market": market,
                "opening": first.p.iloc[-1] if len(first) else np.nan,
                "brier": sum((part.p - yes) ** 2 * seconds) / sum(seconds),
                "log_score": sum(logs * seconds) / sum(seconds),
                "coverage": sum(seconds) / (close - start),
            }
        )
    return pd.DataFrame(rows).merge(settled_markets(), on="market").merge(peers(), on=["caller", "market"])


def expected_best(n: int) -> float:
    """The mean of the greatest of so many independent normal values, by its density."""
    x = np.linspace(-8, 8, 16_001)
    return np.trapezoid(x * n * stats.norm.pdf(x) * stats.norm.cdf(x) ** (n - 1), x)


def interval(values: pd.Series, weeks: pd.Series, correlation: float, memory: float, least: float) -> tuple[float, ...]:
    """The mean with its interval, from the covariance matrix that is expected and the measured sums of weeks."""
    n, groups = len(values), values.groupby(weeks)
    count, mean, variance = groups.ngroups, values.mean(), values.var(ddof=1)
    expected = correlation * memory ** np.abs(np.subtract.outer(weeks.to_numpy(), weeks.to_numpy()))
    np.fill_diagonal(expected, 1.0)
    sums = pd.DataFrame(expected).groupby(weeks.to_numpy()).sum().T.groupby(weeks.to_numpy()).sum().to_numpy() / n
    expectation = (count * np.trace(sums) - sums.sum()) / (count - 1)
    between = ((groups.sum() - mean * groups.size()) ** 2).sum() * count / (count - 1) / n / variance
    effect = max(1.0, sums.sum() * (20 + (count - 1) * between / expectation) / (20 + count - 1))
    rest = n / effect - 1
    errors = stats.t.ppf(0.975, min(20 + count - 1, rest)) + expected_best(ENTRANTS)
    half = errors * np.sqrt(max(variance, least) * (n - 1) / n / rest)
    return mean, mean - half, mean + half


def matches(scores: object, name: str, values: pd.Series, weeks: pd.Series, least: float = 0.0) -> None:
    """A Brier score and its interval are between 0 and 1; a difference of two may be negative.

    The variance of a difference is at `least` the one that the probabilities of the pool imply.
    """
    triple = [getattr(scores, f"{name}{end}") for end in ("", "_low", "_high")]
    within, expectation = ((0, 1), (2 / 116, 0.6)) if name == "brier" else ((-np.inf, np.inf), (4 / 116, 0.0))
    expected = np.clip(interval(values, weeks, *expectation, least), *within).tolist()
    assert triple == pytest.approx(expected, abs=6e-6, rel=1e-5)


def at_stake(losses: pd.Series, part: pd.DataFrame) -> float:
    """The mean variance of what was won or lost, if each market comes out YES as often as the pool said."""
    p = np.where(part.yes == 1, np.exp(-losses), 1 - np.exp(-losses))
    pool = part.pool.clip(0.01, 0.99)
    difference = np.log(p / pool) - np.log((1 - p) / (1 - pool))
    return (part.coverage**2 * difference**2 * part.pool * (1 - part.pool)).mean()


def losses_of(p: pd.Series, part: pd.DataFrame) -> pd.Series:
    return pd.Series([loss(*pair) for pair in zip(p, part.yes, strict=True)], index=part.index)


def longest(right: pd.Series) -> int:
    """The longest run of True."""
    return int(right.groupby((~right).cumsum()).sum().max())


def test_every_forecaster_is_scored_as_in_pandas(database: Database):
    document = shown(database)
    rows = {entry.name: entry for entry in document.entries}
    table = time_weighted()
    assert (document.forecasters, len(FRAME)) == (CALLERS, CALLERS * FORECASTS)
    assert {entry.entrants for entry in document.entries} == {ENTRANTS}
    assert sum(entry.kind == "forecaster" for entry in document.entries) == CALLERS
    for caller, part in table.groupby("caller"):
        part = part.sort_values(["resolved", "deadline", "market"])
        scores = rows[f"owl-{caller}"].time_weighted
        assert scores.n == len(part)
        assert scores.log_score == pytest.approx(part.log_score.mean(), abs=6e-6)
        assert scores.coverage_pct == pytest.approx(100 * part.coverage.mean(), abs=6e-3)
        matches(scores, "brier", part.brier, part.week)
        least = at_stake(part.log_score, part)
        pool = losses_of(part.pool, part)
        matches(scores, "peer", part.peer, part.week, least)
        matches(scores, "peer_pool", part.coverage * (pool - part.log_score), part.week, least)

        first = part[part.opening.notna()]
        brier, right = ((first.opening - first.yes) ** 2, (first.opening > 0.5) == (first.yes == 1))
        opening = rows[f"owl-{caller}"].opening
        assert (opening.n, opening.best) == (len(first), longest(right))
        assert opening.accuracy_pct == pytest.approx(100 * right.mean(), abs=6e-5)
        matches(opening, "brier", brier, first.week)
        losses = losses_of(first.opening, first)
        least = at_stake(losses, first.assign(coverage=1.0))
        matches(opening, "peer", first.opening_peer, first.week, least)
        matches(opening, "peer_pool", losses_of(first.pool, first) - losses, first.week, least)
        assert opening.log_score == pytest.approx(losses.mean(), abs=6e-6)


def test_luck_is_that_of_the_own_probabilities(database: Database):
    """Records drawn here, with other random numbers, have as many right sides as often."""
    dice = np.random.default_rng(5)
    table = time_weighted().dropna(subset=["opening"])
    callers = sorted((row for row in shown(database).entries if row.kind == "forecaster"), key=lambda row: row.name)
    for entry in callers[:10]:
        part = table[table.caller == int(entry.name.removeprefix("owl-"))]
        p = np.maximum(part.opening, 1 - part.opening).to_numpy()
        right = int(((part.opening > 0.5) == (part.yes == 1)).sum())
        share = np.mean((dice.random((4000, len(p))) < p).sum(axis=1) >= right)
        of_one = 1 - (1 - entry.opening.luck.accuracy_reached_pct / 100) ** (1 / entry.opening.luck.among)
        assert of_one >= 0.15 if share > 0.2 else of_one == pytest.approx(share, abs=0.09)


def test_the_ledger_reveals_every_forecast(database: Database):
    with database.reading() as db:
        verification = verify(ledger.export(db))
    assert (verification.fault, verification.forecasts, verification.revealed) == (None, len(FRAME), len(FRAME))
    assert verification.withheld == 0


def test_only_callers_with_new_scores_are_computed_again(database: Database, monkeypatch):
    """The work of an hour does not grow with the callers and markets of the past."""
    calls = []
    actual = score.__globals__["record_of"]
    monkeypatch.setitem(score.__globals__, "record_of", lambda *args: calls.append(1) or actual(*args))
    before = shown(database).entries
    _publish(database, END + HOUR)
    assert (calls, shown(database).entries) == ([], before)
    market = waiting("late", opened=END, p=0.5, votes={"vol": 0.5}, odds=None)
    with database.writing() as db:
        predictions.add_predictions(db, [market])
        (entry,) = ledger.append(db, [forecast_row("late", "id-3", 0.9, "salt")], END)
        forecasts.add_forecast(db, MarketForecast(entry.seq, "late", "id-3", END, 0.9, "salt"))
        settlement = replace(MARKETS[0].settlement, outcome="yes", resolved_at=END + DAY)
        keep_settlement(db, "late", settlement, END + DAY)
    _publish(database, END + DAY)
    counts = [{row.name: row.time_weighted.n for row in rows} for rows in (before, shown(database).entries)]
    assert len(calls) == 1
    assert counts[1]["owl-3"] == counts[0]["owl-3"] + 1


def test_all_are_computed_again_when_entrants_double(database: Database):
    """Those who have no name any more are entrants too, and the intervals of the others grow wider."""
    before = {entry.name: entry for entry in shown(database).entries}
    with database.writing() as db:
        for number in range(ENTRANTS):
            forecasts.forecaster_id(db, f"key:puppet-{number}", f"puppet-{number}", MONDAY)
            forecasts.count_since(db, f"puppet-{number}", 1)
        score = MarketForecastScore(0.6, 0.1, 0.16, 0.51, 0.9, 0.1)
        forecasts.add_scores(db, MARKETS[0].id, MONDAY, {f"puppet-{number}": score for number in range(ENTRANTS)})
    _publish(database, END + 2 * DAY)
    after = {entry.name: entry for entry in shown(database).entries}
    assert {entry.entrants for entry in after.values()} == {2 * ENTRANTS}
    for name in ("owl-1", "vol", "market"):
        assert after[name].opening.peer_pool_low < before[name].opening.peer_pool_low
        assert after[name].opening.peer_pool == before[name].opening.peer_pool
