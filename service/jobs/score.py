"""The scores of what was settled: streaks, the shadow book, and the comparison with the outside market."""

from __future__ import annotations

import numpy as np

from service.forecasting.predictions.scores.betting import shadow_document
from service.forecasting.predictions.scores.streaks import streaks_document
from service.forecasting.predictions.scores.versus import ai_vs_market_document
from service.jobs.documents import header
from service.jobs.job import Effects, JobContext
from service.jobs.predict import odds_sources
from service.market.instants import HOUR
from service.store import predictions, snapshots

EVERY_S = HOUR
# Drawn from the same seed every time, so that the same markets give the same document.
SEED = 20_260_401


def score(job_context: JobContext, slot: int) -> Effects:
    """Publish every score of what was settled by `slot`."""
    with job_context.database.reading() as db:
        predicted = predictions.listed(db)
    head = header(job_context, slot, EVERY_S)
    priced = header(job_context, slot, EVERY_S, sources=odds_sources(job_context))
    # Streaks are of markets alone: a caller may open a challenge on what is certain to happen.
    markets = [prediction for prediction in predicted if prediction.category != "challenge"]
    documents = {
        "streaks": streaks_document(markets, head, np.random.default_rng(SEED)),
        "shadow": shadow_document(predicted, priced),
        "ai-vs-market": ai_vs_market_document(predicted, priced, np.random.default_rng(SEED)),
    }
    return lambda db: snapshots.publish(db, slot, documents)
