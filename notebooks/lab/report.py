"""The backtest of a voter: walked forward, then scored beside the nine, their pool and the external market."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from notebooks.lab.archive import Archive, record_from
from notebooks.lab.record import MarketRecord
from notebooks.lab.reliability import MARKET, POOL, forecasters_of, forecasts_table
from notebooks.lab.scores import BANDS, Array, WeeklyMean, Weeks, correlation, earned_weight, weekly_mean
from notebooks.lab.strategies import ArenaReport, BarsByAsset, StrategyFunction, run_arena
from notebooks.lab.walk import BuildVoter, refuse_foresight, walk_forward
from service.scores.intervals import DIFFERENCES, LEAST_N, LEVELS
from service.scores.proper import brier, log_score
from service.trading.accounts import TERMS, AccountTerms

if TYPE_CHECKING:
    from notebooks.widgets.base.figure import Figure

COIN = "coin"


@dataclass(frozen=True)
class ScoredBook:
    """The markets of one book, live or backfilled, on which the voter gave a forecast and which resolved.

    `p` is P(YES) of the voter, `references` that of each other forecaster, NaN where it gave none. `odds_sources` names
    the external markets; the odds of a `simulated` one come from the service.
    """

    backfilled: bool
    p: Array
    references: Mapping[str, Array]
    outcomes: Array
    weeks: Weeks
    kinds: NDArray[np.str_]
    horizons: NDArray[np.str_]
    odds_sources: tuple[str, ...]

    def against(self, reference: str, chosen: Array | None = None) -> WeeklyMean:
        """The mean Brier score of the voter minus that of a reference on the same markets: below 0 it is better."""
        other = self.references[reference]
        mask = np.isfinite(other) if chosen is None else np.isfinite(other) & chosen
        difference = brier(self.p, self.outcomes) - brier(other, self.outcomes)
        return weekly_mean(difference[mask], self.weeks[mask], DIFFERENCES)

    def verdict(self, reference: str) -> str:
        """Whether the voter is better than a reference, in words."""
        difference = self.against(reference)
        if difference.n < LEAST_N:
            return "not enough resolved markets"
        if not difference.is_clear:
            return f"no clear difference from {self.name_of(reference)}"
        return f"{'better' if difference.mean < 0 else 'worse'} than {self.name_of(reference)}"

    def name_of(self, reference: str) -> str:
        """A reference in a sentence."""
        if reference == MARKET:
            return f"the external market ({', '.join(self.odds_sources)})"
        return f"the {reference}" if reference in (POOL, COIN) else reference


@dataclass(frozen=True, repr=False)
class BacktestReport:
    """What a backtest found, live and backfilled markets apart; `forecasts` is P(YES) by market.

    All of it is hindsight: a voter that was chosen because its backtest is good is not as good as its backtest. Of
    twenty voters without skill one has an interval that excludes 0; what counts is the tournament, see `enter`.
    """

    voter: str
    world: str
    forecasts: pd.Series
    books: tuple[ScoredBook, ...]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """One paragraph for each book."""
        return tuple(_verdict(self.world, book) for book in self.books) or (
            f"{self.world.upper()} · no market that it forecast has resolved yet.",
        )

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The voter beside each reference on the markets of both, index `forecaster`.

        `brier` and `log_score` are those of the row's forecaster on the `n` markets, lower is better; `difference` and
        `log_difference` are the voter's mean score minus the forecaster's, below 0 where the voter is better, with 95%
        intervals clustered by week. `coin` always says 50%.
        """
        return _table([row for book in self.books for row in self._score_rows(book)], "forecaster")

    @cached_property
    def templates(self) -> pd.DataFrame:
        """The voter against the pool on each kind of question, index `comparator`, in the columns of `scores`."""
        rows = []
        for book in self.books:
            for kind in sorted(set(book.kinds.tolist())):
                chosen = book.kinds == kind
                row = _difference_fields("", book.against(POOL, chosen))
                scores = {"brier": float(brier(book.p, book.outcomes)[chosen].mean())}
                rows.append({"comparator": kind, **scores, **row, **self._origin(book)})
        return _table(rows, "comparator")

    @cached_property
    def weights(self) -> pd.DataFrame:
        """The weight that the voter would earn beside the nine by the rule of the service, index `horizon`.

        Embedded engines have the weight 1; a weight is within 0.25 to 3. Horizons up to a day, up to a week and longer
        ones have records of their own.
        """
        rows = [row for book in self.books for row in self._weight_rows(book)]
        return _table(rows, "horizon")

    def chart(self, *, backfilled: bool = True) -> Figure:
        """The difference from each reference with its interval; left of zero the voter is better."""
        from notebooks.widgets.base.forest import forest_plot

        table = pd.DataFrame(columns=["difference", "low", "high", "n"])  # of a voter that only abstained
        if not self.scores.empty:
            chosen = (self.scores["backfilled"] == backfilled) & (self.scores.index != self.voter)
            table = self.scores.loc[chosen].dropna()
        origin = f"{self.world.upper()} · {'BACKFILLED' if backfilled else 'LIVE'} · left of zero it is better"
        return forest_plot(table, title=f"Brier score of {self.voter} minus that of each other", subtitle=origin)

    def __repr__(self) -> str:
        return "\n".join([self.voter, *self.verdicts])

    def _repr_html_(self) -> str:
        paragraphs = "".join(f"<p>{escape(verdict)}</p>" for verdict in self.verdicts)
        tables = {"Scores": self.scores, "Weight it would earn": self.weights, "By kind of question": self.templates}
        sections = (f"<b>{title}</b>{table.to_html(float_format='{:.4f}'.format)}" for title, table in tables.items())
        return f"<div><b>{escape(self.voter)}</b>{paragraphs}{''.join(sections)}</div>"

    def _origin(self, book: ScoredBook) -> dict[str, Any]:
        return {"backfilled": book.backfilled, "world": self.world}

    def _score_rows(self, book: ScoredBook) -> Iterator[dict[str, Any]]:
        for name, p in {self.voter: book.p, **book.references}.items():
            gave = np.isfinite(p)
            evidence = book.p[gave], book.outcomes[gave], book.weeks[gave]
            row = {"forecaster": name, "brier": float(brier(p[gave], evidence[1]).mean())}
            row["log_score"] = float(log_score(p[gave], evidence[1]).mean())
            if name == self.voter:
                row |= {"n": len(evidence[0]), "n_eff": weekly_mean(brier(*evidence[:2]), evidence[2], LEVELS).n_eff}
            else:
                logs = log_score(evidence[0], evidence[1]) - log_score(p[gave], evidence[1])
                row |= _difference_fields("", book.against(name))
                row |= _difference_fields("log_", weekly_mean(logs, evidence[2], DIFFERENCES))
                row["verdict"] = book.verdict(name)
            yield row | self._origin(book)

    def _weight_rows(self, book: ScoredBook) -> Iterator[dict[str, Any]]:
        nine = np.column_stack([p for name, p in book.references.items() if name not in (POOL, MARKET, COIN)])
        for band in BANDS:
            chosen = book.horizons == band
            if chosen.any():
                weight = earned_weight(book.p[chosen], nine[chosen], book.outcomes[chosen], book.weeks[chosen])
                yield {"horizon": band, "n": int(chosen.sum()), "weight": weight} | self._origin(book)


