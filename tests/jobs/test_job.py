"""Jobs follow the world's or the wall's clock; the context says how many questions run at once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from service.config import Settings
from service.jobs.job import Every, Job, JobContext
from service.market.instants import WorldClock
from service.trading.accounts import AccountTerms
from tests.forecasting.made import panel_of

WALL = 1_800_000_000


@pytest.mark.parametrize(("clock", "instant"), [("world", 3_600), ("wall", WALL + 60)])
def test_a_job_reads_its_own_clock(clock, instant):
    """A replay that runs sixty times as fast, a minute after its start."""
    replay = WorldClock("replay", world_origin=0, wall_origin=WALL, speed=60.0)
    assert Job("a", Every(60), lambda *_: lambda _: None, clock).instant(replay, WALL + 60.5) // 60 * 60 == instant


def test_the_default_rate_of_shorts_is_that_of_accounts():
    """An account computed without the settings, as in measurements, pays the same."""
    context = JobContext(Settings(), None, None, WorldClock("simulated"), 0, panel_of([]))
    assert context.account_terms == AccountTerms()


@pytest.mark.parametrize(("engine", "at_once"), [("embedded", 1), ("nowhere:some-model", 8)])
def test_only_models_are_asked_several_questions_at_once(engine, at_once):
    panel = panel_of([SimpleNamespace(name="trend", kind="seat", engine=engine)])
    context = JobContext(Settings(), None, None, WorldClock("simulated"), 0, panel)
    assert context.at_once == at_once
    assert not context.embedded.has_models
