"""The application with a price of bitcoin and a panel that can answer, for tests of the oracle."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flask import Flask

from service.api.application import create_app
from service.api.services import Services
from service.config import Settings
from service.forecasting.voters.ballots import EMBEDDED, Abstention, Forecast, VoterKind
from service.forecasting.voters.context import Context
from service.forecasting.voters.embedded import voters
from service.forecasting.voters.forecast_inputs import ForecastInputs
from service.forecasting.voters.panel import Panel
from service.market.bars import from_rows
from service.market.instants import WorldClock
from service.questions.question import Question
from service.store import bars
from service.store.database import Database
from service.store.pages import contexts
from service.store.secret import KeySecrets
from tests.api.conftest import NOON, STEP, Wall
from tests.forecasting.made import panel_of

SPOT = 50_000.0
QUESTION = "Will Bitcoin be above 55,000 USD on 20 January 2027?"


@dataclass(frozen=True)
class Silent:
    """A voter that always abstains."""

    name: str = "news"
    kind: VoterKind = "seat"
    engine: str = EMBEDDED

    def forecast(self, question: Question, inputs: ForecastInputs) -> Forecast:
        raise Abstention("There is no news.")


SILENT = Silent()
EIGHT = [SILENT if voter.name == SILENT.name else voter for voter in voters()]


def observe(database: Database, at: int = NOON, spot: float = SPOT) -> None:
    """Store a bar of bitcoin that was complete at `at`, and its context: enough for plain volatility."""
    context = Context("btc", at, spot, 200.0, 1e-5, 1e-5, inputs={}, correlations={})
    with database.writing() as db:
        contexts.save(db, "btc", context.to_plain(), as_of=at)
        bars.add_bars(db, "btc", from_rows([(at - STEP, spot, spot, spot, spot, 1.0)], STEP))


def oracle_app(database: Database, folder: Path, wall: Wall, panel: Panel | None = None, **options) -> Flask:
    """The application; by default eight vote, and the news seat abstains."""
    settings = Settings(world="simulated", data_dir=folder, **options)
    panel = panel or panel_of(EIGHT, quorum=1)
    return create_app(
        Services(settings, database, WorldClock("simulated"), STEP, panel, KeySecrets(b"a secret of the tests"), wall)
    )
