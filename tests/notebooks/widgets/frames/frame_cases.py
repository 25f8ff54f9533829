"""Each frame with the rows of its document, in the field names of the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import getitem
from typing import Any, NamedTuple

import pandas as pd

from notebooks.widgets import frames
from notebooks.widgets.frames import (
    accuracy,
    apex,
    battle,
    market,
    oracle,
    predictions,
    shadow,
    strategies,
)
from notebooks.widgets.frames.answers import ANSWERS
from notebooks.widgets.frames.hospital import HOSPITAL, HOSPITAL_MONTHS
from notebooks.widgets.frames.price_forecasts import COVERAGES, PRICE_FORECASTS, PRICE_RECORD, QUANTILES
from notebooks.widgets.frames.schema import FrameSchema
from notebooks.widgets.frames.streaks import STREAKS

Row = dict[str, Any]


class FrameCase(NamedTuple):
    """A frame: its function, its schema, its document, and the rows of that document.

    The expected value of a column is that of `columns`, else the field of the row, else the field of the document.
    """

    function: Callable[[Any], Any]
    schema: FrameSchema
    document: str
    rows: Callable[[Any], list[Row]]
    columns: dict[str, Callable[[Row], Any]] = {}


def dtypes(frame: pd.DataFrame) -> dict[str, str]:
    """The names of the dtypes of a frame, those of its index first."""
    return {str(name): str(dtype) for name, dtype in frame.reset_index().dtypes.items()}


def dtypes_of(schema: FrameSchema) -> dict[str, str]:
    """The names of the dtypes that a schema declares; before pandas 3 a text is an object."""
    return {name: str(pd.Series(dtype=dtype).dtype) for name, dtype in schema.dtypes.items()}


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
            for voter, vote in {
                **market["ai_votes"],
                **({"apex": market["apex"]} if market.get("apex") else {}),
            }.items()
        ]

    return votes


def scores(document: Row) -> list[Row]:
    missing = {"engine": None}
    kinds = {"ai": "pool", "market": "market", "base_rate": "base_rate"}
    return [
        {**missing, **row, "backfilled": book["backfilled"]}
        for book in document["books"]
        for row in (
            *({**book[name], "kind": kind, "voter": name} for name, kind in kinds.items()),
            *book["voters"],
        )
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
    month = document["snapshot_month"]
    return [{**row, **row["metrics"], "snapshot_month": month} for row in document["strategies"]]


def months(documents: list[Row]) -> list[Row]:
    constants = ("world", "as_of")
    return [
        {**row, **{name: document[name] for name in constants}} for document in documents for row in patients(document)
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


NO_LUCK = dict.fromkeys(("expected_best", "best_reached_pct", "accuracy_reached_pct", "among"))
LANE = {"lane": lambda row: row["name"]}
ASSETS = {"assets": lambda row: " ".join(row["assets"])}
STANDING = {"ghost": lambda row: row["rank"] is None, "positions": lambda row: len(row["positions"])}
MARKET = {
    "comparator": lambda row: row["understood"]["comparator"],
    "level": lambda row: row["understood"]["level"],
    "upper_level": lambda row: row["understood"]["upper_level"],
    "outcome": lambda row: row["resolution"]["outcome"],
    "p_ai": lambda row: row["ai"]["p_yes"],
    "votes_yes": lambda row: row["ai"]["yes"],
    "votes_no": lambda row: row["ai"]["no"],
    "abstained": lambda row: len(row["abstained"]),
    "users_yes": lambda row: row["user_votes"]["yes"],
    "users_no": lambda row: row["user_votes"]["no"],
    "ledger_seq": lambda row: row["commitment"]["seq"],
    "p_market": lambda row: (row["market_odds"] or {}).get("p_yes"),
    "bid": lambda row: (row["market_odds"] or {}).get("bid"),
    "ask": lambda row: (row["market_odds"] or {}).get("ask"),
    "volume_usd": lambda row: (row["market_odds"] or {}).get("volume_usd"),
    "odds_source": lambda row: (row["market_odds"] or {}).get("source"),
    "odds_fetched_at": lambda row: (row["market_odds"] or {}).get("fetched_at"),
    "odds_simulated": lambda row: (row["market_odds"] or {}).get("simulated"),
    "price": lambda row: row["context"]["price"],
    "distance_pct": lambda row: row["context"]["distance_pct"],
    "hours_left": lambda row: row["context"]["hours_left"],
}
SCORES = {
    "resolved_at": lambda row: row["resolution"]["resolved_at"],
    **{
        name: lambda row, name=name: (row["score"] or {}).get(name)
        for name in ("brier_ai", "brier_market", "log_ai", "log_market")
    },
}
USD = {f"{name}_usd": lambda row, name=name: row[name] for name in ("open", "high", "low", "close")}
QUANTILE_COLUMNS = {f"q{percent}_usd": lambda row, name=str(percent): row["quantiles"][name] for percent in QUANTILES}
COVERAGE_COLUMNS = {
    f"coverage_{percent}_pct": lambda row, name=str(percent): (row["coverage_pct"] or {}).get(name)
    for percent in COVERAGES
}
ANSWER_FIELDS = {
    **{name: lambda row, name=name: row["understood"][name] for name in ("asset", "comparator", "deadline")},
    **{name: lambda row, name=name: (row["resolution"] or {}).get(name) for name in ("outcome", "resolved_at")},
    "brier": lambda row: (row["score"] or {}).get("brier"),
    "log_score": lambda row: (row["score"] or {}).get("log"),
}
NOT_ABSTAINED = {"abstained": lambda _row: None}
GAIN = {"pnl_pct": lambda row: 100 * (row["equity_usd"] / row["initial_capital"] - 1)}
VOTES = predictions.market_votes, predictions.MARKET_VOTES

CASES = {
    "lanes": FrameCase(battle.lanes, battle.LANES, "battle", rows_at("lanes"), LANE),
    "lane_history": FrameCase(
        battle.lane_history, battle.LANE_HISTORY, "battle_history", under("lanes", "points"), LANE | GAIN
    ),
    "lane_events": FrameCase(battle.lane_events, battle.LANE_EVENTS, "battle_history", under("lanes", "events"), LANE),
    "lane_event_pages": FrameCase(battle.lane_events, battle.LANE_EVENTS, "lane_events", rows_at("events")),
    "lane_equity": FrameCase(
        battle.lane_equity,
        battle.LANE_EQUITY,
        "lane_equity",
        rows_at("points"),
        {"backfilled": lambda row: row["time"] < "2026-11-21T08:02:00Z"},
    ),
    "positions": FrameCase(battle.positions, battle.POSITIONS, "battle", rows_at("venues", "cex", "positions")),
    "liquidity": FrameCase(battle.liquidity, battle.LIQUIDITY, "battle", rows_at("venues", "dex", "liquidity")),
    "leaderboard": FrameCase(
        strategies.leaderboard,
        strategies.LEADERBOARD,
        "leaderboard",
        lambda document: document["entries"] + document["ghosts"],
        STANDING,
    ),
    "strategy_equity": FrameCase(strategies.strategy_equity, strategies.STRATEGY_EQUITY, "strategy", rows_at("equity")),
    "strategy_trades": FrameCase(
        strategies.strategy_trades, strategies.STRATEGY_TRADES, "strategy", rows_at("recent_trades")
    ),
    "hospital": FrameCase(frames.hospital, HOSPITAL, "hospital", patients, ASSETS),
    "hospital_months": FrameCase(frames.hospital_months, HOSPITAL_MONTHS, "months", months, ASSETS),
    "markets": FrameCase(predictions.markets, predictions.MARKETS, "predictions", rows_at("markets"), MARKET | SCORES),
    "resolved_markets": FrameCase(
        predictions.markets,
        predictions.MARKETS,
        "resolved",
        rows_at("markets"),
        MARKET | SCORES | dict.fromkeys(("price", "distance_pct", "hours_left"), lambda _row: None),
    ),
    "challenges": FrameCase(
        predictions.challenges, predictions.CHALLENGES, "challenges", rows_at("challenges"), MARKET
    ),
    "market_votes": FrameCase(*VOTES, "predictions", votes_of("markets"), NOT_ABSTAINED),
    "challenge_votes": FrameCase(*VOTES, "challenges", votes_of("challenges"), NOT_ABSTAINED),
    "scoreboard": FrameCase(
        accuracy.scoreboard, accuracy.SCOREBOARD, "ai_vs_market", scores, {"forecaster": lambda row: row["voter"]}
    ),
    "paired_difference": FrameCase(accuracy.paired_difference, accuracy.PAIRED_DIFFERENCE, "ai_vs_market", differences),
    "calibration": FrameCase(accuracy.calibration, accuracy.CALIBRATION, "ai_vs_market", bins),
    "cumulative_brier": FrameCase(
        accuracy.cumulative_brier, accuracy.CUMULATIVE_BRIER, "ai_vs_market", under("books", "cumulative")
    ),
    "streaks": FrameCase(
        frames.streaks,
        STREAKS,
        "streaks",
        lambda document: [{**NO_LUCK, **row, **(row["luck"] or {})} for row in document["streaks"]],
    ),
    "shadow_books": FrameCase(shadow.shadow_books, shadow.SHADOW_BOOKS, "shadow", rows_at("books")),
    "shadow_curve": FrameCase(shadow.shadow_curve, shadow.SHADOW_CURVE, "shadow", under("books", "curve")),
    "oracle_votes": FrameCase(
        oracle.oracle_votes,
        oracle.ORACLE_VOTES,
        "ask",
        lambda document: [
            {**vote, "voter": voter, "pivotal": voter in document["consensus"]["pivotal"]}
            for voter, vote in document["votes"].items()
        ],
        NOT_ABSTAINED,
    ),
    "apex_layers": FrameCase(
        apex.apex_layers,
        apex.APEX_LAYERS,
        "apex",
        rows_at("layers"),
        {"layer": lambda row: row["name"]},
    ),
    "apex_accuracy": FrameCase(apex.apex_accuracy, apex.APEX_ACCURACY, "apex", accuracies),
    "fund_equity": FrameCase(apex.fund_equity, apex.FUND_EQUITY, "fund", rows_at("equity")),
    "fund_trades": FrameCase(apex.fund_trades, apex.FUND_TRADES, "fund", rows_at("trades")),
    "apex_calls": FrameCase(
        apex.apex_calls, apex.APEX_CALLS, "apex_calls", rows_at("calls"), {"spot_usd": lambda row: row["spot"]}
    ),
    "apex_call_layers": FrameCase(
        apex.apex_call_layers,
        apex.APEX_CALL_LAYERS,
        "apex_calls",
        under("calls", "layers"),
        {"layer": lambda row: row["name"]},
    ),
    "answers": FrameCase(frames.answers, ANSWERS, "answers", rows_at("answers"), ANSWER_FIELDS),
    "price_forecasts": FrameCase(frames.price_forecasts, PRICE_FORECASTS, "forecast", distributions, QUANTILE_COLUMNS),
    "price_record": FrameCase(frames.price_record, PRICE_RECORD, "forecast_record", price_records, COVERAGE_COLUMNS),
    "candles": FrameCase(market.candles, market.CANDLES, "candles", rows_at("bars"), USD),
    "headline_pages": FrameCase(market.headlines, market.HEADLINES, "headlines", rows_at("headlines"), ASSETS),
    "headlines": FrameCase(market.headlines, market.HEADLINES, "news", rows_at("headlines"), ASSETS),
    "prices": FrameCase(market.prices, market.PRICES, "prices", rows_at("prices")),
}
