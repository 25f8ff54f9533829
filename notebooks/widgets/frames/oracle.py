"""Frames of votes: those of an answer, and the inputs of recorded votes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, Pages, pages_of

ORACLE_VOTES = FrameSchema.of(
    "voter:text",
    "p_yes direction:direction conviction weight engine:text fallback:maybe outlier:maybe pivotal:maybe"
    " abstained:text reasoning:text latency_ms tokens:count usd question:text asked_at:time as_of:time world:world",
)
STATE = ("spot", "history_days", "fast", "slow", "level")
FEATURES = FrameSchema.of("voted_at:time", "hash:text asset:text feature:text value world:world")


def oracle_votes(answer: Document) -> pd.DataFrame:
    """The votes on a question.

    Parameters
    ----------
    answer : the response of `client.ask(question)`, or the last event of `client.ask_stream(question)`

    Returns
    -------
    One row per voter, index `voter`. `p_yes` is P(YES) in 0 to 1, missing for a question without a criterion;
    `conviction` is 0 to 100, `weight` is 1 on average, `usd` is the cost of a language model. Without a `pivotal` voter
    the likelier answer would be the other one. A voter that abstained has a row with the reason in `abstained` and no
    vote.
    """
    constants = {name: answer[name] for name in ("question", "asked_at", "as_of", "world")}
    return ORACLE_VOTES.frame(_rows(answer), **constants)


def _rows(answer: Document) -> Iterator[dict[str, Any]]:
    pivotal = answer["consensus"]["pivotal"]
    for voter, vote in answer["votes"].items():
        yield {**vote, "voter": voter, "pivotal": voter in pivotal, "abstained": None}
    for voter, reason in answer["abstained"].items():
        yield {**dict.fromkeys(ORACLE_VOTES.columns), "voter": voter, "abstained": reason}


def features(source: Pages) -> pd.DataFrame:
    """The inputs of the voters at each committed vote, in long form.

    Parameters
    ----------
    source : a page of `client.features()`, or several pages; `Archive.features` downloads all of them

    Returns
    -------
    One row per `hash`, `asset` and `feature`, index `voted_at`, UTC, the oldest first. `hash` is the `features` of the
    markets that were voted on from these inputs. The value of `spot` is USD, that of `history_days` in days; the others
    have no unit. It is missing where history was too short.
    """
    return FEATURES.frame({**row, "world": page["world"]} for page in pages_of(source) for row in _inputs(page))


def _inputs(page: Document) -> Iterator[dict[str, Any]]:
    for row in page["rows"]:
        for asset, context in row["inputs"]["contexts"].items():
            values = {name: context[name] for name in STATE} | context["inputs"] | context["variance"]
            for feature, value in values.items():
                yield {**row, "asset": asset, "feature": feature, "value": value}
