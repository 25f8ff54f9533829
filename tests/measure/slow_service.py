"""The service with voters that take their time, as language models do: what slow questions do to the rest."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import app
from service.forecasting import oracle
from service.forecasting.votes import Forecast

SECONDS_EACH = 1.0


@dataclass(frozen=True)
class Slow:
    """A voter that sleeps before it votes as the one it stands for."""

    inner: oracle.Voter

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def kind(self) -> str:
        return self.inner.kind

    @property
    def engine(self) -> str:
        return self.inner.engine

    def forecast(self, question, situation) -> Forecast:
        time.sleep(SECONDS_EACH)
        return self.inner.forecast(question, situation)


def slow_voters() -> tuple[Slow, ...]:
    """The nine, each a second late."""
    return tuple(Slow(voter) for voter in oracle.voters())


if __name__ == "__main__":
    app.voters = slow_voters
    sys.exit(app.main([]))
