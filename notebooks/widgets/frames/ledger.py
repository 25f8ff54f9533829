"""The public ledger as frames: its rows, and their votes, odds and outcomes, which join by subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import pandas as pd

from notebooks.widgets.frames.schema import (
    COMPARATOR,
    COUNT,
    FLAG,
    INSTANT,
    MARKET_CATEGORY,
    NUMBER,
    OBJECT,
    OUTCOME,
    TEXT,
    WORLD,
    Document,
    FrameSchema,
    one_of,
)

KIND = one_of(
    "question", "votes", "odds", "resolution", "score", "hospital", "lane_trade", "price_forecast", "correction"
)
RECORDED = {"seq": COUNT, "recorded_at": INSTANT, "corrected": FLAG, "backfilled": FLAG, "world": WORLD}

LEDGER = FrameSchema(
    {"seq": COUNT},
    {
        "recorded_at": INSTANT,
        "kind": KIND,
        "subject": TEXT,
        "body": OBJECT,
        "previous": TEXT,
        "hash": TEXT,
        "backfilled": FLAG,
        "world": WORLD,
    },
)
LEDGER_VOTES = FrameSchema(
    {"subject": TEXT, "voter": TEXT},
    {
        "p_yes": NUMBER,
        "weight": NUMBER,
        "engine": TEXT,
        "fallback": FLAG,
        "p_pool": NUMBER,
        "asset": TEXT,
        "category": MARKET_CATEGORY,
        "comparator": COMPARATOR,
        "voted_at": INSTANT,
        "deadline": INSTANT,
        **RECORDED,
    },
)
LEDGER_ODDS = FrameSchema(
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
LEDGER_OUTCOMES = FrameSchema(
    {"subject": TEXT},
    {"outcome": OUTCOME, "resolved_at": INSTANT, "source": TEXT, "evidence": TEXT, **RECORDED},
)

Rows = Document | Iterable[Document]


def ledger(source: Rows, world: str | None = None) -> pd.DataFrame:
    """The rows of the ledger as they were recorded.

    Parameters
    ----------
    source : a page of `client.ledger()`, several pages, or the parsed lines of `client.export_ledger()`, for example
        `map(json.loads, lines)`
    world : the world of the lines, `client.ledger_head()["world"]`; a page states its own

    Returns
    -------
    One row per ledger row, index `seq`; roots are left out. `body` is the recorded object, with instants in unix
    seconds. ValueError for lines without a `world`.
    """
    return LEDGER.frame(_entries(source, world))


def ledger_votes(source: Rows, world: str | None = None) -> pd.DataFrame:
    """The recorded votes.

    Parameters
    ----------
    source, world : as in `ledger`

    Returns
    -------
    One row per market and voter, index `subject`, the id of the market, and `voter`. `p_yes` is the P(YES) of the vote
    and `p_pool` that of the pool, in 0 to 1; `weight` is the weight of the voter. A `comparator` of `open` has no YES
    and is not scored. `corrected` marks a row that a later row of the source corrects.
    """
    return LEDGER_VOTES.frame(row for entry in _of_kind("votes", source, world) for row in _votes(entry))


def ledger_odds(source: Rows, world: str | None = None) -> pd.DataFrame:
    """The odds of the external markets at the time of the votes.

    Parameters
    ----------
    source, world : as in `ledger`

    Returns
    -------
    One row per market, index `subject`. `p_market`, `bid` and `ask` are P(YES) in 0 to 1; the `source` `simulated` is
    this service. `corrected` as in `ledger_votes`.
    """
    rows = ({**entry["body"], **entry, "p_market": entry["body"]["p_yes"]} for entry in _of_kind("odds", source, world))
    return LEDGER_ODDS.frame(rows)


def ledger_outcomes(source: Rows, world: str | None = None) -> pd.DataFrame:
    """The outcomes of the resolved markets.

    Parameters
    ----------
    source, world : as in `ledger`

    Returns
    -------
    One row per resolution, index `subject`, the id of the market. `source` names the origin of the outcome, `evidence`
    supports it; a market with the outcome `void` is not scored. `corrected` as in `ledger_votes`.
    """
    return LEDGER_OUTCOMES.frame({**entry["body"], **entry} for entry in _of_kind("resolution", source, world))


def _entries(source: Rows, world: str | None) -> Iterator[dict[str, Any]]:
    for item in [cast(Document, source)] if isinstance(source, Mapping) else source:
        if "entries" in item:
            yield from ({**entry, "world": item["world"]} for entry in item["entries"])
        elif item["type"] == "row":
            if world is None:
                raise ValueError('the lines have no world: pass world=client.ledger_head()["world"]')
            yield {**item, "world": world}


def _of_kind(kind: str, source: Rows, world: str | None) -> list[dict[str, Any]]:
    """The rows of a kind, each with whether a later row corrects it."""
    entries = list(_entries(source, world))
    corrected = {entry["body"]["corrects"] for entry in entries if entry["kind"] == "correction"}
    return [{**entry, "corrected": entry["seq"] in corrected} for entry in entries if entry["kind"] == kind]


def _votes(entry: Document) -> Iterator[dict[str, Any]]:
    body = entry["body"]
    market = {name: body["question"][name] for name in ("asset", "comparator")}
    market |= {name: body[name] for name in ("category", "voted_at", "deadline")}
    for vote in body["votes"]:
        # The ledger records `fallback` only for language models.
        yield {"fallback": False, **vote, **market, **entry, "p_yes": vote["p"], "p_pool": body["p"]}
