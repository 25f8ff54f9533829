"""Prediction markets and challenges as frames, the votes on them, and the opinions of each hour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import (
    COMPARATOR,
    COUNT,
    DIRECTION,
    FLAG,
    INSTANT,
    MARKET_CATEGORY,
    NUMBER,
    OPTIONAL_FLAG,
    OUTCOME,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    Pages,
    one_of,
    pages_of,
)

STATUS = one_of("open", "closed", "resolved", "void")
APEX = "apex"

MARKET = {
    "question": TEXT,
    "asset": TEXT,
    "category": MARKET_CATEGORY,
    "comparator": COMPARATOR,
    "level": NUMBER,
    "upper_level": NUMBER,
    "status": STATUS,
    "outcome": OUTCOME,
    "created_at": INSTANT,
    "closes_at": INSTANT,
    "deadline": INSTANT,
    "p_ai": NUMBER,
    "p_market": NUMBER,
    "divergence_pts": NUMBER,
    "bid": NUMBER,
    "ask": NUMBER,
    "volume_usd": NUMBER,
    "odds_source": TEXT,
    "odds_fetched_at": INSTANT,
    "odds_simulated": OPTIONAL_FLAG,
    "votes_yes": COUNT,
    "votes_no": COUNT,
    "abstained": COUNT,
    "users_yes": COUNT,
    "users_no": COUNT,
    "price": NUMBER,
    "distance_pct": NUMBER,
    "hours_left": NUMBER,
    "ledger_seq": COUNT,
    "backfilled": FLAG,
}
SCORES = ("brier_ai", "brier_market", "log_ai", "log_market")
MARKETS = FrameSchema(
    {"id": TEXT},
    MARKET | {"resolved_at": INSTANT, **dict.fromkeys(SCORES, NUMBER), "as_of": INSTANT, "world": WORLD},
)
MARKET_SERIES = FrameSchema(
    {"time": INSTANT},
    {"id": TEXT, "source": one_of("ai", "odds"), "p_yes": NUMBER, "bid": NUMBER, "ask": NUMBER, "world": WORLD},
)
CHALLENGES = FrameSchema(
    {"number": COUNT},
    {"id": TEXT, **MARKET, "votes_pending": FLAG, "resolved_by": TEXT, "timestamp": INSTANT, "world": WORLD},
)
MARKET_VOTES = FrameSchema(
    {"id": TEXT, "voter": TEXT},
    {
        "p_yes": NUMBER,
        "direction": DIRECTION,
        "conviction": NUMBER,
        "weight": NUMBER,
        "engine": TEXT,
        "fallback": OPTIONAL_FLAG,
        "abstained": TEXT,
        "voted_at": INSTANT,
        "backfilled": FLAG,
        "world": WORLD,
    },
)


def markets(source: Pages) -> pd.DataFrame:
    """Prediction markets with the probabilities of the pool and of an external market.

    Parameters
    ----------
    source : a page of `client.predictions()`, or several pages; `Archive.markets` downloads all of them

    Returns
    -------
    One row per market, index `id`, in the order of the source. `p_` is P(YES) in 0 to 1, `divergence_pts` is `p_ai`
    minus `p_market` in percentage points, levels and prices are USD. Odds that are `odds_simulated` come from this
    service; the odds are missing if no external market asks the same question. The scores are those of a resolved
    market: `brier_` and `log_` of the pool and of the external market, lower is better.
    """
    return MARKETS.frame(
        {**_market(market), **_resolution(market), "as_of": page["as_of"], "world": page["world"]}
        for page in pages_of(source)
        for market in page["markets"]
    )


def challenges(document: Document) -> pd.DataFrame:
    """The open challenges.

    Parameters
    ----------
    document : the response of `client.challenges()`

    Returns
    -------
    One row per challenge, index `number`, with the columns of `markets`; `timestamp` is the time of the response. The
    votes are missing while `votes_pending`.
    """
    return CHALLENGES.frame(
        map(_market, document["challenges"]), timestamp=document["timestamp"], world=document["world"]
    )


def market_votes(source: Pages) -> pd.DataFrame:
    """The votes on each market or challenge.

    Parameters
    ----------
    source : the response of `client.challenges()`, a page of `client.predictions()`, or several pages

    Returns
    -------
    One row per market and voter, index `id` and `voter`. `p_yes` is P(YES) in 0 to 1, `conviction` is 0 to 100,
    `weight` is 1 on average. A voter that abstained has a row with the reason in `abstained` and no vote. A challenge
    has a row for apex, too.
    """
    return MARKET_VOTES.frame(
        {**row, "world": page["world"]}
        for page in pages_of(source)
        for market in page["challenges" if "challenges" in page else "markets"]
        for row in _votes(market)
    )


def market_series(document: Document, world: str) -> pd.DataFrame:
    """The hourly opinions on a market while it was open; none of them is scored.

    Parameters
    ----------
    document : the response of `client.prediction(id)`
    world : the world of the service, which the document does not state, for example `client.widget()["world"]`

    Returns
    -------
    One row per hour and `source`, index `time`, UTC: `ai` is the pool of the voters, `odds` the external market with
    its `bid` and `ask`; `p_yes` is P(YES) in 0 to 1.
    """
    constants = {"id": document["id"], "bid": None, "ask": None}
    rows = (
        {**constants, **point, "time": point["as_of"], "source": source}
        for source in ("ai", "odds")
        for point in document[f"{source}_series"]
    )
    return MARKET_SERIES.frame(rows, world=world)


def _market(market: Document) -> dict[str, Any]:
    ai, odds, context = (market[name] or {} for name in ("ai", "market_odds", "context"))
    meaning, users = market["understood"], market["user_votes"]
    return {
        **market,
        **{name: meaning[name] for name in ("comparator", "level", "upper_level")},
        "outcome": market["resolution"]["outcome"],
        "p_ai": ai.get("p_yes"),
        "votes_yes": ai.get("yes"),
        "votes_no": ai.get("no"),
        "abstained": len(market["abstained"]),
        "p_market": odds.get("p_yes"),
        **{name: odds.get(name) for name in ("bid", "ask", "volume_usd")},
        **{f"odds_{name}": odds.get(name) for name in ("source", "fetched_at", "simulated")},
        "users_yes": users["yes"],
        "users_no": users["no"],
        **{name: context.get(name) for name in ("price", "distance_pct", "hours_left")},
        "ledger_seq": market["commitment"] and market["commitment"]["seq"],
    }


def _resolution(market: Document) -> dict[str, Any]:
    scores = market["score"] or {}
    return {"resolved_at": market["resolution"]["resolved_at"], **{name: scores.get(name) for name in SCORES}}


def _votes(market: Document) -> Iterator[dict[str, Any]]:
    constants = {"id": market["id"], "backfilled": market["backfilled"]}
    apex = {APEX: market[APEX]} if market.get(APEX) else {}
    for voter, vote in {**market["ai_votes"], **apex}.items():
        yield {**vote, **constants, "voter": voter, "abstained": None}
    for voter, reason in market["abstained"].items():
        yield {**dict.fromkeys(MARKET_VOTES.columns), **constants, "voter": voter, "abstained": reason}
