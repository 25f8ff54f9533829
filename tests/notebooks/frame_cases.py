"""Each frame beside the rows of the document it is made of, in the words of the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from notebooks.widgets import frames
from notebooks.widgets.frames import accuracy, apex, battle, market, oracle, predictions, shadow, strategies
from notebooks.widgets.frames.hospital import HOSPITAL, HOSPITAL_MONTHS
from notebooks.widgets.frames.streaks import STREAKS
from notebooks.widgets.frames.table import Table

Row = dict[str, Any]


class Case(NamedTuple):
    """A frame: its function, its table, its document, and the rows that stand in that.

    A column is told by `told`, else by the field of its name in the row, else by that of the document.
    """

    function: Callable[[Any], Any]
    table: Table
    document: str
    rows: Callable[[Any], list[Row]]
    told: dict[str, Callable[[Row], Any]] = {}


def under(outer: str, inner: str) -> Callable[[Row], list[Row]]:
    """What lies under `inner` in each row under `outer`, with the fields of that row."""
    return lambda document: [{**row, **one} for row in document[outer] for one in row[inner]]


def votes_of(name: str) -> Callable[[Row], list[Row]]:
    def votes(document: Row) -> list[Row]:
        return [
            {**vote, "id": one["id"], "backfilled": one["backfilled"], "voter": voter}
            for one in document[name]
            for voter, vote in {**one["ai_votes"], **({"apex": one["apex"]} if one.get("apex") else {})}.items()
        ]

    return votes


def scores(document: Row) -> list[Row]:
    missing = {"engine": None, "skill": None, "against_vol": None}
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
        {**one, "forecaster": name, "bin": number + 1, "backfilled": book["backfilled"]}
        for book in document["books"]
        for name in ("ai", "market")
        if book["calibration"][name]
        for number, one in enumerate(book["calibration"][name]["bins"])
    ]


def differences(document: Row) -> list[Row]:
    missing = dict.fromkeys(("mean", "low", "high", "p_value", "weeks"))
    return [{**missing, **(book["difference"] or {}), **book} for book in document["books"]]


def patients(document: Row) -> list[Row]:
    month = document["snapshot_month"]
    return [{**row, **row["metrics"], "snapshot_month": month} for row in document["strategies"]]


def months(documents: list[Row]) -> list[Row]:
    shared = ("world", "as_of")
    return [{**row, **{name: one[name] for name in shared}} for one in documents for row in patients(one)]


def accuracies(document: Row) -> list[Row]:
    return [
        {**book, "layer": name}
        for name, books in [("apex", document["record"])]
        + [(one["name"], one["accuracy"]) for one in document["layers"]]
        for book in books
    ]


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
VOTED = {"abstained": lambda _row: None}
GAIN = {"pnl_pct": lambda row: 100 * (row["equity_usd"] / row["initial_capital"] - 1)}
LISTED = predictions.market_votes, predictions.MARKET_VOTES

CASES = {
    "lanes": Case(battle.lanes, battle.LANES, "battle", lambda told: told["lanes"], LANE),
    "lane_history": Case(
        battle.lane_history, battle.LANE_HISTORY, "battle_history", under("lanes", "points"), LANE | GAIN
    ),
    "lane_events": Case(battle.lane_events, battle.LANE_EVENTS, "battle_history", under("lanes", "events"), LANE),
    "positions": Case(battle.positions, battle.POSITIONS, "battle", lambda told: told["venues"]["cex"]["positions"]),
    "liquidity": Case(battle.liquidity, battle.LIQUIDITY, "battle", lambda told: told["venues"]["dex"]["liquidity"]),
    "leaderboard": Case(
        strategies.leaderboard,
        strategies.LEADERBOARD,
        "leaderboard",
        lambda told: told["entries"] + told["ghosts"],
        STANDING,
    ),
    "strategy_equity": Case(
        strategies.strategy_equity, strategies.STRATEGY_EQUITY, "strategy", lambda told: told["equity"]
    ),
    "strategy_trades": Case(
        strategies.strategy_trades, strategies.STRATEGY_TRADES, "strategy", lambda told: told["recent_trades"]
    ),
    "hospital": Case(frames.hospital, HOSPITAL, "hospital", patients, ASSETS),
    "hospital_months": Case(frames.hospital_months, HOSPITAL_MONTHS, "months", months, ASSETS),
    "markets": Case(predictions.markets, predictions.MARKETS, "predictions", lambda told: told["markets"], MARKET),
    "challenges": Case(
        predictions.challenges, predictions.CHALLENGES, "challenges", lambda told: told["challenges"], MARKET
    ),
    "market_votes": Case(*LISTED, "predictions", votes_of("markets"), VOTED),
    "challenge_votes": Case(*LISTED, "challenges", votes_of("challenges"), VOTED),
    "resolved_pairs": Case(
        accuracy.resolved_pairs, accuracy.RESOLVED_PAIRS, "ai_vs_market", lambda told: told["markets"]
    ),
    "scoreboard": Case(
        accuracy.scoreboard, accuracy.SCOREBOARD, "ai_vs_market", scores, {"forecaster": lambda row: row["voter"]}
    ),
    "paired_difference": Case(accuracy.paired_difference, accuracy.PAIRED_DIFFERENCE, "ai_vs_market", differences),
    "calibration": Case(accuracy.calibration, accuracy.CALIBRATION, "ai_vs_market", bins),
    "cumulative_brier": Case(
        accuracy.cumulative_brier, accuracy.CUMULATIVE_BRIER, "ai_vs_market", under("books", "cumulative")
    ),
    "streaks": Case(
        frames.streaks,
        STREAKS,
        "streaks",
        lambda told: [
            {**row, "luck_best": luck["expected_best"]}
            for row in told["streaks"]
            for luck in told["luck"]
            if luck["backfilled"] == row["backfilled"]
        ],
    ),
    "shadow_bets": Case(shadow.shadow_bets, shadow.SHADOW_BETS, "shadow", lambda told: told["open"] + told["recent"]),
    "shadow_books": Case(shadow.shadow_books, shadow.SHADOW_BOOKS, "shadow", lambda told: told["books"]),
    "shadow_curve": Case(shadow.shadow_curve, shadow.SHADOW_CURVE, "shadow", under("books", "curve")),
    "oracle_votes": Case(
        oracle.oracle_votes,
        oracle.ORACLE_VOTES,
        "ask",
        lambda told: [
            {**vote, "voter": voter, "pivotal": voter in told["consensus"]["pivotal"]}
            for voter, vote in told["votes"].items()
        ],
        VOTED,
    ),
    "apex_layers": Case(
        apex.apex_layers, apex.APEX_LAYERS, "apex", lambda told: told["layers"], {"layer": lambda row: row["name"]}
    ),
    "apex_accuracy": Case(apex.apex_accuracy, apex.APEX_ACCURACY, "apex", accuracies),
    "fund_equity": Case(apex.fund_equity, apex.FUND_EQUITY, "fund", lambda told: told["equity"]),
    "fund_trades": Case(apex.fund_trades, apex.FUND_TRADES, "fund", lambda told: told["trades"]),
    "headlines": Case(market.headlines, market.HEADLINES, "news", lambda told: told["headlines"], ASSETS),
    "prices": Case(market.prices, market.PRICES, "prices", lambda told: told["prices"]),
}
