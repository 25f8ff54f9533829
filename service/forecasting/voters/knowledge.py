"""What the voters forecast from, besides the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from service.forecasting.densities.fits import Fits
from service.forecasting.voters.context import Context
from service.forecasting.voters.evidence import Evidence
from service.forecasting.voters.track_record import TrackRecord


@dataclass(frozen=True)
class Knowledge:
    """The contexts by asset, the newest fits (None before the first) and the track record.

    `evidence` is for language models; it is empty where none votes. `lead` is the log return of a `relative` question's
    asset above that of the other one since its opening, where it is asked again later.
    """

    contexts: Mapping[str, Context]
    fits: Fits | None = None
    record: TrackRecord = field(default_factory=TrackRecord)
    evidence: Evidence = field(default_factory=Evidence)
    lead: float = 0.0

    @property
    def spots(self) -> dict[str, float]:
        """The last price of each asset in USD."""
        return {asset: context.spot for asset, context in self.contexts.items()}
