"""A market as the scores see it while it is open: what was committed on it, and what an outside market gave."""

from __future__ import annotations

from typing import Protocol

from service.forecasting.predictions import Commitment, Odds, PredictionMarket


class Opened(Protocol):
    """Whatever carries a market with its votes and odds, such as a stored row; a settled one does too."""

    @property
    def market(self) -> PredictionMarket: ...

    @property
    def commitment(self) -> Commitment | None: ...

    @property
    def odds(self) -> Odds | None: ...
