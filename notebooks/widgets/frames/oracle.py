"""An answer of the oracle as a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from notebooks.widgets.frames.table import COUNT, DIRECTION, INSTANT, MAYBE, NUMBER, TEXT, WORLD, Table

ORACLE_VOTES = Table(
    {"voter": TEXT},
    {
        "p_yes": NUMBER,
        "direction": DIRECTION,
        "conviction": NUMBER,
        "weight": NUMBER,
        "engine": TEXT,
        "fallback": MAYBE,
        "outlier": MAYBE,
        "pivotal": MAYBE,
        "abstained": TEXT,
        "reasoning": TEXT,
        "latency_ms": NUMBER,
        "tokens": COUNT,
        "usd": NUMBER,
        "question": TEXT,
        "asked_at": INSTANT,
        "as_of": INSTANT,
        "world": WORLD,
    },
)
OF_A_VOTE = (
    "p_yes",
    "direction",
    "conviction",
    "weight",
    "engine",
    "fallback",
    "outlier",
    "pivotal",
    "reasoning",
    "latency_ms",
    "tokens",
    "usd",
)


def oracle_votes(answer: Mapping[str, Any]) -> pd.DataFrame:
    """Who voted what on a question.

    Parameters
    ----------
    answer : that of `client.ask(question)`, or the last event of `client.ask_stream(question)`

    Returns
    -------
    One row a voter, index `voter`. `p_yes` is P(YES) in 0 to 1, missing where the question has no YES; `conviction` is
    0 to 100, `weight` 1 on average, `usd` what a language model was paid; without a `pivotal` voter the direction would
    be another. Who abstained has a row with the reason under `abstained` and no vote.
    """
    shared = {name: answer[name] for name in ("question", "asked_at", "as_of", "world")}
    return ORACLE_VOTES.frame(_rows(answer), **shared)


def _rows(answer: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    pivotal = answer["consensus"]["pivotal"]
    for voter, vote in answer["votes"].items():
        yield {**vote, "voter": voter, "pivotal": voter in pivotal, "abstained": None}
    for voter, reason in answer["abstained"].items():
        yield {**dict.fromkeys(OF_A_VOTE), "voter": voter, "abstained": reason}
