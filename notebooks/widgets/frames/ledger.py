"""The public ledger as frames: its rows, and the votes, odds and outcomes they hold, to be joined by subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import (
    BODY,
    CLAIM,
    COMPARATOR,
    COUNT,
    INSTANT,
    MARKET_CATEGORY,
    NUMBER,
    OUTCOME,
    TEXT,
    WORLD,
    Table,
    one_of,
)

KIND = one_of("question", "votes", "odds", "resolution", "score", "hospital", "lane_trade", "correction")
RECORDED = {"seq": COUNT, "recorded_at": INSTANT, "corrected": CLAIM, "backfilled": CLAIM, "world": WORLD}

LEDGER = Table(
    {"seq": COUNT},
    {
        "recorded_at": INSTANT,
        "kind": KIND,
        "subject": TEXT,
        "body": BODY,
        "previous": TEXT,
        "hash": TEXT,
        "backfilled": CLAIM,
        "world": WORLD,
    },
)
LEDGER_VOTES = Table(
    {"subject": TEXT, "voter": TEXT},
    {
        "p_yes": NUMBER,
        "weight": NUMBER,
        "engine": TEXT,
        "fallback": CLAIM,
        "p_pool": NUMBER,
        "asset": TEXT,
        "category": MARKET_CATEGORY,
        "comparator": COMPARATOR,
        "voted_at": INSTANT,
        "deadline": INSTANT,
        **RECORDED,
    },
)
LEDGER_ODDS = Table(
    {"subject": TEXT},
    {
        "p_market": NUMBER,
        "bid": NUMBER,
        "ask": NUMBER,
        "volume_usd": NUMBER,
        "source": TEXT,
        "fetched_at": INSTANT,
        **RECORDED,
    },
)
LEDGER_OUTCOMES = Table(
    {"subject": TEXT},
    {"outcome": OUTCOME, "resolved_at": INSTANT, "source": TEXT, "evidence": TEXT, **RECORDED},
)

Told = Mapping[str, Any] | Iterable[Mapping[str, Any]]


def ledger(told: Told, world: str | None = None) -> pd.DataFrame:
    """The rows of the ledger as they were recorded.

    Parameters
    ----------
    told : a page of `client.ledger()`, several of them, or what the lines of `client.export_ledger()` hold, which
        `map(json.loads, lines)` reads
    world : of which world the lines are, as `client.ledger_head()["world"]` says; a page says it itself

    Returns
    -------
    One row a row, index `seq`. `body` is the object that was recorded, with instants in unix seconds. Roots are left
    out. ValueError for a row of which nobody says the world.
    """
    return LEDGER.frame(_entries(told, world))


def ledger_votes(told: Told, world: str | None = None) -> pd.DataFrame:
    """Every vote that was recorded, one row a market and voter.

    Parameters
    ----------
    told, world : as `ledger` takes them

    Returns
    -------
    Index `subject`, the market's id, and `voter`. `p_yes` is the vote and `p_pool` the pool's P(YES), in 0 to 1 as
    they were committed; `weight` is the voter's share. On a `comparator` of `open` there is no YES, and nothing is
    scored. `corrected` where a later row among those told corrects this one.
    """
    return LEDGER_VOTES.frame(row for entry in _of_kind("votes", told, world) for row in _votes(entry))


def ledger_odds(told: Told, world: str | None = None) -> pd.DataFrame:
    """What an outside market gave when the votes were cast.

    Parameters
    ----------
    told, world : as `ledger` takes them

    Returns
    -------
    One row a market, index `subject`. `p_market`, `bid` and `ask` are of YES in 0 to 1; a `source` of `simulated` is
    this service itself. `corrected` as in `ledger_votes`.
    """
    rows = ({**entry["body"], **entry, "p_market": entry["body"]["p_yes"]} for entry in _of_kind("odds", told, world))
    return LEDGER_ODDS.frame(rows)


def ledger_outcomes(told: Told, world: str | None = None) -> pd.DataFrame:
    """What became of each market that was resolved.

    Parameters
    ----------
    told, world : as `ledger` takes them

    Returns
    -------
    One row a resolution, index `subject`, the market's id. `source` is whose word it is, `evidence` what shows it; an
    outcome of `void` counts for nothing. `corrected` as in `ledger_votes`.
    """
    return LEDGER_OUTCOMES.frame({**entry["body"], **entry} for entry in _of_kind("resolution", told, world))


def _entries(told: Told, world: str | None) -> Iterator[dict[str, Any]]:
    for one in [told] if isinstance(told, Mapping) else told:
        if "entries" in one:
            yield from ({**entry, "world": one["world"]} for entry in one["entries"])
        elif one["type"] == "row":
            yield {**one, "world": _stated(world)}


def _stated(world: str | None) -> str:
    if world is None:
        raise ValueError('of which world are these lines? Pass world=client.ledger_head()["world"]')
    return world


def _of_kind(kind: str, told: Told, world: str | None) -> list[dict[str, Any]]:
    """The rows of a kind, with whether a later one corrects them."""
    entries = list(_entries(told, world))
    corrected = {entry["body"]["corrects"] for entry in entries if entry["kind"] == "correction"}
    return [{**entry, "corrected": entry["seq"] in corrected} for entry in entries if entry["kind"] == kind]


def _votes(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    body = entry["body"]
    asked = {name: body["question"][name] for name in ("asset", "comparator")}
    asked |= {name: body[name] for name in ("category", "voted_at", "deadline")}
    for vote in body["votes"]:
        # What was not so of a language model is not recorded.
        yield {"fallback": False, **vote, **asked, **entry, "p_yes": vote["p"], "p_pool": body["p"]}
