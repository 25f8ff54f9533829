"""Prediction markets and challenges as frames, the votes on them, and the opinions of each hour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, Pages, pages_of

APEX = "apex"

SCORES = ("brier_ai", "brier_market", "log_ai", "log_market")
MARKET = (
    "question:text asset:text category:market_category comparator:comparator level upper_level"
    " status:open|closed|resolved|void outcome:outcome created_at:time closes_at:time deadline:time p_ai p_market"
    " divergence_pts bid ask volume_usd odds_source:text odds_fetched_at:time odds_simulated:maybe votes_yes:count"
    " votes_no:count abstained:count users_yes:count users_no:count price distance_pct hours_left ledger_seq:count"
    " backfilled:flag"
)
MARKETS = FrameSchema.of("id:text", f"{MARKET} resolved_at:time {' '.join(SCORES)} as_of:time world:world")
MARKET_SERIES = FrameSchema.of("time:time", "id:text source:ai|odds p_yes bid ask world:world")
CHALLENGES = FrameSchema.of("number:count", f"id:text {MARKET} votes_pending:flag timestamp:time world:world")
MARKET_VOTES = FrameSchema.of(
    "id:text voter:text",
    "p_yes direction:direction conviction weight engine:text fallback:maybe abstained:text voted_at:time"
    " backfilled:flag world:world",
)


def markets(source: Pages) -> pd.DataFrame:
    """Prediction markets with the probabilities of the pool and of an external market.

    Parameters
    ----------
    source : a page of `client.markets()` or `client.predictions()`, or several; `Archive.markets` downloads all

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