@overload
def backtest(voter: BuildVoter, source: Archive | MarketRecord, *, progress: bool = True) -> BacktestReport: ...


@overload
def backtest(
    voter: StrategyFunction | Mapping[str, StrategyFunction],
    source: pd.DataFrame | BarsByAsset,
    *,
    terms: AccountTerms = TERMS,
    progress: bool = True,
) -> ArenaReport: ...


def backtest(voter: Any, source: Any, *, terms: AccountTerms = TERMS, progress: bool = True) -> Any:
    """Walk a voter forward over the record, or trade strategies on bars; both are refused if they see the future.

    Parameters
    ----------
    voter : a class, or any function that builds a voter; it is built anew for every walk. `forecast(question, inputs)`
        returns P(YES), or None to abstain. `fit(examples)` is called at the beginning of every month with what had
        resolved by then, `prepare(bars)` once with all hourly bars by asset, if the voter has them. Over bars: a
        function from the bars of an asset to a target of -1 (short), 0 or 1 (long) at each close, or several by name.
    source : the archive of a service, or a record; or the bars that a strategy trades, a frame of `frames.candles` or
        `lab.read_bars`, or one for each asset by name
    terms : capital, fee, slippage, interest and floor of the accounts of a strategy; those of the service by default

    Returns
    -------
    For a voter its comparison with the nine voters, their pool and the external market; for strategies their accounts,
    statistics, luck and hospital. Both show themselves in a notebook. Raises VoterRefused or StrategyRefused: what is
    decided on a prefix of the data must be what is decided on all of it. A target is filled at the next open.
    """
    if not isinstance(source, Archive | MarketRecord):
        return run_arena(voter, source, terms=terms, progress=progress)
    record = record_from(source)
    forecasts = walk_forward(voter, record, progress=progress)
    refuse_foresight(voter, record, forecasts, progress=progress)
    table = forecasts_table(record)
    books = (_book(record, table, forecasts, backfilled) for backfilled in (False, True))
    name = getattr(voter, "__name__", type(voter).__name__)
    return BacktestReport(name, record.world, forecasts, tuple(book for book in books if len(book.p)))


