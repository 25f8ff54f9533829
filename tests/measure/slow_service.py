"""The service with voters that take their time, as language models do: what slow questions do to the rest."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import app
from service.forecasting.voters import panel
from service.forecasting.voters.ballots import Forecast
from service.forecasting.voters.panel import Voter

SECONDS_EACH = 1.0


@dataclass(frozen=True)
class Slow:
    """A voter that sleeps before it votes as the one it stands for."""

    inner: Voter

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def kind(self) -> str:
        return self.inner.kind

    @property
    def engine(self) -> str:
        return self.inner.engine

    def forecast(self, question, inputs) -> Forecast:
        time.sleep(SECONDS_EACH)
        return self.inner.forecast(question, inputs)


def slow_voters() -> tuple[Slow, ...]:
    """The nine, each a second late."""
    return tuple(Slow(voter) for voter in panel.voters())


if __name__ == "__main__":
    app.voters = slow_voters
    sys.exit(app.main([]))
