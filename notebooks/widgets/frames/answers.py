"""Frames of what a key has: its answered questions and the messages to its webhooks."""

from __future__ import annotations

from typing import Any

import pandas as pd

from notebooks.widgets.frames.schema import Document, FrameSchema, Pages, pages_of

ANSWERS = FrameSchema.of(
    "id:text",
    "question:text asset:text comparator:comparator p_yes asked_at:time deadline:time outcome:outcome"
    " resolved_at:time brier log_score world:world",
)
DELIVERIES = FrameSchema.of(
    "id:text",
    "event:text event_id:count state:text attempts:count status:count error:text first_attempt_at:time"
    " last_attempt_at:time duration_ms",
)


def answers(source: Pages) -> pd.DataFrame:
    """The answers of this key with their outcomes and scores.

    Parameters
    ----------
    source : a page of `client.answers()`, or several pages; `Archive.answers` downloads all of them

    Returns
    -------
    One row per answer, index `id`, the newest first. `p_yes` is P(YES) in 0 to 1, missing for a question without a
    criterion; the outcome and the scores are missing until the deadline.
    """
    return ANSWERS.frame(_row(answer) for page in pages_of(source) for answer in page["answers"])


def _row(answer: Document) -> dict[str, Any]:
    meaning, resolution, score = (answer[name] or {} for name in ("understood", "resolution", "score"))
    return {
        **answer,
        **{name: meaning.get(name) for name in ("asset", "comparator", "deadline")},
        **{name: resolution.get(name) for name in ("outcome", "resolved_at")},
        "brier": score.get("brier"),
        "log_score": score.get("log"),
    }


def deliveries(source: Pages) -> pd.DataFrame:
    """The messages to a webhook endpoint with their last attempts.

    Parameters
    ----------
    source : a page of `client.webhook_deliveries(id)`, or several pages; `Archive.deliveries` downloads all of them

    Returns
    -------
    One row per message, index `id`, the header `webhook-id`, the newest first. `event_id` is the row of the ledger;
    `status` is the HTTP status of the endpoint, missing without a response; `error` says why it was not accepted.
    """
    return DELIVERIES.frame(delivery for page in pages_of(source) for delivery in page["deliveries"])
