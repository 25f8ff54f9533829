"""The public ledger as frames: its rows and roots, and their votes, odds and outcomes, which join by `id`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, Pages, pages_of

KIND = (
    "kind:question|votes|odds|resolution|score|answer|hospital|lane_trade|price_forecast|apex|consensus|name|forecast"
    "|reveal|correction|handover"
)

LEDGER = FrameSchema.of(
    "seq:count", f"recorded_at:time {KIND} subject:text body:object previous:text hash:text backfilled:flag world:world"
)
LEDGER_VOTES = FrameSchema.of(
    "id:text voter:text",
    "p_yes weight engine:text fallback:flag p_pool question:text asset:text category:market_category"
    " comparator:comparator level upper_level spot_usd horizon_h voted_at:time deadline:time seq:count"
    " recorded_at:time corrected:flag backfilled:flag world:world",
)
LEDGER_ODDS = FrameSchema.of(
    "id:text",
    "p_market bid ask volume_usd source:text fetched_at:time seq:count recorded_at:time corrected:flag"
    " backfilled:flag world:world",
)
LEDGER_OUTCOMES = FrameSchema.of(
    "id:text",
    "outcome:outcome resolved_at:time source:text evidence:text seq:count recorded_at:time corrected:flag"
    " backfilled:flag world:world",
)
LEDGER_ROOTS = FrameSchema.of(
    "day:text",
    "first_seq:count last_seq:count signed_at:time root:text head:text previous:text key:text signature:text"
    " world:world",
)


def ledger(source: Pages, world: str | None = None) -> pd.DataFrame:
    """The rows of the ledger as they were recorded.

    Parameters
    ----------
    source : a page of `client.ledger()`, several pages, or the parsed lines of `client.export_ledger()`, for example
        `map(json.loads, lines)`
    world : the world of the lines, `client.ledger_head()["world"]`; a page states its own

    Returns
    -------
    One row per ledger row, index `seq`; roots are left out. `body` is the recorded object; rows of
    the first edition have unix seconds in it. ValueError for lines without a `world`.
    """
    return LEDGER.frame(_entries(source, world))


def ledger_votes(source: Pages, world: str | None = None) -> pd.DataFrame:
    """The recorded votes.

    Parameters
    ----------
    source, world : as in `ledger`

    Returns
    -------
    One row per market and voter, index `id`, that of the market, and `voter`. `p_yes` is the P(YES) of the vote and
    `p_pool` that of the pool, in 0 to 1; `weight` is the weight of the voter. Levels and `spot_usd`, the price at the
    vote, are USD, `horizon_h` is in hours. The `question` of a challenge is its canonical sentence, and missing for a
    topic, whose words the ledger hides. A `comparator` of `open` has no YES and is not scored. `corrected` marks a
    row that a later row of the source corrects.
    """
    return _votes_frame(list(_entries(source, world)))


def ledger_odds(source: Pages, world: str | None = None) -> pd.DataFrame:
    """The odds of the external markets at the time of the votes.

    Parameters
    ----------
    source, world : as in `ledger`

    Returns
    -------
    One row per market, index `id`. `p_market`, `bid` and `ask` are P(YES) in 0 to 1; the `source` `simulated` is
    this service. `corrected` as in `ledger_votes`.
    """
    rows = (
        {**entry["body"], **entry, "p_market": entry["body"]["p_yes"]}
        for entry in _of_kind("odds", list(_entries(source, world)))
    )
    return LEDGER_ODDS.frame(rows)


def ledger_outcomes(source: Pages, world: str | None = None) -> pd.DataFrame:
    """The outcomes of the resolved markets.

    Parameters
    ----------
    source, world : as in `ledger`

    Returns
    -------
    One row per resolution, index `id`, that of the market. `source` names the origin of the outcome, `evidence`
    supports it; a market with the outcome `void` is not scored. `corrected` as in `ledger_votes`.
    """
    return _outcomes_frame(list(_entries(source, world)))


def resolved_votes(source: Pages, world: str | None = None) -> pd.DataFrame:
    """The recorded votes on markets that resolved yes or no, with outcomes and scores; corrected rows are left out.

    Parameters
    ----------
    source, world : as in `ledger`; the source holds the rows of votes and those of resolutions

    Returns
    -------
    One row per market and voter, index `id` and `voter`, with the columns of `ledger_votes` and `outcome`,
    `resolved_at`, and `brier`, the squared error of `p_yes`.
    """
    entries = list(_entries(source, world))
    votes, outcomes = _votes_frame(entries), _outcomes_frame(entries)
    resolutions = outcomes.loc[~outcomes["corrected"] & outcomes["outcome"].isin(["yes", "no"])]
    ballots = votes.loc[~votes["corrected"] & (votes["comparator"] != "open")]
    last = resolutions.loc[~resolutions.index.duplicated(keep="last")].reindex(ballots.index.get_level_values("id"))
    table = ballots.assign(**{name: last.loc[:, name].array for name in ("outcome", "resolved_at")})
    table = table[table["outcome"].notna()]
    return table.assign(brier=(table["p_yes"] - (table["outcome"] == "yes")) ** 2)


def ledger_roots(source: Pages) -> pd.DataFrame:
    """The signed roots of the ledger.

    Parameters
    ----------
    source : a page of `client.ledger_roots()`, or several pages

    Returns
    -------
    One row per root, index `day` (`2026-11-21`, UTC). The `signature` by `key` binds the rows `first_seq` to
    `last_seq`.
    """
    return LEDGER_ROOTS.frame({**root, "world": page["world"]} for page in pages_of(source) for root in page["roots"])


def _entries(source: Pages, world: str | None) -> Iterator[dict[str, Any]]:
    for item in pages_of(source):
        if "entries" in item:
            yield from ({**entry, "world": item["world"]} for entry in item["entries"])
        elif item["type"] == "row":
            if world is None:
                raise ValueError('the lines have no world: pass world=client.ledger_head()["world"]')
            yield {**item, "world": world}


def _votes_frame(entries: list[dict[str, Any]]) -> pd.DataFrame:
    return LEDGER_VOTES.frame(row for entry in _of_kind("votes", entries) for row in _votes(entry))


def _outcomes_frame(entries: list[dict[str, Any]]) -> pd.DataFrame:
    return LEDGER_OUTCOMES.frame({**entry["body"], **entry} for entry in _of_kind("resolution", entries))


def _of_kind(kind: str, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a kind, each with the `id` of its market and whether a later row corrects it."""
    corrections = {entry["body"]["corrects"] for entry in entries if entry["kind"] == "correction"}
    chosen = (entry for entry in entries if entry["kind"] == kind)
    return [{**entry, "id": entry["subject"], "corrected": entry["seq"] in corrections} for entry in chosen]


def _votes(entry: Document) -> Iterator[dict[str, Any]]:
    body = entry["body"]
    question = body["question"]
    market = {name: question[name] for name in ("asset", "comparator", "level", "upper_level")}
    # The words of a person are a hash in the ledger; the sentence beside it says the same of all but topics.
    sentences = (question.get(name) for name in ("text", "canonical"))
    sentence = next((words for words in sentences if isinstance(words, str)), None)
    market |= {"question": sentence, "spot_usd": question["spot"], "horizon_h": question["horizon_hours"]}
    market |= {name: body[name] for name in ("category", "voted_at", "deadline")}
    for vote in body["votes"]:
        # The ledger records `fallback` only for language models.
        yield {"fallback": False, **vote, **market, **entry, "p_yes": vote["p"], "p_pool": body["p"]}