def _book(record: MarketRecord, table: pd.DataFrame, forecasts: pd.Series, backfilled: bool) -> ScoredBook:
    """The book of those rows of `table`, which is that of `forecasts_table`, that the voter forecast."""
    p = forecasts.reindex(table.index)
    rows = table.loc[(table["backfilled"] == backfilled) & p.notna()]
    references = {name: rows[name].to_numpy() for name in forecasters_of(table)} | {COIN: np.full(len(rows), 0.5)}
    markets = (market for market in record.markets if market.question.id in rows.index)
    return ScoredBook(
        backfilled=backfilled,
        p=p.reindex(rows.index).to_numpy(),
        references={name: reference for name, reference in references.items() if np.isfinite(reference).any()},
        outcomes=rows["happened"].to_numpy(),
        weeks=rows["week"].to_numpy(),
        kinds=rows["kind"].to_numpy(str),
        horizons=rows["horizon"].to_numpy(str),
        odds_sources=tuple(sorted({market.odds_source for market in markets if market.odds_source})),
    )


def _verdict(world: str, book: ScoredBook) -> str:
    origin = f"{world.upper()} · {'BACKFILLED' if book.backfilled else 'LIVE'}"
    counts = f"{origin} · {len(book.p):,} markets in {len(np.unique(book.weeks))} weeks."
    if len(book.p) < LEAST_N:
        return f"{counts} Not enough resolved markets for a verdict: it takes {LEAST_N}."
    score = f"Brier {brier(book.p, book.outcomes).mean():.4f}, the coin 0.2500."
    comparisons = " ".join(
        f"Minus {book.name_of(name)}: {book.against(name)}, {book.verdict(name)}."
        for name in (POOL, MARKET, COIN)
        if name in book.references
    )
    relation = correlation(book.p, book.outcomes, book.weeks)
    says = "above zero" if relation.low > 0 else "no different from random" if relation.high > 0 else "below zero"
    return f"{counts} {score} {comparisons} Correlation of forecast and outcome: {relation}, {says}."


def _difference_fields(prefix: str, difference: WeeklyMean) -> dict[str, Any]:
    ends = {f"{prefix}{name}": getattr(difference, name) for name in ("low", "high")}
    counts = {} if prefix else {"n": difference.n, "n_eff": difference.n_eff}
    return {**counts, f"{prefix}difference": difference.mean, **ends}


def _table(rows: list[dict[str, Any]], index: str) -> pd.DataFrame:
    return pd.DataFrame(rows).set_index(index) if rows else pd.DataFrame()
