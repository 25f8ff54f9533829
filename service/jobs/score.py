"""How the voters have done on what was settled: streaks, the shadow book, and against the outside market."""

from __future__ import annotations

import numpy as np
from pydantic import TypeAdapter
from sqlalchemy import Connection

from service.forecasting.scores.betting import ShadowDocument, shadow_document
from service.forecasting.scores.streaks import StreaksDocument, streaks_document
from service.forecasting.scores.versus import AiVsMarketDocument, ai_vs_market_document
from service.jobs.documents import made
from service.jobs.job import Effects, Workshop
from service.market.instants import HOUR
from service.store import predictions, snapshots

EVERY_S = HOUR
# Intervals are drawn from the same numbers every time, so that the same markets give the same document.
SEED = 20_260_401

STREAKS = TypeAdapter(StreaksDocument)
SHADOW = TypeAdapter(ShadowDocument)
AI_VS_MARKET = TypeAdapter(AiVsMarketDocument)


def score(workshop: Workshop, slot: int) -> Effects:
    """Publish every score of what was settled by `slot`."""
    with workshop.database.reading() as db:
        settled, opened = predictions.settled(db), predictions.unresolved(db)
    head = made(workshop, slot, EVERY_S)
    # Anybody may challenge with what is sure to happen, so runs are of the markets alone.
    ours, waiting = ([one for one in some if one.market.category != "challenge"] for some in (settled, opened))
    files = {
        "streaks": STREAKS.dump_json(streaks_document(ours, waiting, head)),
        "shadow": SHADOW.dump_json(shadow_document(settled, opened, head, np.random.default_rng(SEED))),
        "ai-vs-market": AI_VS_MARKET.dump_json(ai_vs_market_document(settled, head, np.random.default_rng(SEED))),
    }

    def write(db: Connection) -> None:
        for name, body in files.items():
            snapshots.save(db, name, slot, body)

    return write
