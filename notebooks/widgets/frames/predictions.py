"""Open prediction markets and challenges as frames, and the votes on them."""

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
    one_of,
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
MARKETS = FrameSchema({"id": TEXT}, MARKET | {"as_of": INSTANT, "world": WORLD})
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


def markets(document: Document) -> pd.DataFrame:
    """The open prediction markets with the probabilities of the pool and of an external market.

    Parameters
    ----------
    document : the response of `client.predictions()`

    Returns
    -------
    One row per market, index `id`, the earliest deadline first. `p_` is P(YES) in 0 to 1, `divergence_pts` is `p_ai`
    minus `p_market` in percentage points, levels and prices are USD. Odds that are `odds_simulated` come from this
    service; the odds are missing if no external market asks the same question.
    """
    return MARKETS.frame(map(_market, document["markets"]), as_of=document["as_of"], world=document["world"])


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


def market_votes(document: Document) -> pd.DataFrame:
    """The votes on each market or challenge.

    Parameters
    ----------
    document : the response of `client.predictions()` or `client.challenges()`

    Returns
    -------
    One row per market and voter, index `id` and `voter`. `p_yes` is P(YES) in 0 to 1, `conviction` is 0 to 100,
    `weight` is 1 on average. A voter that abstained has a row with the reason in `abstained` and no vote. A challenge
    has a row for apex, too.
    """
    listed = document["challenges"] if "challenges" in document else document["markets"]
    return MARKET_VOTES.frame((row for market in listed for row in _votes(market)), world=document["world"])


def _market(market: Document) -> dict[str, Any]:
    ai, odds, context = (market[name] or {} for name in ("ai", "market_odds", "context"))
    understood, users = market["understood"], market["user_votes"]
    return {
        **market,
        **{name: understood[name] for name in ("comparator", "level", "upper_level")},
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


def _votes(market: Document) -> Iterator[dict[str, Any]]:
    shared = {"id": market["id"], "backfilled": market["backfilled"]}
    apex = {APEX: market[APEX]} if market.get(APEX) else {}
    for voter, vote in {**market["ai_votes"], **apex}.items():
        yield {**vote, **shared, "voter": voter, "abstained": None}
    for voter, reason in market["abstained"].items():
        yield {**dict.fromkeys(MARKET_VOTES.columns), **shared, "voter": voter, "abstained": reason}
