"""Each frame with the rows of its document, in the field names of the API."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, reduce
from operator import getitem
from typing import Any, NamedTuple

import pandas as pd

from notebooks.widgets import frames
from notebooks.widgets.frames.price_forecasts import COVERAGES, QUANTILES
from notebooks.widgets.frames.schema import FrameSchema

Row = dict[str, Any]


class FrameCase(NamedTuple):
    """A frame: its function, its document, and the rows of that document.

    The expected value of a column is that of `columns`, else the field of the row, else the field of the document.
    """

    function: Callable[[Any], Any]
    document: str
    rows: Callable[[Any], list[Row]]
    columns: dict[str, Callable[[Row], Any]] = {}

    @property
    def schema(self) -> FrameSchema:
        """It has the name of the function in capitals."""
        return getattr(sys.modules[self.function.__module__], self.function.__name__.upper())


def dtypes(frame: pd.DataFrame) -> dict[str, str]:
    """The names of the dtypes of a frame, those of its index first."""
    return {str(name): str(dtype) for name, dtype in frame.reset_index().dtypes.items()}


def dtypes_of(schema: FrameSchema) -> dict[str, str]:
    """The names of the dtypes that a schema declares; before pandas 3 a text is an object."""
    return {name: str(pd.Series(dtype=dtype).dtype) for name, dtype in schema.dtypes.items()}


def is_same(cell: Any, value: Any) -> bool:
    """Whether a cell has the value of the document."""
    if value is None:
        return pd.isna(cell)
    return cell == (pd.Timestamp(value) if isinstance(cell, pd.Timestamp) else value)


def other_cells(frame: pd.DataFrame, rows: list[Row], columns: dict[str, Callable[[Row], Any]], document: Row) -> list:
    """The cells that differ from their rows: the column, the cell, and the value that was expected as in FrameCase."""
    faults = []
    for name in frame:
        for cell, row in zip(frame[name], rows, strict=True):
            value = columns[name](row) if name in columns else row[name] if name in row else document[name]
            faults += [] if is_same(cell, value) else [(name, cell, value)]
    return faults


def rows_at(*path: str) -> Callable[[Row], list[Row]]:
    """The rows under nested field names of a document."""
    return lambda document: reduce(getitem, path, document)


def under(outer: str, inner: str) -> Callable[[Row], list[Row]]:
    """The elements of `inner` in each row of `outer`, with the fields of that row."""
    return lambda document: [{**row, **element} for row in document[outer] for element in row[inner]]


def votes_of(name: str) -> Callable[[Row], list[Row]]:
    def votes(document: Row) -> list[Row]:
        return [
            {**vote, "id": market["id"], "backfilled": market["backfilled"], "voter": voter}
            for market in document[name]
            for voter, vote in (market["ai_votes"] | {"apex": market.get("apex")}).items()
            if vote
        ]

    return votes


def scores(document: Row) -> list[Row]:
    missing = {"engine": None}
    kinds = {"ai": "pool", "market": "market", "base_rate": "base_rate"}
    return [
        {**missing, **row, "backfilled": book["backfilled"]}
        for book in document["books"]
        for row in (*({**book[name], "kind": kind, "voter": name} for name, kind in kinds.items()), *book["voters"])
    ]


def bins(document: Row) -> list[Row]:
    return [
        {**bin_, "forecaster": name, "bin": number + 1, "backfilled": book["backfilled"]}
        for book in document["books"]
        for name in ("ai", "market")
        if book["calibration"][name]
        for number, bin_ in enumerate(book["calibration"][name]["bins"])
    ]


def differences(document: Row) -> list[Row]:
    missing = dict.fromkeys(("n_eff", "mean", "low", "high", "p_value", "weeks"))
    return [{**missing, **(book["difference"] or {}), **book, **diversity(book)} for book in document["books"]]


def diversity(book: Row) -> Row:
    interval = book["diversity"] or {}
    fields = {"diversity": "diversity", "diversity_low": "low", "diversity_high": "high"}
    return {name: interval.get(field) for name, field in fields.items()}


def patients(document: Row) -> list[Row]:
    return [{**row, **row["metrics"], "snapshot_month": document["snapshot_month"]} for row in document["strategies"]]


def months(documents: list[Row]) -> list[Row]:
    return [
        row | {"world": document["world"], "as_of": document["as_of"]}
        for document in documents
        for row in patients(document)
    ]


def accuracies(document: Row) -> list[Row]:
    return [
        {**book, "layer": name}
        for name, books in [("apex", document["record"])]
        + [(layer["name"], layer["accuracy"]) for layer in document["layers"]]
        for book in books
    ]


def distributions(document: Row) -> list[Row]:
    return [
        {**horizon, **distribution, "voter": voter}
        for horizon in document["horizons"]
        for voter, distribution in {"pool": horizon, **horizon["voters"]}.items()
    ]


def price_records(document: Row) -> list[Row]:
    return [
        {**record, "horizon": horizon["horizon"], "backfilled": book["backfilled"], "asset": asset}
        for book in document["books"]
        for horizon in book["horizons"]
        for asset, record in [("all", horizon["all"]), *horizon["assets"].items()]
    ]


def streaks(document: Row) -> list[Row]:
    return [{**NO_LUCK, **row, **(row["luck"] or {})} for row in document["streaks"]]


def oracle_votes(document: Row) -> list[Row]:
    pivotal = document["consensus"]["pivotal"]
    return [{**vote, "voter": voter, "pivotal": voter in pivotal} for voter, vote in document["votes"].items()]


def values_at(text: str) -> dict[str, Callable[[Row], Any]]:
    """Columns by the places of their values in a row, `column=field.field`; nothing is inside of what is missing."""

    def value(row: Row, names: list[str]) -> Any:
        return reduce(lambda inner, name: None if inner is None else inner[name], names, row)

    pairs = [part.split("=") for part in text.split()]
    return {column: partial(value, names=path.split(".")) for column, path in pairs}


NO_LUCK = dict.fromkeys(("expected_best", "best_reached_pct", "accuracy_reached_pct", "among"))
LANE, LAYER = values_at("lane=name"), values_at("layer=name")
ASSETS = {"assets": lambda row: " ".join(row["assets"])}
STANDING = {"ghost": lambda row: row["rank"] is None, "positions": lambda row: len(row["positions"])}
MARKET = {"abstained": lambda row: len(row["abstained"])} | values_at(
    """
    comparator=understood.comparator level=understood.level upper_level=understood.upper_level
    outcome=resolution.outcome p_ai=ai.p_yes votes_yes=ai.yes votes_no=ai.no users_yes=user_votes.yes
    users_no=user_votes.no ledger_seq=commitment.seq p_market=market_odds.p_yes bid=market_odds.bid ask=market_odds.ask
    volume_usd=market_odds.volume_usd odds_source=market_odds.source odds_fetched_at=market_odds.fetched_at
    odds_simulated=market_odds.simulated price=context.price distance_pct=context.distance_pct
    hours_left=context.hours_left
    """
)
SCORES = values_at(
    """
    resolved_at=resolution.resolved_at brier_ai=score.brier_ai brier_market=score.brier_market log_ai=score.log_ai
    log_market=score.log_market
    """
)
PAST = dict.fromkeys(("price", "distance_pct", "hours_left"), lambda _row: None)
USD = values_at("open_usd=open high_usd=high low_usd=low close_usd=close")
QUANTILE_COLUMNS = values_at(" ".join(f"q{percent}_usd=quantiles.{percent}" for percent in QUANTILES))
COVERAGE_COLUMNS = values_at(" ".join(f"coverage_{percent}_pct=coverage_pct.{percent}" for percent in COVERAGES))
ANSWER_FIELDS = values_at(
    """
    asset=understood.asset comparator=understood.comparator deadline=understood.deadline outcome=resolution.outcome
    resolved_at=resolution.resolved_at brier=score.brier log_score=score.log
    """
)
NOT_ABSTAINED = {"abstained": lambda _row: None}
GAIN = {"pnl_pct": lambda row: 100 * (row["equity_usd"] / row["initial_capital"] - 1)}
BACKFILLED = {"backfilled": lambda row: row["time"] < "2026-11-21T08:02:00Z"}

CASES = {
    "lanes": FrameCase(frames.lanes, "battle", rows_at("lanes"), LANE),
    "lane_history": FrameCase(frames.lane_history, "battle_history", under("lanes", "points"), LANE | GAIN),
    "lane_events": FrameCase(frames.lane_events, "battle_history", under("lanes", "events"), LANE),
    "lane_event_pages": FrameCase(frames.lane_events, "lane_events", rows_at("events")),
    "lane_equity": FrameCase(frames.lane_equity, "lane_equity", rows_at("points"), BACKFILLED),
    "positions": FrameCase(frames.positions, "battle", rows_at("venues", "cex", "positions")),
    "liquidity": FrameCase(frames.liquidity, "battle", rows_at("venues", "dex", "liquidity")),
    "leaderboard": FrameCase(frames.leaderboard, "leaderboard", lambda d: d["entries"] + d["ghosts"], STANDING),
    "strategy_equity": FrameCase(frames.strategy_equity, "strategy", rows_at("equity")),
    "strategy_trades": FrameCase(frames.strategy_trades, "strategy", rows_at("recent_trades")),
    "hospital": FrameCase(frames.hospital, "hospital", patients, ASSETS),
    "hospital_months": FrameCase(frames.hospital_months, "months", months, ASSETS),
    "markets": FrameCase(frames.markets, "predictions", rows_at("markets"), MARKET | SCORES),
    "resolved_markets": FrameCase(frames.markets, "resolved", rows_at("markets"), MARKET | SCORES | PAST),
    "challenges": FrameCase(frames.challenges, "challenges", rows_at("challenges"), MARKET),
    "market_votes": FrameCase(frames.market_votes, "predictions", votes_of("markets"), NOT_ABSTAINED),
    "challenge_votes": FrameCase(frames.market_votes, "challenges", votes_of("challenges"), NOT_ABSTAINED),
    "scoreboard": FrameCase(frames.scoreboard, "ai_vs_market", scores, values_at("forecaster=voter")),
    "paired_difference": FrameCase(frames.paired_difference, "ai_vs_market", differences),
    "calibration": FrameCase(frames.calibration, "ai_vs_market", bins),
    "cumulative_brier": FrameCase(frames.cumulative_brier, "ai_vs_market", under("books", "cumulative")),
    "streaks": FrameCase(frames.streaks, "streaks", streaks),
    "shadow_books": FrameCase(frames.shadow_books, "shadow", rows_at("books")),
    "shadow_curve": FrameCase(frames.shadow_curve, "shadow", under("books", "curve")),
    "oracle_votes": FrameCase(frames.oracle_votes, "ask", oracle_votes, NOT_ABSTAINED),
    "apex_layers": FrameCase(frames.apex_layers, "apex", rows_at("layers"), LAYER),
    "apex_accuracy": FrameCase(frames.apex_accuracy, "apex", accuracies),
    "fund_equity": FrameCase(frames.fund_equity, "fund", rows_at("equity")),
    "fund_trades": FrameCase(frames.fund_trades, "fund", rows_at("trades")),
    "apex_calls": FrameCase(frames.apex_calls, "apex_calls", rows_at("calls"), values_at("spot_usd=spot")),
    "apex_call_layers": FrameCase(frames.apex_call_layers, "apex_calls", under("calls", "layers"), LAYER),
    "answers": FrameCase(frames.answers, "answers", rows_at("answers"), ANSWER_FIELDS),
    "price_forecasts": FrameCase(frames.price_forecasts, "forecast", distributions, QUANTILE_COLUMNS),
    "price_record": FrameCase(frames.price_record, "forecast_record", price_records, COVERAGE_COLUMNS),
    "candles": FrameCase(frames.candles, "candles", rows_at("bars"), USD),
    "headline_pages": FrameCase(frames.headlines, "headlines", rows_at("headlines"), ASSETS),
    "headlines": FrameCase(frames.headlines, "news", rows_at("headlines"), ASSETS),
    "prices": FrameCase(frames.prices, "prices", rows_at("prices")),
}
