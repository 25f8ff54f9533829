"""The scores of markets and challenges; a job process computes them again only when the markets have changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
from sqlalchemy import Connection

from service.documents import DocumentHeader
from service.forecasting.predictions.scores.betting import ShadowDocument, shadow_document
from service.forecasting.predictions.scores.columns import MarketColumns, counted_questions
from service.forecasting.predictions.scores.forecasters import (
    CountedMarkets,
    ForecasterEntry,
    counted_markets,
    own_entries,
)
from service.forecasting.predictions.scores.streaks import StreakHistory, StreaksDocument, streaks_document
from service.forecasting.predictions.scores.versus import AiVsMarketDocument, ai_vs_market_document
from service.scores.luck import RecordsByName, simulated_records
from service.store.listings import Listed, ListedMarkets

SEED = 20_260_401  # of what scores draw: the same markets give the same documents


@dataclass(frozen=True)
class Scores:
    """Three documents, the questions of the streaks, and what the table of forecasters is made of."""

    streaks: StreaksDocument
    history: StreakHistory
    shadow: ShadowDocument
    versus: AiVsMarketDocument
    counted: CountedMarkets
    own: list[ForecasterEntry]


class ScoreMemory:
    """Holds the markets seen last with their scores: most hours settle nothing and open nothing."""

    def __init__(self) -> None:
        self._listed = ListedMarkets()
        self._records = simulated_records(SEED)
        self._held: tuple[Listed, Scores] | None = None
        self._lock = Lock()

    def read(self, db: Connection, header: DocumentHeader, priced: DocumentHeader) -> Scores:
        """The scores of everything listed; `priced` is the header of the documents that show outside odds."""
        with self._lock:
            listed, held = self._listed.load(db), self._held
            if held is None or listed.settled is not held[0].settled or listed.unsettled != held[0].unsettled:
                self._held = held = listed, compute(listed.columns(), header, priced, self._records)
            scores = held[1]
            return replace(
                scores,
                streaks=replace(scores.streaks, **vars(header)),
                shadow=replace(scores.shadow, **vars(priced)),
                versus=replace(scores.versus, **vars(priced)),
            )


def compute(listed: MarketColumns, header: DocumentHeader, priced: DocumentHeader, records: RecordsByName) -> Scores:
    """The scores of markets and challenges, from `records` simulated so far."""
    # Streaks are of markets alone: a caller may open a challenge on what is certain to happen.
    questions, counted = counted_questions(listed.where(~listed.is_challenge)), counted_markets(listed)
    return Scores(
        streaks=streaks_document(questions, header, records),
        history=StreakHistory(questions),
        shadow=shadow_document(listed, priced),
        versus=ai_vs_market_document(listed, priced, np.random.default_rng(SEED)),
        counted=counted,
        own=own_entries(counted, records),
    )
