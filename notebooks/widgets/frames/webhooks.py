"""The messages to a webhook endpoint as a frame."""

from __future__ import annotations

import pandas as pd

from notebooks.widgets.frames.schema import COUNT, INSTANT, NUMBER, TEXT, FrameSchema, Pages, pages_of

DELIVERIES = FrameSchema(
    {"id": TEXT},
    {
        "event": TEXT,
        "event_id": COUNT,
        "state": TEXT,
        "attempts": COUNT,
        "status": COUNT,
        "error": TEXT,
        "first_attempt_at": INSTANT,
        "last_attempt_at": INSTANT,
        "duration_ms": NUMBER,
    },
)


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
