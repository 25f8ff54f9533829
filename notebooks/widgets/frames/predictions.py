"""Open prediction markets and challenges as frames, and who votes what on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import (
    CLAIM,
    COMPARATOR,
    COUNT,
    DIRECTION,
    INSTANT,
    MARKET_CATEGORY,
    MAYBE,
    NUMBER,
    OUTCOME,
    TEXT,
    WORLD,
    Table,
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
    "odds_simulated": MAYBE,
    "votes_yes": COUNT,
    "votes_no": COUNT,
    "abstained": COUNT,
    "users_yes": COUNT,
    "users_no": COUNT,
    "price": NUMBER,
    "distance_pct": NUMBER,
    "hours_left": NUMBER,
    "ledger_seq": COUNT,
    "backfilled": CLAIM,
}
MARKETS = Table({"id": TEXT}, MARKET | {"as_of": INSTANT, "world": WORLD})
CHALLENGES = Table(
    {"number": COUNT},
    {"id": TEXT, **MARKET, "votes_pending": CLAIM, "resolved_by": TEXT, "timestamp": INSTANT, "world": WORLD},
)
MARKET_VOTES = Table(
    {"id": TEXT, "voter": TEXT},
    {
        "p_yes": NUMBER,
        "direction": DIRECTION,
        "conviction": NUMBER,
        "weight": NUMBER,
        "engine": TEXT,
        "fallback": MAYBE,
        "abstained": TEXT,
        "voted_at": INSTANT,
        "backfilled": CLAIM,
        "world": WORLD,
    },
)
NO_VOTE = dict.fromkeys(("p_yes", "direction", "conviction", "weight", "engine", "fallback", "voted_at"))


def markets(document: Mapping[str, Any]) -> pd.DataFrame:
    """The open prediction markets with the pool's probability beside an outside market's.

    Parameters
    ----------
    document : that of `client.predictions()`

    Returns
    -------
    One row a market, index `id`, the earliest deadline first. `p_` is P(YES) in 0 to 1, `divergence_pts` is 100
    times `p_ai` less `p_market`, levels and prices are USD. Nobody traded at odds that are `odds_simulated`; all of
    an outside market is missing where none asks the same.
    """
    return MARKETS.frame(map(_market, document["markets"]), as_of=document["as_of"], world=document["world"])


def challenges(document: Mapping[str, Any]) -> pd.DataFrame:
    """The open challenges.

    Parameters
    ----------
    document : that of `client.challenges()`

    Returns
    -------
    One row a challenge, index `number`, as they stand at `timestamp`; columns as `markets` has them. What the voters
    say is missing while `votes_pending`.
    """
    return CHALLENGES.frame(
        map(_market, document["challenges"]), timestamp=document["timestamp"], world=document["world"]
    )


def market_votes(document: Mapping[str, Any]) -> pd.DataFrame:
    """Who says what on each market or challenge, one row a market and voter.

    Parameters
    ----------
    document : that of `client.predictions()` or of `client.challenges()`

    Returns
    -------
    Index `id` and `voter`. `p_yes` is P(YES) in 0 to 1, `conviction` is 0 to 100, `weight` is 1 on average. Who
    abstained has a row with the reason under `abstained` and no vote; apex stands beside the voters of a challenge.
    """
    listed = document["challenges"] if "challenges" in document else document["markets"]
    return MARKET_VOTES.frame((row for market in listed for row in _votes(market)), world=document["world"])


def _market(market: Mapping[str, Any]) -> dict[str, Any]:
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


def _votes(market: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    shared = {"id": market["id"], "backfilled": market["backfilled"]}
    beside = {APEX: market["apex"]} if market.get(APEX) else {}
    for voter, vote in {**market["ai_votes"], **beside}.items():
        yield {**vote, **shared, "voter": voter, "abstained": None}
    for voter, reason in market["abstained"].items():
        yield {**NO_VOTE, **shared, "voter": voter, "abstained": reason}
